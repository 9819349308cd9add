"""How the figures look. Each function draws the records of one CSV file and knows nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from cavern.figures import BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, SKY, VERMILLION, titled
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from papers.drawing import (
    Records,
    curve,
    distinct,
    fitted,
    legend,
    percent,
    powers_of_two,
    two_columns,
    where,
)

ORDER_STYLES = {
    "lru-page": (BLUE, "o", "-"),
    "ref": (SKY, "s", "-"),
    "ref-lru": (SKY, "x", (0, (1, 1))),
    "lru-block": (GREEN, "^", "-"),
    "fab": (VERMILLION, "v", (0, (4, 1.2))),
    "clc": (PURPLE, "D", (0, (1, 1))),
}
MODE_MARKS = {"move": (BLUE, "o"), "sticky": (GREEN, "^"), "gather": (VERMILLION, "s")}
DRIVE_COLORS = {"conventional": ORANGE, "proposed": BLUE}
#: Execution time saved that is still shown: one small trace loses 62 times its time.
LEAST = -3.0
BELOW = "8 × 4 dies of 1 GB SLC; traces ending in -fit are synthetic"


def _size_text(kib: float) -> str:
    return f"{kib / 1024:g} MiB" if kib >= 1024 else f"{kib:g} KiB"


def _size_axis(axes: Axes, sizes: list[int]) -> None:
    shown = sizes[:: 3 if len(sizes) > 5 else 1]
    powers_of_two(axes, shown, [_size_text(size) for size in shown])


def table3(records: Records) -> Figure:
    names = {
        "random": "random",
        "mean_kb": "mean, KB",
        "storage_gb": "storage, GB",
        "written_gb": "written, GB",
    }
    return fitted(records, "Table 3", "table3", names, shares=("random",))


def scope(records: Records) -> Figure:
    figure = titled(
        1.5 + 0.24 * len(records),
        "Which traces are like those of Table 3",
        "hollow: not; line: the large buffer",
    )
    panels = figure.subplots(1, 2, sharey=True)
    for axes, column in zip(panels, ("random", "written_mib"), strict=True):
        for row, record in enumerate(records):
            face = BLUE if record["like_table3"] else "none"
            axes.plot(record[column], row, "o", color=BLUE, ms=5, mfc=face)
        axes.grid(axis="y", visible=False)
    panels[0].set_xlim(0, 1.05)
    percent(panels[0].xaxis)
    panels[0].set_title("random writes")
    panels[1].set_xscale("log")
    panels[1].xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panels[1].xaxis.set_minor_formatter(NullFormatter())
    panels[1].axvline(16, color=MUTED, lw=0.8)
    panels[1].set_title("written, MiB")
    panels[0].set_yticks(range(len(records)), [r["trace"] for r in records], fontsize=8)
    panels[0].set_ylim(len(records) - 0.5, -0.5)
    return figure


def example(records: Records) -> Figure:
    figure = titled(
        1.4 + 0.5 * len(records),
        "Figure 2: collection in the paper's example",
        "4 channels, 4 pages a block; two pages of four blocks rewritten",
    )
    axes = figure.subplots()
    rows = np.arange(len(records))
    for place, (column, color) in enumerate((("copies", BLUE), ("erases", ORANGE))):
        values = [record[column] for record in records]
        axes.barh(rows + (place - 0.5) * 0.36, values, 0.34, color=color, label=column)
        for row, value in zip(rows, values, strict=True):
            axes.annotate(
                str(value),
                (value, row + (place - 0.5) * 0.36),
                (4, 0),
                va="center",
                textcoords="offset points",
                fontsize=8.5,
                color=INK,
            )
    axes.set_yticks(rows, [record["scheme"] for record in records])
    axes.set_ylim(len(records) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("pages copied, blocks erased")
    axes.legend(loc="lower right")
    return figure


def merges(records: Records) -> Figure:
    figure = titled(
        1.6 + 0.42 * len(distinct(records, "trace")), "Figure 2 on traces: cost of a merge", BELOW
    )
    panels = figure.subplots(1, 2, sharey=True)
    traces = distinct(records, "trace")
    for axes, (column, what) in zip(
        panels,
        (
            ("copies_per_merge", "pages copied a merge"),
            ("erases_per_merge", "blocks erased a merge"),
        ),
        strict=True,
    ):
        for drive, color in DRIVE_COLORS.items():
            for order, marker in (("lru-page", "o"), ("lru-block", "^")):
                some = where(records, drive=drive, order=order)
                axes.plot(
                    [r[column] for r in some if r[column] is not None],
                    [traces.index(r["trace"]) for r in some if r[column] is not None],
                    marker,
                    color=color,
                    ms=5,
                    alpha=0.8,
                    mec="none",
                    label=f"{drive}, {order}",
                )
        axes.set_xscale("symlog", linthresh=1)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_xlim(0)
        axes.set_xlabel(what)
    panels[0].set_yticks(range(len(traces)), traces)
    panels[0].set_ylim(len(traces) - 0.5, -0.5)
    legend(figure, panels[:1], 2)
    return figure


def hits_by_size(records: Records) -> Figure:
    traces = distinct(records, "trace")
    figure, panels = two_columns(
        "Figure 4: hit ratio and buffer size", BELOW, len(traces), 1.45, share=True
    )
    sizes = sorted(distinct(records, "buffer_kib"))
    for axes, trace in zip(panels, traces, strict=False):
        for order, (color, marker, dash) in ORDER_STYLES.items():
            some = where(records, trace=trace, order=order)
            curve(
                axes,
                some,
                "buffer_kib",
                "write_hit_ratio",
                color=color,
                marker=marker,
                ms=3.5,
                lw=1.2,
                ls=dash,
                label=order,
            )
        _size_axis(axes, sizes)
        axes.tick_params(axis="x", labelbottom=True)
        axes.set_ylim(0, axes.get_ylim()[1])
        percent(axes.yaxis, 0 if axes.get_ylim()[1] > 0.04 else 1)
        axes.set_title(trace)
    legend(figure, panels[:1], 5)
    return figure


def _eight(records: Records) -> list[tuple[str, dict[str, Any]]]:
    """The bars of one trace: order by order, small buffer before large, both drives together."""
    return [
        (f"{order}\n{size}", record)
        for order in distinct(records, "order")
        for size in distinct(records, "buffer")
        for record in where(records, order=order, buffer=size)
    ]


def _bars(axes: Axes, records: Records, parts: list[tuple[str, float]], last: bool) -> None:
    """Two bars for each order and size, of one part or several stacked ones; `parts` are columns
    and how strongly they are coloured."""
    bars = _eight(records)
    names = list(dict.fromkeys(name for name, _ in bars))
    for name, record in bars:
        place = names.index(name) + (-0.2 if record["drive"] == "conventional" else 0.2)
        left = 0.0
        for column, strength in parts:
            value = record[column] or 0.0
            axes.barh(place, value, 0.36, left, color=DRIVE_COLORS[record["drive"]], alpha=strength)
            left += value
    axes.set_yticks(range(len(names)), names if last else [""] * len(names), fontsize=7.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)


def _bar_figure(
    records: Records, title: str, parts: list[tuple[str, str, float]], below: str, share: bool
) -> tuple[Figure, list[Axes]]:
    traces = distinct(records, "trace")
    figure, panels = two_columns(title, below, len(traces), 1.75, share=share)
    for index, (axes, trace) in enumerate(zip(panels, traces, strict=False)):
        some = where(records, trace=trace)
        _bars(axes, some, [(column, strength) for column, _, strength in parts], index % 2 == 0)
        axes.set_title(trace)
        axes.tick_params(axis="x", labelbottom=True)
    for drive, color in DRIVE_COLORS.items():
        for _, what, strength in parts:
            name = f"{drive}: {what}" if what else drive
            panels[0].barh(0, 0, color=color, alpha=strength, label=name)
    legend(figure, panels[:1], 2)
    return figure, panels[: len(traces)]


def hits(records: Records, of: str = "") -> Figure:
    figure, panels = _bar_figure(
        records,
        f"Figure 5: hit ratio with and without CAVE{of}",
        [("write_hit_ratio", "", 1.0)],
        BELOW,
        False,
    )
    for axes in panels:
        percent(axes.xaxis, 0 if axes.get_xlim()[1] > 0.04 else 1)
    return figure


def times(records: Records, of: str = "") -> Figure:
    parts = [("write_s", "page writes", 1.0), ("collection_s", "collection", 0.45)]
    figure, panels = _bar_figure(records, f"Figure 6: execution time{of}", parts, BELOW, False)
    for axes in panels:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    for axes in panels[-2:]:
        axes.set_xlabel("s")
    return figure


def shares(records: Records, of: str = "") -> Figure:
    figure, panels = _bar_figure(
        records, f"Figure 7: share of collection{of}", [("collection_share", "", 1.0)], BELOW, True
    )
    for axes in panels:
        axes.set_xlim(0, 1)
        percent(axes.xaxis)
    return figure


def by_log_blocks(records: Records) -> Figure:
    below = "log blocks of the drive in total; the paper gives no number"
    figure, panels = two_columns("Execution time saved, and log blocks", below, 4, 1.8, share=True)
    panel = iter(panels)
    for order in distinct(records, "order"):
        for size in distinct(records, "buffer"):
            axes = next(panel)
            for index, trace in enumerate(distinct(records, "trace")):
                some = where(records, order=order, buffer=size, trace=trace)
                curve(
                    axes,
                    some,
                    "log_blocks",
                    "reduction",
                    color=f"C{index % 7}",
                    marker="os^vDPX<"[index % 8],
                    ms=3.5,
                    lw=1.2,
                    label=trace,
                )
            axes.axhline(0, color=MUTED, lw=0.8)
            ticks = sorted(distinct(records, "log_blocks"))
            powers_of_two(axes, ticks[::2], [f"{tick:g}" for tick in ticks[::2]])
            percent(axes.yaxis)
            axes.set_title(f"{order}, {size}")
    legend(figure, panels[:1], 4)
    return figure


def by_mode(records: Records) -> Figure:
    return _saved(
        records,
        "mode",
        "Execution time saved, and homes of blocks",
        "what happens to a block whose turn comes on another die",
        {mode: (color, marker, color) for mode, (color, marker) in MODE_MARKS.items()},
    )


def by_reading(records: Records) -> Figure:
    return _saved(
        records,
        "reading",
        "Execution time saved, by reading",
        "filled: collection in parallel; hollow: added up; edge: over 300 % lost",
        {
            f"{mode}, {time}": (color, marker, "none" if time == "sum" else color)
            for time in ("makespan", "sum")
            for mode, (color, marker) in MODE_MARKS.items()
        },
    )


def by_assumption(records: Records) -> Figure:
    return _saved(
        records,
        "time",
        "Time saved on SYSMARK, by what is assumed",
        "homes gather; one value changed at a time",
        {"makespan": (BLUE, "o", BLUE), "sum": (BLUE, "o", "none")},
        rows="assumed",
    )


def _saved(
    records: Records,
    column: str,
    title: str,
    below: str,
    marks: dict[str, tuple[str, str, str]],
    rows: str = "trace",
) -> Figure:
    """A panel for each order and buffer; marks by the values of a column: color, shape, filling.
    `rows` is the column whose values stand below each other. What is below LEAST stands there."""
    traces = distinct(records, rows)
    figure = titled(1.9 + 0.34 * len(traces) * 2, title, below)
    panels = list(figure.subplots(2, 2, sharey=True, sharex=True).flat)
    panel = iter(panels)
    for order in distinct(records, "order"):
        for size in distinct(records, "buffer"):
            axes = next(panel)
            for value, (color, marker, filling) in marks.items():
                some = where(records, order=order, buffer=size, **{column: value})
                axes.plot(
                    [
                        np.nan if r["reduction"] is None else max(r["reduction"], LEAST)
                        for r in some
                    ],
                    [traces.index(r[rows]) for r in some],
                    marker,
                    color=color,
                    ms=5,
                    mec=color,
                    mfc=filling,
                    label=value,
                )
            axes.axvline(0, color=MUTED, lw=0.8)
            axes.set_yticks(range(len(traces)), traces, fontsize=8)
            axes.set_ylim(len(traces) - 0.5, -0.5)
            axes.locator_params(axis="x", nbins=4)
            percent(axes.xaxis)
            axes.set_title(f"{order}, {size}")
    legend(figure, panels[:1], 3)
    return figure
