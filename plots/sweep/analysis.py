"""What a sweep says: which axis moves what, and which runs no other one beats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from cavern.plots.metrics import MORE, Metric
from cavern.plots.sweep.measured import half_of, known, small, thin
from cavern.plots.sweep.table import Axis, Row, SweepTable, number
from cavern.verdicts import fronts
from cavern.verdicts.additive import fit, typical
from cavern.verdicts.intervals import different, mean_of
from cavern.verdicts.shares import FloatArray, balanced, shares


@dataclass(frozen=True)
class Effect:
    """What one axis does to one metric: the part of the variance that it explains by itself, and
    its error (verdicts/shares.py). `means` are those of its values, relative to the mean of all:
    of the runs where all combinations were run, else as expected by a sum over the axes. `sure`
    is whether the lowest and the highest differ by more than the seeds do."""

    share: float
    error: float
    means: tuple[float, ...]
    sure: bool = True

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
    groups = np.array([place for (place,) in table.places([trace])] if trace else [0] * len(values))
    result = np.full(len(values), math.nan)
    for group in set(groups.tolist()):
        chosen = (groups == group) & np.isfinite(values)
        mean = values[chosen].mean() if chosen.any() else 0.0
        if mean != 0.0:
            result[chosen] = values[chosen] / mean
    return result


def effects(table: SweepTable, axes: Sequence[Axis], of: Metric) -> list[Effect] | None:
    """One for each axis; None where nothing varies, or there are too few runs to say."""
    values = relative(table, of)
    measured = np.isfinite(values)
    values = values[measured]
    points = [p for p, kept in zip(table.places(axes), measured, strict=True) if kept]
    found = shares(points, values.tolist())
    if found is None:
        return None
    complete = balanced(np.array(points, dtype=np.int64))
    guess = None if complete else fit(axes, points, values.tolist())
    results = []
    for index, (axis, one) in enumerate(zip(axes, found, strict=True)):
        seen = {point[index] for point in points}
        means = []
        for place in range(len(axis.values)):
            if place not in seen:
                means.append(math.nan)
            elif guess is None:
                means.append(float(values[[p[index] == place for p in points]].mean()))
            else:
                means.append(float(guess.at(typical(axes, {index: place}))))
        effect = Effect(one.share, one.error, tuple(means))
        if table.seeds in axes:
            of_seeds = [p[axes.index(table.seeds)] for p in points]
            low, high = (
                _by_seed(of_seeds, values, [p[index] == end for p in points])
                for end in (effect.low, effect.high)
            )
            sure = guess is not None or different([(low, high)])[0]
            effect = replace(effect, sure=sure and axis is not table.seeds)
        results.append(effect)
    return results


def _by_seed(seeds: Sequence[int], values: FloatArray, chosen: Sequence[bool]) -> list[float]:
    """The mean of the chosen runs of each seed."""
    found: dict[int, list[float]] = {}
    for seed, value, kept in zip(seeds, values.tolist(), chosen, strict=True):
        if kept:
            found.setdefault(seed, []).append(value)
    return [sum(some) / len(some) for some in found.values()]


class Influence:
    """The effects of the axes on each of some metrics; the trace is no axis here."""

    def __init__(self, table: SweepTable, some: Sequence[Metric]) -> None:
        self.axes = [axis for axis in table.axes if axis.columns != ("trace",)]
        self.of = {one.field: effects(table, self.axes, one) for one in some}

    def ranked(self, axes: Sequence[Axis]) -> list[Axis]:
        """That which moves the metrics most first: all figures are drawn over the same."""
        totals = {axis.label: 0.0 for axis in axes}
        for found in self.of.values():
            for axis, one in zip(self.axes, found or [], strict=False):
                if axis.label in totals:
                    totals[axis.label] += one.share
        return sorted(axes, key=lambda axis: -totals[axis.label])


@dataclass(frozen=True)
class Point:
    """A combination of parameters on one trace; `values` are means over the seeds, `halves` half of
    their intervals. Where there is one seed for all these are those of a sampled run, else 0."""

    row: Row
    values: dict[str, float]
    halves: dict[str, float]


def points(table: SweepTable, metrics: Sequence[Metric]) -> list[Point]:
    groups: dict[tuple[int, ...], list[Row]] = {}
    for place, row in zip(table.places(table.named), table.good, strict=True):
        groups.setdefault(place, []).append(row)
    found = []
    for rows in groups.values():
        means = {one.field: mean_of(known(rows, one)) for one in metrics}
        values = {field: one.mean for field, one in means.items()}
        halves = {field: one.half_width for field, one in means.items()}
        if not table.seeds:
            halves = {one.field: max(half_of(row, one) for row in rows) for one in metrics}
        found.append(Point(rows[0], values, halves))
    return found


@dataclass(frozen=True)
class Member:
    """A point of the front; `why` says by which objectives it is there."""

    point: Point
    why: str


def aims_of(found: Sequence[Point], aims: Sequence[Metric]) -> list[Metric]:
    """Those in which the points differ."""
    kept = []
    for aim in aims:
        values = [v for p in found if math.isfinite(v := p.values[aim.field])]
        if values and aim.differs(min(values), max(values)):
            kept.append(aim)
    return kept


def front(found: Sequence[Point], aims: Sequence[Metric]) -> list[Member]:
    """What no other point beats: by at least fronts.LEAST_GAIN in one aim, and in none behind by
    as much; where there are several seeds, also by more than the intervals of both. Aims in which
    the points do not differ have no say; without any, there is no front."""
    aims = aims_of(found, aims)
    kept = [p for p in found if all(math.isfinite(p.values[aim.field]) for aim in aims)]
    if not kept or not aims:
        return []
    costs = [cost(p.values, aims) for p in kept]
    widths = [[p.halves[aim.field] for aim in aims] for p in kept]
    places = fronts.front(costs, widths)
    needed = fronts.reasons(costs, places, widths)
    leading = fronts.leads(costs, places, widths)
    return [
        Member(kept[place], _why(aims, needs, leads))
        for place, needs, leads in zip(places, needed, leading, strict=True)
    ]


def cost(values: dict[str, float], aims: Sequence[Metric]) -> list[float]:
    """The values such that less is better."""
    return [-values[a.field] if a.better == MORE else values[a.field] for a in aims]


def _why(aims: Sequence[Metric], needs: Sequence[int], leads: Sequence[int]) -> str:
    def names(some: Sequence[int]) -> list[str]:
        return [small(aims[place]) for place in some]

    if len(leads) == len(aims):
        return "all of them" if len(aims) > 1 else names(leads)[0]
    if needs:
        return " and ".join(names(needs)) + (" together" if len(needs) > 1 else "")
    return " or ".join(names(leads)) if leads else "the balance of all"


def best_of(
    rows: Sequence[Row],
    values: Sequence[float],
    of: Metric,
    texts: Sequence[str],
    halves: Sequence[float] = (),
) -> list[bool]:
    """Which of the values are marked as best: those that differ from the best one neither by enough
    nor in what is printed, nor by more than the intervals of both, of which `halves` are half. None
    where that is all of them, or where one rests on too few samples."""
    best = of.best(values)
    if not math.isfinite(best) or any(thin(row, of) for row in rows):
        return [False] * len(values)
    halves = halves or [0.0] * len(values)
    place = list(values).index(best)
    found = [
        math.isfinite(value)
        and (
            shown == texts[place]
            or not of.differs(best, value)
            or not abs(value - best) > math.hypot(half, halves[place])
        )
        for value, shown, half in zip(values, texts, halves, strict=True)
    ]
    return found if not all(found) else [False] * len(values)
