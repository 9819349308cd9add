"""Every figure, in the order of the report. A new figure is one module and one row here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cavern.plots.figures import (
    breakdown,
    bus_timing,
    comparison,
    gantt,
    hit_ratio,
    latency_cdf,
    latency_over_time,
    power,
    throughput,
    utilization,
)
from cavern.plots.figures.options import Options
from cavern.plots.results import Run
from matplotlib.figure import Figure


@dataclass(frozen=True)
class RunFigure:
    """A figure of one run. `draw` raises NotAvailableError where the run lacks the data."""

    name: str
    title: str
    caption: str
    draw: Callable[[Run, Options], Figure]


@dataclass(frozen=True)
class ComparisonFigure:
    """A figure of several runs side by side."""

    name: str
    title: str
    caption: str
    draw: Callable[[Sequence[Run]], Figure]


RUN_FIGURES = (
    RunFigure(
        "latency_cdf",
        "Latency distribution",
        "Above, the share of requests completed within a time; below, the share still waiting, "
        "on a logarithmic scale that shows the tail.",
        latency_cdf.draw,
    ),
    RunFigure(
        "latency_over_time",
        "Latency percentiles over time",
        "Nearest-rank percentiles of the requests completed in each window. In a window of fewer "
        "than 1,000 requests p99.9 is the slowest one. Without requests.csv the windows are the "
        "periods of the summary, with p50, p99 and the slowest request.",
        latency_over_time.draw,
    ),
    RunFigure(
        "latency_breakdown",
        "Where the latency goes",
        "Time in the device's queue, waiting for a free buffer frame, in flash and in transfer. "
        "The p99 bars are means over the requests ranked from 98.5 % to 99.5 % by latency.",
        breakdown.draw,
    ),
    RunFigure(
        "throughput",
        "Throughput over time",
        "Bytes and requests completed in each window (1 MB = 10⁶ bytes), and bytes programmed per "
        "byte written. Without requests.csv the windows are the periods of the summary.",
        throughput.draw,
    ),
    RunFigure(
        "hit_ratio",
        "Buffer hit ratio over time",
        "Pages found in the buffer out of pages asked for, in each window.",
        hit_ratio.draw,
    ),
    RunFigure(
        "utilization",
        "Utilisation of channels and dies",
        "Share of the simulated time in which a die's array or a channel's bus was busy.",
        utilization.draw,
    ),
    RunFigure(
        "power",
        "Power over time",
        "Mean power of each part in each period, one upon the other. Parts without currents are "
        "left out.",
        power.draw,
    ),
    RunFigure(
        "gantt",
        "Buses and dies at work",
        "Each channel's bus, then its dies. Ticks above a bus are the arbiter's grants; an "
        "underlined bar is work of collection, merging, mapping or padding rather than "
        "of the host.",
        gantt.draw,
    ),
)

#: Drawn when asked for: of use for a window somebody has chosen.
BUS_FIGURE = RunFigure(
    "bus_timing",
    "One channel's bus as signals",
    "Requests and grants of the arbiter, CE# and R/B# of each way, CLE, ALE, WE# and RE# of the "
    "bus they share; below, the first operation's cycles. A page of data is one strobe.",
    bus_timing.draw,
)

COMPARISON_FIGURES = (
    ComparisonFigure(
        "compare_latency",
        "Latency",
        "Bar: mean. Mark: p99. Logarithmic scale.",
        comparison.latency,
    ),
    ComparisonFigure(
        "compare_latency_cdf",
        "Latency distribution",
        "Share of requests slower than a time, on a logarithmic scale that shows the tail. Of "
        "lines that coincide, the later ones are thinner, and have gaps.",
        comparison.latency_tail,
    ),
    ComparisonFigure(
        "compare_throughput",
        "Throughput",
        "Over the whole run (1 MB = 10⁶ bytes).",
        comparison.throughput,
    ),
    ComparisonFigure(
        "compare_hit_ratio",
        "Hit ratio",
        "Pages found in the buffer out of pages asked for.",
        comparison.hit_ratio,
    ),
    ComparisonFigure(
        "compare_execution_time",
        "Execution time",
        "Time the flash array needs for page writes and for collection, dies in "
        "parallel, buffer time not counted: the measure of the CAVE paper.",
        comparison.execution_time,
    ),
)
