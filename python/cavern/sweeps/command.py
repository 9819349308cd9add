"""`./cavern sweep`: many simulations over a parameter space, on all cores of this machine."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from cavern.simulator import SIMULATOR
from cavern.sweeps.cluster_spec import read_cluster
from cavern.sweeps.execute import Outcome, execute
from cavern.sweeps.plan import plan
from cavern.sweeps.spec import read_spec
from cavern.sweeps.whole import pool_for, run_sweep

MOST_FAILURES_SHOWN = 10


class Progress:
    """Runs done, failed, rate and time left on a terminal's stderr; nothing elsewhere."""

    def __init__(self, total: int) -> None:
        self.failed = self.done = self.kept = 0
        self._bar: Any = None
        self._task: Any = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.completed:.0f}/{task.total:.0f} runs"),
                BarColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[failed]}"),
                console=Console(stderr=True),
                auto_refresh=False,  # no second thread: see execute
                transient=True,
            )
            self._task = self._bar.add_task("", total=total, rate="", failed="")
            self._bar.start()

    def on_done(self, outcome: Outcome, was_there: bool) -> None:
        self.done += 1
        self.kept += was_there
        self.failed += outcome.status != 0
        if self._bar:
            if was_there:  # the rate counts what is being run
                self._bar.update(self._task, total=self._bar.tasks[0].total - 1)
                return
            speed = self._bar.tasks[0].speed
            self._bar.update(
                self._task,
                advance=1,
                rate=f"{60 * speed:,.0f}/min" if speed else "",
                failed=f"[red]{self.failed} failed" if self.failed else "",
            )
            self._bar.refresh()

    def close(self) -> None:
        if self._bar:
            self._bar.stop()


@contextmanager
def progress(total: int) -> Iterator[Progress]:
    shown = Progress(total)
    try:
        yield shown
    finally:
        shown.close()


@contextmanager
def interruptible(
    kept: str = "finished runs are kept, the same command goes on",
) -> Iterator[None]:
    """SIGTERM is as good as Ctrl-C; says what is kept, with exit status 130."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"interrupted; {kept}", err=True)
        sys.exit(130)
    finally:
        signal.signal(signal.SIGTERM, before)


def describe(outcome: Outcome) -> str:
    labels = ", ".join(f"{name} {value}" for name, value in outcome.run.case.labels.items())
    return f"{labels}: {outcome.error}"


@click.command()
@click.argument("spec", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="folder for the results (default: out/sweep/NAME OF SPEC)",
)
@click.option("--jobs", type=click.IntRange(1, 4096), help="runs at a time (default: all cores)")
@click.option("--resume", is_flag=True, help="keep the runs that are finished already: the default")
@click.option("--fresh", is_flag=True, help="run again what is finished already")
@click.option(
    "--scheduler", metavar="ADDRESS", help="a Dask cluster, instead of the cores of this machine"
)
@click.option(
    "--retries",
    type=click.IntRange(0, 100),
    default=1,
    show_default=True,
    help="more attempts at a run that fails by no mistake of its input",
)
@click.option("--job-script", is_flag=True, help="print what [cluster] submits, run nothing")
@click.option(
    "--simulator",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=SIMULATOR,
    help="another simulator than the release build",
)
@click.option("--dry-run", is_flag=True, help="check the description, count the runs, run none")
def sweep(
    spec: Path,
    out: Path | None,
    jobs: int | None,
    resume: bool,
    fresh: bool,
    scheduler: str | None,
    retries: int,
    job_script: bool,
    simulator: Path,
    dry_run: bool,
) -> int:
    """Runs what SPEC describes; writes one row a run (table.parquet, table.csv) and a page."""
    if resume and fresh:
        raise click.UsageError("--resume and --fresh: expected one of them")
    cluster = read_cluster(spec)
    if job_script:
        if cluster is None or cluster.kind == "local":
            raise click.UsageError("--job-script, and SPEC has no [cluster] of a batch system")
        # Imported late: Dask takes a second.
        from cavern.sweeps.cluster import job_script as script_of

        click.echo(script_of(cluster), nl=False)
        return 0
    runs = plan(read_spec(spec), simulator, spec)
    if dry_run:
        click.echo(f"{len(runs):,} runs, {len({run.id for run in runs}):,} of them different")
        return 0
    out = out or Path("out") / "sweep" / spec.stem
    different = {run.id for run in runs}
    same = "the same command without --fresh" if fresh else "the same command"
    with (
        interruptible(f"finished runs are kept, {same} goes on"),
        pool_for(scheduler or cluster, simulator, retries) as pool,
        progress(len(different)) as shown,
    ):
        run_all = partial(
            execute,
            out=out,
            jobs=jobs,
            resume=not fresh,
            program=simulator,
            retries=retries,
            pool=pool,
            on_done=shown.on_done,
        )
        finished = run_sweep(spec, runs, out, run_all)
    failed, table = finished.failed, finished.table
    for outcome in failed[:MOST_FAILURES_SHOWN]:
        click.echo(f"failed: {describe(outcome)}", err=True)
    if len(failed) > MOST_FAILURES_SHOWN:
        click.echo(f"failed: {len(failed) - MOST_FAILURES_SHOWN} more, see {table}", err=True)
    if shown.kept:
        click.echo(f"{shown.kept:,} there, --fresh runs them again")
    bad = f", {len(failed)} failed" if failed else ""
    click.echo(f"{table}: {len(finished.outcomes)} runs{bad}")
    click.echo(str(finished.page))
    return 1 if failed else 0
