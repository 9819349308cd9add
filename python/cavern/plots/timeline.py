"""timeline.json: a run's Chrome trace events as arrays, and the choice of a window to look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cavern.errors import InputError
from cavern.plots.json_lines import line_of

BUS_PHASES = ("command", "data in", "data out")
ARRAY_PHASES = ("tR", "tPROG", "tBERS")
PROCESSES = {"channels": 1, "dies": 2, "host": 3}

FloatArray = NDArray[np.float64]
Event = dict[str, Any]


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


def read_timeline(path: Path, load_json: Callable[[Path, str], tuple[Any, str]]) -> Timeline:
    """Reads the whole file. Processes are known by their names, or by number where unnamed."""
    file = _File(path, *load_json(path, "a Chrome trace-event object"))
    events = file.events()
    pids = _process_numbers(events)
    buses = _of(events, "X", pids["channels"])
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


@dataclass(frozen=True)
class _File:
    """What was read, and how its faults are told."""

    path: Path
    data: Any
    text: str

    def events(self) -> list[Event]:
        """All events, each of which has what its kind needs."""
        events = self.data.get("traceEvents") if isinstance(self.data, dict) else None
        if not isinstance(events, list):
            right = "expected a list of that name"
            raise InputError(self.path, 1, '"traceEvents" is missing', right)
        for index, event in enumerate(events):
            if fault := _fault(event):
                right = "expected a Chrome trace event with pid, tid, ts and, for ph X, dur"
                raise self.error(index, fault, right)
        return events

    def error(self, index: int, what: str, right: str) -> InputError:
        return InputError(self.path, line_of(self.text, ["traceEvents", index]), what, right)


def _process_numbers(events: list[Event]) -> dict[str, int]:
    numbers = dict(PROCESSES)
    for event in _of(events, "M"):
        name = event.get("args", {}).get("name")
        if event.get("name") == "process_name" and name in numbers and "pid" in event:
            numbers[name] = event["pid"]
    return numbers


def _of(events: list[Event], phase: str, pid: int | None = None) -> list[Event]:
    """The events of a kind (and of a process), in the order of the file."""
    return [e for e in events if e["ph"] == phase and (pid is None or e["pid"] == pid)]


def _places(arrays: list[Event], file: _File) -> dict[int, tuple[int, int]]:
    """Channel and way of each die, as its first event has them."""
    dies: dict[int, tuple[int, int]] = {}
    for event in arrays:
        if event["tid"] in dies:
            continue
        args = event.get("args", {})
        channel, way = args.get("channel"), args.get("way")
        if not isinstance(channel, int) or not isinstance(way, int):
            index = next(i for i, other in enumerate(file.events()) if other is event)
            raise file.error(index, "a die without channel and way", "expected both in args")
        dies[event["tid"]] = channel, way
    return dies


def _argument(event: Event, name: str, default: int) -> float:
    value = event.get("args", {}).get(name, default)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else default


def _arguments(events: list[Event], name: str, default: int) -> NDArray[np.int64]:
    return np.array([_argument(event, name, default) for event in events], dtype=np.int64)


def _spans(events: list[Event]) -> Spans:
    origin = [str(event.get("args", {}).get("origin", "host")) for event in events]
    return Spans(
        start=np.array([event["ts"] for event in events], dtype=float),
        duration=np.array([event["dur"] for event in events], dtype=float),
        track=np.array([event["tid"] for event in events], dtype=np.int64),
        name=np.array([event["name"] for event in events], dtype=np.str_),
        origin=np.array(origin, dtype=np.str_),
    )


def _counters(events: list[Event]) -> dict[str, tuple[FloatArray, FloatArray]]:
    series: dict[str, list[tuple[float, float]]] = {}
    for event in events:
        values = [v for v in event.get("args", {}).values() if isinstance(v, int | float)]
        if values:
            series.setdefault(event["name"], []).append((event["ts"], values[0]))
    return {
        name: (np.array([t for t, _ in points]), np.array([v for _, v in points], dtype=float))
        for name, points in series.items()
    }


#: The numbers that an event of each kind must have.
_NEEDED = {"X": ("pid", "tid", "ts", "dur"), "i": ("pid", "tid", "ts"), "C": ("pid", "ts")}


def _fault(event: Any) -> str:
    """What makes an event unreadable, or nothing."""
    if not isinstance(event, dict) or not isinstance(event.get("ph"), str):
        return "an event without ph"
    phase = event["ph"]
    for key in _NEEDED.get(phase, ()):
        if not _is_number(event.get(key)):
            return f'an event (ph {phase}) whose "{key}" is not a number'
    if phase in _NEEDED and not isinstance(event.get("name"), str):
        return "an event without name"
    if phase == "X" and event["dur"] < 0:
        return "an event of negative duration"
    if not isinstance(event.get("args", {}), dict):
        return 'an event whose "args" is not an object'
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
