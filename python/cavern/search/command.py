"""`./cavern search`: the best of many drives, without simulating each."""

from __future__ import annotations

from pathlib import Path

import click

from cavern.search.space import read_search
from cavern.simulator import SIMULATOR
from cavern.sweeps.cluster_spec import read_cluster
from cavern.sweeps.command import interruptible
from cavern.sweeps.counted import counted


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
    where = scheduler or read_cluster(spec)
    # Imported late: it loads Optuna, which mistakes in the description need not wait for.
    from cavern.search.engine import check
    from cavern.search.outcome import print_outcome
    from cavern.search.whole import run_search

    check(wanted, simulator, spec)
    if dry_run:
        click.echo(f"{len(wanted.cases):,} combinations, {wanted.trials:,} of them to look at")
        return 0
    out = out or Path("out") / "search" / spec.stem
    with (
        interruptible("finished runs are kept, --resume goes on"),
        counted(wanted.trials, "looked at") as on_trial,
    ):
        found = run_search(
            spec,
            wanted,
            out,
            program=simulator,
            jobs=jobs,
            where=where,
            resume=resume,
            on_trial=on_trial,
        )
    print_outcome(wanted, found.trials, found.aims, found.suggestions, out)
    click.echo(str(out / "table.parquet"))
    click.echo(str(found.page))
    return 0 if any(one.values for one in found.trials) else 1
