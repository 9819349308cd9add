"""How the figures look. Each function draws the records of one CSV file and knows nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from explore.reproduce.drawing import (
    Records,
    curve,
    distinct,
    fitted,
    legend,
    percent,
    two_columns,
    where,
)
from plots.style import (
    BLUE,
    GREEN,
    MUTED,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
)

Draw = Callable[[Records], Figure]
BELOW = "SLC of Table I; traces ending in -fit are synthetic"
LAYER_NAMES = {"dftl": "DFTL", "fast": "FAST"}
ADAPTIVE = {"adaptive, paper": (VERMILLION, "o"), "adaptive, faster": (GREEN, "^")}
SIZE_COLORS = (BLUE, ORANGE, SKY)


def _grid(title: str, count: int, height: float, below: str = BELOW) -> tuple[Figure, list[Axes]]:
    return two_columns(title, below, count, height, head=1.2)


def table5(records: Records) -> Figure:
    names = {"read_mean_kb": "mean read, KB", "write_mean_kb": "mean write, KB", "reads": "reads"}
    return fitted(records, "Table V", "table5", names, shares=("reads",))


def spaces(records: Records) -> Figure:
    traces = distinct(records, "trace")
    figure, panels = _grid(
        "Figure 2: more buffer, or more map", len(traces), 2.0, "DFTL; the other side has 1 MiB"
    )
    for axes, trace in zip(panels, traces, strict=False):
        for grows, color, marker in (("buffer", BLUE, "o"), ("map", ORANGE, "s")):
            some = where(records, trace=trace, grows=grows)
            curve(
                axes,
                some,
                "mib",
                "time_s",
                color=color,
                marker=marker,
                ms=3.5,
                lw=1.2,
                label=f"{grows} grows",
            )
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_ylim(0)
        axes.set_xlabel("MiB")
        axes.set_title(f"{trace}: operation time, s")
    legend(figure, panels[: len(traces)], 2)
    return figure


def times(name: str, layer: str) -> Draw:
    def draw(records: Records) -> Figure:
        traces = distinct(records, "trace")
        sizes = sorted(distinct(records, "memory_mib"))
        title = f"{name.capitalize()[:-1]} {name[-1]}: operation time, {LAYER_NAMES[layer]}"
        figure, panels = _grid(title, len(traces), 1.7)
        for axes, trace in zip(panels, traces, strict=False):
            for size, color in zip(sizes, SIZE_COLORS, strict=False):
                some = where(records, trace=trace, memory_mib=size)
                fixed = where(some, kind="static")
                curve(
                    axes,
                    fixed,
                    "map_share",
                    "normalized",
                    color=color,
                    marker=".",
                    ms=4,
                    lw=1.2,
                    label=f"{size} MiB",
                )
                for kind, (edge, marker) in ADAPTIVE.items():
                    for record in where(some, kind=kind):
                        axes.plot(
                            record["map_share"],
                            record["normalized"],
                            marker,
                            ms=6,
                            color=color,
                            mec=edge,
                            mew=1.3,
                            zorder=5,
                        )
            axes.set_title(trace)
            axes.set_ylim(0, 1.05)
            axes.set_xlim(-0.03, 1.03)
            percent(axes.xaxis)
        for kind, (edge, marker) in ADAPTIVE.items():
            panels[0].plot([], [], marker, ms=6, color="none", mec=edge, mew=1.3, label=kind)
        panels[max(0, len(traces) - 1)].set_xlabel("share of the map")
        legend(figure, panels[: len(traces)], 2)
        return figure

    return draw


COMMON_PARTS = {
    "buffer_read_hits": (SKY, ":"),
    "buffer_write_hits": (BLUE, "-"),
}
PARTS: dict[str, dict[str, tuple[str, Any]]] = {
    "dftl": COMMON_PARTS
    | {
        "map_read_hits": (ORANGE, ":"),
        "map_write_hits": (VERMILLION, "-"),
        "data_copies": (GREEN, "-"),
        "table_copies": (GREEN, ":"),
        "flash_reads": (PURPLE, ":"),
        "flash_writes": (PURPLE, "-"),
    },
    "fast": COMMON_PARTS
    | {
        "map_write_hits": (VERMILLION, "-"),
        "merge_time": (GREEN, "-"),
        "flash_reads": (PURPLE, ":"),
        "flash_writes": (PURPLE, "-"),
    },
}
PART_NAMES = {
    "buffer_read_hits": "buffer, read hits",
    "buffer_write_hits": "buffer, write hits",
    "map_read_hits": "map, read hits",
    "map_write_hits": "map, write hits",
    "data_copies": "copies, data",
    "table_copies": "copies, tables",
    "flash_reads": "flash reads",
    "flash_writes": "flash writes",
    "merge_time": "merge time",
}


def effects(name: str, layer: str) -> Draw:
    def draw(records: Records) -> Figure:
        traces = distinct(records, "trace")
        title = f"{name.capitalize()[:-1]} {name[-1]}: effects of the share, {LAYER_NAMES[layer]}"
        figure, panels = _grid(title, len(traces), 1.7, "hit ratios; counts over their largest")
        for axes, trace in zip(panels, traces, strict=False):
            some = where(records, trace=trace)
            for column, (color, dash) in PARTS[layer].items():
                known = [r for r in some if r[column] is not None]
                curve(
                    axes,
                    known,
                    "map_share",
                    column,
                    ls=dash,
                    color=color,
                    lw=1.3,
                    label=PART_NAMES[column],
                )
            axes.set_title(trace)
            axes.set_ylim(0, 1.05)
            percent(axes.xaxis)
            percent(axes.yaxis)
        panels[max(0, len(traces) - 1)].set_xlabel("share of the map")
        legend(figure, panels[: len(traces)], 3)
        return figure

    return draw


def throughput(records: Records) -> Figure:
    keys = list(dict.fromkeys((r["trace"], r["layer"]) for r in records))
    figure, panels = _grid(
        "Figure 8: throughput over the run",
        len(keys),
        2.0,
        "bytes of the host a second of flash time",
    )
    for axes, (trace, layer) in zip(panels, keys, strict=False):
        some = where(records, trace=trace, layer=layer)
        for kind in distinct(some, "kind"):
            color = (
                ADAPTIVE[kind][0]
                if kind in ADAPTIVE
                else BLUE
                if kind.startswith("best")
                else MUTED
            )
            points = where(some, kind=kind)
            axes.plot(
                [r["requests"] / 1000 for r in points],
                [r["mb_per_s"] for r in points],
                color=color,
                lw=1.1,
                label=kind.split(",")[0] if kind not in ADAPTIVE else kind,
            )
        axes.set_ylim(0)
        axes.set_title(f"{trace}, {LAYER_NAMES[layer]}: MB/s")
        axes.set_xlabel("1000 requests")
    legend(figure, panels[: len(keys)], 2)
    return figure


def erases(name: str, layer: str) -> Draw:
    def draw(records: Records) -> Figure:
        traces = distinct(records, "trace")
        number = name.removeprefix("figure")
        title = f"Figure {number}: blocks erased, {LAYER_NAMES[layer]}"
        figure, panels = _grid(title, len(traces), 1.6)
        for axes, trace in zip(panels, traces, strict=False):
            some = where(records, trace=trace)
            fixed = where(some, kind="static")
            curve(
                axes,
                fixed,
                "map_share",
                "erases",
                ".-",
                color=BLUE,
                ms=4,
                lw=1.2,
                label="static",
            )
            for kind, (edge, marker) in ADAPTIVE.items():
                for record in where(some, kind=kind):
                    axes.plot(
                        record["map_share"],
                        record["erases"],
                        marker,
                        ms=6,
                        color=BLUE,
                        mec=edge,
                        mew=1.3,
                        label=kind,
                    )
            axes.set_title(trace)
            axes.set_ylim(0, max(1, axes.get_ylim()[1]))
            axes.set_xlim(-0.03, 1.03)
            percent(axes.xaxis)
        panels[max(0, len(traces) - 1)].set_xlabel("share of the map")
        legend(figure, panels[: len(traces)], 3)
        return figure

    return draw


def ratio(records: Records) -> Figure:
    keys = list(dict.fromkeys((r["layer"], r["trace"]) for r in records))
    figure, panels = _grid(
        "Share of the map as the run goes", len(keys), 1.5, "adaptive, from one half on"
    )
    for axes, (layer, trace) in zip(panels, keys, strict=False):
        for pace in distinct(records, "pace"):
            some = where(records, layer=layer, trace=trace, pace=pace)
            axes.plot(
                [r["requests"] / 1000 for r in some],
                [r["map_share"] for r in some],
                color=ADAPTIVE[f"adaptive, {pace}"][0],
                lw=1.1,
                label=pace,
            )
        axes.set_ylim(0, 1)
        percent(axes.yaxis)
        axes.set_title(f"{trace}, {LAYER_NAMES[layer]}")
    panels[max(0, len(keys) - 1)].set_xlabel("1000 requests")
    legend(figure, panels[: len(keys)], 2)
    return figure
