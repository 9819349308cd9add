"""Outcomes as rows, and rows as one Parquet file and one CSV file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cavern.plots.files import write_file
from cavern.plots.sweep.table import BETWEEN_WARNINGS, METADATA, WARNINGS
from cavern.sweeps.execute import Outcome

Row = dict[str, Any]
#: Columns that stand for a run rather than for what varies.
OWN = ("trace", "config", "seed")


def rows_of(outcomes: Sequence[Outcome]) -> list[Row]:
    """One row a run: what varies ("vary.KEY"), status, and every field of summary.json by its
    dotted name. Lists ("channels", "dies") stay lists of objects."""
    return [flat_row(outcome) for outcome in outcomes]


def flat_row(outcome: Outcome) -> Row:
    row: Row = {"run": outcome.run.id}
    for name, value in outcome.run.case.labels.items():
        row[name if name in OWN else f"vary.{name}"] = value
    row["status"] = outcome.status
    row["error"] = outcome.error
    if outcome.summary is not None:
        played = {"input": outcome.summary.get("trace")}
        # "run" says when and by which command, and what to know before one believes the figures.
        without = ("schema", "trace", "seed", "run")
        told = outcome.summary.get("run")
        warned = told.get("warnings") if isinstance(told, dict) else None
        row[WARNINGS] = BETWEEN_WARNINGS.join(map(str, warned if isinstance(warned, list) else []))
        rest = {k: v for k, v in outcome.summary.items() if k not in without}
        row |= _flat({**played, **rest}, "")
    return row


def _flat(value: dict[str, Any], prefix: str) -> Row:
    row: Row = {}
    for name, part in value.items():
        if isinstance(part, dict):
            row |= _flat(part, f"{prefix}{name}.")
        else:
            row[prefix + name] = part
    return row


def write_parquet(rows: Sequence[Row], path: Path, about: Mapping[str, Any] | None = None) -> None:
    """Writes the rows in their order, whole or not at all; `about` is for the page."""
    # Imported here: it takes a third of a second, which --help and mistakes need not wait for.
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: _column([row.get(name) for row in rows], pa) for name in names}
    made = pa.table(columns).replace_schema_metadata({METADATA: json.dumps(dict(about or {}))})
    buffer = pa.BufferOutputStream()
    pq.write_table(made, buffer, compression="zstd")
    write_file(path, buffer.getvalue().to_pybytes())


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Writes rows for a spreadsheet: without the lists ("channels", "dies"), numbers in full."""
    names = [
        name
        for name in dict.fromkeys(name for row in rows for name in row)
        if not any(isinstance(row.get(name), list | dict) for row in rows)
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _csv_value(value) for name, value in row.items()})
    write_file(path, text.getvalue().encode())


def _csv_value(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _column(values: list[Any], pa: Any) -> Any:
    """A column of one type: whole numbers with fractions become fractions, other mixtures JSON."""
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return pa.array(values, pa.string())
    if kinds == {int, float}:
        return pa.array([None if v is None else float(v) for v in values], pa.float64())
    if len(kinds) == 1:
        try:
            column = pa.array(values)
            if "struct<>" not in str(column.type):  # which Parquet does not know
                return column
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            pass
    return pa.array([None if v is None else json.dumps(v, sort_keys=True) for v in values])
