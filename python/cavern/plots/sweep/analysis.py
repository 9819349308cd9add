"""What a sweep says: which axis moves what, and which runs no other one beats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cavern.plots.metrics import MORE, NEITHER, OBJECTIVES, Metric
from cavern.plots.sweep.table import Axis, Row, SweepTable, number

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Effect:
    """What one axis does to one metric, the other axes averaged.

    `share` is the part of the variance that its values explain: the sum of squares between them
    over that of all runs (eta squared; in a full factorial the first-order index of Sobol).
    `means` are those of its values, relative to the mean of the runs."""

    share: float
    means: tuple[float, ...]

    @property
    def low(self) -> int:
        return int(np.nanargmin(self.means))

    @property
    def high(self) -> int:
        return int(np.nanargmax(self.means))


def relative(table: SweepTable, of: Metric) -> FloatArray:
    """The metric of each good run over the mean of the runs of its trace: else the trace would
    hide everything else."""
    values = np.array([number(row, of.field) for row in table.good], dtype=np.float64)
    trace = table.axis("trace")
    groups = [trace.place(row) if trace else 0 for row in table.good]
    result = np.full(len(values), math.nan)
    for group in set(groups):
        chosen = np.array([one == group for one in groups]) & np.isfinite(values)
        mean = values[chosen].mean() if chosen.any() else 0.0
        if mean != 0.0:
            result[chosen] = values[chosen] / mean
    return result


def effect(table: SweepTable, axis: Axis, of: Metric) -> Effect | None:
    """None where nothing varies, or fewer than two of its values were measured."""
    values = relative(table, of)
    places = np.array([axis.place(row) for row in table.good])
    known = np.isfinite(values)
    values, places = values[known], places[known]
    total = float(((values - values.mean()) ** 2).sum()) if len(values) else 0.0
    if total <= 1e-18 or len(set(places.tolist())) < 2:
        return None
    means, between = [], 0.0
    for place in range(len(axis.values)):
        chosen = values[places == place]
        means.append(float(chosen.mean()) if len(chosen) else math.nan)
        if len(chosen):
            between += len(chosen) * (means[-1] - float(values.mean())) ** 2
    return Effect(between / total, tuple(means))


def by_influence(table: SweepTable, axes: Sequence[Axis], of: Metric) -> list[Axis]:
    """The axes, that which moves the metric most first."""

    def share(axis: Axis) -> float:
        found = effect(table, axis, of)
        return found.share if found else -1.0

    return sorted(axes, key=share, reverse=True)


@dataclass(frozen=True)
class Point:
    """A combination of parameters on one trace; `values` are means over the seeds."""

    row: Row
    values: dict[str, float]


def points(table: SweepTable, metrics: Sequence[Metric]) -> list[Point]:
    axes = [axis for axis in table.axes if axis.columns != ("seed",)]
    groups: dict[tuple[int, ...], list[Row]] = {}
    for row in table.good:
        groups.setdefault(tuple(axis.place(row) for axis in axes), []).append(row)
    found = []
    for rows in groups.values():
        values = {}
        for one in metrics:
            known = [value for row in rows if math.isfinite(value := number(row, one.field))]
            values[one.field] = sum(known) / len(known) if known else math.nan
        found.append(Point(rows[0], values))
    return found


def objectives(table: SweepTable) -> list[Metric]:
    """Those of OBJECTIVES that vary; else whatever has a better and varies."""
    varying = [one for one in table.metrics if one.field in OBJECTIVES]
    varying.sort(key=lambda one: OBJECTIVES.index(one.field))
    return varying or [one for one in table.metrics if one.better != NEITHER][:2]


def front(found: Sequence[Point], aims: Sequence[Metric]) -> list[Point]:
    """The points that no other one beats: nothing is as good in all aims and better in one."""
    kept = [p for p in found if all(math.isfinite(p.values[aim.field]) for aim in aims)]
    if not kept:
        return []
    signs = [-1.0 if aim.better == MORE else 1.0 for aim in aims]
    costs = np.array(
        [[s * p.values[a.field] for s, a in zip(signs, aims, strict=True)] for p in kept]
    )
    return [
        point
        for point, cost in zip(kept, costs, strict=True)
        if not ((costs <= cost).all(axis=1) & (costs < cost).any(axis=1)).any()
    ]
