"""Latency percentiles in windows of simulated time, reads and writes apart."""

from __future__ import annotations

import numpy as np
from cavern.plots.colours import OP_COLORS
from cavern.plots.figures.options import Options
from cavern.plots.requests_csv import OP_NAMES
from cavern.plots.results import Run
from cavern.plots.style import legend_above, log_time_axis, new_figure
from cavern.plots.texts import time_text, time_unit
from cavern.plots.windows import course_of
from matplotlib.figure import Figure

#: The first of them, the second, and the last.
LINES = (("-", 1.8), ("-", 1.0), ((0, (2, 1)), 1.0))


def draw(run: Run, options: Options) -> Figure:
    course = course_of(run, options.window_ns)
    windows, requests = course.windows, course.requests
    unit, length = time_unit(windows.edges[-1])
    kinds = requests.kinds
    figure = new_figure(run, "latency over time", 1.6 + 1.7 * len(kinds))
    for axes, op in zip(
        figure.subplots(len(kinds), 1, sharex=True, squeeze=False)[:, 0], kinds, strict=True
    ):
        color = OP_COLORS[OP_NAMES[op]]
        rows = windows.percentiles(requests.of(op), list(course.percentiles.values()))
        times = windows.centres / length
        for name, row, line in zip(course.percentiles, np.maximum(rows, 1), LINES, strict=True):
            dashes, width = line
            marker = "." if windows.count <= 20 else None
            axes.plot(times, row, ls=dashes, lw=width, color=color, marker=marker, label=name)
        axes.fill_between(times, rows[0], rows[1], color=color, alpha=0.22, lw=0)
        axes.fill_between(times, rows[1], rows[2], color=color, alpha=0.10, lw=0)
        axes.set_yscale("log")
        log_time_axis(axes.yaxis)
        axes.set_ylabel(f"{OP_NAMES[op]} latency")
        if op == kinds[0]:
            axes.set_title(f"windows of {time_text(windows.width)}")
            legend_above(axes)
    axes.set_xlabel(f"simulated time ({unit})")
    return figure
