"""The next runs worth doing when a search has ended, each with its reason and its command."""

from __future__ import annotations

import math
import random
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from cavern.plots.metrics import Metric
from cavern.plots.sweep.about import Suggestion
from cavern.plots.sweep.measured import small
from cavern.search.propose import candidates
from cavern.search.space import Axis, Point, Search
from cavern.search.trials import Trial, costs
from cavern.sweeps.case import Case, Setting
from cavern.verdicts import fronts
from cavern.verdicts.additive import Fit, FloatArray, fit, one_hot
from cavern.verdicts.axes import quantities
from cavern.verdicts.noise import differs

MOST = 3
#: So many that the simulator refuses are tried before it is given up.
MOST_REFUSED = 20
#: The share of the front that must have the last value of an axis, for one beyond it.
LEANING = 0.6

#: Why no run can take a case; empty where one can.
Refusal = Callable[[Case], str]


class _Outlook:
    """What is known of a search when it has ended: its front, and what is expected of the rest."""

    def __init__(self, search: Search, trials: Sequence[Trial], aims: Sequence[Metric]) -> None:
        self.search, self.trials = search, trials
        good = [one for one in trials if one.values is not None]
        columns = [
            column
            for column in range(len(aims))
            if good and differs(*_ends([t.values[column] for t in good if t.values]))
        ]
        self.aims = [aims[column] for column in columns]
        points = [one.point for one in trials]
        self.fits: list[Fit] = []
        for column in columns:
            told = [t.values[column] if t.values else t.screened[column] for t in trials]
            found = fit(search.axes, points, told)
            assert found is not None
            self.fits.append(found)
        measured = [[t.values[column] for column in columns] for t in good if t.values]
        places = fronts.front([self.costs(one) for one in measured]) if columns else []
        self.best = [good[place] for place in places]
        self.values = [measured[place] for place in places]

    def costs(self, values: Sequence[float]) -> tuple[float, ...]:
        return costs(self.aims, values)

    def expected(self, points: Sequence[Point]) -> FloatArray:
        """A row per point, a column per objective; no figure is below 0."""
        rows = one_hot(self.search.axes, points)
        return np.maximum(np.stack([one.at(rows) for one in self.fits], axis=1), 0.0)

    def told(self, values: Sequence[float]) -> str:
        parts = []
        for column, (aim, value, guess) in enumerate(
            zip(self.aims, values, self.fits, strict=True)
        ):
            top = aim.text(aim.best([one[column] for one in self.values]))
            missed = f", ± {guess.missed * 100:.0f} %" if math.isfinite(guess.missed) else ""
            parts.append(f"{small(aim)} about {aim.text(value)}{missed} (best {top})")
        return "; ".join(parts)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


def next_runs(
    search: Search, trials: Sequence[Trial], aims: Sequence[Metric], refused: Refusal
) -> list[Suggestion]:
    """At most three, and none that is not expected to come onto the front or that cannot be run:
    what was not run and most is expected of, and values beyond the ends of axes that the front
    leans on."""
    outlook = _Outlook(search, trials, aims)
    if not outlook.best:
        return []
    beyond = _beyond(outlook, refused)
    # One place is kept for what lies beyond the space, if anything does.
    kept = MOST - min(1, len(beyond))
    inside = _inside(outlook, refused)
    return [*inside[:kept], *beyond, *inside[kept:]][:MOST]


def _inside(outlook: _Outlook, refused: Refusal) -> list[Suggestion]:
    """Those that are expected to push the front out most, each after those before it."""
    search = outlook.search
    seen = {one.point for one in outlook.trials}
    wanted = candidates(search, seen, random.Random(search.seed))
    if not wanted:
        return []
    expected = outlook.expected(wanted)
    guesses = np.array([outlook.costs(row) for row in expected.tolist()])
    there = np.array([outlook.costs(one) for one in outlook.values])
    found: list[Suggestion] = []
    for _ in range(MOST + MOST_REFUSED):
        # By which share it is better, in its best objective, than the point that is nearest.
        lead = (there[None, :, :] - guesses[:, None, :]) / np.maximum(np.abs(there), 1e-300)
        gain = lead.max(axis=2).min(axis=1)
        place = int(np.argmax(gain))
        cost = guesses[place].copy()
        if len(found) == MOST or not fronts.enters(cost.tolist(), there.tolist()):
            break
        guesses[place] = np.inf
        case = search.case(wanted[place])
        if refused(case):
            continue
        there = np.vstack([there, cost])
        why = f"Not run yet. Expected: {outlook.told(expected[place].tolist())}."
        found.append(Suggestion(f"{search.text(wanted[place])}.", why, command_of(case)))
    return found


def _beyond(outlook: _Outlook, refused: Refusal) -> list[Suggestion]:
    found = []
    for place, axis in enumerate(outlook.search.axes):
        sizes = quantities([value.settings[0].value for value in axis.values if value.settings])
        if not axis.ordered or sizes is None or len(sizes) < 2 or min(sizes) <= 0:
            continue
        for end, beside in ((len(sizes) - 1, len(sizes) - 2), (0, 1)):
            step = math.log(sizes[end] / sizes[beside])
            one = _past(outlook, refused, place, (end, beside), step)
            found += [one] if one else []
    return found


def _past(
    outlook: _Outlook, refused: Refusal, place: int, ends: tuple[int, int], step: float
) -> Suggestion | None:
    """One with twice the value of an end of the axis, or half of it; `step` is the logarithm of how
    far that lies from the value beside."""
    axis, (end, beside) = outlook.search.axes[place], ends
    there = [place for place in range(len(outlook.best))]
    leaning = [i for i in there if outlook.best[i].point[place] == end]
    if len(leaning) < LEANING * len(there) or step == 0:
        return None
    factor = 2.0 if step > 0 else 0.5
    for index in leaning:
        point = outlook.best[index].point
        other = (*point[:place], beside, *point[place + 1 :])
        at, before = outlook.expected([point, other])
        steps = math.log(factor) / step
        values = [
            value * (a / b) ** steps if guess.logarithmic else max(0.0, value + (a - b) * steps)
            for value, a, b, guess in zip(
                outlook.values[index], at, before, outlook.fits, strict=True
            )
        ]
        changed = _stretched(outlook.search.case(point), axis, end, factor)
        if (
            changed is None
            or not fronts.enters(outlook.costs(values), [outlook.costs(v) for v in outlook.values])
            or refused(changed[0])
        ):
            continue
        case, text = changed
        what = f"{axis.name} {text}, with {_others(outlook.search, point, place)}."
        why = (
            f"{len(leaning)} of {len(there)} on the front have {axis.texts[end]}, the "
            f"{'last' if end else 'first'} value described. Expected, if the step before it "
            f"repeats: {outlook.told(values)}."
        )
        return Suggestion(what, why, command_of(case))
    return None


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
