"""The best of many drives from Python: what `./cavern search` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The package comes first: as it is loaded it takes the name that the function then has.
import cavern.search as _loaded  # noqa: F401
from cavern.api.inputs import place
from cavern.api.sweep import Sweep, described

if TYPE_CHECKING:
    import pandas as pd

    from cavern.plots.metrics import Metric
    from cavern.search.space import Search as Space
    from cavern.search.trials import Trial


class Search(Sweep):
    """A finished search. Its table has the runs with time: those that were not ruled out before."""

    def __init__(
        self,
        folder: Path,
        kept_by: object,
        space: Space,
        trials: list[Trial],
        aims: list[Metric],
    ) -> None:
        super().__init__(folder, kept_by)
        self._space, self._trials, self._aims = space, trials, aims

    def __repr__(self) -> str:
        return f"<cavern.Search: {len(self._trials)} of {len(self._space.cases)} combinations>"

    @cached_property
    def best(self) -> pd.DataFrame:
        """The Pareto set: a row per combination that no other one beats, with what it varies and
        its objectives."""
        import pandas as pd

        from cavern.search.propose import front_of

        rows = []
        for one in front_of(self._trials, self._aims):
            labels = self._space.case(one.point).labels
            row = {name: value for name, value in labels.items() if name != "trace"}
            values = zip(self._aims, one.values or (), strict=True)
            rows.append(row | {aim.field: value for aim, value in values})
        return pd.DataFrame(rows)


def search(
    spec: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    trials: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    resume: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Search:
    """Looks for the best combinations of what `spec` varies (docs/sweep.md: a TOML file, or what
    would stand in one as a mapping), by `trials` of them. `resume` goes on with the search in
    `out`. `progress` is told how many of how many combinations were looked at.

    Raises InputError where the description is wrong; ModuleNotFoundError without optuna."""
    from cavern.search.engine import Engine, check
    from cavern.search.next_runs import next_runs
    from cavern.search.outcome import write_outcome
    from cavern.search.space import read_search
    from cavern.search.trials import STUDY
    from cavern.simulator import SIMULATOR
    from cavern.sweeps import execute
    from cavern.sweeps.plan import refusal

    folder, kept_by = place(out)
    file, beside = described(spec, folder)
    space = read_search(file, trials, seed, beside)
    check(space, SIMULATOR, file)
    if not resume:
        (folder / STUDY).unlink(missing_ok=True)
    run_all = partial(execute, out=folder, jobs=jobs, retries=1)
    engine = Engine(space, folder, SIMULATOR, run_all, file)
    done = 0

    def on_trial(_: Trial) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, space.trials)

    found = engine.run(on_trial)
    aims = list(engine.store.aims)
    outcomes = engine.confirmed(found)
    wanted = next_runs(space, found, aims, refusal)
    write_outcome(space, found, aims, outcomes, wanted, folder, file)
    return Search(folder, kept_by, space, found, aims)
