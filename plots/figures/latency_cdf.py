"""Cumulative distribution of latency, read and write, and the tail of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from cavern.errors import NotAvailableError
from cavern.plots.colours import OP_COLORS
from cavern.plots.digest import AnyRequests
from cavern.plots.figures.options import Options
from cavern.plots.requests_csv import OP_NAMES
from cavern.plots.results import Run
from cavern.plots.style import fraction_ticks, legend_above, log_time_axis, new_figure
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

MOST_POINTS = 1500

FloatArray = NDArray[np.float64]


def distribution(requests: AnyRequests) -> tuple[FloatArray, FloatArray]:
    """Latencies and the share of requests not slower than each: the empirical CDF.

    Thinned where there are many: evenly by rank, and evenly by the logarithm of the rank from the
    slow end, so that the tail keeps every request that can be seen.
    """
    values, counts = requests.latency_counts()
    shares = np.cumsum(counts) / counts.sum()
    if len(values) > MOST_POINTS:
        half = MOST_POINTS // 2
        even = np.linspace(0, len(values) - 1, half)
        tail = len(values) - np.geomspace(1, len(values), half)
        keep = np.unique(np.concatenate([even, tail]).astype(np.int64))
        values, shares = values[keep], shares[keep]
    # 0 has no logarithm.
    return np.maximum(values, 1).astype(float), shares


def from_zero(requests: AnyRequests) -> tuple[FloatArray, FloatArray]:
    """The distribution as steps that begin at a share of 0."""
    values, shares = distribution(requests)
    return np.concatenate([values[:1], values]), np.concatenate([[0.0], shares])


def draw_tail(axes: Axes, values: FloatArray, shares: FloatArray, **line: Any) -> None:
    """Of steps from_zero(), the share of requests slower than each latency, up to the slowest
    request: after it nobody waits, and 0 has no logarithm."""
    slower = np.append(1 - shares[:-1], 1 - shares[-2])
    axes.step(values, slower, where="post", **line)


def draw(run: Run, options: Options) -> Figure:
    requests = run.requests
    if not requests.kinds:
        raise NotAvailableError("requests.csv holds neither reads nor writes")
    figure = new_figure(run, "request latency", 4.6)
    body, tail = figure.subplots(2, 1, sharex=True, height_ratios=[1.15, 1])
    smallest = 0.1
    for op in requests.kinds:
        chosen = requests.of(op)
        values, shares = from_zero(chosen)
        color, count = OP_COLORS[OP_NAMES[op]], len(chosen)
        label = f"{OP_NAMES[op]} ({count:,})"
        body.step(values, shares, where="post", color=color, label=label)
        draw_tail(tail, values, shares, color=color)
        smallest = min(smallest, 1 / count)
    body.set_ylim(0, 1.02)
    body.set_ylabel("completed")
    body.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    legend_above(body)
    tail.set_yscale("log")
    tail.set_ylim(smallest * 0.7, 1.3)
    fraction_ticks(tail.yaxis, smallest)
    tail.set_ylabel("slower than")
    tail.set_xscale("log")
    log_time_axis(tail.xaxis)
    tail.set_xlabel("latency (logarithmic)")
    return figure
