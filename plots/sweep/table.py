"""The table of a sweep as figures need it: axes, metrics, and the runs that worked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.plots.metrics import LARGEST, METRICS, NONE_AT_ZERO
from cavern.reading.json_file import parse_json
from cavern.verdicts.axes import in_order, quantities, rising

#: Columns that label a row besides "vary.*".
OWN = ("trace", "config", "seed")
#: What a run warns of (run.warnings), one after the other in one text.
WARNINGS = "run.warnings"
BETWEEN_WARNINGS = " | "
#: Under this key of the Parquet file's metadata a sweep or search says what its page says.
METADATA = b"cavern.sweep"
TABLE = "table.parquet"

Row = dict[str, Any]


@dataclass(frozen=True)
class Axis:
    """What varies together: one column, or several of a [[zip]] whose values come in pairs."""

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]  # in the order of the description

    @property
    def label(self) -> str:
        return ", ".join(column.removeprefix("vary.") for column in self.columns)

    @cached_property
    def texts(self) -> list[str]:
        return [value_text(value) for value in self.values]

    @cached_property
    def ordered(self) -> bool:
        """Whether its values rise or fall, so that something lies between two of them."""
        return len(self.columns) == 1 and rising([value[0] for value in self.values])

    @cached_property
    def sizes(self) -> list[float]:
        """What its values are sorted by: quantities where all are, else their places."""
        found = quantities([value[0] for value in self.values])
        return found or [float(place) for place in range(len(self.values))]

    @cached_property
    def _places(self) -> dict[tuple[Any, ...], int]:
        return {value: place for place, value in enumerate(self.values)}

    def place(self, row: Row) -> int:
        """Which of the values the row has."""
        return self._places[self._of(row)]

    def text(self, row: Row) -> str:
        return self.texts[self.place(row)]

    def told(self, place: int) -> str:
        """One of its values, each part with its name: "nand.channels 2, nand.ways 1"."""
        parts = zip(self.columns, self.values[place], strict=True)
        return ", ".join(
            f"{name.removeprefix('vary.')} {value_text((one,))}" for name, one in parts
        )

    def _of(self, row: Row) -> tuple[Any, ...]:
        return tuple(row.get(column) for column in self.columns)


def together(axes: Sequence[Axis]) -> Axis:
    """Several as one: each value with each of the others, that of the last changes fastest."""
    columns = tuple(column for axis in axes for column in axis.columns)
    values = itertools.product(*(axis.values for axis in axes))
    return Axis(columns, tuple(tuple(itertools.chain(*one)) for one in values))


def value_text(value: tuple[Any, ...]) -> str:
    return ", ".join(
        "–" if part is None else str(part).lower() if isinstance(part, bool) else str(part)
        for part in value
    )


def described(axes: Sequence[Axis], row: Row) -> str:
    """A row by its values, such as "drive cave, buffer.size 4MiB"."""
    return ", ".join(axis.told(axis.place(row)) for axis in axes)


class SweepTable:
    """Rows of a table; `title` is that of its description, `spec` where that was, `told` what it
    says of the axes: their columns, and their values in order."""

    def __init__(
        self, rows: Sequence[Row], title: str = "", spec: str = "", told: Sequence[Axis] = ()
    ) -> None:
        self.rows = list(rows)
        self.good = [row for row in self.rows if row["status"] == 0]
        self.failed = [row for row in self.rows if row["status"] != 0]
        self.axes = axes_of(self.rows, told)
        self.title = title or self.name
        self.spec = spec
        #: What the description or the search says of the page; see about.py.
        self.about: dict[str, Any] = {}
        self._places: dict[tuple[str, ...], list[int]] = {}

    @property
    def name(self) -> str:
        """What is varied, such as "drive × buffer.size"."""
        return " × ".join(axis.label for axis in self.axes) or "one run"

    @property
    def parameters(self) -> list[Axis]:
        """The axes that a designer chooses: neither the trace nor the seed."""
        return [axis for axis in self.axes if axis.columns not in (("trace",), ("seed",))]

    @property
    def named(self) -> list[Axis]:
        """The axes that name a combination: all but the seed."""
        return [axis for axis in self.axes if axis.columns != ("seed",)]

    @property
    def seeds(self) -> Axis | None:
        """That of the seeds, over which figures are means with intervals."""
        return self.axis("seed")

    def places(self, axes: Sequence[Axis]) -> list[tuple[int, ...]]:
        """Of each good run which of the values of the axes it has."""
        for axis in axes:
            if axis.columns not in self._places:
                self._places[axis.columns] = [axis.place(row) for row in self.good]
        columns = [self._places[axis.columns] for axis in axes]
        return list(zip(*columns, strict=True)) if columns else [()] * len(self.good)

    def axis(self, column: str) -> Axis | None:
        return next((axis for axis in self.axes if axis.columns == (column,)), None)


def number(row: Row, field: str) -> float:
    """A field of a row; NaN where it was not measured, or says nothing."""
    value = row.get(field)
    kind = field.split(".")
    if kind[0] == "host" and kind[1] in ("read", "write") and not row.get(f"host.{kind[1]}.count"):
        return math.nan
    if not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        return math.nan
    return math.nan if value == 0 and field in NONE_AT_ZERO else float(value)


def axes_of(rows: Sequence[Row], told: Sequence[Axis] = ()) -> list[Axis]:
    """Columns of labels with several values. Those whose values come in pairs are one axis, but
    where the description tells the axes: in a few runs of many, others do so by chance."""
    names = [
        name
        for name in dict.fromkeys(name for row in rows for name in row)
        if name in OWN or name.startswith("vary.")
    ]
    columns = {name: [row.get(name) for row in rows] for name in names}
    of_told = {name: axis for axis in told for name in axis.columns}
    groups: list[list[str]] = []
    for name in names:
        if len(set(columns[name])) < 2:
            continue
        for group in groups:
            if _together(name, group[0], columns, of_told):
                group.append(name)
                break
        else:
            groups.append([name])
    order = {tuple(axis.columns): axis.values for axis in told}
    found = []
    for group in groups:
        seen = list(dict.fromkeys(tuple(row.get(name) for name in group) for row in rows))
        told_values = order.get(tuple(group), ())
        found.append(Axis(tuple(group), tuple(in_order(seen, told_values))))
    places = {name: place for place, name in enumerate(of_told)}
    return sorted(found, key=lambda axis: places.get(axis.columns[0], -1)) if told else found


def _together(one: str, other: str, columns: dict[str, list[Any]], told: dict[str, Axis]) -> bool:
    # A trace or a seed is an axis of its own, whatever goes with it.
    if one in OWN or other in OWN:
        return False
    if one in told or other in told:
        return told.get(one) is told.get(other)
    return _paired(columns[other], columns[one])


def _paired(left: list[Any], right: list[Any]) -> bool:
    pairs = set(zip(left, right, strict=True))
    return len(pairs) == len(set(left)) == len(set(right))


def is_sweep(folder: Path) -> bool:
    return (folder / TABLE).is_file()


def read_table(folder: Path) -> SweepTable:
    """The table that `./cavern sweep` wrote into a folder. Raises InputError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / TABLE
    try:
        file = pq.ParquetFile(path)
        names = file.schema_arrow.names
        wanted = {"run", "status", "error", "input", "complete", WARNINGS}
        for part in ("host", "sampled"):
            wanted |= {f"{part}.read.count", f"{part}.write.count"}
        wanted |= {one.field for one in METRICS}
        wanted |= {f"{one.interval}.{end}" for one in METRICS for end in ("low", "high")}
        kept = [
            name
            for name in names
            if name in wanted or name in OWN or name.startswith(("vary.", "config."))
        ]
        rows = file.read(columns=kept).to_pylist()
        about = (file.schema_arrow.metadata or {}).get(METADATA, b"{}").decode()
    except (OSError, ValueError, pa.ArrowException) as error:
        what = f"cannot be read ({str(error).splitlines()[0]})"
        raise InputError(path, 1, what, "expected the table of a sweep") from None
    if "status" not in names or "run" not in names or not rows:
        raise InputError(path, 1, "has no runs", "expected the table of a sweep")
    for name in kept:
        if name in OWN or name.startswith("vary."):
            if not all(_is_label(row[name]) for row in rows):
                what = f"{name} holds something else than texts, numbers and truth values"
                raise InputError(path, 1, what, "expected the table of a sweep")
    told = parse_json(path, about, "the table of a sweep")
    told = told if isinstance(told, dict) else {}
    title = str(told.get("title") or folder.resolve().name)
    table = SweepTable(rows, title, str(told.get("spec") or ""), _told_axes(told.get("axes")))
    table.about = told
    return table


def _told_axes(given: Any) -> list[Axis]:
    """Those that can be made out; a damaged one is none."""
    found = []
    for one in given if isinstance(given, list) else []:
        columns, values = (
            one.get(n) if isinstance(one, dict) else None for n in ("columns", "values")
        )
        if not (isinstance(columns, list) and isinstance(values, list) and columns):
            continue
        rows = [tuple(v) for v in values if isinstance(v, list) and all(map(_is_label, v))]
        if all(isinstance(name, str) for name in columns):
            found.append(Axis(tuple(columns), tuple(rows)))
    return found


def _is_label(value: Any) -> bool:
    finite = math.isfinite(value) if isinstance(value, float) else True
    return value is None or (finite and isinstance(value, str | int | float))
