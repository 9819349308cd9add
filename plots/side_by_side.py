"""Runs side by side in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cavern.plots.about import (
    FEW,
    alarms,
    baseline_text,
    few_samples,
    interval_text,
    reservations,
    sample_text,
    unlike,
)
from cavern.plots.compared import table_of
from cavern.plots.finding import Group
from cavern.plots.results import Run
from cavern.plots.tables import Row, configuration
from rich.console import Console
from rich.markup import escape
from rich.table import Table

#: A word and a sign besides the colour: not everybody sees it, nor does every terminal show it.
STYLES = {"better": "green", "worse": "red"}
MOST_SETTINGS = 40
LABEL_LETTERS, RUN_LETTERS = 38, 30
#: Where the output is no terminal, a line is as long as its table.
UNBOUNDED = 10_000


def print_comparison(groups: Sequence[Group]) -> None:
    runs = [group.run for group in groups]
    wide = None if sys.stdout.isatty() else UNBOUNDED
    console = Console(highlight=False, width=wide, soft_wrap=False)
    for sentence in unlike(runs):
        console.print(f"These runs did not play the same: {escape(sentence)}", style="bold red")
    for sentence in alarms(groups):
        console.print(escape(sentence), style="bold red")
    if len(runs) > 1:
        console.print(escape(baseline_text(runs)))
    # A terminal too narrow for all gets them in groups, the baseline in each.
    most = max(1, (console.width - LABEL_LETTERS) // RUN_LETTERS - 1)
    few = False
    for begin in range(1, max(2, len(runs)), most):
        some = [groups[0], *groups[begin : begin + most]]
        rows = table_of(some)
        few = few or few_samples(rows)
        console.print(_results([one.run for one in some], rows))
    for sentence in (interval_text(groups), sample_text(groups), FEW if few else ""):
        if sentence:
            console.print(sentence)
    for sentence in reservations(groups):
        console.print(f"warning: {escape(sentence)}", style="yellow")
    settings = [row for row in configuration(runs) if row.differs]
    if settings:
        for begin in range(1, len(runs), most):
            shown = settings[:MOST_SETTINGS]
            console.print(_settings(runs, shown, [0, *range(begin, len(runs))[:most]]))
        if len(settings) > MOST_SETTINGS:
            console.print(f"and {len(settings) - MOST_SETTINGS} more settings that differ")
    elif len(runs) > 1:
        console.print("The configurations are the same.")


def _table(runs: Sequence[Run], first: str) -> Table:
    table = Table(first, box=None, pad_edge=False, header_style="bold")
    for run in runs:
        table.add_column(escape(run.name), justify="right", overflow="fold")
    return table


def _results(runs: Sequence[Run], rows: Sequence[Row]) -> Table:
    table = _table(runs, "Result")
    for row in rows:
        if row.group:
            table.add_row(f"[bold]{row.group}[/]")
        cells = []
        for cell in row.cells:
            told = " ".join(part for part in (cell.change, cell.verdict) if part)
            told = f"[{STYLES[cell.verdict]}]{told}[/]" if cell.verdict else told
            cells.append(
                " ".join(part for part in (cell.text, cell.interval, cell.note, told) if part)
            )
        table.add_row(f"  {row.label}", *cells)
    return table


def _settings(runs: Sequence[Run], rows: Sequence[Row], chosen: Sequence[int]) -> Table:
    table = _table([runs[place] for place in chosen], "Setting that differs")
    for row in rows:
        table.add_row(escape(row.label), *(escape(row.cells[place].text) for place in chosen))
    return table
