"""`./cavern reproduce`: a paper's experiment from its runs to figures and judged claims."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import cavern
import click

from papers import tables
from papers.experiment import (
    SIMULATOR,
    Claim,
    Experiment,
    Row,
    Table,
    check_claims,
    write,
    write_claims,
    write_figures,
)
from papers.judging import count_of

#: By their NAME. Each is loaded where it is run: all of them take half a second.
EXPERIMENTS = ("cave", "cave-limits", "ncq", "partition", "lookup", "lookup-drive")


def experiment_of(name: str) -> Experiment:
    module: Any = import_module(f"papers.{name.replace('-', '_')}")
    return module


@click.command()
@click.argument("name", metavar="{" + ",".join((*EXPERIMENTS, "all")) + "}")
@click.option("--quick", is_flag=True, help="fewer and shorter runs; results in NAME-quick")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("out/reproduce"),
    show_default=True,
    help="results go to NAME in this folder",
)
@click.option("--jobs", type=click.IntRange(1, 4096), help="runs at a time (default: all cores)")
@click.option(
    "--simulator",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=SIMULATOR,
    help="another simulator than the release build; other programs lie beside it",
)
@click.option(
    "--record",
    is_flag=True,
    help="keep the outcomes in docs/claims, and print them into the paper's document",
)
def reproduce(
    name: str, quick: bool, out: Path, jobs: int | None, simulator: Path, record: bool
) -> None:
    """Runs a paper's experiment: CSV, PNG and SVG of each figure, claims.json and fitted.json.

    `all` ends in one page, index.html (index-quick.html), of all figures, claims and what was
    fitted. Runs that are finished already are kept, so that a run that was stopped goes on."""
    available = ", ".join(EXPERIMENTS)
    if name not in EXPERIMENTS and name != "all":
        raise click.ClickException(f'unknown experiment "{name}"; available: {available}, all')
    if record and quick:
        raise click.ClickException("--record keeps what decides; expected it without --quick")
    kind = "-quick" if quick else ""
    experiments = [experiment_of(each) for each in (EXPERIMENTS if name == "all" else (name,))]
    failed = 0
    for experiment in experiments:
        failed += _run(experiment, quick, out / (experiment.NAME + kind), jobs, simulator)
    if failed:
        sys.exit(1)
    for experiment in experiments if record else ():
        if (tables.PAPERS / f"{experiment.NAME}.md").exists():
            tables.record(experiment.NAME, out / experiment.NAME)
    if name == "all":
        _write_page(experiments, out, kind)


def _write_page(experiments: Sequence[Experiment], out: Path, kind: str) -> None:
    from papers.page import page, section

    sections = [
        section(e.NAME, e.PAPER, out / (e.NAME + kind), tables.whole_verdicts(e.NAME))
        for e in experiments
    ]
    write(out / f"index{kind}.html", page(sections, bool(kind)))
    click.echo(f"{out / f'index{kind}.html'}: {len(sections)} experiments")


def _run(experiment: Experiment, quick: bool, out: Path, jobs: int | None, simulator: Path) -> int:
    """The number of runs that failed; then there are no figures."""
    simulator = simulator.with_name(getattr(experiment, "PROGRAM", simulator.name))
    if not simulator.exists():
        raise click.ClickException(f"there is no {simulator}; expected it beside the simulator")
    with _interruptible():
        plan = experiment.plan(quick)
        swept = cavern.sweep(plan, out=out, jobs=jobs, retries=0, simulator=simulator)
    failed = [row for row in swept.rows if row["status"] != 0]
    for row in failed:
        click.echo(f"failed: {_labels_of(row)}: {row['error']}", err=True)
    if failed:
        return len(failed)
    table = Table(swept.rows, simulator)
    names = write_figures(experiment.figures(table), out)
    claims = list(experiment.claims(table))
    fitted = list(getattr(experiment, "fitted", lambda _: ())(table))
    check_claims(claims, fitted)
    write_claims(claims, fitted, out)
    _tell(claims, tables.whole_verdicts(experiment.NAME) if quick else {})
    click.echo(
        f"{out}: {len(table)} runs ({swept.reused} were there), {len(names)} figures, "
        f"{count_of(claims)}"
    )
    return 0


@contextmanager
def _interruptible() -> Iterator[None]:
    """SIGTERM is as good as Ctrl-C; says what is kept, with exit status 130."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        click.echo("interrupted; finished runs are kept, the same command goes on", err=True)
        sys.exit(130)
    finally:
        signal.signal(signal.SIGTERM, before)


def _labels_of(row: Row) -> str:
    own = [name for name in row if name == "trace" or name.startswith("vary.")]
    return ", ".join(f"{n.removeprefix('vary.')} {row[n]}" for n in own if row[n] is not None)


def _tell(claims: list[Claim], whole: dict[tuple[str, str], str]) -> None:
    """`whole`: of a quick run, the verdicts of the whole one."""
    for claim in claims:
        kind = "" if claim.kind == "claim" else f" ({claim.kind})"
        verdict = claim.verdict if claim.holds else "FAILS"
        click.echo(f"{verdict}{kind}  {claim.where}: {claim.claim}")
        click.echo(f"       paper: {claim.paper_value}; here: {claim.ours}")
        if claim.holds and claim.fit_by:
            click.echo(f"       chosen for it: {', '.join(claim.fit_by)}")
        for kind in ("reading", "workload"):
            if not claim.holds and (held := claim.holding(kind)):
                click.echo(f"       holds with another {kind}: {held}")
        verdict = whole.get((claim.where, claim.claim), claim.verdict)
        if verdict != claim.verdict:
            click.echo(f"       this run is quick; the whole run: {verdict}")
        if claim.note:
            click.echo(f"       {claim.note}")
