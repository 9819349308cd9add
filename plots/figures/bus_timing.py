"""One channel's bus as ONFI signals over a short window: a timing diagram for papers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from cavern.errors import NotAvailableError
from cavern.plots.colours import ALL, GRID, INK, MUTED, PAPER, QUEUE, READ, WRITE, ink_on
from cavern.plots.figures.options import Options
from cavern.plots.results import Run
from cavern.plots.style import new_figure, time_in_window, time_since
from cavern.plots.texts import time_text
from cavern.plots.timeline import Timeline
from matplotlib.axes import Axes
from matplotlib.figure import Figure

DEFAULT_WIDTH_US = 600.0
TOUCHING = 1e-6  # us, the resolution of the file
OPENING = ("00h", "60h", "80h")  # first cycle of a command
MOST_PHASES = 400  # of a window; more cannot be told apart
MOST_CYCLES = 64  # of a command with its address
MOST_WAYS = 64
ROW, HIGH = 1.0, 0.62  # a signal's row, and its level "1" in it
COLORS = {"command": ALL, "address": QUEUE, "data in": WRITE, "data out": READ}
UNITS_US = {"ps": 1e-6, "ns": 1e-3, "us": 1.0, "ms": 1e3}
ACTIVE_LOW = {"CE#", "R/B#", "WE#", "RE#"}

Interval = tuple[float, float]


@dataclass(frozen=True)
class Bus:
    """Intervals in us in which a signal is asserted (a signal with # is low then), by row; and what
    is on DQ: begin, end, kind, label."""

    rows: dict[str, list[Interval]] = field(default_factory=dict)
    dq: list[tuple[float, float, str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Cycles:
    """Length of a command or address cycle in us, and how many a read, program and erase take."""

    length: float
    read: int
    program: int
    erase: int


def cycles_of(run: Run) -> Cycles:
    get = run.summary.get
    match = re.fullmatch(
        r"([0-9]+(?:\.[0-9]+)?)(ps|ns|us|ms)", str(get("config.nand.command_cycle"))
    )
    length = float(match[1]) * UNITS_US[match[2]] if match else 0.0
    counts = [get(f"config.nand.{operation}_cycles") for operation in ("read", "program", "erase")]
    if length <= 0 or not all(isinstance(n, int) and 0 < n <= MOST_CYCLES for n in counts):
        raise NotAvailableError("the summary's configuration names no command cycle of the bus")
    return Cycles(length, *counts)


def phases(
    kind: str, begin: float, end: float, pages: int, cycles: Cycles
) -> Iterator[tuple[float, float, str, str]]:
    """A bus phase cut into cycles as the channel has timed it: begin, end, kind, label. A command
    phase of as many cycles as an erase has is one."""
    if kind == "data out":
        yield begin, end, kind, "data out"
        return
    if kind == "reset":
        yield begin, end, "command", kind
        return
    if kind == "data in":
        count, first, last = cycles.program, "80h", "10h"
    elif round((end - begin) / cycles.length) == cycles.erase != cycles.read:
        count, first, last = cycles.erase, "60h", "D0h"
    else:
        count, first, last = cycles.read, "00h", "30h"
    data = (end - begin) / pages - count * cycles.length if kind == "data in" else 0.0
    at = begin
    for page in range(pages if kind == "data in" else 1):
        steps = [("command", first)] + [("address", "")] * (count - 2)
        steps += [("data in", "data in")] * (kind == "data in")
        closing = last if page == pages - 1 or kind != "data in" else "11h"
        steps += [("command", closing)] * (count > 1)
        for what, label in steps:
            length = data if what == "data in" else cycles.length
            yield at, at + length, what, label
            at += length


def signals(
    timeline: Timeline, channel: int, begin: float, end: float, cycles: Cycles, ways: int
) -> Bus:
    """What the channel's signals do between begin and end."""
    bus = Bus()
    names = [f"{name} {way}" for way in range(ways) for name in ("req", "grant", "CE#", "R/B#")]
    for name in [*names, "CLE", "ALE", "WE#", "RE#"]:
        bus.rows[name] = []
    put_phases(bus, timeline, channel, (begin, end), cycles, ways)
    put_requests(bus, timeline, channel, (begin, end), ways)
    put_array(bus, timeline, channel, (begin, end))
    return bus


def put_phases(
    bus: Bus, timeline: Timeline, channel: int, within: Interval, cycles: Cycles, ways: int
) -> None:
    """What holds the bus: its grant, the chip enabled, and the cycles with their strobes."""
    spans = timeline.bus
    ends = spans.start + spans.duration
    chosen = (spans.track == channel) & (spans.start < within[1]) & (ends > within[0])
    if int(chosen.sum()) > MOST_PHASES:
        raise NotAvailableError(
            f"more than {MOST_PHASES} bus phases in the window; choose a "
            "shorter one with --from and --to"
        )
    for index in np.flatnonzero(chosen).tolist():
        start, stop, way = spans.start[index], ends[index], int(timeline.bus_way[index])
        if not 0 <= way < ways:
            raise NotAvailableError("timeline.json does not say which way a bus phase is of")
        bus.rows[f"grant {way}"].append((start, stop))
        bus.rows[f"CE# {way}"].append((start, stop))
        pages = max(int(timeline.bus_pages[index]), 1)
        for part in phases(str(spans.name[index]), start, stop, pages, cycles):
            bus.dq.append(part)
            put_strobes(bus, *part[:3])


def put_strobes(bus: Bus, low: float, high: float, kind: str) -> None:
    """The signals that go with a cycle on DQ."""
    if kind == "data out":
        bus.rows["RE#"].append((low, high))
    elif kind == "data in":
        bus.rows["WE#"].append((low, high))
    else:
        bus.rows["CLE" if kind == "command" else "ALE"].append((low, high))
        bus.rows["WE#"].append((low, (low + high) / 2))


def put_requests(bus: Bus, timeline: Timeline, channel: int, within: Interval, ways: int) -> None:
    """From when a way asks for the bus to its grant."""
    for index in np.flatnonzero(timeline.grant_channel == channel).tolist():
        at, waited = timeline.grant_time[index], timeline.grant_waited[index]
        way = int(timeline.grant_way[index])
        if 0 <= way < ways and at > within[0] and at - waited < within[1]:
            bus.rows[f"req {way}"].append((at - waited, at))


def put_array(bus: Bus, timeline: Timeline, channel: int, within: Interval) -> None:
    """While a die reads, programs or erases."""
    for index, die in enumerate(timeline.array.track.tolist()):
        owner, way = timeline.dies[die]
        start = timeline.array.start[index]
        stop = start + timeline.array.duration[index]
        if owner == channel and start < within[1] and stop > within[0]:
            bus.rows[f"R/B# {way}"].append((start, stop))


def joined(intervals: list[Interval]) -> list[Interval]:
    """In order, those that touch made one: no glitch between two cycles of the same kind."""
    result: list[Interval] = []
    for start, stop in sorted(intervals):
        if result and start - result[-1][1] < TOUCHING:
            result[-1] = (result[-1][0], max(stop, result[-1][1]))
        else:
            result.append((start, stop))
    return result


def steps(
    intervals: list[Interval], low: bool, begin: float, end: float
) -> tuple[list[float], list[float]]:
    """The line of a signal asserted in these intervals, times from begin."""
    rest, active = (1.0, 0.0) if low else (0.0, 1.0)
    times, levels = [0.0], [rest]
    for start, stop in joined(intervals):
        start, stop = max(start, begin) - begin, min(stop, end) - begin
        if stop > start:
            times += [start, start, stop, stop]
            levels += [levels[-1], active, active, rest]
    return [*times, end - begin], [*levels, rest]


def draw_panel(
    axes: Axes, bus: Bus, names: list[str], begin: float, end: float, labelled: bool
) -> None:
    labels = [name.replace(" ", "") if not name.startswith("R/B") else name for name in names]
    for row, name in enumerate(names):
        kind = name.split()[0]
        times, levels = steps(bus.rows[name], kind in ACTIVE_LOW, begin, end)
        line = [-(row + 1) * ROW + HIGH * level for level in levels]
        axes.plot(times, line, color=MUTED if kind in ("req", "grant") else INK, lw=0.8)
    bottom = -(len(names) + 1) * ROW
    for start, stop, kind, label in bus.dq:
        left, right = max(start, begin) - begin, min(stop, end) - begin
        if right <= left:
            continue
        axes.fill_between(
            [left, right],
            bottom,
            bottom + HIGH,
            color=COLORS[kind],
            lw=0.35,
            edgecolor=PAPER if labelled else COLORS[kind],
        )
        if labelled and label:
            axes.text(
                (left + right) / 2,
                bottom + HIGH / 2,
                label,
                fontsize=5,
                ha="center",
                va="center",
                color=ink_on(COLORS[kind]),
                clip_on=True,
            )
    axes.set_yticks(
        [-(row + 1) * ROW + HIGH / 2 for row in range(len(names) + 1)],
        [*labels, "DQ"],
        fontsize=6.5,
    )
    axes.set_ylim(bottom - 0.3, 0)
    axes.set_xlim(0, end - begin)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0, pad=2)
    axes.spines["left"].set_visible(False)


