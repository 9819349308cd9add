"""The next runs worth doing when a search has ended, each with its reason and its command."""

from __future__ import annotations

import random
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cavern.plots.metrics import Metric
from cavern.plots.sweep.page import Suggestion
from cavern.search.model import FloatArray, expected
from cavern.search.propose import candidates, front_of, outlook
from cavern.search.space import Axis, Point, Search
from cavern.search.trials import Trial
from cavern.sweeps.case import Case, Setting

MOST = 3
#: The share of the front that must have the last value of an axis, for one beyond it.
LEANING = 0.6


def next_runs(search: Search, trials: Sequence[Trial], aims: Sequence[Metric]) -> list[Suggestion]:
    """At most three: what nobody has run and most is expected of, then values beyond the ends of
    axes that the front leans on."""
    best = front_of(trials, aims)
    if not best:
        return []
    beyond = _beyond(search, best)
    wanted = candidates(search, {one.point for one in trials}, random.Random(search.seed))
    inside = _inside(search, trials, aims, best, wanted)
    # One place is kept for what lies beyond the space, if anything does.
    kept = MOST - min(1, len(beyond))
    return [*inside[:kept], *beyond, *inside[kept:]][:MOST]


def _inside(
    search: Search,
    trials: Sequence[Trial],
    aims: Sequence[Metric],
    best: Sequence[Trial],
    wanted: Sequence[Point],
) -> list[Suggestion]:
    """Those that are expected to push the front out most, each after those before it."""
    if not wanted:
        return []
    there = outlook(search, trials, aims, [one.point for one in best])
    guesses = outlook(search, trials, aims, wanted)
    found = []
    for _ in range(MOST):
        # How much better it is, in its best objective, than the front point that is nearest.
        gain = (there[None, :, :] - guesses[:, None, :]).max(axis=2).min(axis=1)
        place = int(np.argmax(gain))
        if not np.isfinite(gain[place]):
            break
        found.append(_suggestion(search, trials, aims, best, wanted[place]))
        there = np.vstack([there, guesses[place]])
        guesses[place] = np.inf
        if len(found) == len(wanted):
            break
    return found


def _suggestion(
    search: Search,
    trials: Sequence[Trial],
    aims: Sequence[Metric],
    best: Sequence[Trial],
    point: Point,
) -> Suggestion:
    points = [one.point for one in trials]
    told = []
    for column, one in enumerate(aims):
        values = [t.values[column] if t.values else t.screened[column] for t in trials]
        guess: FloatArray = expected(search.axes, points, values, [point])
        top = one.best([t.values[column] for t in best if t.values])
        told.append(f"{one.label.lower()} about {one.text(float(guess[0]))} (best {one.text(top)})")
    why = f"Nobody has run it. Expected: {'; '.join(told)}."
    return Suggestion(search.text(point) + ".", why, command_of(search.case(point)))


def _beyond(search: Search, best: Sequence[Trial]) -> list[Suggestion]:
    found = []
    for place, axis in enumerate(search.axes):
        if not axis.ordered or len(axis.values) < 2:
            continue
        for end, factor in ((len(axis.values) - 1, 2), (0, 0.5)):
            share = sum(one.point[place] == end for one in best) / len(best)
            if share < LEANING:
                continue
            point = next(one.point for one in best if one.point[place] == end)
            changed = _stretched(search.case(point), axis, end, factor)
            if changed is not None:
                case, text = changed
                what = f"{axis.name} {text}, with {_others(search, point, place)}."
                why = (
                    f"{share * 100:.0f} % of the front has {axis.texts[end]}, the "
                    f"{'last' if end else 'first'} value described."
                )
                found.append(Suggestion(what, why, command_of(case)))
    return found


def _others(search: Search, point: Point, without: int) -> str:
    parts = [
        f"{axis.name} {axis.texts[value]}"
        for place, (axis, value) in enumerate(zip(search.axes, point, strict=True))
        if place != without
    ]
    return ", ".join(parts) or "nothing else"


def _stretched(case: Case, axis: Axis, end: int, factor: float) -> tuple[Case, str] | None:
    """The case with the value of an axis doubled or halved; None where that has no sense."""
    settings = axis.values[end].settings
    if len(settings) != 1:
        return None
    (old,) = settings
    match = re.fullmatch(r"(\d+)(\s*[A-Za-zµ]+)?", str(old.value))
    if match is None or int(match[1]) * factor < 1 or (int(match[1]) * factor) % 1:
        return None
    length = int(int(match[1]) * factor)
    value = length if isinstance(old.value, int) else f"{length}{match[2] or ''}"
    new = Setting(old.key, value)
    changed = tuple(new if one.key == old.key else one for one in case.settings)
    return replace(case, settings=changed), str(value)


def command_of(case: Case) -> str:
    return "./cavern " + " ".join(shlex.quote(word) for word in case.arguments())
