"""Requests of a run, one by one: when each came and was answered, and where its latency went."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple

from cavern.errors import InputError
from cavern.plots.columns import COLUMNS, MAX_DIGITS, PARTS
from cavern.reading.packed import opened

OPS = {"R": "read", "W": "write", "T": "trim", "F": "flush", "Z": "command on a zone"}

#: In the order in which they pass: column, short name, what it is, and why it may be long.
STAGES = (
    (
        "queue_ns",
        "queue",
        "waiting for a tag, and the way of the command to the device",
    ),
    (
        "cpu_ns",
        "processor",
        "waiting for a processor of the controller, and handled by it",
    ),
    (
        "frame_wait_ns",
        "frame",
        "waiting for a free frame of the write buffer",
    ),
    (
        "flash_ns",
        "flash",
        "the flash: its dies, their buses, and the wait for both",
    ),
    (
        "transfer_ns",
        "transfer",
        "the host link and the SDRAM, and the wait for both",
    ),
)


@dataclass(frozen=True)
class Stage:
    name: str
    what: str
    length_ns: int


@dataclass(frozen=True)
class Life:
    """A request, times in ns; the stages add up to its latency."""

    number: int
    op: str
    offset: int
    size: int
    pages: int
    hits: int
    arrival_ns: int
    latency_ns: int
    stages: tuple[Stage, ...]

    @property
    def longest(self) -> Stage:
        return max(self.stages, key=lambda stage: stage.length_ns)

    @property
    def complete_ns(self) -> int:
        return self.arrival_ns + self.latency_ns

    def length_ns(self, name: str) -> int:
        """Of the stage of that short name."""
        return next(stage.length_ns for stage in self.stages if stage.name == name)

    @property
    def at_device_ns(self) -> int:
        """When the device had it: it no longer waits for a tag."""
        return self.arrival_ns + self.length_ns("queue")

    @property
    def started_ns(self) -> int:
        """When the device decided it."""
        return self.at_device_ns + self.length_ns("processor")


def life_of(path: Path, line: int, row: Mapping[str, str]) -> Life:
    """Throws InputError where the stages do not add up to the nanosecond."""
    values = {name: int(row[name]) for name in COLUMNS if name != "op"}
    total = sum(values[name] for name in PARTS)
    if total != values["latency_ns"]:
        what = f"the parts add up to {total} ns, latency_ns is {values['latency_ns']}"
        raise InputError(path, line, what, "expected them to be equal")
    return Life(
        values["id"],
        OPS[row["op"].strip()],
        values["offset"],
        values["size"],
        values["pages"],
        values["hits"],
        values["arrival_ns"],
        values["latency_ns"],
        tuple(Stage(name, what, values[key]) for key, name, what in STAGES),
    )


class Line(NamedTuple):
    """A line of requests.csv, of which only the shape and what chooses lines has been looked at."""

    number: int  # of the line
    id: int
    op: str
    arrival_ns: int
    latency_ns: int
    names: list[str]
    text: str

    def life(self, path: Path) -> Life:
        return life_of(path, self.number, dict(zip(self.names, self.text.split(","), strict=True)))


def lines_of(path: Path) -> Iterator[Line]:
    """All of them, one at a time."""
    right = f"expected the columns {','.join(COLUMNS)}"
    try:
        with opened(path) as packed:
            file = TextIOWrapper(packed, encoding="utf-8", errors="replace", newline="")
            names = file.readline().rstrip("\r\n").split(",")
            if any(names.count(name) != 1 for name in COLUMNS):
                raise InputError(path, 1, "not the header of a table of requests", right)
            fullmatch = re.compile(",".join(map(_shape, names)) + r"\r?\n?", re.ASCII).fullmatch
            for number, text in enumerate(file, 2):
                found = fullmatch(text)
                if found is None:
                    raise InputError(path, number, "not a line of numbers", right)
                one, op, arrival, latency = found.group("id", "op", "arrival_ns", "latency_ns")
                yield Line(number, int(one), op, int(arrival), int(latency), names, text)
    except OSError as error:
        raise InputError(path, 1, f"cannot be read ({error.strerror})", "expected a file") from None


def _shape(name: str) -> str:
    if name not in COLUMNS:
        return "[^,\n]*"
    values = f"[{''.join(OPS)}]" if name == "op" else rf"\d{{1,{MAX_DIGITS}}}"
    return f"(?P<{name}>{values})" if name in Line._fields else values


def lives(path: Path) -> Iterator[Life]:
    """All of them, each checked."""
    for line in lines_of(path):
        yield line.life(path)


def find_life(path: Path, number: int) -> Life:
    last = -1
    for line in lines_of(path):
        last = max(last, line.id)
        if line.id == number:
            return line.life(path)
    right = f"the last is {last}" if last >= 0 else "it has none"
    raise InputError(path, 1, f"no request {number}", f"{right}; those of the warm-up are left out")


def slowest_lives(path: Path, most: int, op: str | None = None) -> list[Life]:
    """Those of the greatest latency (of one kind: "read", "write"), the slowest first; of equal
    ones the first of the file."""
    chosen = (line for line in lines_of(path) if op is None or OPS.get(line.op) == op)
    slowest = heapq.nsmallest(most, chosen, key=lambda line: (-line.latency_ns, line.number))
    if not slowest:
        raise InputError(path, 1, f"no {op or 'request'}", "expected at least one")
    return [line.life(path) for line in slowest]


def lives_during(path: Path, spans: Sequence[tuple[int, int]]) -> list[list[Life]]:
    """For each span of time in ns those under way in it, in the order of their answers."""
    found: list[list[Life]] = [[] for _ in spans]
    first = min(begin for begin, _ in spans)
    for line in lines_of(path):
        complete = line.arrival_ns + line.latency_ns
        if complete < first:
            continue
        life = None
        for place, (begin, end) in enumerate(spans):
            if complete >= begin and line.arrival_ns <= end:
                life = life or line.life(path)
                found[place].append(life)
    for lives_there in found:
        lives_there.sort(key=lambda life: (life.complete_ns, life.number))
    return found
