"""Several runs side by side, from their summaries (and requests.csv for the distribution)."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence

import numpy as np
from cavern.errors import NotAvailableError
from cavern.plots.colours import ALL, COLLECTION, INK, OP_COLORS, RUN_COLORS
from cavern.plots.figures.latency_cdf import draw_tail, from_zero
from cavern.plots.metrics import metric
from cavern.plots.requests_csv import OP_NAMES, READ, WRITE
from cavern.plots.results import Run
from cavern.plots.style import (
    TITLE_LIMIT,
    fraction_ticks,
    legend_above,
    log_time_axis,
    share_axis,
    shortened,
    titled,
)
from cavern.plots.tables import requests_of, value_of
from cavern.plots.texts import (
    bandwidth_unit,
    change_text,
    digits,
    rate_unit,
    share_text,
    time_text,
    time_unit,
)
from cavern.verdicts.samples import note as note_of
from matplotlib.axes import Axes
from matplotlib.figure import Figure

ROW_NAME_LIMIT = 16
LONGEST_TITLE = len("latency distribution")
THICKEST, THINNEST = 4.0, 1.2  # of lines upon each other


def title_of(runs: Sequence[Run], what: str) -> str:
    """Names the configurations while they fit with any title, else their number."""
    names = " / ".join(shortened(run.name) for run in runs)
    fits = len(names) + LONGEST_TITLE < TITLE_LIMIT
    return f"{names}: {what}" if fits else f"{len(runs)} runs: {what}"


def name_rows(axes: Axes, runs: Sequence[Run]) -> None:
    """A row for each run, the first on top."""
    axes.set_yticks(range(len(runs)), [in_two_lines(run.name) for run in runs])
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)


def in_two_lines(name: str) -> str:
    """Beside a bar a long name takes two lines, not the bar's room."""
    lines = textwrap.wrap(name, ROW_NAME_LIMIT, max_lines=2, placeholder=" …")
    return "\n".join(lines)


def note(axes: Axes, x: float, y: float, text: str) -> None:
    """A value behind the end of its bar."""
    axes.annotate(
        text, (x, y), (4, 0), textcoords="offset points", va="center", fontsize=8.5, color=INK
    )


