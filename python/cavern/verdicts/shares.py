"""How much of the differences between runs each axis explains."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

#: Axes up to which all orders are taken. Beyond, DRAWN orders are drawn, each with its reverse.
MOST_AXES = 5
DRAWN = 60
#: Parts of the runs that are left out in turn for the error.
GROUPS = 10
#: Fewer runs beyond those that the values of the axes use up say nothing of the rest.
LEAST_SPARE = 4

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Share:
    """A part of the variance, 0 to 1, and its standard error: 0 where the runs are all there
    are."""

    share: float
    error: float


def shares(places: Sequence[Sequence[int]], values: Sequence[float]) -> list[Share] | None:
    """The part of the variance of the values that each axis explains by itself. `places` has a row
    per run: for each axis the index of its value there. The parts add up to at most 1; what is
    missing is what no axis explains without another one, and chance. None where nothing varies, or
    where there are too few runs for the values.

    The variance that a linear model over the values of the axes explains (R²) is split among the
    axes by the mean, over all orders of them, of what each adds to those before it: the Shapley
    value of R² (Lindeman, Merenda, Gold, "Introduction to Bivariate and Multivariate Analysis",
    1980, p. 119; Grömping, "Relative Importance for Linear Regression in R", J. Stat. Softw. 17(1),
    2006). Where each combination was run equally often, the axes are orthogonal and this is the
    sum of squares between the values of an axis over that of all runs (eta squared, Sobol's
    first-order index). Then it is exact, and has no error.

    Where some were not run, chance alone would explain a part: each value of an axis takes off the
    mean square of the rest (epsilon squared; Kelley, "An unbiased correlation ratio measure",
    PNAS 21, 1935), and the error is that of the jackknife over GROUPS parts of the runs
    (Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 11)."""
    rows = np.array(places, dtype=np.int64).reshape(len(values), -1)
    target = np.array(values, dtype=np.float64)
    count = rows.shape[1]
    if not count or len(target) < 2 or _square(target) <= 1e-18 * _square(target, 0.0):
        return None
    exact = balanced(rows)
    found = _split(rows, target, exact)
    if found is None:
        return None
    if exact:
        return [Share(one, 0.0) for one in found]
    errors = _jackknife(rows, target, found)
    return [Share(one, error) for one, error in zip(found, errors, strict=True)]


def balanced(places: IntArray) -> bool:
    """Whether each combination of the values that occur was run, all equally often."""
    combinations, counts = np.unique(places, axis=0, return_counts=True)
    widths = [len(np.unique(places[:, column])) for column in range(places.shape[1])]
    return len(combinations) == math.prod(widths) and len(set(counts.tolist())) == 1


def _square(values: FloatArray, around: float | None = None) -> float:
    return float(((values - (values.mean() if around is None else around)) ** 2).sum())


def _split(rows: IntArray, target: FloatArray, exact: bool) -> list[float] | None:
    total = _square(target)
    if total <= 0:
        return None
    blocks = [np.eye(int(rows[:, i].max()) + 1)[rows[:, i]] for i in range(rows.shape[1])]
    columns = np.hstack(blocks)
    columns -= columns.mean(axis=0)
    square, side = columns.T @ columns, columns.T @ (target - target.mean())
    of_axis = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
    known: dict[frozenset[int], tuple[float, int]] = {frozenset(): (0.0, 0)}

    def explained(some: frozenset[int]) -> tuple[float, int]:
        if some not in known:
            chosen = np.isin(of_axis, sorted(some))
            sizes, vectors = np.linalg.eigh(square[np.ix_(chosen, chosen)])
            seen = sizes > 1e-9 * max(1.0, float(sizes[-1]))
            parts = vectors[:, seen].T @ side[chosen]
            known[some] = (float((parts**2 / sizes[seen]).sum()) / total, int(seen.sum()))
        return known[some]

    axes = range(len(blocks))
    if exact:  # orthogonal: the order does not matter
        return [explained(frozenset([axis]))[0] for axis in axes]
    whole, used = explained(frozenset(axes))
    spare = len(target) - 1 - used
    if spare < LEAST_SPARE:
        return None
    noise = max(0.0, 1.0 - whole) / spare

    def worth(some: frozenset[int]) -> float:
        share, rank = explained(some)
        return share - rank * noise

    return [max(0.0, one) for one in _shapley(len(blocks), worth)]


def _shapley(count: int, worth: Callable[[frozenset[int]], float]) -> list[float]:
    found = [0.0] * count
    orders = _orders(count)
    for order in orders:
        before: frozenset[int] = frozenset()
        for axis in order:
            after = before | {axis}
            found[axis] += (worth(after) - worth(before)) / len(orders)
            before = after
    return found


def _orders(count: int) -> list[tuple[int, ...]]:
    if count <= MOST_AXES:
        return list(permutations(range(count)))
    chance = random.Random(0)
    drawn = [tuple(chance.sample(range(count), count)) for _ in range(DRAWN)]
    return [*drawn, *(order[::-1] for order in drawn)]


def _jackknife(rows: IntArray, target: FloatArray, whole: Sequence[float]) -> list[float]:
    """NaN where a part cannot be left out."""
    place = np.array(random.Random(0).sample(range(len(target)), len(target)))
    groups = min(GROUPS, len(target))
    left = []
    for group in range(groups):
        kept = place % groups != group
        some = _split(rows[kept], target[kept], exact=False)
        if some is None:
            return [math.nan] * len(whole)
        left.append(some)
    spread = np.var(np.array(left), axis=0)
    return [float(one) for one in np.sqrt((groups - 1) * spread)]
