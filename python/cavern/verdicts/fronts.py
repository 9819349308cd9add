"""Which of several points no other one beats, when a hair's breadth is no gain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

#: An objective counts as better only from this share of the other's on: a front of many objectives
#: would else keep whatever differs in the fourth digit of one of them.
LEAST_GAIN = 0.01

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def gains(costs: FloatArray, over: FloatArray, chance: FloatArray | float = 0.0) -> BoolArray:
    """In which objectives the costs are better than those of another point, by enough, and by more
    than chance makes of them. Less is better; what should be large is given negative. Shapes as
    numpy broadcasts them."""
    lead = over - costs
    return (lead > chance) & (lead >= LEAST_GAIN * np.abs(over))


def beaten(costs: FloatArray, widths: FloatArray | None = None) -> BoolArray:
    """Element [i, j]: whether row j beats row i, which is better in something and in nothing
    worse, each by enough. Two rows that differ by less in all objectives do not beat each other.

    `widths` are half of the intervals of costs that are means, 0 where there is nothing random, NaN
    where nobody knows."""
    found = np.zeros((len(costs), len(costs)), dtype=np.bool_)
    widths = np.zeros_like(costs) if widths is None else widths
    for place, cost in enumerate(costs):
        chance = np.hypot(widths, widths[place])
        better = gains(costs, cost[None, :], chance).any(axis=1)
        worse = gains(cost[None, :], costs, chance).any(axis=1)
        found[place] = better & ~worse
    return found


def front(
    costs: Sequence[Sequence[float]], widths: Sequence[Sequence[float]] | None = None
) -> list[int]:
    """The rows of costs, finite all, that are on the front, in their order; `widths` as above.

    No row of the front beats another one of it, and each that is left out is beaten by one of it.
    "Beats" has no transitivity where gains are just too small to count: of rows that beat each
    other in a ring, that with the least sum of logarithms stays."""
    array = np.array(costs, dtype=np.float64)
    if not len(array):
        return []
    by = beaten(array, _like(array, widths))
    sizes = np.log(np.maximum(np.abs(array), 1e-300)) * np.where(array < 0, -1.0, 1.0)
    totals = sizes.sum(axis=1)
    left = np.ones(len(array), dtype=np.bool_)
    kept: list[int] = []
    while left.any():
        free = np.flatnonzero(left & ~(by & left[None, :]).any(axis=1))
        if not len(free):
            places = np.flatnonzero(left)
            free = places[[int(np.argmin(totals[places]))]]
            left &= ~by[free[0]]
        kept += free.tolist()
        left[free] = False
        left &= ~by[:, free].any(axis=1)
    return sorted(kept)


def _like(costs: FloatArray, widths: Sequence[Sequence[float]] | None) -> FloatArray:
    return np.zeros_like(costs) if widths is None else np.array(widths, dtype=np.float64)


def reasons(
    costs: Sequence[Sequence[float]],
    on_front: Sequence[int],
    widths: Sequence[Sequence[float]] | None = None,
) -> list[tuple[int, ...]]:
    """For each row of the front the objectives that it needs to be there: without one of them
    another row of the front would beat it. Empty where it needs none of them in particular."""
    every = np.array(costs, dtype=np.float64)
    array, half = every[list(on_front)], _like(every, widths)[list(on_front)]
    found: list[list[int]] = [[] for _ in on_front]
    for column in range(array.shape[1]):
        rest = np.delete(array, column, axis=1)
        if not rest.shape[1]:
            continue
        without = beaten(rest, np.delete(half, column, axis=1))
        for place in np.flatnonzero(without.any(axis=1)):
            found[place].append(column)
    return [tuple(columns) for columns in found]


def leads(
    costs: Sequence[Sequence[float]],
    on_front: Sequence[int],
    widths: Sequence[Sequence[float]] | None = None,
) -> list[tuple[int, ...]]:
    """For each row of the front the objectives in which it is better by enough than all others of
    it; where there is none, those in which no other is better than it."""
    every = np.array(costs, dtype=np.float64)
    array, half = every[list(on_front)], _like(every, widths)[list(on_front)]
    found = []
    for place, row in enumerate(array):
        rest = np.delete(array, place, axis=0)
        chance = np.hypot(np.delete(half, place, axis=0), half[place])
        alone = gains(row[None, :], rest, chance).all(axis=0) & bool(len(rest))
        first = ~gains(rest, row[None, :], chance).any(axis=0)
        found.append(tuple(np.flatnonzero(alone if alone.any() else first).tolist()))
    return found


def enters(cost: Sequence[float], others: Sequence[Sequence[float]]) -> bool:
    """Whether a point would be better than each of the others in something, by enough."""
    if not others:
        return True
    ours = np.array(cost, dtype=np.float64)[None, :]
    return bool(gains(ours, np.array(others, dtype=np.float64)).any(axis=1).all())
