"""How the figures look. Each function draws the records of one CSV file and knows nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cavern.figures import BLUE, GREEN, MUTED, ORANGE, PURPLE, SKY, VERMILLION, titled
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter, PercentFormatter

from papers.drawing import Records, curve, distinct, legend, powers_of_two, where

POLICY_STYLES = {"lru": (MUTED, "o", (0, (4, 1.2))), "aware": (BLUE, "^", "-")}
DISPATCH_STYLES = {"at-once": ("s", (0, (1, 1))), "aware": ("^", "-")}
COLORS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
POLICY_NAMES = {"lru": "LRU", "aware": "NCQ-aware LRU"}
#: How measured points are drawn.
POINTS: dict[str, Any] = {"ms": 4, "lw": 1.3}


def _size_axis(axes: Axes, sizes: list[int], label: str = "buffer") -> None:
    powers_of_two(axes, sizes, [f"{size // 1024}" for size in sizes])
    axes.set_xlabel(f"{label}, MiB")


def by_size(what: str, title: str) -> Callable[[Records], Figure]:
    """The paper's figures: a workload a column, a drive a row."""

    def draw(records: Records) -> Figure:
        workloads, drives = distinct(records, "workload"), distinct(records, "drive")
        figure = titled(
            1.4 + 1.7 * len(drives),
            title,
            "NCQ of 32 commands, BAST, records in 16 MiB; drives: " + ", ".join(drives),
        )
        grid = figure.subplots(len(drives), len(workloads), sharex=True, squeeze=False)
        for drive, line in zip(drives, grid, strict=True):
            for workload, axes in zip(workloads, line, strict=True):
                for policy, (color, marker, dash) in POLICY_STYLES.items():
                    some = where(records, workload=workload, drive=drive, policy=policy)
                    curve(
                        axes,
                        some,
                        "buffer_kib",
                        what,
                        marker=marker,
                        ls=dash,
                        color=color,
                        label=POLICY_NAMES[policy],
                        **POINTS,
                    )
                axes.set_title(f"{workload}, {drive}")
                if what == "hit_ratio":
                    axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
                elif drive == "FlashSim":  # which keeps up
                    axes.set_ylim(bottom=0)
                else:
                    axes.set_yscale("log")
                    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
                    axes.yaxis.set_minor_formatter(NullFormatter())
        for axes in grid[-1]:
            _size_axis(axes, distinct(records, "buffer_kib"))
        legend(figure, [grid[0][0]], 2)
        return figure

    return draw


def gains(records: Records) -> Figure:
    """What the claims of Figures 3 to 5 are judged by."""
    workloads = distinct(records, "workload")
    figure = titled(
        4.6,
        "Gain over LRU on FlashSim's drive",
        "dotted: the paper's figures; bandwidth by three clocks",
    )
    hits, speed = figure.subplots(2, len(workloads), sharex=True, squeeze=False)
    papers = ((0.04, (0.05, 0.04)), (0.02, (0.02, 0.01)))
    for workload, above, below, (points, rates) in zip(workloads, hits, speed, papers, strict=True):
        some = where(records, workload=workload)
        curve(above, some, "buffer_kib", "points", "o-", color=BLUE, **POINTS)
        above.axhline(points, color=MUTED, lw=0.9, ls=":")
        above.set_title(f"{workload}: points of hit ratio")
        for name, color in zip(("elapsed", "busy", "flash"), COLORS, strict=False):
            curve(below, some, "buffer_kib", name, "o-", color=color, label=name, **POINTS)
        for rate in rates:
            below.axhline(rate, color=MUTED, lw=0.9, ls=":")
        below.set_title(f"{workload}: bandwidth")
        for axes in (above, below):
            axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
        _size_axis(below, distinct(some, "buffer_kib"))
    legend(figure, [speed[0]], 3)
    return figure


FITTED_TITLES = {
    "factor": "flash times over FlashSim's",
    "range": "range of records, MiB",
    "link": "SATA generation",
}


