"""Which combinations to look at next. Same trials, same seed: same proposals."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from cavern.plots.metrics import Metric
from cavern.search.space import Point, Search
from cavern.search.trials import Trial, beats, costs, directions, distribution, frozen
from cavern.verdicts.additive import FloatArray, expected

#: The share of the trials that only spreads over the space.
SPREAD = 0.25
FEWEST_SPREAD = 8
MOST_MODELLED = 20_000
MOST_ASKED = 20


def front_of(trials: Sequence[Trial], aims: Sequence[Metric]) -> list[Trial]:
    """The trials that no other one beats."""
    good = [(one, costs(aims, one.values)) for one in trials if one.values is not None]
    return [one for one, cost in good if not any(beats(other, cost) for _, other in good)]


def propose(search: Search, trials: Sequence[Trial], aims: Sequence[Metric]) -> list[Point]:
    """The next batch, none of which was looked at before; empty where all were."""
    chance = random.Random(f"{search.seed}/{len(trials)}")
    seen = {one.point for one in trials}
    batch: list[Point] = []
    for place in range(min(search.batch, search.trials - len(trials))):
        number = len(trials) + place
        point: Point | None
        if number < max(FEWEST_SPREAD, int(SPREAD * search.trials)):
            point = _spread(search, number)
        elif number % 2:
            point = _promising(search, trials, aims, seen, chance)
        elif number % 4:
            point = _neighbour(search, trials, aims, seen, chance)
        else:
            point = _sampled(search, trials, aims, seen, number)
        if point is None or point in seen:
            point = _unseen(search, seen, chance)
        if point is None:
            break
        seen.add(point)
        batch.append(point)
    return batch


def _spread(search: Search, number: int) -> Point:
    """The values of each axis in turn, in an order of its own in each turn: all are seen early."""
    values = []
    for place, axis in enumerate(search.axes):
        turn, within = divmod(number, len(axis.values))
        order = list(range(len(axis.values)))
        random.Random(f"{search.seed}/{place}/{turn}").shuffle(order)
        values.append(order[within])
    return tuple(values)


def _unseen(search: Search, seen: set[Point], chance: random.Random) -> Point | None:
    total = len(search.cases)
    if len(seen) >= total:
        return None
    for _ in range(100):
        point = search.point(chance.randrange(total))
        if point not in seen:
            return point
    return next(p for i in range(total) if (p := search.point(i)) not in seen)


def outlook(
    search: Search, trials: Sequence[Trial], aims: Sequence[Metric], wanted: Sequence[Point]
) -> FloatArray:
    """The costs expected of the wanted points, a column per objective, each from 0 (the best of
    the trials) to 1 (the worst)."""
    found = np.zeros((len(wanted), len(aims)))
    points = [one.point for one in trials]
    for column in range(len(aims)):
        sign = costs([aims[column]], [1.0])[0]
        # What was ruled out still says what it does without time.
        values = [one.values[column] if one.values else one.screened[column] for one in trials]
        known = [sign * value for value in values if np.isfinite(value)]
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        guess = sign * expected(search.axes, points, values, wanted)
        found[:, column] = np.nan_to_num((guess - low) / ((high - low) or 1.0))
    return found


def candidates(search: Search, seen: set[Point], chance: random.Random) -> list[Point]:
    total = len(search.cases)
    places = range(total) if total <= MOST_MODELLED else chance.sample(range(total), MOST_MODELLED)
    return [point for place in places if (point := search.point(place)) not in seen]


def _best(costs_of: FloatArray, chance: random.Random) -> int:
    """By a sum of the costs whose weights are drawn: over a search they cover the front."""
    weights = np.array([chance.expovariate(1.0) for _ in range(costs_of.shape[1])])
    return int(np.argmin(costs_of @ (weights / weights.sum())))


def _promising(
    search: Search,
    trials: Sequence[Trial],
    aims: Sequence[Metric],
    seen: set[Point],
    chance: random.Random,
) -> Point | None:
    """The point of the space of which most is expected."""
    wanted = candidates(search, seen, chance)
    return wanted[_best(outlook(search, trials, aims, wanted), chance)] if wanted else None


def _neighbour(
    search: Search,
    trials: Sequence[Trial],
    aims: Sequence[Metric],
    seen: set[Point],
    chance: random.Random,
) -> Point | None:
    """The most promising point one step away from the front: what a sum over the axes
    does not see lies there."""
    wanted = []
    for one in front_of(trials, aims):
        for place, axis in enumerate(search.axes):
            for value in axis.steps(one.point[place]):
                point = (*one.point[:place], value, *one.point[place + 1 :])
                if point not in seen and point not in wanted:
                    wanted.append(point)
    return wanted[_best(outlook(search, trials, aims, wanted), chance)] if wanted else None


def _sampled(
    search: Search,
    trials: Sequence[Trial],
    aims: Sequence[Metric],
    seen: set[Point],
    number: int,
) -> Point | None:
    """By Optuna's tree-structured Parzen estimator. It is asked in memory: the study of the search
    has finished trials alone, so that a killed search goes on as if it had not been."""
    import optuna

    distributions = {axis.name: distribution(axis) for axis in search.axes}
    sampler = optuna.samplers.TPESampler(
        seed=search.seed * 1_000_003 + number, multivariate=True, n_startup_trials=1
    )
    study = optuna.create_study(directions=directions(aims), sampler=sampler)
    study.add_trials([frozen(search, one, distributions) for one in trials])
    for _ in range(MOST_ASKED):
        asked = study.ask(distributions)
        point = tuple(int(asked.params[axis.name]) for axis in search.axes)
        if point not in seen:
            return point
    return None
