"""What dies and their buses did in a part of a run, out of the events of timeline.json; in ns."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from cavern.plots.events import Event, is_number, is_place
from cavern.plots.texts import printable

ARRAY = {"tR", "tPROG", "tBERS", "tRST"}
BUS = {"command", "data in", "data out", "reset"}
#: Of a name or origin that a file may hold.
MOST_LETTERS = 32


@dataclass(frozen=True)
class Work:
    """One operation of a die's array, or one phase of its bus. `die` is "channel.way"."""

    begin: float
    end: float
    name: str
    origin: str
    die: str
    requests: tuple[int, ...]

    @property
    def length(self) -> float:
        return self.end - self.begin


class Busy:
    """Work of one kind in order of its begin, found by time."""

    def __init__(self, work: Iterable[Work]) -> None:
        self.work = sorted(work, key=lambda one: (one.begin, one.end))
        self._begins = [one.begin for one in self.work]
        self._ended_by = list(accumulate((one.end for one in self.work), max))

    def within(self, begin: float, end: float) -> list[Work]:
        """What reaches into that time."""
        first = bisect_right(self._ended_by, begin)
        last = bisect_left(self._begins, end)
        return [one for one in self.work[first:last] if one.end > begin]

    def next_after(self, time: float) -> Work | None:
        """What begins then or later."""
        place = bisect_left(self._begins, time)
        return self.work[place] if place < len(self.work) else None


@dataclass
class _Die:
    array: list[Work] = field(default_factory=list)
    bus: list[Work] = field(default_factory=list)
    waits: list[Work] = field(default_factory=list)


class DieWork:
    """Of each die: its array, its phases of the bus, and when it waited for the bus."""

    def __init__(self, events: list[Event], begin: float, end: float) -> None:
        dies: dict[str, _Die] = defaultdict(_Die)
        for one in _read(events):
            if one.begin < end and one.end > begin:
                kind = "array" if one.name in ARRAY else "bus" if one.name in BUS else "waits"
                getattr(dies[one.die], kind).append(one)
        order = sorted(dies, key=lambda die: [int(part) for part in die.split(".")])
        self.array = {die: Busy(dies[die].array) for die in order}
        self.bus = {die: Busy(dies[die].bus) for die in order}
        self.waits = {die: Busy(dies[die].waits) for die in order}
        everything = [one for die in order for one in dies[die].array]
        self._by_end = sorted(everything, key=lambda one: (one.end, one.begin, one.die))
        self._ends = [one.end for one in self._by_end]
        self._of: dict[int, list[Work]] = defaultdict(list)
        for one in sorted(everything, key=lambda one: (one.begin, one.die)):
            for request in one.requests:
                if isinstance(request, int):
                    self._of[request].append(one)

    @property
    def dies(self) -> list[str]:
        return list(self.array)

    def of(self, request: int) -> list[Work]:
        """What arrays did for the request, in order of time."""
        return self._of.get(request, [])

    def last_program(self, begin: float, end: float) -> Work | None:
        """The page of the buffer whose program ended last in that time; of equal ones the last."""
        for place in range(bisect_right(self._ends, end + ROUNDING) - 1, -1, -1):
            one = self._by_end[place]
            if one.end < begin:
                return None
            if one.name == "tPROG" and one.origin == "host":
                return one
        return None


#: Times of requests.csv are whole nanoseconds.
ROUNDING = 1.0


def _read(events: list[Event]) -> Iterator[Work]:
    for event in events:
        args = event.get("args", {})
        if event["ph"] == "X" and event["name"] in ARRAY:
            channel, way = args.get("channel"), args.get("way")
        elif (event["ph"] == "X" and event["name"] in BUS) or (
            event["ph"] == "i" and event["name"] == "grant"
        ):
            channel, way = event["tid"], args.get("way")
        else:
            continue
        if not (is_place(channel) and is_place(way)):
            continue
        begin = event["ts"] * 1e3
        end = begin + event.get("dur", 0) * 1e3
        if event["name"] == "grant":
            waited = args.get("waited_ns")
            begin, end = begin - (waited if is_number(waited) else 0), begin
        requests = args.get("requests")
        numbers = requests if isinstance(requests, list) else []
        origin = printable(str(args.get("origin", "host"))[:MOST_LETTERS])
        yield Work(begin, end, event["name"], origin, f"{channel}.{way}", tuple(numbers))
