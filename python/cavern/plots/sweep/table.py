"""The table of a sweep as figures need it: axes, metrics, and the runs that worked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.plots.metrics import LARGEST, MAIN, METRICS, Metric, metric
from cavern.reading.json_file import parse_json

#: Columns that label a row besides "vary.*".
OWN = ("trace", "config", "seed")
#: Under this key of the Parquet file's metadata a sweep says its title.
METADATA = b"cavern.sweep"
TABLE = "table.parquet"

Row = dict[str, Any]


@dataclass(frozen=True)
class Axis:
    """What varies together: one column, or several of a [[zip]] whose values come in pairs."""

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]  # in order of appearance

    @property
    def label(self) -> str:
        return ", ".join(column.removeprefix("vary.") for column in self.columns)

    @cached_property
    def texts(self) -> list[str]:
        return [value_text(value) for value in self.values]

    @cached_property
    def _places(self) -> dict[tuple[Any, ...], int]:
        return {value: place for place, value in enumerate(self.values)}

    def place(self, row: Row) -> int:
        """Which of the values the row has."""
        return self._places[self._of(row)]

    def text(self, row: Row) -> str:
        return self.texts[self.place(row)]

    def _of(self, row: Row) -> tuple[Any, ...]:
        return tuple(row.get(column) for column in self.columns)


def value_text(value: tuple[Any, ...]) -> str:
    return ", ".join(
        "–" if part is None else str(part).lower() if isinstance(part, bool) else str(part)
        for part in value
    )


def described(axes: Sequence[Axis], row: Row) -> str:
    """A row by its values, such as "drive cave, buffer.size 4MiB"."""
    return ", ".join(f"{axis.label} {axis.text(row)}" for axis in axes)


class SweepTable:
    """Rows of a table; `title` is that of its description, `spec` where that was."""

    def __init__(self, rows: Sequence[Row], title: str = "", spec: str = "") -> None:
        self.rows = list(rows)
        self.good = [row for row in self.rows if row["status"] == 0]
        self.failed = [row for row in self.rows if row["status"] != 0]
        self.axes = axes_of(self.rows)
        self.title = title or self.name
        self.spec = spec

    @property
    def name(self) -> str:
        """What is varied, such as "drive × buffer.size"."""
        return " × ".join(axis.label for axis in self.axes) or "one run"

    @cached_property
    def metrics(self) -> list[Metric]:
        """Those of MAIN that were measured and are not the same in all runs."""
        found = []
        for field in MAIN:
            values = {value for row in self.good if math.isfinite(value := number(row, field))}
            if len(values) > 1 or (len(values) == 1 and len(self.good) == 1):
                found.append(metric(field))
        return found

    @property
    def parameters(self) -> list[Axis]:
        """The axes that a designer chooses: neither the trace nor the seed."""
        return [axis for axis in self.axes if axis.columns not in (("trace",), ("seed",))]

    def axis(self, column: str) -> Axis | None:
        return next((axis for axis in self.axes if axis.columns == (column,)), None)


def number(row: Row, field: str) -> float:
    """A field of a row; NaN where it was not measured."""
    value = row.get(field)
    kind = field.split(".")
    if kind[0] == "host" and kind[1] in ("read", "write") and not row.get(f"host.{kind[1]}.count"):
        return math.nan
    if not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        return math.nan
    return float(value)


def axes_of(rows: Sequence[Row]) -> list[Axis]:
    """Columns of labels with several values; those whose values come in pairs are one axis."""
    names = [
        name
        for name in dict.fromkeys(name for row in rows for name in row)
        if name in OWN or name.startswith("vary.")
    ]
    columns = {name: [row.get(name) for row in rows] for name in names}
    groups: list[list[str]] = []
    for name in names:
        if len(set(columns[name])) < 2:
            continue
        for group in groups:
            # A trace or a seed is an axis of its own, whatever goes with it.
            own = name in OWN or group[0] in OWN
            if not own and _paired(columns[group[0]], columns[name]):
                group.append(name)
                break
        else:
            groups.append([name])
    return [
        Axis(
            tuple(group),
            tuple(dict.fromkeys(tuple(row.get(name) for name in group) for row in rows)),
        )
        for group in groups
    ]


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
        wanted = {"run", "status", "error", "input", "host.read.count", "host.write.count"}
        wanted |= {one.field for one in METRICS}
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
    return SweepTable(rows, title, str(told.get("spec") or ""))


def _is_label(value: Any) -> bool:
    finite = math.isfinite(value) if isinstance(value, float) else True
    return value is None or (finite and isinstance(value, str | int | float))


def names_of_runs(folder: Path) -> dict[Path, str]:
    """The folders of a sweep's good runs in the order of its table, named by what varies; none
    where the folder is no sweep's."""
    if not is_sweep(folder):
        return {}
    table = read_table(folder)
    found = {folder / "runs" / str(row["run"]): described(table.axes, row) for row in table.good}
    return {path: name for path, name in found.items() if (path / "summary.json").is_file()}
