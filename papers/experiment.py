"""What an experiment is made of, and how its results are written."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import cavern

from papers import ROOT

#: The simulator, unless another one is asked for.
SIMULATOR = cavern.program()
Row = dict[str, Any]
Cell = str | int | float | None


class Experiment(Protocol):
    """The face of an experiment's module. One with a PROGRAM is played by the program of that name
    beside the simulator, which takes the same command line."""

    NAME: str  #: the word after `./cavern reproduce`
    PAPER: str  #: how the claims cite it

    def plan(self, quick: bool) -> list[cavern.Case]:
        """The runs. Quick ones answer the same questions on less."""

    def figures(self, table: Table) -> Iterable[Figure]:
        """Each figure with the data it is drawn from."""

    def claims(self, table: Table) -> Iterable[Claim]:
        """Every numeric or ordinal claim of the paper, with the experiment that decides it."""

    # fitted(table) -> Iterable[Fitted]: what was fitted; optional


@dataclass(frozen=True)
class Input:
    """What a run plays: a trace or the description of a workload."""

    file: Path
    kind: Literal["trace", "workload"] = "trace"
    name: str = ""

    @property
    def label(self) -> str:
        """Its name in tables: as given, else the file's name without its endings."""
        return self.name or self.file.name.split(".")[0]


def of_the_user(pattern: str) -> list[Path]:
    """Traces that the user has (traces/README.md says where to get them)."""
    folder = os.environ.get("CAVERN_TRACES")
    found = sorted(Path(folder).glob(pattern)) if folder else []
    return [place for place in found if place.is_file()]


def case(
    config: str | Path,
    played: Input,
    settings: Mapping[str, Any],
    labels: Mapping[str, Any],
    **options: Any,
) -> cavern.Case:
    """One run, labelled with what it plays as well. A relative `config` is one of the tree."""
    file: dict[str, Any] = {played.kind: played.file}
    named = {"trace": played.label, **labels}
    return cavern.case(ROOT / config, **file, labels=named, **options, **settings)


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
class Other:
    """How a claim comes out otherwise than by the reference reading on the reference workload."""

    kind: Literal["reading", "workload"]  #: a workload may come with a reading; the name says both
    name: str
    ours: Cell
    holds: bool


#: A claim of the paper, what it takes for granted, our check that a claim can fail, what we add.
#: Only claims are counted.
Kind = Literal["claim", "assumption", "control", "addition"]


@dataclass(frozen=True)
class Claim:
    """One entry of claims.json. `holds` is what was measured, not what was hoped for: by the
    experiment's reference reading of the paper, on its reference workload."""

    paper: str
    where: str
    claim: str
    paper_value: Cell
    ours: Cell
    holds: bool
    note: str = ""
    kind: Kind = "claim"
    #: The experiment that decides: figure and part of the plan.
    decided_by: str = ""
    others: tuple[Other, ...] = ()
    #: Names of the fitted values (Fitted) on which the outcome depends.
    fitted: tuple[str, ...] = ()
    #: Those of them that were chosen so that this claim holds: that it does then shows nothing.
    fit_by: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        if self.holds:
            return "holds by fit" if self.fit_by else "holds"
        for kind in ("reading", "workload"):
            if self.holding(kind):
                return f"holds with another {kind}"
        return "does not hold"

    def holding(self, kind: str) -> str:
        """The other readings, or workloads, by which the claim holds, each with our figure."""
        return "; ".join(f"{o.name}: {o.ours}" for o in self.others if o.kind == kind and o.holds)

    def record(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "verdict": self.verdict,
            "reading": self.holding("reading"),
            "workload": self.holding("workload"),
        }


@dataclass(frozen=True)
class Outcome:
    """How a claim comes out with one value of what was fitted."""

    value: str
    claim: str
    ours: Cell
    holds: bool


@dataclass(frozen=True)
class Fitted:
    """A value that the paper does not give and that was chosen by an outcome: an address range, a
    popularity, a speed. One entry of fitted.json. Each claim that names it is judged over a range
    of it, the value in use among them."""

    name: str
    value: str  #: in use
    why: str  #: how it was chosen, and from what
    outcomes: tuple[Outcome, ...]

    def over(self, claim: str) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.claim == claim]


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
    return label if label == "trace" else f"vary.{label}"


def write(path: Path, text: str) -> None:
    """Whole or not at all."""
    beside = path.with_name(f".{path.name}.part")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def write_figures(figures: Iterable[Figure], out: Path) -> list[str]:
    """NAME.csv, NAME.png and NAME.svg for each; returns the names."""
    # Imported late: --help and mistakes need not wait for matplotlib.
    from cavern.figures import save, style

    names = []
    for figure in figures:
        write(out / f"{figure.name}.csv", figure.csv_text())
        with style():
            drawn = figure.draw(figure.records())
            save(drawn, out / f"{figure.name}.png", out / f"{figure.name}.svg")
        names.append(figure.name)
    return names


def check_claims(claims: Sequence[Claim], fitted: Sequence[Fitted]) -> None:
    """A LookupError names a claim without its experiment, or without a range of what was fitted."""
    values = {value.name: value for value in fitted}
    for claim in claims:
        if not claim.decided_by:
            raise LookupError(f"no experiment decides {claim.claim!r}")
        if not set(claim.fit_by) <= set(claim.fitted):
            raise LookupError(f"{claim.claim!r} was fitted by what it does not depend on")
        for name in claim.fitted:
            if name not in values:
                raise LookupError(f"{claim.claim!r} depends on {name!r}, which is not listed")
            over = values[name].over(claim.claim)
            if len(over) < 2 or values[name].value not in {outcome.value for outcome in over}:
                raise LookupError(f"{claim.claim!r} is not judged over a range of {name!r}")


def write_claims(claims: Sequence[Claim], fitted: Sequence[Fitted], out: Path) -> None:
    """claims.json and fitted.json."""
    for name, records in (
        ("claims", [claim.record() for claim in claims]),
        ("fitted", [asdict(value) for value in fitted]),
    ):
        write(out / f"{name}.json", json.dumps(records, indent=2, ensure_ascii=False) + "\n")
