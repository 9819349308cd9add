"""Requests of a run, one by one: when each came and was answered, and where its latency went."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cavern.errors import InputError
from cavern.plots.requests_csv import OP_NAMES, Block, read_blocks

#: In the order in which they pass: column, short name, what it is, and why it may be long.
STAGES = (
    ("queue_ns", "queue", "waiting for a tag, and the way of the command to the device"),
    ("cpu_ns", "processor", "waiting for a processor of the controller, and handled by it"),
    ("frame_wait_ns", "frame", "waiting for a free frame of the write buffer"),
    ("flash_ns", "flash", "the flash: its dies, their buses, and the wait for both"),
    ("transfer_ns", "transfer", "the host link and the SDRAM, and the wait for both"),
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


def _lives(block: Block, places: Iterable[int]) -> Iterator[Life]:
    """The requests at those places of a block, in their order."""
    for place in places:
        row = {name: int(values[place]) for name, values in block.items()}
        yield Life(
            row["id"],
            OP_NAMES[row["op"]],
            row["offset"],
            row["size"],
            row["pages"],
            row["hits"],
            row["arrival_ns"],
            row["latency_ns"],
            tuple(Stage(name, what, row[key]) for key, name, what in STAGES),
        )


def find_life(path: Path, number: int) -> Life:
    last = -1
    for block in read_blocks(path):
        found = np.flatnonzero(block["id"] == number)
        for life in _lives(block, found[:1]):
            return life
        last = max(last, int(block["id"].max()))
    right = f"the last is {last}" if last >= 0 else "it has none"
    raise InputError(path, 1, f"no request {number}", f"{right}; those of the warm-up are left out")


def slowest_lives(path: Path, most: int, op: str | None = None) -> list[Life]:
    """Those of the greatest latency (of one kind: "read", "write"), the slowest first; of equal
    ones the first of the file."""
    ops = [one for one, name in OP_NAMES.items() if op in (None, name)]
    slowest: list[Life] = []
    for block in read_blocks(path):
        chosen = np.flatnonzero(np.isin(block["op"], ops))
        order = np.argsort(-block["latency_ns"][chosen], kind="stable")[:most]
        both = [*slowest, *_lives(block, chosen[order])]
        slowest = heapq.nsmallest(most, both, key=lambda life: -life.latency_ns)
    if not slowest:
        raise InputError(path, 1, f"no {op or 'request'}", "expected at least one")
    return slowest


def lives_during(path: Path, spans: Sequence[tuple[int, int]]) -> list[list[Life]]:
    """For each span of time in ns those under way in it, in the order of their answers."""
    found: list[list[Life]] = [[] for _ in spans]
    for block in read_blocks(path):
        arrival = block["arrival_ns"]
        complete = arrival + block["latency_ns"]
        for lives, (begin, end) in zip(found, spans, strict=True):
            lives += _lives(block, np.flatnonzero((complete >= begin) & (arrival <= end)))
    for lives in found:
        lives.sort(key=lambda life: (life.complete_ns, life.number))
    return found