def zero_if_missing(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def execution_time(runs: Sequence[Run]) -> Figure:
    figure = titled(1.5 + 0.42 * len(runs), title_of(runs, "execution time"))
    axes = figure.subplots()
    totals = [zero_if_missing(run.summary.number("ftl.execution_time_ns")) for run in runs]
    unit, length = time_unit(max(totals))
    for row, (run, total) in enumerate(zip(runs, totals, strict=True)):
        left = 0.0
        for part, color in (("write", OP_COLORS["write"]), ("gc", COLLECTION)):
            width = zero_if_missing(run.summary.number(f"ftl.{part}_time_ns")) / length
            label = {"write": "page writes", "gc": "collection"}[part]
            axes.barh(row, width, 0.62, left, color=color, label=label if row == 0 else None)
            left += width
        text, first = (time_text(ns, (unit, length)) for ns in (total, totals[0]))
        change = f" ({change_text(totals[0], total)})" if text != first and totals[0] else ""
        note(axes, left, row, text + change)
    name_rows(axes, runs)
    axes.set_xlim(0, max(max(totals) / length * 1.62, 1e-9))
    axes.set_xlabel(f"execution time ({unit})")
    legend_above(axes)
    return figure


def grouped(
    axes: Axes,
    runs: Sequence[Run],
    groups: dict[str, list[float]],
    colors: dict[str, str],
    text: Callable[[float], str],
) -> None:
    """Bars of one row a run, one bar in it a group; a value that was not measured has no bar."""
    thick = 0.74 / len(groups)
    for place, (name, values) in enumerate(groups.items()):
        rows = np.arange(len(runs)) + (place - (len(groups) - 1) / 2) * thick
        axes.barh(rows, np.nan_to_num(values), thick * 0.92, color=colors[name], label=name)
        for row, value in zip(rows, values, strict=True):
            note(axes, zero_if_missing(value), row, text(value))
    name_rows(axes, runs)


def hit_ratio(runs: Sequence[Run]) -> Figure:
    figure = titled(1.5 + 0.55 * len(runs), title_of(runs, "buffer hit ratio"))
    axes = figure.subplots()
    groups = {
        "all pages": [run.summary.number("buffer.hit_ratio") for run in runs],
        "written pages": [run.summary.number("buffer.write_hit_ratio") for run in runs],
    }
    colors = {"all pages": ALL, "written pages": OP_COLORS["write"]}
    grouped(axes, runs, groups, colors, share_text)
    largest = max((v for row in groups.values() for v in row if v > 0), default=1.0)
    share_axis(axes.xaxis, largest)
    # Room for the value behind the longest bar.
    axes.set_xlim(0, max(axes.get_xlim()[1], largest * 1.22))
    axes.set_xlabel("hit ratio")
    legend_above(axes)
    return figure


def latency(runs: Sequence[Run]) -> Figure:
    kinds = [
        kind
        for kind in ("read", "write")
        if any(run.summary.number(f"host.{kind}.count") > 0 for run in runs)
    ]
    if not kinds:
        raise NotAvailableError("no run has reads or writes")
    figure = titled(1.3 + (0.55 + 0.36 * len(runs)) * len(kinds), title_of(runs, "latency"))
    panels = figure.subplots(len(kinds), 1, sharex=True, squeeze=False)[:, 0]
    values = {
        (kind, what): [value_of(run, metric(f"host.{kind}.lat_ns.{what}")) for run in runs]
        for kind in kinds
        for what in ("mean", "p99")
    }
    counts = {kind: [requests_of(run, kind) for run in runs] for kind in kinds}
    positive = [v for row in values.values() for v in row if v > 0]
    smallest, largest = min(positive, default=1.0), max(positive, default=1.0)
    floor = 10.0 ** math.floor(math.log10(smallest) - 0.3)
    for axes, kind in zip(panels, kinds, strict=True):
        color = OP_COLORS[kind]
        for row in range(len(runs)):
            mean, p99 = values[kind, "mean"][row], values[kind, "p99"][row]
            if math.isnan(mean):
                axes.text(floor * 1.1, row, "none", va="center", fontsize=8.5)
                continue
            shown = max(mean, floor)
            axes.barh(row, shown - floor, 0.5, floor, color=color, alpha=0.75)
            axes.plot([shown, max(p99, floor)], [row, row], color=color, lw=1)
            axes.plot(max(p99, floor), row, "D", color=color, ms=5.5)
            few = note_of(counts[kind][row], "p99")
            text = f"{time_text(mean)}, p99 {time_text(p99)}{few and f' ({few})'}"
            axes.annotate(
                text,
                (max(shown, p99, floor), row),
                (7, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
                color=INK,
            )
        name_rows(axes, runs)
        axes.set_title(f"{kind}: mean (bar) and p99 (diamond)")
    axes.set_xscale("log")
    # The text of the longest bar needs two fifths of the axis, beyond the bars.
    axes.set_xlim(floor, largest * (largest / floor) ** 0.67)
    log_time_axis(axes.xaxis)
    axes.set_xlabel("latency (logarithmic)")
    return figure


def latency_tail(runs: Sequence[Run]) -> Figure:
    """On a logarithmic scale of shares runs differ where it matters. Of lines that coincide, the
    later ones are thinner and have gaps, so that all are seen."""
    kinds = [op for op in (READ, WRITE) if any(op in run.requests.kinds for run in runs)]
    if not kinds:
        raise NotAvailableError("no run has reads or writes")
    figure = titled(1.3 + 1.9 * len(kinds), title_of(runs, "latency distribution"))
    panels = figure.subplots(len(kinds), 1, sharex=True, squeeze=False)[:, 0]
    dashes = ["-", (0, (4, 1.2)), (0, (1, 1)), (0, (5, 1, 1, 1))]
    for axes, op in zip(panels, kinds, strict=True):
        smallest = 0.1
        for index, run in enumerate(runs):
            if op not in run.requests.kinds:
                continue
            width = THICKEST - (THICKEST - THINNEST) * index / max(1, len(runs) - 1)
            line = dashes[index % len(dashes)]
            color = RUN_COLORS[index % len(RUN_COLORS)]
            chosen = run.requests.of(op)
            steps = from_zero(chosen)
            draw_tail(axes, *steps, color=color, ls=line, lw=width, label=shortened(run.name))
            smallest = min(smallest, 1 / len(chosen))
        axes.set_yscale("log")
        axes.set_ylim(smallest * 0.7, 1.3)
        fraction_ticks(axes.yaxis, smallest)
        axes.set_ylabel(f"{OP_NAMES[op]}s slower")
    axes.set_xscale("log")
    log_time_axis(axes.xaxis)
    axes.set_xlabel("latency (logarithmic)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def throughput(runs: Sequence[Run]) -> Figure:
    figure = titled(1.7 + 0.62 * len(runs), title_of(runs, "throughput"))
    bandwidth, rate = figure.subplots(2, 1)
    measured = [value_of(run, metric("host.bandwidth_bps")) for run in runs]
    totals = [zero_if_missing(value) for value in measured]
    unit, length = bandwidth_unit(max(totals))
    for row, (run, total) in enumerate(zip(runs, totals, strict=True)):
        number = run.summary.number
        moved = {kind: zero_if_missing(number(f"host.{kind}.bytes")) for kind in OP_COLORS}
        left = 0.0
        for kind, color in OP_COLORS.items():
            width = total / length * moved[kind] / (sum(moved.values()) or 1)
            label = kind if row == 0 else None
            bandwidth.barh(row, width, 0.62, left, color=color, label=label)
            left += width
        note(bandwidth, left, row, digits(measured[row] / length))
    bandwidth.set_xlim(0, max(*totals, 1e-9) / length * 1.22)
    bandwidth.set_xlabel(f"bandwidth ({unit})")
    legend_above(bandwidth)
    measured = [value_of(run, metric("host.iops")) for run in runs]
    rates = [zero_if_missing(value) for value in measured]
    unit, length = rate_unit(max(rates))
    rate.barh(range(len(runs)), [value / length for value in rates], 0.62, color=ALL)
    for row, value in enumerate(rates):
        note(rate, value / length, row, digits(measured[row] / length))
    rate.set_xlim(0, max(*rates, 1e-9) / length * 1.22)
    rate.set_xlabel(unit)
    for axes in (bandwidth, rate):
        name_rows(axes, runs)
    return figure
