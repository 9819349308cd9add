"""What a search found: as a table, as a page, and in the terminal."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cavern.plots.files import write_file
from cavern.plots.metrics import Metric
from cavern.plots.sweep.analysis import front, points
from cavern.plots.sweep.folder import PAGE
from cavern.plots.sweep.page import About, build_page, distinguishing
from cavern.plots.sweep.table import SweepTable, read_table
from cavern.search.next_runs import next_runs
from cavern.search.propose import front_of
from cavern.search.space import Search
from cavern.search.trials import Trial
from cavern.sweeps.execute import Outcome
from cavern.sweeps.table import rows_of, write_csv, write_parquet

#: Where the output is no terminal, a line is as long as its table.
UNBOUNDED = 10_000


def write_outcome(
    search: Search,
    trials: Sequence[Trial],
    aims: Sequence[Metric],
    outcomes: Sequence[Outcome],
    out: Path,
    spec: Path,
    title: str,
) -> Path:
    """Writes the table of the runs with time, and the page; gives the page."""
    rows = rows_of(outcomes)
    write_parquet(rows, out / "table.parquet", {"title": title, "spec": str(spec)})
    write_csv(rows, out / "table.csv")
    about = About(
        kind="search",
        commands=[f"./cavern search {shlex.quote(str(spec))} --seed {search.seed}"],
        spec=spec.read_text(encoding="utf-8"),
        warnings=[sentence(search, trials)],
        suggestions=next_runs(search, trials, aims),
        aims=aims,
    )
    write_file(out / PAGE, build_page(read_table(out), about).encode())
    return out / PAGE


def sentence(search: Search, trials: Sequence[Trial]) -> str:
    confirmed = sum(one.values is not None for one in trials)
    ruled_out = sum(one.ruled_out for one in trials)
    failed = sum(bool(one.error) for one in trials)
    text = (
        f"{len(trials):,} of {len(search.cases):,} combinations were looked at: {confirmed:,} run "
        f"with time"
    )
    text += f", {ruled_out:,} ruled out by a run without" if ruled_out else ""
    return text + (f", {failed:,} failed." if failed else ".")


def print_outcome(search: Search, trials: Sequence[Trial], aims: Sequence[Metric]) -> None:
    """The Pareto set, what distinguishes it, and the next runs."""
    wide = None if sys.stdout.isatty() else UNBOUNDED
    console = Console(highlight=False, width=wide)
    console.print(sentence(search, trials))
    best = front_of(trials, aims)
    if not best:
        for one in trials[:1]:
            console.print(escape(f"No run worked; the first said: {one.error}"))
        return
    table = Table("Best combinations", box=None, pad_edge=False, header_style="bold")
    for aim in aims:
        table.add_column(escape(aim.label), justify="right")
    for one in sorted(best, key=lambda trial: trial.values or ()):
        values = one.values or ()
        texts = [aim.text(value) for aim, value in zip(aims, values, strict=True)]
        table.add_row(escape(search.text(one.point)), *texts)
    console.print(table)
    for line in _distinguishing(search, trials, aims):
        console.print(escape(line))
    suggestions = next_runs(search, trials, aims)
    if suggestions:
        console.print("[bold]The next runs worth doing[/]")
    for number, run in enumerate(suggestions, 1):
        console.print(escape(f"{number}. {run.text} {run.why}"))
        console.print(escape(f"   {run.command}"), soft_wrap=True)


def _distinguishing(search: Search, trials: Sequence[Trial], aims: Sequence[Metric]) -> list[str]:
    """As on the page, of the runs with time."""
    rows = []
    for one in trials:
        if one.values is not None:
            row = {f"vary.{n}": v for n, v in search.case(one.point).labels.items() if n != "trace"}
            values = zip(aims, one.values, strict=True)
            counts = {"host.read.count": 1, "host.write.count": 1}
            rows.append({"status": 0, **row, **counts, **{aim.field: v for aim, v in values}})
    table = SweepTable(rows)
    found = points(table, aims)
    return distinguishing(table.axes, found, front(found, aims)) if table.axes else []
