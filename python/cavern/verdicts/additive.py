"""What is expected of combinations that nobody has run: each figure as a sum over the axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

#: Keeps axes that hardly differ, or were hardly seen, from being believed.
RIDGE = 0.3
#: The one that says best what it has not seen is taken where the result is shown.
RIDGES = (0.01, 0.1, 0.3, 1.0)
#: So many runs are left out at most, one at a time, to see how well the rest says them.
MOST_LEFT_OUT = 400
#: The logarithm of the largest factor by which a fit is said to miss.
MOST_MISSED = 50.0

FloatArray = NDArray[np.float64]
#: A combination: for each axis the index of its value.
Point = tuple[int, ...]


class Axis(Protocol):
    """`ordered` where the values are quantities, so that neighbours are alike."""

    @property
    def values(self) -> Sequence[Any]: ...

    @property
    def ordered(self) -> bool: ...


def one_hot(axes: Sequence[Axis], points: Sequence[Point]) -> FloatArray:
    """A row per point: a column per value of each axis. Of an ordered axis also its place along
    it, for values that were never run."""
    widths = [len(axis.values) for axis in axes]
    begins = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    ordered = [index for index, axis in enumerate(axes) if axis.ordered]
    found = np.zeros((len(points), int(begins[-1]) + len(ordered)))
    places = np.array(points, dtype=np.int64).reshape(len(points), len(axes))
    rows = np.arange(len(points))
    for index in range(len(axes)):
        found[rows, begins[index] + places[:, index]] = 1.0
    for column, index in enumerate(ordered, int(begins[-1])):
        found[:, column] = places[:, index] / max(1, widths[index] - 1)
    return found


def typical(axes: Sequence[Axis], fixed: Mapping[int, int]) -> FloatArray:
    """The row of a combination of which some axes are fixed, and the others in the middle of all
    their values: what a mean over all combinations of these would be."""
    rows = []
    for index, axis in enumerate(axes):
        places = [fixed[index]] if index in fixed else range(len(axis.values))
        points = [tuple(p if i == index else 0 for i in range(len(axes))) for p in places]
        rows.append(one_hot(axes, points).mean(axis=0))
    nowhere = one_hot(axes, [(0,) * len(axes)])[0]
    return nowhere + sum((row - nowhere for row in rows), np.zeros(len(nowhere)))


@dataclass(frozen=True)
class Fit:
    """Ridge regression on what was measured; the logarithms are fitted where all is above 0.

    `missed` is the share by which it typically misses a run that it has not seen (the median over
    the runs, each left out in turn); `skill` how much better it does so than the mean of the runs:
    1 is perfect, 0 no better."""

    weights: FloatArray
    mean: float
    logarithmic: bool
    missed: float
    skill: float

    def at(self, rows: FloatArray) -> FloatArray:
        """The values expected of rows of one_hot() or typical()."""
        found = rows @ self.weights + self.mean
        return np.exp(found) if self.logarithmic else found


def fit(axes: Sequence[Axis], points: Sequence[Point], values: Sequence[float]) -> Fit | None:
    """That of RIDGES which says best what it has not seen. None where nothing was measured; NaN
    among the values stand for what was not."""
    known = _Known.of(axes, points, values)
    if known is None:
        return None
    found = [(*known.left_out(ridge), ridge) for ridge in RIDGES]
    skill, missed, ridge = max(found, key=lambda one: one[0])
    missed = math.expm1(min(missed, MOST_MISSED)) if known.logarithmic else math.nan
    return Fit(known.weights(ridge), known.mean, known.logarithmic, missed, skill)


def expected(
    axes: Sequence[Axis],
    points: Sequence[Point],
    values: Sequence[float],
    wanted: Sequence[Point],
) -> FloatArray:
    """The value expected of each wanted point, by RIDGE. NaN where nothing was measured."""
    known = _Known.of(axes, points, values)
    if known is None:
        return np.full(len(wanted), math.nan)
    found = Fit(known.weights(RIDGE), known.mean, known.logarithmic, math.nan, math.nan)
    return found.at(one_hot(axes, wanted))


@dataclass(frozen=True)
class _Known:
    """What was measured, as a linear model sees it."""

    columns: FloatArray
    target: FloatArray
    mean: float
    logarithmic: bool

    @classmethod
    def of(
        cls, axes: Sequence[Axis], points: Sequence[Point], values: Sequence[float]
    ) -> _Known | None:
        known = [index for index, value in enumerate(values) if math.isfinite(value)]
        if not known:
            return None
        measured = np.array([values[index] for index in known], dtype=np.float64)
        logarithmic = bool((measured > 0).all())
        target = np.log(measured) if logarithmic else measured
        columns = one_hot(axes, [points[index] for index in known])
        return cls(columns, target, float(target.mean()), logarithmic)

    def _square(self, ridge: float) -> FloatArray:
        found: FloatArray = self.columns.T @ self.columns
        return found + ridge * np.eye(self.columns.shape[1])

    def weights(self, ridge: float) -> FloatArray:
        side = self.columns.T @ (self.target - self.mean)
        return np.asarray(np.linalg.solve(self._square(ridge), side), dtype=np.float64)

    def left_out(self, ridge: float) -> tuple[float, float]:
        """How well fits of all runs but one say that one: skill, and what they typically miss."""
        target, count = self.target, len(self.target)
        if count < 2:
            return 0.0, math.nan
        out = np.arange(0, count, math.ceil(count / MOST_LEFT_OUT))
        rows, truth = self.columns[out], target[out]
        means = (target.sum() - truth) / (count - 1)
        squares = self._square(ridge) - rows[:, :, None] * rows[:, None, :]
        sides = self.columns.T @ target - rows * truth[:, None]
        sides -= means[:, None] * (self.columns.sum(axis=0) - rows)
        weights = np.linalg.solve(squares, sides[:, :, None])[:, :, 0]
        errors = truth - means - (rows * weights).sum(axis=1)
        total = float(((truth - means) ** 2).sum())
        skill = 1.0 - float((errors**2).sum()) / total if total > 0 else 0.0
        return skill, float(np.median(np.abs(errors)))
