"""The best of many drives from Python: what `./cavern search` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The package comes first: as it is loaded it takes the name that the function then has.
import cavern.search as _loaded  # noqa: F401
from cavern.api.inputs import place
from cavern.api.sweep import Sweep, described, in_bytes

if TYPE_CHECKING:
    import pandas as pd

    from cavern.search.whole import Finished


class Search(Sweep):
    """A finished search. Its table has the runs with time: those that were not ruled out before."""

    def __init__(self, folder: Path, kept_by: object, found: Finished) -> None:
        super().__init__(folder, kept_by)
        self._found = found

    def __repr__(self) -> str:
        looked_at, total = len(self._found.trials), len(self._found.search.cases)
        return f"<cavern.Search: {looked_at} of {total} combinations>"

    @cached_property
    def best(self) -> pd.DataFrame:
        """The Pareto set: a row per combination that no other one beats, with what it varies, sizes
        in bytes, and its objectives."""
        import pandas as pd

        from cavern.search.propose import front_of

        aims, rows = self._found.aims, []
        labels: dict[str, Any] = {}
        for one in front_of(self._found.trials, aims):
            labels = dict(self._found.search.case(one.point).labels)
            labels.pop("trace", None)
            values = zip(aims, one.values or (), strict=True)
            rows.append(labels | {aim.field: value for aim, value in values})
        return in_bytes(pd.DataFrame(rows), labels)


def search(
    spec: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    trials: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Search:
    """Looks for the best combinations of what `spec` varies (docs/sweep.md: a TOML file, or what
    would stand in one as a mapping), by `trials` of them. `jobs` and `scheduler` as for `sweep`.
    `resume` goes on with the search in `out`. `progress` is told how many of how many combinations
    were looked at.

    Raises InputError where the description is wrong; ModuleNotFoundError without optuna."""
    from cavern.search.engine import check
    from cavern.search.space import read_search
    from cavern.search.whole import run_search
    from cavern.simulator import SIMULATOR
    from cavern.sweeps.cluster_spec import read_cluster

    folder, kept_by = place(out)
    file, beside = described(spec, folder)
    space = read_search(file, trials, seed, beside)
    where = scheduler or read_cluster(file)
    check(space, SIMULATOR, file)

    def on_trial(done: int) -> None:
        if progress is not None:
            progress(done, space.trials)

    found = run_search(
        file, space, folder, jobs=jobs, where=where, resume=resume, on_trial=on_trial
    )
    return Search(folder, kept_by, found)
