"""Runs side by side as rows of text: their results, and their settings."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cavern.plots.metrics import METRICS, Metric
from cavern.plots.results import Run


@dataclass(frozen=True)
class Cell:
    """`verdict` is "better", "worse" or empty: against the first run."""

    text: str
    change: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class Row:
    """`group` begins a new group of rows where it is not empty."""

    label: str
    cells: list[Cell]
    group: str = ""
    differs: bool = False


def headline(runs: Sequence[Run]) -> list[Row]:
    """The comparison table: a row a metric, a column a run, change against the first run, and
    whether that is better or worse."""
    rows: list[Row] = []
    last = ""
    for one in METRICS:
        values = [value_of(run, one) for run in runs]
        if one.optional and all(math.isnan(value) for value in values):
            continue
        largest = max((abs(v) for v in values if not math.isnan(v)), default=0.0)
        cells = [Cell(one.text(values[0], largest))]
        for value in values[1:]:
            text, change = one.text(value, largest), one.change(values[0], value)
            cells.append(Cell(text, change, one.verdict(values[0], value)))
        rows.append(Row(one.row, cells, one.group if one.group != last else ""))
        last = one.group
    return rows


def value_of(run: Run, one: Metric) -> float:
    if one.needs and run.summary.number(f"host.{one.needs}.count") == 0:
        return math.nan
    if one.optional and not isinstance(run.summary.get(one.field), int | float):
        return math.nan
    return float(run.summary.number(one.field))


def flatten(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables as dotted keys, in the order of the file."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def configuration(runs: Sequence[Run]) -> list[Row]:
    """A row a key; one that is not the same in all runs is marked."""
    flats = [flatten(run.config) for run in runs]
    keys = list(dict.fromkeys(key for flat in flats for key in flat))
    rows, group = [], None
    # Keys of one table together, tables in order of appearance, top-level keys first.
    tables = list(dict.fromkeys(["", *(key.rpartition(".")[0] for key in keys)]))
    for key in sorted(keys, key=lambda key: tables.index(key.rpartition(".")[0])):
        table = key.rpartition(".")[0]
        texts = [setting(flat[key]) if key in flat else "not set" for flat in flats]
        heading = (table or "run") if table != group else ""
        group = table
        rows.append(Row(key, [Cell(text) for text in texts], heading, len(set(texts)) > 1))
    return rows


def setting(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)