def draw(run: Run, options: Options) -> Figure:
    timeline = run.timeline
    if len(timeline.bus) == 0:
        raise NotAvailableError("timeline.json holds no bus phase")
    cycles = cycles_of(run)
    begin, end = options.window(timeline, DEFAULT_WIDTH_US)
    inside = timeline.bus.within(begin, end)
    if len(inside) == 0:
        raise NotAvailableError("no bus phase in the window")
    busy = np.bincount(inside.track, weights=inside.duration)
    channel = int(busy.argmax())
    ways = 1 + max((way for owner, way in timeline.dies.values() if owner == channel), default=0)
    if ways > MOST_WAYS:
        raise NotAvailableError(f"channel {channel} has more ways than {MOST_WAYS}")
    bus = signals(timeline, channel, begin, end, cycles, ways)
    names = list(bus.rows)
    shared = names[-4:]
    figure = new_figure(run, f"bus of channel {channel}", 1.6 + 0.13 * (len(names) + 6))
    above, below = figure.subplots(2, 1, height_ratios=[len(names) + 1, 5])
    draw_panel(above, bus, names, begin, end, labelled=False)
    for way in range(1, ways + 1):
        above.axhline(-4 * way * ROW - 0.2, color=GRID, lw=0.6)
    time_in_window(above.xaxis, begin, end)
    opened = [at for at, _, _, label in bus.dq if at >= begin and label in OPENING]
    first = min(opened, default=begin)
    length = cycles.length * (max(cycles.read, cycles.program) + 5)
    draw_panel(below, bus, shared, first - cycles.length, first + length, labelled=True)
    unit = time_since(below.xaxis, length + cycles.length)
    below.set_xlabel(f"closer ({unit}), from {time_text((first - begin) * 1e3)} of the window on")
    return figure