def fitted(records: Records) -> Figure:
    """The judged measures over the range of each fitted value."""
    names = distinct(records, "fitted")
    figure = titled(
        1.4 + 1.7 * len(names),
        "Gain at 1 MiB over the fitted values",
        "points of hit ratio; bandwidth in percent; dotted: the paper's",
    )
    grid = figure.subplots(len(names), 2, squeeze=False)
    for name, line in zip(names, grid, strict=True):
        some = where(records, fitted=name, buffer_kib=1024)
        for what, papers, axes in zip(
            ("points", "busy"), ((0.04, 0.02), (0.05, 0.02)), line, strict=True
        ):
            values = [str(value) for value in distinct(some, "value")]
            for workload, color, paper in zip(
                distinct(some, "workload"), COLORS, papers, strict=False
            ):
                axes.plot(
                    [value.removesuffix("MiB") for value in values],
                    [r[what] for r in where(some, workload=workload)],
                    "o-",
                    color=color,
                    label=workload,
                    **POINTS,
                )
                axes.axhline(paper, color=color, lw=0.9, ls=":")
            axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
            axes.set_title("hits" if what == "points" else "bandwidth by busy time")
            axes.set_xlabel(FITTED_TITLES[name])
    legend(figure, [grid[0][0]], 2)
    return figure


def ranges(records: Records) -> Figure:
    workloads = distinct(records, "workload")
    figure = titled(
        3.2,
        "Points of hit ratio gained, by range",
        "FlashSim's drive, queue always full; dotted: what the paper has at 1 MB",
    )
    records = where(records, drive="FlashSim")
    grid = figure.subplots(1, len(workloads), sharex=True, squeeze=False)[0]
    sizes = distinct(records, "buffer_kib")
    for workload, axes, paper in zip(workloads, grid, (0.04, 0.02), strict=False):
        for size, color in zip(sizes, COLORS, strict=False):
            some = where(records, workload=workload, buffer_kib=size)
            label = f"{size // 1024} MiB"
            curve(axes, some, "range_kib", "points", "o-", color=color, label=label, **POINTS)
        axes.axhline(paper, color=MUTED, lw=0.9, ls=":")
        axes.set_title(workload)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
        _size_axis(axes, distinct(records, "range_kib"), "range")
    legend(figure, [grid[0]], 6)
    return figure


def loads(records: Records) -> Figure:
    figure = titled(
        4.2,
        "Workload 1 slowed down",
        "one die, records in 16 MiB; 41: the load that LRU with 1 MiB can just take",
    )
    gain, queue = figure.subplots(2, 1, sharex=True)
    for slowdown, color in zip(distinct(records, "slowdown"), COLORS, strict=False):
        some = where(records, slowdown=slowdown)
        label = "as given" if slowdown == 1 else f"{slowdown} times"
        curve(gain, some, "buffer_kib", "points", "o-", color=color, label=label, **POINTS)
        waiting = [min(32.0, r["outstanding"]) for r in some]
        queue.plot([r["buffer_kib"] for r in some], waiting, "o-", color=color, **POINTS)
    gain.set_title("points of hit ratio gained")
    gain.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=""))
    queue.set_title("commands outstanding with LRU")
    _size_axis(queue, distinct(records, "buffer_kib"))
    gain.legend()
    return figure


def deep(records: Records) -> Figure:
    records = [record for record in records if record["depth"]]
    figure = titled(
        4.8,
        "Deeper queues: gain over LRU in turn",
        "NVMe, 8×4 dies, page mapping, page LRU of 16 MiB",
    )
    points, iops = figure.subplots(2, 1, sharex=True)
    for trace, color in zip(distinct(records, "trace"), COLORS, strict=False):
        for dispatch, (marker, dash) in DISPATCH_STYLES.items():
            some = where(records, trace=trace, dispatch=dispatch)
            style = POINTS | {"marker": marker, "ls": dash, "color": color}
            if dispatch == "aware":
                curve(points, some, "depth", "points", label=trace, **style)
            iops.plot([r["depth"] for r in some], [r["iops_ratio"] - 1 for r in some], **style)
    points.set_title("points of hit ratio, NCQ-aware")
    points.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=""))
    iops.set_title("IOPS: NCQ-aware (solid), LRU at once (dotted)")
    iops.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    for axes in (points, iops):
        axes.axhline(0, color=MUTED, lw=0.9)
        depths = distinct(records, "depth")
        powers_of_two(axes, depths, [str(depth) for depth in depths])
    iops.set_xlabel("commands outstanding")
    legend(figure, [points], 3)
    return figure
