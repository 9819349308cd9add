"""What a search has looked at, kept in a study of Optuna's in one SQLite file."""

from __future__ import annotations

import json
import logging
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from cavern.errors import InputError
from cavern.plots.metrics import MORE, Metric, metric
from cavern.search.space import Axis, Point, Search

STUDY = "study.db"
NAME = "cavern"


@dataclass(frozen=True)
class Trial:
    """A combination that was looked at. `screened` are its objectives by the run without time, NaN
    where that says nothing; `values` those by the run with time, None where it was ruled out
    before, or failed."""

    point: Point
    screened: tuple[float, ...]
    values: tuple[float, ...] | None = None
    error: str = ""

    @property
    def ruled_out(self) -> bool:
        return self.values is None and not self.error


def costs(aims: Sequence[Metric], values: Sequence[float]) -> tuple[float, ...]:
    """The values such that less is better."""
    return tuple(-v if one.better == MORE else v for one, v in zip(aims, values, strict=True))


def beats(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether one is as good in every cost, and better in one."""
    pairs = list(zip(one, other, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


class Store:
    """The study in a folder. A trial is added when it is finished, whole or not at all."""

    def __init__(self, folder: Path, search: Search, spec_id: str) -> None:
        import optuna

        optuna.logging.set_verbosity(logging.ERROR)
        warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
        self.path = folder / STUDY
        self.search = search
        self._spec_id = spec_id
        self._storage = f"sqlite:///{self.path}"
        self._distributions = {axis.name: distribution(axis) for axis in search.axes}
        self._study: Any = None
        self.aims: tuple[Metric, ...] = ()
        if self.path.exists():
            self._open()

    def _open(self) -> None:
        import optuna

        right = "expected the study of the same description, or another folder with --out"
        try:
            if NAME not in optuna.get_all_study_names(self._storage):
                return  # it was ended before it had begun
            study = optuna.load_study(study_name=NAME, storage=self._storage)
            another = study.user_attrs.get("spec") != self._spec_id
            if not another:
                self.aims = tuple(metric(name) for name in study.user_attrs["objectives"])
                self._study = study
                _ = self.trials
        except Exception:  # whatever a damaged file makes Optuna raise
            raise InputError(self.path, 1, "is no study of a search", right) from None
        if another:
            raise InputError(self.path, 1, "is the study of another search", right)

    def begin(self, aims: Sequence[Metric]) -> None:
        """Makes the study, once its objectives are known."""
        import optuna

        if self._study is not None:
            return
        self.aims = tuple(aims)
        with self._written():
            self._study = optuna.create_study(
                study_name=NAME, storage=self._storage, directions=directions(aims)
            )
            self._study.set_user_attr("objectives", [one.field for one in aims])
            self._study.set_user_attr("spec", self._spec_id)

    def add(self, trial: Trial) -> None:
        with self._written():
            self._study.add_trial(frozen(self.search, trial, self._distributions))

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Says in one line why it cannot be, such as a full disk."""
        from optuna.exceptions import OptunaError
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except (OptunaError, SQLAlchemyError) as error:
            first: BaseException = error
            while first.__cause__ is not None:
                first = first.__cause__
            right = "expected a place that can be written"
            raise InputError(self.path, 1, f"cannot be written ({first})", right) from None

    @property
    def trials(self) -> list[Trial]:
        """In the order of the search."""
        if self._study is None:
            return []
        return [self._trial(one) for one in self._study.get_trials(deepcopy=False)]

    def _trial(self, one: Any) -> Trial:
        point = tuple(int(one.params[axis.name]) for axis in self.search.axes)
        screened = tuple(
            math.nan if value is None else value for value in json.loads(one.user_attrs["screened"])
        )
        values = tuple(one.values) if one.values else None
        return Trial(point, screened, values, one.user_attrs["error"])


def distribution(axis: Axis) -> Any:
    import optuna

    last = len(axis.values) - 1
    if axis.ordered:
        return optuna.distributions.IntDistribution(0, last)
    return optuna.distributions.CategoricalDistribution(list(range(last + 1)))


def directions(aims: Sequence[Metric]) -> list[Literal["minimize", "maximize"]]:
    return ["maximize" if one.better == MORE else "minimize" for one in aims]


def frozen(search: Search, trial: Trial, distributions: dict[str, Any]) -> Any:
    """A trial as Optuna keeps it: what was ruled out is pruned."""
    import optuna

    names = [axis.name for axis in search.axes]
    state = optuna.trial.TrialState
    screened = [None if math.isnan(value) else value for value in trial.screened]
    return optuna.trial.create_trial(
        state=state.COMPLETE if trial.values else state.FAIL if trial.error else state.PRUNED,
        params=dict(zip(names, trial.point, strict=True)),
        distributions=distributions,
        values=list(trial.values) if trial.values else None,
        user_attrs={"screened": json.dumps(screened), "error": trial.error},
    )
