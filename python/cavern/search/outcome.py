"""What a search found: as a table, as a page, and in the terminal."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cavern.plots.metrics import Metric
from cavern.plots.sweep import tables
from cavern.plots.sweep.about import SEARCH, About, Suggestion
from cavern.plots.sweep.analysis import aims_of, front, points
from cavern.plots.sweep.folder import write_sweep_page
from cavern.plots.sweep.table import described, read_table
from cavern.plots.sweep.warned import reservations
from cavern.search.space import Search
from cavern.search.trials import Trial
from cavern.sweeps.execute import Outcome
from cavern.sweeps.table import rows_of, write_csv, write_parquet
from cavern.sweeps.whole import Description

#: Where the output is no terminal, a line is as long as its table.
UNBOUNDED = 10_000


def write_outcome(
    search: Search,
    trials: Sequence[Trial],
    aims: Sequence[Metric],
    outcomes: Sequence[Outcome],
    suggestions: Sequence[Suggestion],
    out: Path,
    spec: Description,
) -> Path:
    """Writes the table of the runs with time, which has all that the page says, and the page; gives
    the page."""
    about = About(
        kind=SEARCH,
        commands=[f"./cavern search {shlex.quote(str(spec.path))} --seed {search.seed}"],
        looked_at=sentence(search, trials),
        suggestions=suggestions,
        aims=aims,
    )
    told = {"title": spec.title, "spec": str(spec.path), "axes": search.told_axes()}
    rows = rows_of(outcomes)
    write_parquet(rows, out / "table.parquet", told | about.told())
    write_csv(rows, out / "table.csv")
    spec.keep(out)
    return write_sweep_page(out)


def sentence(search: Search, trials: Sequence[Trial]) -> str:
    confirmed = sum(one.values is not None for one in trials)
    ruled_out = sum(one.ruled_out for one in trials)
    failed = sum(bool(one.error) for one in trials)
    text = (
        f"{len(trials):,} of {len(search.cases):,} combinations were looked at: {confirmed:,} run "
        f"with time"
    )
    text += f", {ruled_out:,} ruled out by a run without time" if ruled_out else ""
    return text + (f", {failed:,} failed." if failed else ".")


def print_outcome(
    search: Search,
    trials: Sequence[Trial],
    aims: Sequence[Metric],
    suggestions: Sequence[Suggestion],
    out: Path,
) -> None:
    """The front, what it has in common, and the next runs: of the table in `out`, as its page."""
    wide = None if sys.stdout.isatty() else UNBOUNDED
    console = Console(highlight=False, width=wide)
    console.print(sentence(search, trials))
    made = read_table(out)
    if not made.good:
        for one in trials[:1]:
            console.print(escape(f"No run worked; the first said: {one.error}"))
        return
    found = points(made, aims)
    aims = aims_of(found, aims)
    best = front(found, aims)
    for text in reservations(made, aims):
        console.print(escape(text), style="yellow")
    if not best:
        console.print("The runs do not differ in any objective.")
        return
    table = Table("Best combinations", box=None, pad_edge=False, header_style="bold")
    for aim in aims:
        table.add_column(escape(aim.label), justify="right")
    table.add_column("on the front by")
    for member in sorted(best, key=lambda m: m.point.values[aims[0].field]):
        texts = [aim.text(member.point.values[aim.field]) for aim in aims]
        name = described(made.named, member.point.row) or "the run"
        table.add_row(escape(name), *texts, escape(member.why))
    console.print(table)
    for line in tables.in_common(made.named, found, best):
        console.print(escape(line))
    misses = " (± is what such an expectation typically misses)"
    console.print("[bold]The next runs worth doing[/]" + (misses if suggestions else ": none"))
    for number, run in enumerate(suggestions, 1):
        console.print(escape(f"{number}. {run.text} {run.why}"))
        console.print(escape(f"   {run.command}"), soft_wrap=True)
