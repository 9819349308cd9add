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


def _panels(
    records: Records,
    by: tuple[str, ...],
    title: str,
    height: float,
    draw: Callable[[Axes, Records], None],
    *,
    below: str = BELOW,
    columns: int = 2,
    of_what: str = "",
    along: str = "share of the map",
    tuned: bool = False,
) -> Figure:
    """A panel for each trace, or each trace and layer, in which `draw` draws its records. Their
    titles end in `of_what`; `along` stands below the last one. `tuned`: the legend names the ways
    of tuning."""
    keys = list(dict.fromkeys(tuple(record[name] for name in by) for record in records))
    figure, panels = two_columns(title, below, len(keys), height, head=1.2)
    for axes, key in zip(panels, keys, strict=False):
        of = dict(zip(by, key, strict=True))
        layer = f", {LAYER_NAMES[of['layer']]}" if "layer" in of else ""
        axes.set_title(f"{of['trace']}{layer}{of_what}")
        draw(axes, where(records, **of))
    if tuned:
        _name_tuned(panels[0], records)
    if along:
        panels[max(0, len(keys) - 1)].set_xlabel(along)
    legend(figure, panels[: len(keys)], columns)
    return figure


def table5(records: Records) -> Figure:
    names = {"read_mean_kb": "mean read, KB", "write_mean_kb": "mean write, KB", "reads": "reads"}
    return fitted(records, "Table V", "table5", names, shares=("reads",))


def spaces(records: Records) -> Figure:
    def panel(axes: Axes, some: Records) -> None:
        for grows, color, marker in (("buffer", BLUE, "o"), ("map", ORANGE, "s")):
            for entry, dash in DASHES.items():
                curve(
                    axes,
                    where(some, grows=grows, entry=entry),
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

    title = "Figure 2: more buffer, or more map"
    below = "DFTL; the other side has 1 MiB (of the whole drive)"
    what = ": operation time, s"
    return _panels(records, ("trace",), title, 2.0, panel, below=below, of_what=what, along="")


def _shares(axes: Axes, records: Records, y: str, color: str, label: str) -> None:
    """A curve over fixed shares for each size of entries, and a point for each way of tuning."""
    for entry in dict.fromkeys(record.get("entry", 8) for record in records):
        curve(
            axes,
            [r for r in where(records, kind="static") if r.get("entry", 8) == entry],
            "map_share",
            y,
            color=color,
            ls=DASHES.get(entry, ":"),
            marker=".",
            ms=4,
            lw=1.2,
            label=label.format(entry),
        )
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


def _share_axis(axes: Axes, top: float | None) -> None:
    axes.set_ylim(0, top)
    axes.set_xlim(-0.03, 1.03)
    percent(axes.xaxis)


def _name_tuned(axes: Axes, records: Records) -> None:
    for kind in distinct(records, "kind"):
        if kind in ADAPTIVE:
            edge, marker = ADAPTIVE[kind]
            axes.plot([], [], marker, ms=5, color="none", mec=edge, mew=1.2, label=kind)


def times(name: str, layer: str) -> Draw:
    title = f"{name.capitalize()[:-1]} {name[-1]}: operation time, {LAYER_NAMES[layer]}"

    def draw(records: Records) -> Figure:
        sizes = sorted(distinct(records, "memory_mib"), reverse=True)

        def panel(axes: Axes, some: Records) -> None:
            for size, color in zip(sizes, SIZE_COLORS, strict=False):
                label = f"{size} MiB" + (", {} B" if layer == "dftl" else "")
                _shares(axes, where(some, memory_mib=size), "normalized", color, label)
            _share_axis(axes, 1.05)

        return _panels(records, ("trace",), title, 1.9, panel, tuned=True)

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
    title = f"{name.capitalize()[:-1]} {name[-1]}: effects of the share, {LAYER_NAMES[layer]}"
    below = "hit ratios; counts over their largest"

    def panel(axes: Axes, some: Records) -> None:
        for column, (color, dash) in PARTS[layer].items():
            known = [r for r in some if r[column] is not None]
            label = PART_NAMES[column]
            curve(axes, known, "map_share", column, ls=dash, color=color, lw=1.3, label=label)
        axes.set_ylim(0, 1.05)
        percent(axes.xaxis)
        percent(axes.yaxis)

    return lambda records: _panels(records, ("trace",), title, 1.7, panel, below=below, columns=3)


def throughput(records: Records) -> Figure:
    def panel(axes: Axes, some: Records) -> None:
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
        axes.set_xlabel("1000 requests")

    title = "Figure 8: throughput over the run"
    below = "bytes of the host a second of flash time"
    by = ("trace", "layer")
    return _panels(records, by, title, 2.0, panel, below=below, of_what=": MB/s", along="")


def erases(name: str, layer: str) -> Draw:
    title = f"Figure {name.removeprefix('figure')}: blocks erased, {LAYER_NAMES[layer]}"

    def panel(axes: Axes, some: Records) -> None:
        label = "static" + (", entries of {} B" if layer == "dftl" else "")
        _shares(axes, some, "erases", BLUE, label)
        _share_axis(axes, max(1, axes.get_ylim()[1]))

    return lambda records: _panels(records, ("trace",), title, 1.7, panel, tuned=True)


def ratio(records: Records) -> Figure:
    def panel(axes: Axes, some: Records) -> None:
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

    title, below = "Share of the map as the run goes", "adaptive, from one half on"
    return _panels(
        records, ("layer", "trace"), title, 1.6, panel, below=below, along="1000 requests"
    )


def _relative(title: str, below: str, column: str, by: str, name: str, records: Records) -> Figure:
    """A panel for each layer and trace, a curve for each value of column `by`."""

    def panel(axes: Axes, some: Records) -> None:
        values = distinct(some, by) if by else [None]
        for value, color in zip(values, (BLUE, ORANGE, GREEN), strict=False):
            of_value = where(some, **{by: value}) if by else some
            _shares(axes, of_value, column, color, name.format(value))
        _share_axis(axes, 1.05 * max(record[column] for record in some) or None)
        percent(axes.yaxis)

    return _panels(records, ("layer", "trace"), title, 1.6, panel, below=below, tuned=True)


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
