"""Heat map of how busy each die and each channel's bus was."""

from __future__ import annotations

import math

import numpy as np
from cavern.errors import InputError, NotAvailableError
from cavern.plots.colours import PAPER
from cavern.plots.figures.options import Options
from cavern.plots.results import Run
from cavern.plots.style import new_figure, round_up
from cavern.verdicts.noise import differs
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

MOST_LABELLED = 12
GAP = 0.35  # between the dies and the bus row, in cells
LEAST_TOP = 0.01  # of the colour scale: below it a die is idle, whatever its neighbours are


def matrix(run: Run) -> NDArray[np.float64]:
    """Utilisation, a column a channel: row 0 the bus, row 1 + w the die of way w; else NaN."""
    summary = run.summary
    channels, dies = summary.data["channels"], summary.data["dies"]
    if not channels or not dies:
        raise NotAvailableError("summary.json lists no channels or no dies")
    ids = [summary.row_index("channels", row, "id") for row in range(len(channels))]
    ways = [summary.row_index("dies", row, "way") for row in range(len(dies))]
    result = np.full((2 + max(ways), 1 + max(ids)), np.nan)
    for row, channel in enumerate(ids):
        result[0, channel] = summary.row_number("channels", row, "utilization")
    for row, way in enumerate(ways):
        channel = summary.row_index("dies", row, "channel")
        if channel not in ids:
            what = f"dies[{row}] is on channel {channel}, which is not in channels"
            raise InputError(summary.path, 1, what, "expected a channel listed there")
        result[1 + way, channel] = summary.row_number("dies", row, "utilization")
    return result


def top_of_scale(values: NDArray[np.float64]) -> float:
    """The end of the colour scale. That of cells which are all the same is 1: none of them is the
    busiest."""
    known = values[np.isfinite(values)]
    if len(known) == 0 or not differs(float(known.max()), float(known.min())):
        return 1.0
    return max(round_up(float(known.max())), LEAST_TOP)


def draw(run: Run, options: Options) -> Figure:
    values = matrix(run)
    rows, columns = values.shape
    figure = new_figure(run, "how busy buses and dies are", 1.75 + min(0.3 * rows, 6.0))
    axes = figure.subplots()
    bottoms = [row + (GAP if row else 0.0) for row in range(rows)]
    places = [(row, column) for row in range(rows) for column in range(columns)]
    cells = [Rectangle((column, bottoms[row]), 1, 1) for row, column in places]
    shades = PatchCollection(cells, cmap="cividis", edgecolor=PAPER, linewidth=0.8)
    shades.set_array(values.ravel())
    largest = float(np.nanmax(values)) if np.isfinite(values).any() else 1.0
    shades.set_clim(0, top_of_scale(values))
    axes.add_collection(shades)
    if columns <= MOST_LABELLED:
        top = shades.get_clim()[1]
        places_behind_point = 0 if largest >= 0.1 else 1 if largest >= 0.01 else 2
        for row, column in places:
            value = values[row, column]
            if np.isfinite(value):
                color = "white" if value < 0.55 * top else "black"
                axes.text(
                    column + 0.5,
                    bottoms[row] + 0.5,
                    f"{value * 100:.{places_behind_point}f}",
                    ha="center",
                    va="center_baseline",
                    fontsize=8.5,
                    color=color,
                )
    axes.set_xlim(0, columns)
    axes.set_ylim(rows + GAP, 0)
    step = math.ceil(columns / 16)
    labelled = range(0, columns, step)
    axes.set_xticks([column + 0.5 for column in labelled], [str(column) for column in labelled])
    names = ["bus"] + [f"way {way}" for way in range(rows - 1)]
    step = math.ceil(rows / 24)
    labelled = range(0, rows, step)
    axes.set_yticks([bottoms[row] + 0.5 for row in labelled], [names[row] for row in labelled])
    axes.set_xlabel("channel")
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    bar = figure.colorbar(shades, ax=axes, pad=0.02, aspect=18)
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share * 100:.6g} %"))
    bar.set_label("busy share of time")
    bar.outline.set_visible(False)
    return figure
