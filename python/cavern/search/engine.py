"""The search itself: proposes, screens without time, runs what is left with time, and remembers."""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from cavern.errors import InputError
from cavern.plots.files import make_directory
from cavern.plots.metrics import OBJECTIVES, Metric
from cavern.plots.sweep.measured import firm_ones
from cavern.plots.sweep.table import SweepTable, number
from cavern.search.propose import propose
from cavern.search.space import Point, Search
from cavern.search.trials import Store, Trial, beats, costs
from cavern.sweeps.case import Case
from cavern.sweeps.execute import Outcome
from cavern.sweeps.plan import Run, plan
from cavern.sweeps.table import flat_row
from cavern.verdicts.additive import expected

#: What decisions alone say: it is the same with time and without.
WITHOUT_TIME = ("ftl.", "buffer.")
#: What a run without time does not say is hoped to be better than expected, by this share of what
#: it was so far. So many confirmed combinations must be better still to rule one out; where the run
#: without time says all, one is enough.
HOPE = 0.15
WITNESSES = 2
FEWEST_CONFIRMED = 8
#: Combinations that each value of each axis is tried in, before it is called a mistake.
MOST_TRIED = 4

Execute = Callable[[Sequence[Run]], list[Outcome]]


def check(search: Search, program: Path, spec: Path) -> None:
    """Raises InputError for a value that no run can take."""
    chance = random.Random(0)
    points: list[Point] = []
    for place, axis in enumerate(search.axes):
        for value in range(len(axis.values)):
            for _ in range(MOST_TRIED):
                point = [chance.randrange(len(one.values)) for one in search.axes]
                point[place] = value
                points.append(tuple(point))
    plan([search.case(one) for one in dict.fromkeys(points)], program, spec)


class Engine:
    """A search in a folder. `execute` runs simulations, and keeps what it ran."""

    def __init__(
        self, search: Search, out: Path, program: Path, execute: Execute, spec: Path
    ) -> None:
        self.search = search
        self.spec = spec
        self._program = program
        self._execute = execute
        make_directory(out)
        self.store = Store(out, search, self._identity())

    def _identity(self) -> str:
        """A hash of all that the order of the trials depends on, but their number: it may grow."""
        parts = {
            "points": [[axis.name, axis.texts] for axis in self.search.axes],
            "runs": [run.id for run in self._plan([self.search.cases[0], self.search.cases[-1]])],
            "rules": [self.search.batch, self.search.seed, self.search.screen],
            "objectives": [one.field for one in self.search.objectives],
        }
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]

    def _plan(self, cases: Sequence[Case]) -> list[Run]:
        return plan(cases, self._program, blame=False)

    def run(self, on_trial: Callable[[int], object] = lambda done: None) -> list[Trial]:
        """Looks at as many combinations as are wanted, those of an earlier call included; tells how
        many were looked at."""
        search = self.search
        while True:
            known = self.store.trials
            begun = len(known) // search.batch * search.batch if known else 0
            batch = propose(search, known[:begun], self.store.aims)
            # What a kill left of a batch is looked at again in its order.
            seen = {one.point for one in known}
            batch = [point for point in batch if point not in seen]
            if not batch or len(known) >= search.trials:
                return known
            for done, trial in enumerate(self._look_at(batch, known[:begun]), len(known) + 1):
                self.store.add(trial)
                on_trial(done)

    def _look_at(self, batch: Sequence[Point], known: Sequence[Trial]) -> list[Trial]:
        search = self.search
        if not self.store.aims:
            self.store.begin(self._aims(batch[0]))
        aims = self.store.aims
        screened = self._screened(batch)
        kept = [
            point
            for point, values in zip(batch, screened, strict=True)
            if not ruled_out(search, point, values, known, aims)
        ]
        runs = self._plan([search.case(point) for point in kept])
        outcomes = dict(zip(kept, self._execute(runs), strict=True))
        found = []
        for point, values in zip(batch, screened, strict=True):
            outcome = outcomes.get(point)
            found.append(judged(point, values, outcome, aims))
        return found

    def _screened(self, batch: Sequence[Point]) -> list[tuple[float, ...]]:
        search, aims = self.search, self.store.aims
        told = [one.field.startswith(WITHOUT_TIME) for one in aims]
        if not (search.screen and search.has_time and any(told)):
            return [tuple(math.nan for _ in aims) for _ in batch]
        outcomes = self._execute(self._plan([search.screening(point) for point in batch]))
        return [
            tuple(
                number(row, one.field) if known else math.nan
                for one, known in zip(aims, told, strict=True)
            )
            for row in map(flat_row, outcomes)
        ]

    def confirmed(self, trials: Sequence[Trial]) -> list[Outcome]:
        """The runs with time, in the order of the trials; those that failed as well."""
        points = [one.point for one in trials if not one.ruled_out]
        return self._execute(self._plan([self.search.case(point) for point in points]))

    def _aims(self, first: Point) -> list[Metric]:
        """Those that are asked for; else those that a run of the description measures."""
        if self.search.objectives:
            return list(self.search.objectives)
        chance = random.Random(self.search.seed)
        total = len(self.search.cases)
        points = [first, *(self.search.point(chance.randrange(total)) for _ in range(MOST_TRIED))]
        for point in points:
            (outcome,) = self._execute(self._plan([self.search.case(point)]))
            if outcome.status == 0:
                return firm_ones(SweepTable([flat_row(outcome)]), OBJECTIVES)
        raise InputError(
            self.spec, 1, f"the first runs fail: {outcome.error}", "expected some to work"
        )


def ruled_out(
    search: Search,
    point: Point,
    values: Sequence[float],
    known: Sequence[Trial],
    aims: Sequence[Metric],
) -> bool:
    """Whether enough confirmed combinations are better: in what the run without time says, and in
    the most that may be hoped for of the rest."""
    confirmed = [one for one in known if one.values is not None]
    if len(confirmed) < FEWEST_CONFIRMED or not any(map(math.isfinite, values)):
        return False
    others = np.array([costs(aims, one.values or ()) for one in confirmed])
    mine = list(costs(aims, values))
    for column, one in enumerate(aims):
        if math.isfinite(mine[column]):
            continue
        told = [trial.values[column] if trial.values else math.nan for trial in known]
        guess = expected(search.axes, [trial.point for trial in known], told, [point])
        (cost,) = costs([one], [float(guess[0])])
        mine[column] = cost - HOPE * float(np.ptp(others[:, column]))
    witnesses = sum(beats(tuple(other), tuple(mine)) for other in others)
    return witnesses >= (1 if all(map(math.isfinite, values)) else WITNESSES)


def judged(
    point: Point, screened: tuple[float, ...], outcome: Outcome | None, aims: Sequence[Metric]
) -> Trial:
    """The trial of a combination; no outcome where it was ruled out before."""
    if outcome is None:
        return Trial(point, screened)
    if outcome.status != 0:
        return Trial(point, screened, error=outcome.error or f"exit status {outcome.status}")
    row = flat_row(outcome)
    values = tuple(number(row, one.field) for one in aims)
    missing = [one.field for one, v in zip(aims, values, strict=True) if not math.isfinite(v)]
    if missing:
        return Trial(point, screened, error=f"the run does not measure {', '.join(missing)}")
    return Trial(point, screened, values)
