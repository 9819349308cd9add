"""Who used which bus and which die when, in a short window of simulated time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from cavern.errors import InputError, NotAvailableError
from cavern.plots.causes import CAUSES
from cavern.plots.colours import ALL, BACKGROUND, ERASE, GRID, INK, MUTED, PAPER, READ, WRITE
from cavern.plots.figures.options import Options
from cavern.plots.results import Run
from cavern.plots.style import new_figure, time_in_window
from cavern.plots.timeline import Spans, Timeline
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

COLORS = {
    "command": ALL,
    "data in": WRITE,
    "tPROG": WRITE,
    "data out": READ,
    "tR": READ,
    "tBERS": ERASE,
}
LABELS = {"tR": "tR (read)", "tPROG": "tPROG (program)", "tBERS": "tBERS (erase)"}
DEFAULT_WIDTH_US = 2000.0
MOST_ROWS = 76
MOST_VECTOR_BARS = 4000
ROW_INCHES = 0.125
BAR, UNDERLINE, GRANT, GAP = 0.8, 0.2, 0.55, 0.75  # in rows
MOST_LETTERS = 32  # of what the legend says of underlined bars
SHORT = 0.006  # of the window: bars below it are not parted from their neighbours

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Layout:
    """Top edges of the rows, downwards: of each channel's bus, and of each (channel, way)."""

    bus: dict[int, float]
    die: dict[tuple[int, int], float]
    height: float


def layout(run: Run, bus: Spans) -> Layout:
    """Rows for every channel of the drive, or for the busiest ones where they are too many."""
    summary, dies = run.summary, set(run.timeline.dies.values())
    for row in range(len(summary.data["dies"])):
        channel, way = (summary.row_index("dies", row, name) for name in ("channel", "way"))
        dies.add((channel, way))
    channels = sorted({channel for channel, _ in dies} | set(bus.track.tolist()))
    ways = max((way for _, way in dies), default=-1) + 1
    most = max(MOST_ROWS // (ways + 1), 1)
    if len(channels) > most:
        busy = {c: float(bus.duration[bus.track == c].sum()) for c in channels}
        channels = sorted(sorted(channels, key=lambda c: (-busy[c], c))[:most])
    bus_rows, die_rows, top = {}, {}, GAP
    for channel in channels:
        bus_rows[channel] = top
        own = sorted(way for owner, way in dies if owner == channel)
        for place, way in enumerate(own, 1):
            die_rows[channel, way] = top + place
        top += 1 + len(own) + GAP
    return Layout(bus_rows, die_rows, top)


def bars(spans: Spans, tops: FloatArray, origin: float, height: float = BAR) -> FloatArray:
    """Corner points of a bar for each span (n x 4 x 2), x in us after `origin`."""
    left, right = spans.start - origin, spans.start - origin + spans.duration
    low, high = tops, tops + height
    corners = [(left, low), (right, low), (right, high), (left, high)]
    return np.stack([np.stack(corner, axis=-1) for corner in corners], axis=1)


def add_bars(axes: Axes, spans: Spans, tops: FloatArray, origin: float, width: float) -> None:
    """One collection for each phase, its label the phase; background work is underlined."""
    shown = np.isfinite(tops)
    spans = Spans(*(values[shown] for values in vars(spans).values()))
    tops = tops[shown]
    many = len(spans) > MOST_VECTOR_BARS
    for name in np.unique(spans.name):
        chosen = spans.name == name
        part = Spans(*(values[chosen] for values in vars(spans).values()))
        color = COLORS.get(str(name), INK)
        # A hair of paper parts neighbours; an edge of its own colour keeps a command of 0.2 us
        # visible in a window of 2 ms.
        edges = [color if short else PAPER for short in part.duration < SHORT * width]
        polygons = bars(part, tops[chosen], origin)
        axes.add_collection(
            PolyCollection(
                list(polygons),
                facecolor=color,
                edgecolor=edges,
                lw=0.35,
                label=name,
                rasterized=many,
            )
        )
    background = spans.origin != "host"
    if background.any():
        part = Spans(*(values[background] for values in vars(spans).values()))
        lines = bars(part, tops[background] + BAR - UNDERLINE, origin, UNDERLINE)
        axes.add_collection(
            PolyCollection(
                list(lines), facecolor=BACKGROUND, lw=0, label="background", rasterized=many
            )
        )


def draw(run: Run, options: Options) -> Figure:
    timeline = run.timeline
    if len(timeline.bus) + len(timeline.array) == 0:
        raise NotAvailableError("timeline.json holds no bus phase and no array operation")
    begin, end = options.window(timeline, DEFAULT_WIDTH_US)
    bus, array = timeline.bus.within(begin, end), timeline.array.within(begin, end)
    if len(bus) + len(array) == 0:
        first, last = timeline.extent
        what = f"nothing happens from {begin:g} to {end:g} us"
        right = f"expected a window that touches {first:g} to {last:g} us"
        raise InputError(run.directory / "timeline.json", 1, what, right)
    rows = layout(run, bus)
    depth = timeline.counters.get("queue depth")
    inches = rows.height * ROW_INCHES
    figure = new_figure(run, "buses and dies at work", 1.75 + inches + (0.55 if depth else 0.0))
    if depth:
        above, axes = figure.subplots(2, 1, sharex=True, height_ratios=[0.45, inches])
        draw_queue_depth(above, depth, begin, end)
    else:
        above = axes = figure.subplots()
    nowhere = float("nan")
    add_bars(axes, bus, np.array([rows.bus.get(c, nowhere) for c in bus.track]), begin, end - begin)
    places = [timeline.dies[track] for track in array.track.tolist()]
    add_bars(axes, array, np.array([rows.die.get(p, nowhere) for p in places]), begin, end - begin)
    draw_grants(axes, timeline, rows, begin, end)
    for top in rows.bus.values():
        if top > GAP:
            axes.axhline(top - GAP * 0.9, color=GRID, lw=0.6)
    label_rows(axes, rows)
    axes.set_xlim(0, end - begin)
    axes.set_ylim(rows.height - GAP / 2, 0)
    axes.grid(axis="y", visible=False)
    time_in_window(axes.xaxis, begin, end)
    if len(rows.bus) < len({c for c, _ in timeline.dies.values()}):
        above.set_title("busiest channels only: " + ", ".join(map(str, rows.bus)))
    shown = np.union1d(bus.name, array.name)
    origins = np.union1d(bus.origin, array.origin)
    put_legend(figure, [str(name) for name in shown], [str(o) for o in origins if o != "host"])
    return figure


def draw_grants(axes: Axes, timeline: Timeline, rows: Layout, begin: float, end: float) -> None:
    """A tick above the bus for each grant within the window."""
    chosen = (timeline.grant_time >= begin) & (timeline.grant_time < end)
    chosen &= np.isin(timeline.grant_channel, list(rows.bus))
    times = timeline.grant_time[chosen] - begin
    tops = np.array([rows.bus[channel] for channel in timeline.grant_channel[chosen].tolist()])
    lines = [[(t, top - GRANT), (t, top - 0.08)] for t, top in zip(times, tops, strict=True)]
    many = len(lines) > MOST_VECTOR_BARS
    axes.add_collection(LineCollection(lines, colors=INK, lw=0.5, label="grant", rasterized=many))


def draw_queue_depth(
    axes: Axes, depth: tuple[FloatArray, FloatArray], begin: float, end: float
) -> None:
    """The host's queue depth over the window, carried in from before it."""
    times, values = depth
    first = max(int(np.searchsorted(times, begin, side="right")) - 1, 0)
    last = int(np.searchsorted(times, end, side="left"))
    times, values = times[first:last], values[first:last]
    if len(times):
        times = np.append(np.maximum(times, begin), end) - begin
        values = np.append(values, values[-1])
        axes.fill_between(times, values, step="post", color=MUTED, alpha=0.35, lw=0)
        axes.set_ylim(0, max(values.max() * 1.1, 1))
    axes.set_ylabel("queue\ndepth", fontsize=7.5)
    axes.tick_params(axis="x", length=0, labelbottom=False)
    axes.tick_params(axis="y", labelsize=7)


def label_rows(axes: Axes, rows: Layout) -> None:
    tops = list(rows.bus.values()) + list(rows.die.values())
    names = [f"ch {channel} bus" for channel in rows.bus] + [f"way {way}" for _, way in rows.die]
    axes.set_yticks([top + BAR / 2 for top in tops], names, fontsize=6.5)
    for index, label in enumerate(axes.get_yticklabels()):
        label.set_color(INK if index < len(rows.bus) else MUTED)
        label.set_fontweight("bold" if index < len(rows.bus) else "normal")
    axes.tick_params(axis="y", length=0, pad=2)
    axes.spines["left"].set_visible(False)


def put_legend(figure: Figure, shown: list[str], background: list[str]) -> None:
    """`background` has the origins of what is underlined."""
    handles: list[Patch | Line2D] = [
        Patch(color=color, label=LABELS.get(name, name))
        for name, color in COLORS.items()
        if name in shown
    ]
    handles.append(Line2D([], [], label="grant", color=INK, ls="", marker="|", markersize=7))
    if background:
        names = ", ".join(CAUSES.get(origin, origin) for origin in background)
        names = names if len(names) <= MOST_LETTERS else "work of the drive itself"
        handles.append(Line2D([], [], color=BACKGROUND, lw=2.2, label=f"underlined: {names}"))
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
