"""`./cavern search`: the best of many drives, without simulating each."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import click

from cavern.search.space import read_search
from cavern.simulator import SIMULATOR
from cavern.sweeps.cluster_spec import read_cluster
from cavern.sweeps.command import cluster_of, interruptible
from cavern.sweeps.execute import execute
from cavern.sweeps.plan import refusal


@click.command()
@click.argument("spec", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="folder for the results (default: out/search/NAME OF SPEC)",
)
@click.option("--trials", type=click.IntRange(1), help="combinations to look at")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="of the search")
@click.option("--jobs", type=click.IntRange(1, 4096), help="runs at a time (default: all cores)")
@click.option(
    "--scheduler", metavar="ADDRESS", help="a Dask cluster, instead of the cores of this machine"
)
@click.option(
    "--simulator",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=SIMULATOR,
    help="another simulator than the release build",
)
@click.option("--resume", is_flag=True, help="go on with the search in the folder")
@click.option("--dry-run", is_flag=True, help="check the description, count the runs, run none")
def search(
    spec: Path,
    out: Path | None,
    trials: int | None,
    seed: int | None,
    jobs: int | None,
    scheduler: str | None,
    simulator: Path,
    resume: bool,
    dry_run: bool,
) -> int:
    """Looks for the best combinations of what SPEC varies, by a few of them; says what
    distinguishes them, and what to run next. Also as a page."""
    wanted = read_search(spec, trials, seed)
    out = out or Path("out") / "search" / spec.stem
    # Imported late: it loads Optuna, which mistakes in the description need not wait for.
    from cavern.search.engine import Engine, check
    from cavern.search.next_runs import next_runs
    from cavern.search.outcome import print_outcome, write_outcome
    from cavern.search.trials import STUDY, Trial

    check(wanted, simulator, spec)
    if dry_run:
        click.echo(f"{len(wanted.cases):,} combinations, {wanted.trials:,} of them to look at")
        return 0
    if not resume:
        (out / STUDY).unlink(missing_ok=True)
    where = scheduler or read_cluster(spec)
    with (
        interruptible("finished runs are kept, --resume goes on"),
        cluster_of().pool_of(where, simulator, 1) if where else nullcontext() as pool,
    ):
        run_all = partial(execute, out=out, jobs=jobs, program=simulator, retries=1, pool=pool)
        engine = Engine(wanted, out, simulator, run_all, spec)
        shown = 0

        def on_trial(trial: Trial) -> None:
            nonlocal shown
            shown += 1
            if sys.stderr.isatty():
                print(f"\r{shown} of {wanted.trials} looked at\033[K", end="", file=sys.stderr)

        found = engine.run(on_trial)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        aims = engine.store.aims
        outcomes = engine.confirmed(found)
    next_ones = next_runs(wanted, found, aims, lambda one: refusal(one, simulator))
    page = write_outcome(wanted, found, aims, outcomes, next_ones, out, spec)
    print_outcome(wanted, found, aims, next_ones, out)
    click.echo(str(out / "table.parquet"))
    click.echo(str(page))
    return 0 if any(one.values for one in found) else 1
