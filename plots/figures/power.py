"""Power over time, part upon part."""

from __future__ import annotations

import math

import numpy as np
from cavern.errors import NotAvailableError
from cavern.plots.colours import BUS, CPU, FLASH, FRAME, LINK
from cavern.plots.figures.options import Options
from cavern.plots.power_csv import Power
from cavern.plots.results import Run
from cavern.plots.style import legend_above, new_figure
from cavern.plots.texts import time_text, time_unit
from matplotlib.figure import Figure

COLORS = {"nand": FLASH, "bus": BUS, "dram": FRAME, "link": LINK, "controller": CPU}
NAMES = {"nand": "NAND", "bus": "bus", "dram": "SDRAM", "link": "link", "controller": "controller"}
MOST_STEPS = 400


def coarse(power: Power, width_ns: float | None = None) -> Power:
    """Periods joined until they are as wide as asked for, or few enough to be seen apart."""
    count = len(power.edges) - 1
    wanted = math.ceil(count / MOST_STEPS)
    if width_ns is not None:
        wanted = max(1, round(width_ns / (power.edges[1] - power.edges[0])))
    begins = np.arange(0, count, wanted)
    lengths = np.diff(power.edges)
    edges = np.append(power.edges[begins], power.edges[-1])
    watts = {
        part: np.add.reduceat(row * lengths, begins) / np.add.reduceat(lengths, begins)
        for part, row in power.watts.items()
    }
    return Power(edges, watts)


def draw(run: Run, options: Options) -> Figure:
    power = run.power
    if not power.watts:
        raise NotAvailableError("no part of the drive has currents; docs/energy.md has the keys")
    power = coarse(power, options.window_ns)
    unit, length = time_unit(power.edges[-1])
    figure = new_figure(run, "power over time", 3.4)
    axes = figure.subplots()
    below = np.zeros(len(power.edges) - 1)
    for part, row in power.watts.items():
        axes.stairs(
            below + row,
            power.edges / length,
            baseline=below,
            fill=True,
            color=COLORS[part],
            lw=0,
            label=NAMES[part],
        )
        below = below + row
    axes.set_title(f"means of {time_text(power.edges[1] - power.edges[0])}")
    axes.set_ylabel("power (W)")
    axes.set_xlabel(f"simulated time ({unit})")
    axes.set_ylim(bottom=0)
    legend_above(axes, columns=3)
    return figure
