"""Runs side by side as rows of text: their results, and their settings."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cavern.plots.metrics import METRICS, NONE_AT_ZERO, Metric
from cavern.plots.results import Run
from cavern.verdicts import samples
from cavern.verdicts.inputs import alike


@dataclass(frozen=True)
class Cell:
    """`verdict` is "better", "worse" or empty: against the first run. `note` says how few samples
    lie beyond a percentile; empty where there are enough. `interval` is that of a sampled run."""

    text: str
    change: str = ""
    verdict: str = ""
    note: str = ""
    interval: str = ""


@dataclass(frozen=True)
class Row:
    """`group` begins a new group of rows where it is not empty."""

    label: str
    cells: list[Cell]
    group: str = ""
    differs: bool = False


def headline(runs: Sequence[Run]) -> list[Row]:
    """The comparison table: a row a metric, a column a run, change against the first run, and
    whether that is better or worse. What says nothing of any run is left out."""
    rows: list[Row] = []
    last = ""
    same = played_the_same(runs)
    for one in METRICS:
        cells = cells_of(one, runs, same)
        if cells:
            rows.append(Row(one.row, cells, one.group if one.group != last else ""))
            last = one.group
    return rows


def cells_of(one: Metric, runs: Sequence[Run], same: Sequence[bool]) -> list[Cell]:
    """One for each run, of which `same` says whether it played what the first one did; none where
    the metric says nothing of any."""
    values = [value_of(run, one) for run in runs]
    if _says_nothing(one, runs, values):
        return []
    largest = one.common(values)
    cells: list[Cell] = []
    for run, value, judged in zip(runs, values, same, strict=True):
        text = one.text(value, largest)
        differs = bool(cells) and text != cells[0].text
        cells.append(
            Cell(
                text,
                one.change(values[0], value) if differs else "",
                verdict(one, runs[0], run) if differs and judged else "",
                "" if math.isnan(value) else samples.note(samples_of(run, one), one.percentile),
                _interval_text(run, one, largest),
            )
        )
    return cells


def played_the_same(runs: Sequence[Run]) -> list[bool]:
    """Of each run whether it played what the first one did: else it is neither better nor worse."""
    return [alike(runs[0].summary.get, run.summary.get) for run in runs]


def verdict(one: Metric, first: Run, run: Run) -> str:
    """Whether the run is "better" or "worse" than the first, which played the same; else empty."""
    counts = [samples_of(first, one), samples_of(run, one)]
    if _may_be_equal(interval_of(first, one), interval_of(run, one)):
        return ""
    return one.verdict(value_of(first, one), value_of(run, one), counts)


def interval_of(run: Run, one: Metric) -> tuple[float, float]:
    """Where the figure of the whole run may lie: of a sampled run its interval, else the value."""
    found = run.summary.get(one.interval) if is_sampled(run) else None
    if isinstance(found, dict):
        number = run.summary.number
        return number(f"{one.interval}.low"), number(f"{one.interval}.high")
    value = value_of(run, one)
    return value, value


def is_sampled(run: Run) -> bool:
    """Whether windows of the run had time, from which its times are estimated."""
    return run.summary.get("sim.fidelity") == "sampled"


def _may_be_equal(first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Of intervals, one of them at least of a sample: whether they overlap."""
    sampled = first[0] != first[1] or second[0] != second[1]
    return sampled and first[0] <= second[1] and second[0] <= first[1]


def _interval_text(run: Run, one: Metric, largest: float | None) -> str:
    low, high = (one.text(end, largest) for end in interval_of(run, one))
    return f"({low} – {high})" if low != high else ""


def requests_of(run: Run, kind: str) -> int:
    """How many requests of that kind a run had; 0 where its summary has null."""
    count = run.summary.number(f"host.{kind}.count")
    return 0 if math.isnan(count) else int(count)


def samples_of(run: Run, one: Metric) -> int:
    """The requests that a metric of latencies is about; 0 of other metrics, which have no
    percentile. Of a sampled run those measured."""
    if one.needs and isinstance(run.summary.get(f"sampled.{one.needs}"), dict):
        return int(run.summary.number(f"sampled.{one.needs}.count"))
    return requests_of(run, one.needs) if one.needs else 0


def _says_nothing(one: Metric, runs: Sequence[Run], values: Sequence[float]) -> bool:
    if all(math.isnan(value) for value in values):
        return True
    if all(value == one.plain for value in values):
        return True
    return bool(one.within) and all(
        run.summary.get(one.within) == value for run, value in zip(runs, values, strict=True)
    )


def value_of(run: Run, one: Metric) -> float:
    """NaN where the run did not measure it: a run without time says 0 of what takes time."""
    if one.needs and requests_of(run, one.needs) == 0:
        return math.nan
    if one.timed and run.summary.get("sim.fidelity") == "untimed":
        return math.nan
    if one.field.endswith(".max") and is_sampled(run):
        return math.nan  # the greatest of a sample is not that of the run
    if one.optional and not isinstance(run.summary.get(one.field), int | float):
        return math.nan
    value = float(run.summary.number(one.field))
    return math.nan if value == 0 and one.field in NONE_AT_ZERO else value


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
    """A row a key; a setting that is not the same in all runs is marked."""
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
        # The name is what a run is called, not what it does.
        differs = len(set(texts)) > 1 and key != "name"
        rows.append(Row(key, [Cell(text) for text in texts], heading, differs))
    return rows


def setting(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)
