"""Each combination as a line across its values and its metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from cavern.plots.colours import GRID, INK, MUTED, PAPER
from cavern.plots.hover import Tips
from cavern.plots.metrics import Metric
from cavern.plots.style import WIDTH
from cavern.plots.sweep.analysis import Point, points
from cavern.plots.sweep.figures import BRIGHTEST, Picture, cut
from cavern.plots.sweep.measured import small
from cavern.plots.sweep.table import Axis, SweepTable, described
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

MOST_LINES = 600
MOST_METRICS = 4


def parallel(table: SweepTable, metrics: Sequence[Metric]) -> Picture | None:
    """None where there are no two combinations."""
    axes_ = table.named
    shown = list(metrics[:MOST_METRICS])
    found = points(table, shown)
    if not shown or len(found) < 2:
        return None
    step = math.ceil(len(found) / MOST_LINES)
    drawn = found[::step]
    figure, tips = Figure(figsize=(2 * WIDTH, 3.9)), Tips()
    axes = figure.subplots()
    columns: list[Callable[[Point], float]] = [_position(axis) for axis in axes_]
    columns += [_height(one, found) for one in shown]
    last = columns[len(axes_)]
    for point in drawn:
        ys = [column(point) for column in columns]
        level = last(point)
        color = colormaps["viridis"](BRIGHTEST * level) if math.isfinite(level) else GRID
        (line,) = axes.plot(range(len(ys)), ys, color=color, lw=1.3, alpha=0.75)
        values = ", ".join(f"{one.label} {one.text(point.values[one.field])}" for one in shown)
        tips.tell(line, [f"{described(axes_, point.row)}: {values}"])
    for place, axis in enumerate(axes_):
        axes.axvline(place, color=MUTED, lw=0.8)
        for index in range(0, len(axis.texts), math.ceil(len(axis.texts) / 12)):
            height = index / max(1, len(axis.texts) - 1)
            _annotate(axes, place, height, cut(axis.texts[index], 14))
    for place, one in enumerate(shown, len(axes_)):
        axes.axvline(place, color=MUTED, lw=0.8)
        known = [v for p in found if math.isfinite(v := p.values[one.field])]
        for height, value in ((0.0, min(known)), (1.0, max(known))):
            _annotate(axes, place, height, one.text(value))
    names = [axis.label for axis in axes_] + [one.label for one in shown]
    axes.set_xticks(range(len(names)), ["\n".join(wrapped(name)) for name in names])
    axes.set_yticks([])
    axes.set_xlim(-0.15, len(names) - 0.55)
    axes.set_ylim(-0.08, 1.08)
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(axis="x", length=0)
    caption = f"A line per combination, coloured by {small(shown[0])}: dark is low."
    if step > 1:
        caption += f" {len(drawn):,} of {len(found):,} are drawn."
    return Picture("parallel", "Every combination", caption, figure, tips, wide=True)


def _position(axis: Axis) -> Callable[[Point], float]:
    return lambda point: axis.place(point.row) / max(1, len(axis.values) - 1)


def _height(of: Metric, found: Sequence[Point]) -> Callable[[Point], float]:
    values = [v for p in found if math.isfinite(v := p.values[of.field])]
    low, span = min(values), (max(values) - min(values)) or 1.0
    return lambda point: (point.values[of.field] - low) / span


def _annotate(axes: Axes, x: float, y: float, text: str) -> None:
    # Not transparent: lines would strike the text through.
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8}
    axes.annotate(
        text,
        (x, y),
        (5, 0),
        textcoords="offset points",
        va="center",
        fontsize=8,
        color=INK,
        bbox=box,
        zorder=5,
    )


def wrapped(name: str) -> list[str]:
    words, rows = name.split(" "), [""]
    for word in words:
        if rows[-1] and len(rows[-1]) + len(word) > 14:
            rows.append("")
        rows[-1] = f"{rows[-1]} {word}".strip()
    return [cut(row) for row in rows[:3]]
