"""report.html of a sweep: one self-contained page made from its table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from cavern.plots.inline_svg import inline_svg
from cavern.plots.metrics import Metric
from cavern.plots.style import as_svg, settle, style
from cavern.plots.sweep import figures
from cavern.plots.sweep.analysis import Point, by_influence, effect, front, objectives, points
from cavern.plots.sweep.figures import Picture
from cavern.plots.sweep.table import Axis, Row, SweepTable, described, number, value_text
from cavern.plots.templates_of import page_environment, script, style_sheet
from cavern.plots.texts import digits, printable

MOST_FIGURES = 6
MOST_ROWS = 5000
MOST_PARETO = 6  # traces with a front of their own
MOST_SHARED = 600


@dataclass(frozen=True)
class Cell:
    text: str
    raw: float | None = None
    best: bool = False


@dataclass(frozen=True)
class Table:
    heads: list[str]
    rows: list[list[Cell]]


@dataclass(frozen=True)
class Suggestion:
    """A run worth doing next: what, why, and the command that does it."""

    text: str
    why: str
    command: str


@dataclass(frozen=True)
class About:
    """What the table itself does not say. `commands` repeat the work, `spec` is its description."""

    kind: str = "sweep"
    commands: Sequence[str] = ()
    spec: str = ""
    warnings: Sequence[str] = ()
    suggestions: Sequence[Suggestion] = ()
    aims: Sequence[Metric] = field(default_factory=tuple)


def build_page(table: SweepTable, about: About) -> str:
    """The page as text. Same table, same bytes."""
    aims = list(about.aims) or objectives(table)
    metrics = [*aims, *(one for one in table.metrics if one not in aims)]
    shown = metrics[:MOST_FIGURES]
    with style():
        lines = _drawn([figures.lines(table, one, i) for i, one in enumerate(shown)])
        heat = _drawn([figures.heat_map(table, one, i) for i, one in enumerate(shown)])
        parallel = _drawn([figures.parallel(table, shown)])
        fronts = _fronts(table, aims)
    page = (
        page_environment()
        .get_template("sweep.html.j2")
        .render(
            style=style_sheet(),
            script=script(),
            kind=about.kind,
            title=table.title,
            sentence=_sentence(table),
            warnings=[*_warnings(table), *about.warnings],
            axes=table.axes,
            suggestions=about.suggestions,
            aims=[one.label.lower() for one in aims],
            pareto=fronts,
            effects=_effects(table, shown),
            by_trace=table.axis("trace") is not None,
            lines=lines,
            heat=heat,
            parallel=parallel,
            table=_runs(table, table.good[:MOST_ROWS], metrics),
            runs_sentence=_runs_sentence(table),
            failed=_failed(table),
            shared=_shared(table),
            spec=about.spec,
            commands=about.commands,
        )
    )
    return printable(page)


def _drawn(pictures: Sequence[Picture | None]) -> list[dict[str, Any]]:
    found = []
    for picture in pictures:
        if picture is None:
            continue
        settle(picture.figure)
        svg = picture.tips.into(as_svg(picture.figure))
        inline = Markup(inline_svg(svg, picture.name, f"{picture.title}: {picture.caption}"))
        found.append(
            {
                "title": picture.title,
                "caption": picture.caption,
                "svg": inline,
                "wide": picture.wide,
            }
        )
    return found


def _sentence(table: SweepTable) -> str:
    inputs = sorted({str(row["trace"]) for row in table.rows if row.get("trace")})
    played = f" on {', '.join(inputs)}" if len(inputs) <= 5 else f" on {len(inputs)} inputs"
    sizes = " × ".join(str(len(axis.values)) for axis in table.axes)
    count = f"{len(table.rows):,} runs" if len(table.rows) != 1 else "One run"
    return f"{count} of {table.name}{f' ({sizes})' if len(table.axes) > 1 else ''}{played}."


def _warnings(table: SweepTable) -> list[str]:
    found = []
    if table.failed:
        found.append(
            f"{len(table.failed):,} of {len(table.rows):,} runs failed; they are listed below and "
            "left out of all figures."
        )
    cut = sum(row.get("complete") is False for row in table.good)
    if cut:
        found.append(f"{cut:,} runs were interrupted; their numbers cover what was simulated.")
    if not table.good:
        found.append("No run worked: there is nothing to draw.")
    return found


def _labels(axes: Sequence[Axis], row: Row) -> list[Cell]:
    cells = []
    for axis in axes:
        cells.append(Cell(axis.text(row), float(axis.place(row))))
    return cells


def _runs(table: SweepTable, rows: Sequence[Row], metrics: Sequence[Metric]) -> Table:
    largest = {
        one.field: max(
            (abs(v) for r in rows if math.isfinite(v := number(r, one.field))), default=0
        )
        for one in metrics
    }
    best = {one.field: one.best([number(row, one.field) for row in rows]) for one in metrics}
    heads = [axis.label for axis in table.axes] or ["run"]
    body = []
    for row in rows:
        cells = _labels(table.axes, row) or [Cell("the run")]
        for one in metrics:
            value = number(row, one.field)
            raw = value if math.isfinite(value) else None
            text = one.text(value, largest[one.field])
            cells.append(Cell(text, raw, len(rows) > 1 and value == best[one.field]))
        body.append(cells)
    return Table([*heads, *(one.label for one in metrics)], body)


def _runs_sentence(table: SweepTable) -> str:
    text = "The best value of each column is marked. table.csv and table.parquet have every field."
    if len(table.good) > MOST_ROWS:
        text += f" Here are the first {MOST_ROWS:,} of {len(table.good):,} runs."
    return text


def _fronts(table: SweepTable, aims: Sequence[Metric]) -> list[dict[str, Any]]:
    """A front for each trace: runs of different traces do not compete."""
    axes = [a for a in table.axes if a.columns not in (("seed",), ("trace",))]
    if not axes or not aims:
        return []
    trace = table.axis("trace")
    found = points(table, aims)
    parts = []
    for place, name in enumerate(trace.texts if trace else [""]):
        if place >= MOST_PARETO:
            break
        some = [p for p in found if not trace or trace.place(p.row) == place]
        best = front(some, aims)
        if len(some) < 2 or not best:
            continue
        of = f"{name}: Pareto front" if name else "Pareto front"
        picture = figures.pareto(axes, some, aims, f"pareto-{place}", of)
        parts.append(
            {
                "name": name,
                "figures": _drawn([picture]),
                "table": _front_table(axes, best, aims),
                "sentences": distinguishing(axes, some, best),
            }
        )
    return parts


def _front_table(axes: Sequence[Axis], best: Sequence[Point], aims: Sequence[Metric]) -> Table:
    rows = []
    tops = {one.field: one.best([p.values[one.field] for p in best]) for one in aims}
    largest = {one.field: max(abs(p.values[one.field]) for p in best) for one in aims}
    for point in sorted(best, key=lambda p: p.values[aims[0].field]):
        cells = _labels(axes, point.row)
        for one in aims:
            value = point.values[one.field]
            cells.append(Cell(one.text(value, largest[one.field]), value, value == tops[one.field]))
        rows.append(cells)
    return Table([*(axis.label for axis in axes), *(one.label for one in aims)], rows)


def distinguishing(
    axes: Sequence[Axis], found: Sequence[Point], best: Sequence[Point]
) -> list[str]:
    """What the front has more often than all combinations have: the axes it leans on most."""
    leaning = []
    for axis in axes:
        for place, text in enumerate(axis.texts):
            inside = sum(axis.place(p.row) == place for p in best) / len(best)
            outside = sum(axis.place(p.row) == place for p in found) / len(found)
            leaning.append((inside - outside, axis, text, inside, outside))
    leaning.sort(key=lambda one: -one[0])
    return [
        f"{axis.label} {text}: {inside * 100:.0f} % of the front, {outside * 100:.0f} % of all."
        for lead, axis, text, inside, outside in leaning[:3]
        if lead > 0.1
    ]


def _effects(table: SweepTable, metrics: Sequence[Metric]) -> dict[str, Any] | None:
    metrics = [one for one in metrics if by_influence(table, table.axes, one)]
    axes = [axis for axis in table.axes if axis.columns != ("trace",)]
    if not axes or not metrics or len(table.good) < 2:
        return None
    rows, left = [], [1.0] * len(metrics)
    effects = [[effect(table, axis, one) for one in metrics] for axis in axes]
    tops = [
        max((row[i].share for row in effects if (row[i]) is not None), default=0.0)  # type: ignore[union-attr]
        for i in range(len(metrics))
    ]
    for axis, found in zip(axes, effects, strict=True):
        cells = []
        for index, one in enumerate(found):
            if one is None:
                cells.append({"text": "–", "raw": -1.0, "below": "", "strong": False})
                continue
            left[index] -= one.share
            rise = one.means[one.high] / one.means[one.low] - 1 if one.means[one.low] else math.nan
            below = f"{axis.texts[one.low]} → {axis.texts[one.high]}"
            if math.isfinite(rise):
                below += f": +{digits(rise * 100)} %"
            cells.append(
                {
                    "text": f"{one.share * 100:.1f} %",
                    "raw": one.share,
                    "below": below,
                    "strong": one.share == tops[index] and one.share > 0.1,
                }
            )
        rows.append({"label": axis.label, "cells": cells})
    together = [
        {"text": f"{max(0.0, one) * 100:.1f} %", "raw": max(0.0, one), "below": "", "strong": False}
        for one in left
    ]
    rows.append({"label": "Together", "cells": together})
    return {"columns": [one.label for one in metrics], "rows": rows}


def _failed(table: SweepTable) -> list[dict[str, Any]]:
    return [
        {
            "what": described(table.axes, row) or "the run",
            "status": row["status"],
            "error": str(row.get("error") or ""),
        }
        for row in table.failed[:MOST_ROWS]
    ]


def _shared(table: SweepTable) -> list[tuple[str, str]]:
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
