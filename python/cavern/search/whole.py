"""A search from its description to its table and page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cavern.plots.metrics import Metric
from cavern.plots.sweep.about import Suggestion
from cavern.search.engine import Engine
from cavern.search.next_runs import next_runs
from cavern.search.outcome import write_outcome
from cavern.search.space import Search
from cavern.search.trials import STUDY, Trial
from cavern.simulator import SIMULATOR
from cavern.sweeps.cluster_spec import ClusterSpec
from cavern.sweeps.execute import execute, only_one
from cavern.sweeps.plan import refusal
from cavern.sweeps.whole import Description, pool_for


@dataclass(frozen=True)
class Finished:
    """What a search has found, and left in its folder."""

    search: Search
    trials: list[Trial]
    aims: list[Metric]
    suggestions: list[Suggestion]
    page: Path


def run_search(
    spec: Path,
    search: Search,
    out: Path,
    *,
    program: Path = SIMULATOR,
    jobs: int | None = None,
    where: str | ClusterSpec | None = None,
    resume: bool = False,
    on_trial: Callable[[int], object] = lambda done: None,
) -> Finished:
    """Looks for the best of a search that was checked (engine.check), and writes table.parquet,
    table.csv, spec.toml and report.html into `out`. `where` as for pool_for. `on_trial` is told how
    many combinations were looked at, with those of the search that `resume` goes on with."""
    described = Description.of(spec)
    with only_one(out, ".search.lock"):
        if not resume:
            (out / STUDY).unlink(missing_ok=True)
        with pool_for(where, program, 1) as pool:
            run_all = partial(execute, out=out, jobs=jobs, program=program, retries=1, pool=pool)
            engine = Engine(search, out, program, run_all, spec)
            trials = engine.run(on_trial)
            outcomes = engine.confirmed(trials)
        aims = list(engine.store.aims)
        wanted = next_runs(search, trials, aims, lambda one: refusal(one, program))
        page = write_outcome(search, trials, aims, outcomes, wanted, out, described)
    return Finished(search, trials, aims, wanted, page)
