"""A metric over two axes, as the colours of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cavern.plots.colours import PAPER
from cavern.plots.hover import Tips
from cavern.plots.metrics import COUNT, RATIO, Metric
from cavern.plots.style import WIDTH
from cavern.plots.sweep.analysis import relative
from cavern.plots.sweep.cells import cells_of
from cavern.plots.sweep.figures import Picture, beyond_text, label_of, scale_of, ticks, whole
from cavern.plots.sweep.table import Axis, SweepTable
from cavern.plots.texts import count_text, digits
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

MOST_CELLS = 900
MOST_CELLS_WITH_NUMBERS = 30
#: The scale of colours spans at least this share of the highest figure: figures that are nearly the
#: same have nearly the same colour.
LEAST_SPAN = 0.2


def scale(low: float, high: float) -> tuple[float, float]:
    """From where to where the colours go."""
    missing = max(0.0, LEAST_SPAN * abs(high) - (high - low))
    return low - missing / 2, high + missing / 2


def two_axes(table: SweepTable, ranked: Sequence[Axis]) -> list[Axis]:
    """Those that heat maps are drawn over; none where there are no two of them, or too many
    cells. The longer names go up the side, where there is room for one line each."""
    designer = [axis for axis in ranked if axis in table.parameters]
    chosen = (designer if len(designer) > 1 else list(table.named))[:2]
    if len(chosen) < 2 or len(chosen[0].values) * len(chosen[1].values) > MOST_CELLS:
        return []
    return sorted(whole(table, chosen), key=lambda axis: sum(map(len, axis.texts)))


def heat_map(table: SweepTable, chosen: Sequence[Axis], of: Metric, place: int) -> Picture | None:
    """The metric over the two axes: the first goes across, the second down. Of several traces it is
    taken relative to the mean of each: else that with the largest figures would hide the others."""
    figures, shown = None, of
    if any(axis.columns == ("trace",) and axis not in chosen for axis in table.axes):
        figures, shown = relative(table, of).tolist(), replace(of, kind=RATIO)
    found = cells_of(table, chosen, shown, figures) if chosen else None
    if found is None:
        return None
    across, down = chosen
    means = found.means
    low, high = scale(min(means.values()), max(means.values()))
    unit, length = scale_of(shown, list(means.values()))
    figure, tips = Figure(figsize=(WIDTH, min(6.2, 1.6 + 0.34 * len(down.values)))), Tips()
    title = label_of(of, "of the trace's mean" if figures else unit)
    axes = figure.subplots()
    numbers = len(means) <= MOST_CELLS_WITH_NUMBERS
    written = count_text if shown.kind == COUNT else digits
    for (x, y), mean in means.items():
        share = (mean - low) / (high - low) if high > low else 0.5
        patch = Rectangle(
            (x - 0.5, y - 0.5), 1, 1, facecolor=colormaps["viridis"](share), edgecolor=PAPER
        )
        axes.add_patch(patch)
        where = f"{across.told(x)}, {down.told(y)}"
        tips.tell(patch, [f"{where}: {found.told((x, y), shown)}"])
        if numbers:
            ink = "#fffffd" if share < 0.55 else "#000001"
            text = written(mean / length) + (f" ({found.runs[x, y]})" if found.guess else "")
            axes.text(x, y, text, ha="center", va="center", color=ink, fontsize=8.5)
    axes.set_xlim(-0.5, len(across.values) - 0.5)
    axes.set_ylim(len(down.values) - 0.5, -0.5)
    axes.grid(visible=False)
    ticks(axes, "x", across)
    ticks(axes, "y", down)
    span = "Dark is low, light is high; the colours go from "
    span += f"{shown.text(max(0.0, low))} to {shown.text(high)}."
    caption = f"{span} {found.caption}"
    if found.guess is not None and numbers:
        caption += " In brackets: how many runs are in the cell."
    return Picture(f"heat-{place}", title, caption + beyond_text(table, of), figure, tips)
