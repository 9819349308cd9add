"""What a section gives: one comparison after the other; and the table that shows them."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One comparison. `bound` is the largest relative difference that still holds."""

    what: str
    unit: str
    ours: float
    expected: float
    bound: float
    source: str  # the formula, or who measured `expected`
    at_most: bool = False  # `expected` is a limit, less is better

    @property
    def error(self) -> float:
        if self.ours == self.expected:
            return 0.0
        return self.ours / self.expected - 1 if self.expected else float("inf")

    @property
    def holds(self) -> bool:
        return (self.error if self.at_most else abs(self.error)) <= self.bound


def show(title: str, rows: list[Row], console: Console) -> None:
    table = Table(title=title, title_justify="left")
    numbers = {"ours", "expected", "difference", "bound"}
    for heading in ("what", "ours", "expected", "unit", "difference", "bound", "", "from"):
        table.add_column(heading, justify="right" if heading in numbers else "left")
    for row in rows:
        table.add_row(
            row.what,
            f"{row.ours:,.2f}",
            f"{row.expected:,.2f}",
            row.unit,
            f"{100 * row.error:+.2f} %",
            f"{100 * row.bound:g} %",
            "holds" if row.holds else "BROKEN",
            row.source,
        )
    console.print(table)
