"""A metric over the axis that moves most, a line a value of the next one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cavern.plots.colours import BLUE, MUTED
from cavern.plots.hover import Tips
from cavern.plots.metrics import Metric
from cavern.plots.style import WIDTH
from cavern.plots.sweep.cells import Cells, cells_of
from cavern.plots.sweep.figures import (
    Picture,
    beyond_text,
    from_zero,
    label_of,
    scale_of,
    shades,
    ticks,
    whole,
)
from cavern.plots.sweep.table import Axis, SweepTable, described, number
from matplotlib.axes import Axes
from matplotlib.figure import Figure

MOST_NAMED_LINES = 16
LEGEND_LETTERS, LEGEND_ROW = 48, 0.18  # inches
#: The marks of names that stand beside each other, from the first to the last.
DODGE = 0.4


def over(table: SweepTable, ranked: Sequence[Axis]) -> list[Axis]:
    """The axis that lines go over, and that of which each value is a line, if there is one:
    quantities go along, names are lines."""
    trace = table.axis("trace")
    chosen = [axis for axis in ranked if axis is not trace and axis.columns != ("seed",)]
    chosen = chosen or [axis for axis in table.named]
    first = chosen[:2]
    if len(first) == 2 and first[1].ordered and not first[0].ordered:
        first = first[::-1]
    # Traces differ by orders of magnitude: their mean would say nothing.
    return [first[0], trace] if first and trace and trace is not first[0] else whole(table, first)


def lines(table: SweepTable, chosen: Sequence[Axis], of: Metric, place: int) -> Picture | None:
    """The metric over the first of the axes, a line for each value of the second."""
    found = cells_of(table, chosen, of) if chosen else None
    if found is not None and found.guess is not None:
        chosen = chosen[:1]
        found = cells_of(table, chosen, of)
    if found is None:
        return None
    across = chosen[0]
    measured = [v for row in table.good if math.isfinite(v := number(row, of.field))]
    unit, length = scale_of(of, measured)
    figure, tips = Figure(figsize=(WIDTH, 3.2)), Tips()
    axes = figure.subplots()
    caption = f"Over {across.label}"
    if len(chosen) > 1:
        caption += f", a {'line' if across.ordered else 'colour'} per value of {chosen[1].label}"
    if found.guess is not None:
        _runs(axes, tips, table, across, of, length)
        caption += "; small marks are the runs"
        top = measured
    else:
        top = [found.span(cell)[1] for cell in found.values]
    same = _series(figure, axes, tips, found, chosen, of, length)
    ticks(axes, "x", across)
    axes.set_ylabel(label_of(of, unit))
    from_zero(axes, [value / length for value in top])
    axes.set_xlim(-0.5, len(across.values) - 0.5)
    caption += f". {found.caption}"
    if found.guess is None and (found.known or max(map(len, found.values.values())) > 1):
        caption += f" The {'band is' if across.ordered else 'bars are'} {found.spread}."
    caption += "".join(same)
    caption += beyond_text(table, of)
    fitted = found.guess is not None
    return Picture(f"lines-{place}", of.label, caption, figure, tips, fitted=fitted)


def _series(
    figure: Figure,
    axes: Axes,
    tips: Tips,
    found: Cells,
    chosen: Sequence[Axis],
    of: Metric,
    length: float,
) -> list[str]:
    """Draws the lines; says which of them are the same, and drawn as one."""
    across, series = chosen[0], chosen[1] if len(chosen) > 1 else None
    count = len(series.values) if series else 1
    rows = {line: _row(found, across, line if series else None) for line in range(count)}
    groups = _equal({line: row for line, row in rows.items() if row}, of)
    colours = shades(count) if series else [BLUE]
    named = []
    for order, group in enumerate(groups):
        line = group[0]
        name = series.texts[line] if series else ""
        if len(group) > 1:
            name = "all" if len(group) == len(rows) else f"{name} (and {len(group) - 1} more)"
        cells = {x: (x, line) if series else (x,) for x in rows[line]}
        shift = 0.0
        if not across.ordered and len(groups) > 1:
            shift = DODGE * (order / (len(groups) - 1) - 0.5)
        xs = [x + shift for x in cells]
        means = [rows[line][x] / length for x in cells]
        spans = [found.span(cell) for cell in cells.values()]
        low, high = ([span[end] / length for span in spans] for end in (0, 1))
        if across.ordered:
            axes.plot(xs, means, color=colours[line])
            axes.fill_between(xs, low, high, color=colours[line], alpha=0.10, lw=0)
        else:
            axes.vlines(xs, low, high, color=colours[line], lw=1.0, alpha=0.6)
        marks = axes.scatter(xs, means, s=22, color=colours[line], zorder=3, label=name or None)
        lines = f", {' · '.join(series.told(one) for one in group)}" if series else ""
        where = [f"{across.told(x)}{lines}" for x in cells]
        told = [found.told(cell, of) for cell in cells.values()]
        tips.tell(marks, [f"{w}: {t}" for w, t in zip(where, told, strict=True)])
        named.append(name)
    if series and len(named) <= MOST_NAMED_LINES:
        letters = max(map(len, named)) + 4
        columns = max(1, min(len(named), LEGEND_LETTERS // letters))
        figure.set_figheight(
            figure.get_figheight() + LEGEND_ROW * (math.ceil(len(named) / columns) - 1)
        )
        figure.legend(
            title=series.label, title_fontsize=8.5, loc="outside lower center", ncols=columns
        )
    if series is None:
        return []
    if len(groups) == 1:
        return [" All lines are the same."] if len(rows) > 1 else []
    return [
        f" The lines of {' · '.join(series.texts[one] for one in group)} are the same."
        for group in groups
        if len(group) > 1
    ]


def _row(found: Cells, across: Axis, line: int | None) -> dict[int, float]:
    """The means of a line by their places."""
    means = found.means
    cells = {x: (x,) if line is None else (x, line) for x in range(len(across.values))}
    return {x: means[cell] for x, cell in cells.items() if cell in means}


def _equal(rows: dict[int, dict[int, float]], of: Metric) -> list[list[int]]:
    """The lines in groups of those that nobody could tell apart."""
    groups: list[list[int]] = []
    for line, row in rows.items():
        for group in groups:
            other = rows[group[0]]
            if row.keys() == other.keys() and not any(of.differs(other[x], row[x]) for x in row):
                group.append(line)
                break
        else:
            groups.append([line])
    return groups


def _runs(
    axes: Axes, tips: Tips, table: SweepTable, across: Axis, of: Metric, length: float
) -> None:
    rows = [row for row in table.good if math.isfinite(number(row, of.field))]
    marks = axes.scatter(
        [across.place(row) for row in rows],
        [number(row, of.field) / length for row in rows],
        s=9,
        color=MUTED,
        alpha=0.7,
        zorder=2,
    )
    texts = [f"{described(table.axes, row)}: {of.text(number(row, of.field))}" for row in rows]
    tips.tell(marks, texts)
