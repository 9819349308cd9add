"""The requests of a long run in memory that does not grow with them.

What figures ask of requests is a count, a sum or a percentile. Sums and counts are exact. Latencies
are counted in classes of 1/1,024 of their size, so that a percentile is off by 1/2,048 at most.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from cavern.plots.requests_csv import (
    COLUMNS,
    PARTS,
    READ,
    WRITE,
    Block,
    FloatArray,
    IntArray,
    Requests,
    nearest_rank,
)
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cavern.plots.windows import Windows

#: Classes of one power of two.
CLASSES_BITS = 10
SUMMED = ("size", "pages", "hits")
#: So many are kept in memory as they are, and every figure is exact.
MOST_IN_MEMORY = 1_000_000
#: The slowest requests of which every column is kept.
SLOWEST = 1000
#: Trims, flushes and commands on zones together.
OTHER = -1
OPS = (READ, WRITE, OTHER)


def class_of(latency: IntArray) -> IntArray:
    """Below 2,048 a class each; above, 1,024 for each power of two."""
    exponent = np.frexp(latency.astype(np.float64))[1].astype(np.int64) - (CLASSES_BITS + 1)
    exponent = np.maximum(exponent, 0)
    return (exponent << CLASSES_BITS) + (latency >> exponent)


def middle_of(classes: IntArray) -> IntArray:
    """The middle of each class, in ns."""
    exponent = np.maximum((classes >> CLASSES_BITS) - 1, 0)
    low = (classes - (exponent << CLASSES_BITS)) << exponent
    return low + ((1 << exponent) >> 1)


class Counted:
    """How often each key occurred, and sums over the requests that had it; keys are sorted."""

    def __init__(self, sums: int = 0) -> None:
        self.keys: IntArray = np.empty(0, np.int64)
        self.counts: IntArray = np.empty(0, np.int64)
        self.sums: FloatArray = np.zeros((sums, 0))

    def add(self, keys: IntArray, sums: Sequence[IntArray] = ()) -> None:
        one = Counted(len(sums))
        one.keys, inverse = np.unique(keys, return_inverse=True)
        one.counts = np.bincount(inverse, minlength=len(one.keys))
        one.sums = np.array(
            [np.bincount(inverse, row, len(one.keys)) for row in sums], dtype=np.float64
        ).reshape(len(sums), len(one.keys))
        self.merge(one)

    def merge(self, other: Counted) -> None:
        keys = np.union1d(self.keys, other.keys)
        counts, sums = np.zeros(len(keys), np.int64), np.zeros((len(self.sums), len(keys)))
        for one in (self, other):
            places = np.searchsorted(keys, one.keys)
            counts[places] += one.counts
            sums[:, places] += one.sums
        self.keys, self.counts, self.sums = keys, counts, sums


@dataclass(frozen=True)
class _InWindows:
    """Sums and latencies of one kind of request in each window."""

    counts: IntArray
    sums: dict[str, FloatArray]
    latencies: Counted  # of window and class


class _Counts:
    """What one reading of the file, and another for windows, says of the requests."""

    def __init__(self, blocks: Callable[[], Iterable[Block]]) -> None:
        self._blocks = blocks
        self.length = 0
        self.first, self.last = int(np.iinfo(np.int64).max), 0
        self.latencies = {op: Counted(len(PARTS)) for op in OPS}
        self.slowest: list[tuple[int, int, tuple[int, ...]]] = []
        self._windows: dict[Windows, dict[int, _InWindows]] = {}

    def add(self, block: Block) -> None:
        self.first = min(self.first, int(block["arrival_ns"].min()))
        self.last = max(self.last, int(block["complete_ns"].max()))
        latency = block["latency_ns"]
        for op, chosen in _by_op(block):
            parts = [block[part][chosen] for part in PARTS]
            self.latencies[op].add(class_of(latency[chosen]), parts)
        # Of equal ones the first.
        order = np.lexsort((np.arange(len(latency)), -latency))[:SLOWEST]
        rows = [
            (int(latency[i]), -(self.length + int(i)), tuple(int(block[n][i]) for n in COLUMNS))
            for i in order
        ]
        self.slowest = heapq.nlargest(SLOWEST, [*self.slowest, *rows])
        self.length += len(latency)

    def in_windows(self, windows: Windows) -> dict[int, _InWindows]:
        """Reads the file again, once for each choice of windows."""
        if windows not in self._windows:
            found = {
                op: _InWindows(
                    np.zeros(windows.count, np.int64),
                    {name: np.zeros(windows.count) for name in SUMMED},
                    Counted(),
                )
                for op in OPS
            }
            for block in self._blocks():
                index = windows.index(block["complete_ns"])
                for op, chosen in _by_op(block):
                    one, place = found[op], index[chosen]
                    one.counts[:] += np.bincount(place, minlength=windows.count)
                    for name, row in one.sums.items():
                        row += np.bincount(place, block[name][chosen], windows.count)
                    one.latencies.add((place << 32) + class_of(block["latency_ns"][chosen]))
            self._windows = {windows: found}
        return self._windows[windows]


def _by_op(block: Block) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """The kinds that occur in a block, and where."""
    for op in OPS:
        chosen = block["op"] > WRITE if op == OTHER else block["op"] == op
        if chosen.any():
            yield op, chosen


class Digest:
    """What `Requests` is of fewer: all of them, or those of one kind."""

    def __init__(self, counts: _Counts, ops: tuple[int, ...] = OPS) -> None:
        self._counts = counts
        self._ops = ops

    def __len__(self) -> int:
        return sum(int(self._counts.latencies[op].counts.sum()) for op in self._ops)

    def of(self, op: int) -> Digest:
        return Digest(self._counts, (op,))

    @property
    def kinds(self) -> list[int]:
        return [op for op in (READ, WRITE) if op in self._ops and len(self.of(op))]

    @property
    def span(self) -> tuple[int, int]:
        return self._counts.first, self._counts.last

    def _latencies(self) -> Counted:
        if len(self._ops) == 1:
            return self._counts.latencies[self._ops[0]]
        together = Counted(len(PARTS))
        for op in self._ops:
            together.merge(self._counts.latencies[op])
        return together

    def latency_counts(self) -> tuple[IntArray, IntArray]:
        counted = self._latencies()
        return middle_of(counted.keys), counted.counts

    def mean_parts(self) -> dict[str, float]:
        return self.parts_between(0, len(self))

    def parts_between(self, first: int, last: int) -> dict[str, float]:
        """A class that lies between by a share counts by that share."""
        counted = self._latencies()
        ends = np.cumsum(counted.counts)
        inside = np.minimum(ends, last) - np.maximum(ends - counted.counts, first)
        sums = counted.sums @ (np.maximum(inside, 0) / counted.counts)
        return {part: float(row) / (last - first) for part, row in zip(PARTS, sums, strict=True)}

    def slowest(self, most: int) -> list[dict[str, int]]:
        """Of all kinds, SLOWEST at most."""
        rows = sorted(self._counts.slowest, key=lambda row: (-row[0], -row[1]))[:most]
        return [dict(zip(COLUMNS, row, strict=True)) for _, _, row in rows]

    def window_sums(self, windows: Windows, column: str) -> FloatArray:
        found = self._counts.in_windows(windows)
        total: FloatArray = np.sum([found[op].sums[column] for op in self._ops], axis=0)
        return total

    def window_counts(self, windows: Windows) -> IntArray:
        found = self._counts.in_windows(windows)
        total: IntArray = np.sum([found[op].counts for op in self._ops], axis=0)
        return total

    def window_percentiles(self, windows: Windows, shares: list[float]) -> FloatArray:
        found = self._counts.in_windows(windows)
        counted = Counted()
        for op in self._ops:
            counted.merge(found[op].latencies)
        middles = middle_of(counted.keys & 0xFFFFFFFF)
        ends = np.cumsum(counted.counts)
        borders = np.searchsorted(counted.keys >> 32, np.arange(windows.count + 1)).tolist()
        result = np.full((len(shares), windows.count), np.nan)
        for window in range(windows.count):
            begin, end = borders[window], borders[window + 1]
            if begin == end:
                continue
            before = int(ends[begin - 1]) if begin else 0
            ranks = [nearest_rank(share, int(ends[end - 1]) - before) for share in shares]
            places = np.searchsorted(ends[begin:end], before + np.array(ranks), side="right")
            result[:, window] = middles[begin + places]
        return result


AnyRequests = Requests | Digest


def digest_or_all(blocks: Callable[[], Iterable[Block]], most: int = MOST_IN_MEMORY) -> AnyRequests:
    """The requests themselves where there are few, else their digest. `blocks` reads them from the
    beginning."""
    kept: list[Block] = []
    held = 0
    begun = iter(blocks())
    for block in begun:
        kept.append(block)
        held += len(block["op"])
        if held > most:
            break
    else:
        none = {name: np.empty(0, np.int64) for name in COLUMNS}
        return Requests(
            {name: np.concatenate([block[name] for block in kept or [none]]) for name in COLUMNS}
        )
    counts = _Counts(blocks)
    while kept:
        counts.add(kept.pop(0))
    for block in begun:
        counts.add(block)
    return Digest(counts)
