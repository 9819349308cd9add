"""How the figures look. Each function draws the records of one CSV file and knows nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cavern.figures import BLUE, GREEN, MUTED, ORANGE, PURPLE, SKY, VERMILLION
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from papers.drawing import Records, curve, distinct, fitted, legend, percent, two_columns, where

Draw = Callable[[Records], Figure]
BELOW = "SLC of Table I; whole-length workloads fitted to Table V, divided by 16"
LAYER_NAMES = {"dftl": "DFTL", "fast": "FAST"}
#: By what becomes of the ratio of benefits.
ADAPTIVE = {
    "adaptive, at most 1000": (VERMILLION, "o"),
    "adaptive, 64 beside no hit": (GREEN, "^"),
    "adaptive, a hit more": (PURPLE, "s"),
    "adaptive, at most 100, 64 beside no hit": (SKY, "D"),
    "adaptive, faster": (GREEN, "^"),
    "adaptive, at most 1000, undivided interval": (PURPLE, "s"),
}
SIZE_COLORS = (BLUE, ORANGE)
#: Bytes of a map entry.
DASHES = {8: "-", 24: "--"}


def _grid(title: str, count: int, height: float, below: str = BELOW) -> tuple[Figure, list[Axes]]:
    return two_columns(title, below, count, height, head=1.2)


def table5(records: Records) -> Figure:
    names = {"read_mean_kb": "mean read, KB", "write_mean_kb": "mean write, KB", "reads": "reads"}
    return fitted(records, "Table V", "table5", names, shares=("reads",))


def spaces(records: Records) -> Figure:
    traces = distinct(records, "trace")
    figure, panels = _grid(
        "Figure 2: more buffer, or more map",
        len(traces),
        2.0,
        "DFTL; the other side has 1 MiB (of the whole drive)",
    )
    for axes, trace in zip(panels, traces, strict=False):
        for grows, color, marker in (("buffer", BLUE, "o"), ("map", ORANGE, "s")):
            for entry, dash in DASHES.items():
                curve(
                    axes,
                    where(records, trace=trace, grows=grows, entry=entry),
                    "mib",
                    "time_s",
                    color=color,
                    marker=marker,
                    ls=dash,
                    ms=3.5,
                    lw=1.2,
                    label=f"{grows} grows, entries of {entry} B",
                )
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_ylim(0)
        axes.set_xlabel("MiB")
        axes.set_title(f"{trace}: operation time, s")
    legend(figure, panels[: len(traces)], 2)
    return figure


def _tuned(axes: Axes, records: Records, y: str, color: str) -> None:
    """A point for each way of tuning."""
    for kind, (edge, marker) in ADAPTIVE.items():
        for record in where(records, kind=kind):
            small = DASHES.get(record.get("entry", 8)) == "-"
            axes.plot(
                record["map_share"],
                record[y],
                marker,
                ms=5,
                color=color if small else "none",
                mec=edge,
                mew=1.2,
                zorder=5,
            )


def _name_tuned(axes: Axes, records: Records, color: str = "none") -> None:
    for kind in distinct(records, "kind"):
        if kind in ADAPTIVE:
            edge, marker = ADAPTIVE[kind]
            axes.plot([], [], marker, ms=5, color=color, mec=edge, mew=1.2, label=kind)


def times(name: str, layer: str) -> Draw:
    def draw(records: Records) -> Figure:
        traces = distinct(records, "trace")
        sizes = sorted(distinct(records, "memory_mib"), reverse=True)
        title = f"{name.capitalize()[:-1]} {name[-1]}: operation time, {LAYER_NAMES[layer]}"
        figure, panels = _grid(title, len(traces), 1.9)
        for axes, trace in zip(panels, traces, strict=False):
            for size, color in zip(sizes, SIZE_COLORS, strict=False):
                some = where(records, trace=trace, memory_mib=size)
                for entry in distinct(some, "entry"):
                    curve(
                        axes,
                        where(some, kind="static", entry=entry),
                        "map_share",
                        "normalized",
                        color=color,
                        ls=DASHES.get(entry, ":"),
                        marker=".",
                        ms=4,
                        lw=1.2,
                        label=f"{size} MiB" + (f", {entry} B" if layer == "dftl" else ""),
                    )
                _tuned(axes, some, "normalized", color)
            axes.set_title(trace)
            axes.set_ylim(0, 1.05)
            axes.set_xlim(-0.03, 1.03)
            percent(axes.xaxis)
        _name_tuned(panels[0], records)
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
                label=kind if kind in ADAPTIVE else kind.split(",")[0],
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
        figure, panels = _grid(title, len(traces), 1.7)
        for axes, trace in zip(panels, traces, strict=False):
            some = where(records, trace=trace)
            for entry in distinct(some, "entry"):
                curve(
                    axes,
                    where(some, kind="static", entry=entry),
                    "map_share",
                    "erases",
                    color=BLUE,
                    ls=DASHES.get(entry, ":"),
                    marker=".",
                    ms=4,
                    lw=1.2,
                    label="static" + (f", entries of {entry} B" if layer == "dftl" else ""),
                )
            _tuned(axes, some, "erases", BLUE)
            axes.set_title(trace)
            axes.set_ylim(0, max(1, axes.get_ylim()[1]))
            axes.set_xlim(-0.03, 1.03)
            percent(axes.xaxis)
        _name_tuned(panels[0], records)
        panels[max(0, len(traces) - 1)].set_xlabel("share of the map")
        legend(figure, panels[: len(traces)], 2)
        return figure

    return draw


def ratio(records: Records) -> Figure:
    keys = list(dict.fromkeys((r["layer"], r["trace"]) for r in records))
    figure, panels = _grid(
        "Share of the map as the run goes", len(keys), 1.6, "adaptive, from one half on"
    )
    for axes, (layer, trace) in zip(panels, keys, strict=False):
        some = where(records, layer=layer, trace=trace)
        for rule in distinct(some, "rule"):
            for entry in distinct(some, "entry"):
                of_rule = where(some, rule=rule, entry=entry)
                axes.plot(
                    [r["requests"] / 1000 for r in of_rule],
                    [r["map_share"] for r in of_rule],
                    color=ADAPTIVE[f"adaptive, {rule}"][0],
                    ls=DASHES.get(entry, ":"),
                    lw=1.1,
                    label=rule + (f", {entry} B" if entry != 8 else ""),
                )
        axes.set_ylim(0, 1)
        percent(axes.yaxis)
        axes.set_title(f"{trace}, {LAYER_NAMES[layer]}")
    panels[max(0, len(keys) - 1)].set_xlabel("1000 requests")
    legend(figure, panels[: len(keys)], 2)
    return figure


def _relative(title: str, below: str, column: str, by: str, name: str, records: Records) -> Figure:
    """A panel for each layer and trace, a curve for each value of column `by`."""
    keys = list(dict.fromkeys((r["layer"], r["trace"]) for r in records))
    figure, panels = _grid(title, len(keys), 1.6, below)
    for axes, (layer, trace) in zip(panels, keys, strict=False):
        some = where(records, layer=layer, trace=trace)
        values = distinct(some, by) if by else [None]
        for value, color in zip(values, (BLUE, ORANGE, GREEN), strict=False):
            of_value = where(some, **{by: value}) if by else some
            fixed = where(of_value, kind="static")
            label = name.format(value)
            curve(
                axes, fixed, "map_share", column, color=color, marker=".", ms=4, lw=1.2, label=label
            )
            _tuned(axes, of_value, column, color)
        axes.set_title(f"{trace}, {LAYER_NAMES[layer]}")
        axes.set_ylim(0, 1.05 * max(record[column] for record in some) or None)
        axes.set_xlim(-0.03, 1.03)
        percent(axes.xaxis)
        percent(axes.yaxis)
    _name_tuned(panels[0], records)
    panels[max(0, len(keys) - 1)].set_xlabel("share of the map")
    legend(figure, panels[: len(keys)], 2)
    return figure


def before(records: Records) -> Figure:
    title = "Real and cut traces: time above the best fixed share"
    below = "16 MiB; traces ending in -fit are synthetic"
    return _relative(title, below, "above_best", "", "static", records)


def divided(records: Records) -> Figure:
    title = "Whole and divided drive: time relative to an equal division"
    below = (
        "requests, working sets, memory and drive divided by 16, and the interval but where said"
    )
    return _relative(title, below, "relative", "divided", "divided by {}", records)


def popularity(records: Records) -> Figure:
    title = "Other popularities: time above the best fixed share"
    return _relative(title, BELOW, "above_best", "popularity", "zipf {}", records)
