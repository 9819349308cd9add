"""What an experiment is made of, and how its results are written."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from explore.simulator import SIMULATOR
from explore.sweep import Case
from explore.sweep.table import OWN, Row

Cell = str | int | float | None


class Experiment(Protocol):
    """The face of an experiment's module. One with a PROGRAM is played by the program of that name
    beside the simulator, which takes the same command line."""

    NAME: str  #: the word after `./cavern reproduce`
    PAPER: str  #: how the claims cite it

    def plan(self, quick: bool) -> list[Case]:
        """The runs. Quick ones answer the same questions on less."""

    def figures(self, table: Table) -> Iterable[Figure]:
        """Each figure with the data it is drawn from."""

    def claims(self, table: Table) -> Iterable[Claim]:
        """Every numeric or ordinal claim of the paper that the runs reach."""


@dataclass(frozen=True)
class Figure:
    """A figure's data, and a function that draws them and nothing else."""

    name: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    draw: Callable[[list[dict[str, Any]]], Any]  # of the rows by column: a matplotlib Figure

    def records(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def csv_text(self) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()


@dataclass(frozen=True)
class Claim:
    """One entry of claims.json. `holds` is what was measured, not what was hoped for: by the
    experiment's reference reading of the paper. `verdict` is "holds", "holds with another reading"
    or "does not hold", from `holds` unless it is given."""

    paper: str
    where: str
    claim: str
    paper_value: Cell
    ours: Cell
    holds: bool
    note: str = ""
    verdict: str = ""
    reading: str = ""  #: with another reading: which, and our figure by it

    def __post_init__(self) -> None:
        if not self.verdict:
            object.__setattr__(self, "verdict", "holds" if self.holds else "does not hold")


class Table:
    """The rows of an experiment's runs, looked up by what was varied."""

    def __init__(self, rows: Sequence[Row], simulator: Path = SIMULATOR) -> None:
        self.rows = list(rows)
        self.simulator = simulator  #: that made them

    def where(self, **labels: object) -> Table:
        """The rows with these labels; underscores stand for the points of a key."""
        wanted = {_column(name): value for name, value in labels.items()}
        rows = [r for r in self.rows if all(r.get(n) == v for n, v in wanted.items())]
        return Table(rows, self.simulator)

    def one(self, **labels: object) -> Row:
        """The only such row; a LookupError names the labels if there is none or several."""
        found = self.where(**labels).rows
        if len(found) != 1:
            raise LookupError(f"{len(found)} runs with {labels}")
        return found[0]

    def values(self, label: str) -> list[Any]:
        """The different values of a label, in the order of the rows."""
        column = _column(label)
        return list(dict.fromkeys(row[column] for row in self.rows if row.get(column) is not None))

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def _column(label: str) -> str:
    return label if label in OWN else f"vary.{label}"


def write_figures(figures: Iterable[Figure], out: Path) -> list[str]:
    """NAME.csv, NAME.png and NAME.svg for each; returns the names."""
    # Imported late: --help and mistakes need not wait for matplotlib.
    from plots.render import write_file
    from plots.style import as_png, as_svg, settle, style

    names = []
    for figure in figures:
        write_file(out / f"{figure.name}.csv", figure.csv_text().encode())
        with style():
            drawn = figure.draw(figure.records())
            settle(drawn)
            write_file(out / f"{figure.name}.png", as_png(drawn))
            write_file(out / f"{figure.name}.svg", as_svg(drawn).encode())
        names.append(figure.name)
    return names


def write_claims(claims: Sequence[Claim], out: Path) -> None:
    text = json.dumps([asdict(claim) for claim in claims], indent=2, ensure_ascii=False)
    from plots.render import write_file

    write_file(out / "claims.json", (text + "\n").encode())
