"""What is expected of combinations that nobody has run: each objective as a sum over the axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cavern.search.space import Axis, Point

#: Keeps axes that hardly differ, or were hardly seen, from being believed.
RIDGE = 0.3

FloatArray = NDArray[np.float64]


def one_hot(axes: Sequence[Axis], points: Sequence[Point]) -> FloatArray:
    """A row per point: a column per value of each axis, and one of ones. Of an ordered axis also
    its place along it, for values that were never run."""
    widths = [len(axis.values) for axis in axes]
    begins = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    ordered = [index for index, axis in enumerate(axes) if axis.ordered]
    found = np.zeros((len(points), int(begins[-1]) + len(ordered) + 1))
    places = np.array(points, dtype=np.int64).reshape(len(points), len(axes))
    rows = np.arange(len(points))
    for index in range(len(axes)):
        found[rows, begins[index] + places[:, index]] = 1.0
    for column, index in enumerate(ordered, int(begins[-1])):
        found[:, column] = places[:, index] / max(1, widths[index] - 1)
    found[:, -1] = 1.0
    return found


def expected(
    axes: Sequence[Axis],
    points: Sequence[Point],
    values: Sequence[float],
    wanted: Sequence[Point],
) -> FloatArray:
    """The value expected of each wanted point by ridge regression on what was measured; the
    logarithms are fitted where all are above 0. NaN where nothing was measured."""
    known = [index for index, value in enumerate(values) if math.isfinite(value)]
    if not known:
        return np.full(len(wanted), math.nan)
    measured = np.array([values[index] for index in known], dtype=np.float64)
    logarithmic = bool((measured > 0).all())
    target = np.log(measured) if logarithmic else measured
    mean = float(target.mean())
    columns = one_hot(axes, [points[index] for index in known])[:, :-1]
    square = columns.T @ columns + RIDGE * np.eye(columns.shape[1])
    weights = np.linalg.solve(square, columns.T @ (target - mean))
    found = one_hot(axes, wanted)[:, :-1] @ weights + mean
    return np.exp(found) if logarithmic else found
