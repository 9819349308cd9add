"""The tables of a sweep's page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cavern.plots.metrics import MAIN, Metric, metric
from cavern.plots.sweep.analysis import Effect, Influence, Member, Point, best_of
from cavern.plots.sweep.measured import half_of, requests, small, varies
from cavern.plots.sweep.table import Axis, Row, SweepTable, described, number, value_text
from cavern.plots.texts import digits
from cavern.verdicts import samples
from cavern.verdicts.noise import LEAST_SHARE, differs

MOST_ROWS = 5000
MOST_SHARED = 600


@dataclass(frozen=True)
class Cell:
    """`raw` is what it sorts by; `note` stands below in small letters."""

    text: str
    raw: float | None = None
    best: bool = False
    note: str = ""
    wraps: bool = False


@dataclass(frozen=True)
class Table:
    heads: list[str]
    rows: list[list[Cell]]


def _labels(axes: Sequence[Axis], row: Row) -> list[Cell]:
    return [Cell(axis.text(row), axis.sizes[axis.place(row)]) for axis in axes]


def _column(
    rows: Sequence[Row],
    values: Sequence[float],
    of: Metric,
    judged: bool,
    halves: Sequence[float] = (),
) -> list[Cell]:
    """The cells of a metric, in one unit. A percentile of few samples says of how many, a mean over
    seeds, and a figure of a sampled run, half of its interval."""
    largest = of.common(values)
    texts = [of.text(value, largest) for value in values]
    best = best_of(rows, values, of, texts, halves) if judged else [False] * len(rows)
    cells = []
    for place, (row, value, text) in enumerate(zip(rows, values, texts, strict=True)):
        known = math.isfinite(value)
        note = samples.note(requests(row, of), of.percentile) if known else ""
        if halves and math.isfinite(halves[place]) and halves[place] > 0:
            note = f"± {of.text(halves[place], largest)} {note}".strip()
        cells.append(Cell(text, value if known else None, best[place], note))
    return cells


def runs_table(table: SweepTable, metrics: Sequence[Metric]) -> Table:
    """The metrics, and those of MAIN that vary and rest on too few samples for a figure."""
    rows = table.good[:MOST_ROWS]
    few = [one for one in map(metric, MAIN) if one not in metrics and varies(table, one)]
    shown = [*metrics, *few] or [
        one for one in map(metric, MAIN) if any(math.isfinite(number(r, one.field)) for r in rows)
    ]
    judged = len(rows) > 1 and table.axis("trace") is None and table.seeds is None
    columns = [
        _column(
            rows,
            [number(r, one.field) for r in rows],
            one,
            judged,
            [half_of(r, one) for r in rows],
        )
        for one in shown
    ]
    body = [
        [*(_labels(table.axes, row) or [Cell("the run")]), *(column[i] for column in columns)]
        for i, row in enumerate(rows)
    ]
    heads = [axis.label for axis in table.axes] or ["run"]
    return Table([*heads, *(one.label for one in shown)], body)


def runs_sentence(table: SweepTable, made: Table, flat: Sequence[Metric]) -> str:
    """What to know of that table."""
    said = []
    cells = [cell for row in made.rows for cell in row]
    if any(cell.best for cell in cells):
        said.append("The best values of a column are marked.")
    if any(cell.note.startswith("±") for cell in cells):
        said.append("±: half of the interval in which the figure of the whole run lies.")
    if any("n=" in cell.note for cell in cells):
        said.append(
            f"n: so few requests lie beyond this percentile; from {samples.ENOUGH} on it is judged."
        )
    if len(table.good) > 1 and flat:
        values = ", ".join(_about(table, one) for one in flat)
        said.append(f"The same in all runs to within {LEAST_SHARE * 100:g} %: {values}.")
    said.append("table.csv and table.parquet have every field.")
    if len(table.good) > MOST_ROWS:
        said.append(f"Here are the first {MOST_ROWS:,} of {len(table.good):,} runs.")
    return " ".join(said)


def _about(table: SweepTable, of: Metric) -> str:
    value = next(v for row in table.good if math.isfinite(v := number(row, of.field)))
    return small(of) + ("" if table.axis("trace") else f" {of.text(value)}")


def front_table(axes: Sequence[Axis], members: Sequence[Member], aims: Sequence[Metric]) -> Table:
    """Numbered as on the chart, with the objectives by which each is there."""
    rows = [m.point.row for m in members]
    columns = [
        _column(
            rows,
            [m.point.values[one.field] for m in members],
            one,
            len(rows) > 1,
            [m.point.halves[one.field] for m in members],
        )
        for one in aims
    ]
    body = [
        [
            Cell(str(i + 1), float(i + 1)),
            *_labels(axes, m.point.row),
            *(column[i] for column in columns),
            Cell(m.why, wraps=True),
        ]
        for i, m in enumerate(members)
    ]
    names = [one.label for one in aims]
    return Table(["No.", *(axis.label for axis in axes), *names, "On the front by"], body)


def in_common(axes: Sequence[Axis], found: Sequence[Point], members: Sequence[Member]) -> list[str]:
    """What the front has more often than all combinations have: the values it leans on most."""
    if len(members) < 2:
        return []
    leaning = []
    for axis in axes:
        for place in range(len(axis.values)):
            inside = sum(axis.place(m.point.row) == place for m in members)
            outside = sum(axis.place(p.row) == place for p in found)
            lead = inside / len(members) - outside / len(found)
            leaning.append((lead, axis.told(place), inside, outside))
    leaning.sort(key=lambda one: -one[0])
    return [
        f"{told}: {inside} of {len(members)} on the front, {outside} of {len(found)} in all."
        for lead, told, inside, outside in leaning[:3]
        if lead > 0.1
    ]


def effects_table(influence: Influence, metrics: Sequence[Metric]) -> dict[str, Any] | None:
    """A row per axis, a column per metric. The parts of a column add up to 100 % with what is left:
    they are cut, not rounded."""
    shown = [one for one in metrics if influence.of.get(one.field)]
    if not influence.axes or not shown:
        return None
    exact = not any(e.error for one in shown for e in influence.of[one.field] or [])
    rows: list[dict[str, Any]] = [{"label": axis.label, "cells": []} for axis in influence.axes]
    rest: list[dict[str, Any]] = []
    for one in shown:
        found = influence.of[one.field] or []
        parts = [_cut(e.share, exact) for e in found]
        order = sorted(range(len(found)), key=lambda i: -parts[i])
        for index, (axis, e) in enumerate(zip(influence.axes, found, strict=True)):
            error = "" if exact else f" ± {_percent(e.error, exact)}"
            rows[index]["cells"].append(
                {
                    "text": f"{_percent(parts[index], exact)}{error} %",
                    "raw": parts[index],
                    "below": _from_to(axis, e, exact),
                    "strong": index == order[0] and e.sure and _leads(found, order),
                }
            )
        left = max(0.0, 1.0 - sum(parts))
        rest.append(
            {"text": f"{_percent(left, exact)} %", "raw": left, "below": "", "strong": False}
        )
    rows.append({"label": "No axis alone", "cells": rest})
    return {"columns": [one.label for one in shown], "rows": rows, "exact": exact}


def _cut(share: float, exact: bool) -> float:
    step = 1000 if exact else 100
    return math.floor(share * step + 1e-9) / step


def _percent(share: float, exact: bool) -> str:
    if not math.isfinite(share):
        return "?"
    return f"{share * 100:.1f}" if exact else f"{share * 100:.0f}"


def _leads(found: Sequence[Any], order: Sequence[int]) -> bool:
    """Whether the first explains more than the second by more than their errors say."""
    first = found[order[0]]
    if first.share <= 0.1 or not math.isfinite(first.error):
        return False
    second = found[order[1]] if len(order) > 1 else None
    return second is None or first.share - second.share > math.hypot(first.error, second.error)


def _from_to(axis: Axis, found: Effect, exact: bool) -> str:
    """From the lowest mean to the highest; empty where the axis hardly moves anything, or not by
    more than its error."""
    low, high = found.means[found.low], found.means[found.high]
    # Not so where the error is not known either.
    if not (found.sure and found.share > max(found.error, 0.005) and differs(low, high)):
        return ""
    rise = (
        f": {'' if exact else 'about '}+{digits((high / low - 1) * 100)}\u00a0%" if low > 0 else ""
    )
    return f"{axis.texts[found.low]} → {axis.texts[found.high]}{rise}"


def failed(table: SweepTable) -> list[dict[str, Any]]:
    return [
        {
            "what": described(table.axes, row) or "the run",
            "status": row["status"],
            "error": str(row.get("error") or ""),
        }
        for row in table.failed[:MOST_ROWS]
    ]


def shared(table: SweepTable) -> list[tuple[str, str]]:
    """The settings that are the same in all runs."""
    if not table.good:
        return []
    found = []
    for key in table.good[0]:
        if key.startswith("config."):
            values = {str(row.get(key)) for row in table.good}
            if len(values) == 1:
                found.append((key.removeprefix("config."), value_text((table.good[0][key],))))
    return found[:MOST_SHARED]
