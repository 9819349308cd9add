"""Latency split into its parts, at the mean and at the 99th percentile."""

from __future__ import annotations

import numpy as np
from cavern.errors import NotAvailableError
from cavern.plots.colours import CPU, FLASH, FRAME, INK, LINK, QUEUE
from cavern.plots.digest import AnyRequests
from cavern.plots.figures.options import Options
from cavern.plots.requests_csv import OP_NAMES, PARTS
from cavern.plots.results import Run
from cavern.plots.style import new_figure
from cavern.plots.texts import time_text, time_unit
from matplotlib.figure import Figure

LABELS = dict(
    zip(PARTS, ("queue", "processor", "waiting for a frame", "flash", "transfer"), strict=True)
)
COLORS = dict(zip(PARTS, (QUEUE, CPU, FRAME, FLASH, LINK), strict=True))
BAND = (0.985, 0.995)


def parts_of_mean(requests: AnyRequests) -> dict[str, float]:
    """Mean of each part over all requests, in ns."""
    return requests.mean_parts()


def parts_at_p99(requests: AnyRequests) -> dict[str, float]:
    """Mean of each part over the requests ranked within BAND by latency (one at least), in ns."""
    first = int(np.floor(BAND[0] * len(requests)))
    return requests.parts_between(first, max(int(np.ceil(BAND[1] * len(requests))), first + 1))


def draw(run: Run, options: Options) -> Figure:
    requests = run.requests
    if not requests.kinds:
        raise NotAvailableError("requests.csv holds neither reads nor writes")
    kinds = requests.kinds
    figure = new_figure(run, "where the latency goes", 2.3 + 0.75 * len(kinds))
    rows = figure.subplots(2, 1)
    panels = zip(rows, ("mean", "at p99"), (parts_of_mean, parts_at_p99), strict=True)
    for axes, title, split in panels:
        stacks = [split(requests.of(op)) for op in kinds]
        totals = [sum(stack.values()) for stack in stacks]
        unit, length = time_unit(max(totals))
        for row, (stack, total) in enumerate(zip(stacks, totals, strict=True)):
            left = 0.0
            for part in PARTS:
                width = stack[part] / length
                label = LABELS[part] if row == 0 else None
                axes.barh(row, width, 0.62, left, color=COLORS[part], label=label)
                left += width
            axes.annotate(
                time_text(total),
                (left, row),
                (4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8.5,
                color=INK,
            )
        axes.set_yticks(range(len(kinds)), [OP_NAMES[op] for op in kinds])
        axes.set_ylim(len(kinds) - 0.5, -0.5)
        axes.set_xlim(0, max(max(totals) / length * 1.22, 1e-9))
        axes.grid(axis="y", visible=False)
        axes.set_title(title)
        axes.set_xlabel(f"latency ({unit})")
    handles, labels = rows[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure
