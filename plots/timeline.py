"""timeline.json: a run's Chrome trace events as arrays, and the choice of a window to look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from cavern.plots.events import Event, EventFile, is_number, is_place
from cavern.plots.results import MOST_PLACES
from numpy.typing import NDArray

PROCESSES = {"channels": 1, "dies": 2, "host": 3}
MOST_LETTERS = 32

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Spans:
    """Busy intervals in us. `track` is the channel of a bus span, the die of an array span."""

    start: FloatArray
    duration: FloatArray
    track: NDArray[np.int64]
    name: NDArray[np.str_]
    origin: NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.start)

    def within(self, begin: float, end: float) -> Spans:
        """The spans that reach into [begin, end)."""
        chosen = (self.start < end) & (self.start + self.duration > begin)
        return Spans(*(values[chosen] for values in vars(self).values()))


@dataclass(frozen=True)
class Timeline:
    """Times in us of simulated time. `dies` maps a die's track to its (channel, way)."""

    bus: Spans
    array: Spans
    grant_time: FloatArray
    grant_channel: NDArray[np.int64]
    dies: dict[int, tuple[int, int]]
    counters: dict[str, tuple[FloatArray, FloatArray]]
    #: Way and pages of each bus span; way of each grant, and what it had waited in us. Where the
    #: file does not say: -1, 1 and 0.
    bus_way: NDArray[np.int64] = field(default_factory=lambda: np.array([], dtype=np.int64))
    bus_pages: NDArray[np.int64] = field(default_factory=lambda: np.array([], dtype=np.int64))
    grant_way: NDArray[np.int64] = field(default_factory=lambda: np.array([], dtype=np.int64))
    grant_waited: FloatArray = field(default_factory=lambda: np.array([], dtype=float))

    @property
    def extent(self) -> tuple[float, float]:
        """First start and last end of anything busy."""
        starts = np.concatenate([self.bus.start, self.array.start])
        ends = starts + np.concatenate([self.bus.duration, self.array.duration])
        return (float(starts.min()), float(ends.max())) if len(starts) else (0.0, 0.0)

    def busiest(self, width: float) -> tuple[float, float]:
        """The window of that width with most busy time over all buses and dies; the first if equal.

        The busy time before t is piecewise linear in t, so a window's sum can only peak where one
        of its two edges meets the start or the end of a span; all of those are tried.
        """
        begin, end = self.extent
        if end - begin <= width:
            return begin, begin + width
        starts = np.concatenate([self.bus.start, self.array.start])
        ends = starts + np.concatenate([self.bus.duration, self.array.duration])
        starts, ends = np.sort(starts), np.sort(ends)
        candidates = np.concatenate([starts, ends, starts - width, ends - width])
        candidates = np.unique(np.clip(candidates, begin, end - width))
        busy = _sum_before(starts, ends, candidates + width) - _sum_before(starts, ends, candidates)
        best = busy.max()
        at = float(candidates[np.flatnonzero(busy >= best - 1e-9 * abs(best))[0]])
        return at, at + width


def _sum_before(starts: FloatArray, ends: FloatArray, times: FloatArray) -> FloatArray:
    """Busy time of all spans before each time; starts and ends sorted, each on its own."""

    def ramp(edges: FloatArray) -> FloatArray:
        sums = np.concatenate([[0.0], np.cumsum(edges)])
        count = np.searchsorted(edges, times, side="right")
        return count * times - sums[count]

    return ramp(starts) - ramp(ends)


def read_timeline(path: Path) -> Timeline:
    """Reads the whole file. Processes are known by their names, or by number where unnamed."""
    file = EventFile(path)
    events = file.events
    pids = _process_numbers(events)
    buses = _of(events, "X", pids["channels"])
    for event in buses:
        if not 0 <= event["tid"] < MOST_PLACES:
            what = f"a bus phase of channel {event['tid']}"
            raise file.error(event, what, f"expected one below {MOST_PLACES}")
    arrays = _of(events, "X", pids["dies"])
    grants = [event for event in _of(events, "i") if event["name"] == "grant"]
    return Timeline(
        bus=_spans(buses),
        array=_spans(arrays),
        grant_time=np.array([event["ts"] for event in grants], dtype=float),
        grant_channel=np.array([event["tid"] for event in grants], dtype=np.int64),
        dies=_places(arrays, file),
        counters=_counters(_of(events, "C", pids["host"])),
        bus_way=_arguments(buses, "way", -1),
        bus_pages=_arguments(buses, "pages", 1),
        grant_way=_arguments(grants, "way", -1),
        grant_waited=np.array([_argument(e, "waited_ns", 0) * 1e-3 for e in grants], dtype=float),
    )


def _process_numbers(events: list[Event]) -> dict[str, int]:
    numbers = dict(PROCESSES)
    for event in _of(events, "M"):
        name, pid = event.get("args", {}).get("name"), event.get("pid")
        if event.get("name") == "process_name" and isinstance(pid, int) and name in (*numbers,):
            numbers[name] = pid
    return numbers


def _of(events: list[Event], phase: str, pid: int | None = None) -> list[Event]:
    """The events of a kind (and of a process), in the order of the file."""
    return [e for e in events if e["ph"] == phase and (pid is None or e["pid"] == pid)]


def _places(arrays: list[Event], file: EventFile) -> dict[int, tuple[int, int]]:
    """Channel and way of each die, as its first event has them."""
    dies: dict[int, tuple[int, int]] = {}
    for event in arrays:
        if event["tid"] in dies:
            continue
        args = event.get("args", {})
        channel, way = args.get("channel"), args.get("way")
        if not (is_place(channel) and is_place(way)):
            raise file.error(event, "a die without channel and way", "expected both in args")
        dies[event["tid"]] = channel, way
    return dies


def _argument(event: Event, name: str, default: int) -> float:
    value = event.get("args", {}).get(name)
    return value if is_number(value) else default


def _arguments(events: list[Event], name: str, default: int) -> NDArray[np.int64]:
    found = (event.get("args", {}).get(name) for event in events)
    return np.array([one if is_place(one) else default for one in found], dtype=np.int64)


def _spans(events: list[Event]) -> Spans:
    origin = [str(event.get("args", {}).get("origin", "host"))[:MOST_LETTERS] for event in events]
    return Spans(
        start=np.array([event["ts"] for event in events], dtype=float),
        duration=np.array([event["dur"] for event in events], dtype=float),
        track=np.array([event["tid"] for event in events], dtype=np.int64),
        name=np.array([event["name"][:MOST_LETTERS] for event in events], dtype=np.str_),
        origin=np.array(origin, dtype=np.str_),
    )


def _counters(events: list[Event]) -> dict[str, tuple[FloatArray, FloatArray]]:
    series: dict[str, list[tuple[float, float]]] = {}
    for event in events:
        values = [v for v in event.get("args", {}).values() if is_number(v)]
        if values:
            series.setdefault(event["name"], []).append((event["ts"], values[0]))
    return {
        name: (np.array([t for t, _ in points]), np.array([v for _, v in points], dtype=float))
        for name, points in series.items()
    }
