"""The readings of what the paper leaves open, each of which every claim is judged by."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from papers.cave.traces import DESKTOP_GROUP, REFERENCE_GROUP, WHOLE_GROUP
from papers.experiment import Row


@dataclass(frozen=True)
class Reading:
    """What "move those pages to one channel" means (section 4.2), and how the time of collection is
    added up."""

    #: alloc.block-round-robin.mode of the proposed drive. move: a block whose turn comes on another
    #: die moves there at once. sticky: it keeps its die. gather: its next log block lies there, and
    #: its pages meet when they are merged ("we should move those pages to one channel").
    homes: str
    #: makespan: dies collect beside each other, as they write. sum: operations are counted, as in
    #: Figure 2, and each takes its time; only page writes run in parallel (5.2.2: "I/O parallelism
    #: ... is similar or higher. The main reason ... is garbage collection overhead").
    time: str

    @property
    def name(self) -> str:
        return f"{self.homes}, {self.time}"

    def collection_ns(self, row: Row) -> int:
        return row["ftl.gc_time_sum_ns" if self.time == "sum" else "ftl.gc_time_ns"]

    def execution_ns(self, row: Row) -> int:
        return row["ftl.write_time_ns"] + self.collection_ns(row)

    def collection_share(self, row: Row) -> float | None:
        total = self.execution_ns(row)
        return self.collection_ns(row) / total if total else None

    def reduction(self, conventional: Row, proposed: Row) -> float | None:
        """How much less execution time, as a share of the conventional one's."""
        before = self.execution_ns(conventional)
        return 1 - self.execution_ns(proposed) / before if before else None


HOMES = ("move", "sticky", "gather")
READINGS = tuple(Reading(homes, time) for time in ("makespan", "sum") for homes in HOMES)
#: That of Figures 5 to 7, and of a claim's own verdict.
REFERENCE = READINGS[0]


REFERENCE_LOG_BLOCKS = 1024
#: With these all homes are run, too: where the written pages are few, the number matters.
FEW_LOG_BLOCKS = 128


#: Axes along which a claim can be judged. homes, time: of the reading; traces: other groups of
#: them; scope: only those like Table 3's; judge: the claim's other one; refill; log blocks;
#: sysmark: only this trace.
Axes = Collection[str]


@dataclass(frozen=True)
class Sense:
    """All by which a claim is judged. Its parts are also the axes along which senses differ."""

    reading: Reading = REFERENCE
    group: str = REFERENCE_GROUP
    #: Only traces as random as those of Table 3, with more data than the large buffer (fit.py).
    like_table3: bool = False
    #: The claim's other judge, such as differences relative to the hit ratio.
    other_judge: bool = False
    #: What REF evicts when its window has no page of a recently evicted block: the block with most
    #: pages there, or ("lru") the least recent page.
    refill: str = ""
    log_blocks: int = REFERENCE_LOG_BLOCKS

    def name(self, axes: Axes, judge: str) -> str:
        """What differs from the reference; `judge` says what the claim's other judge is."""
        parts = []
        if self.group != REFERENCE_GROUP:
            parts.append(self.group)
        if "time" in axes:
            parts.append(self.reading.name)
        elif "homes" in axes:
            parts.append(self.reading.homes)
        if self.log_blocks != REFERENCE_LOG_BLOCKS:
            parts.append(f"{self.log_blocks} log blocks")
        if self.refill:
            parts.append("REF refills by LRU")
        if self.other_judge:
            parts.append(judge)
        if self.like_table3:
            parts.append("traces like Table 3's")
        return "; ".join(parts)


def senses(axes: Axes, groups: Collection[str]) -> Iterator[Sense]:
    """Every sense along these axes, by group, near ones first; the first is the reference."""
    for group in (REFERENCE_GROUP, WHOLE_GROUP, DESKTOP_GROUP):
        here = group == REFERENCE_GROUP
        if group not in groups or not (here or "traces" in axes):
            continue
        if group == DESKTOP_GROUP and "sysmark" in axes:
            continue
        for like_table3, judge, refill, log_blocks, reading in product(
            _choices((False, True), here and "scope" in axes),
            _choices((False, True), "judge" in axes),
            _choices(("", "lru"), "refill" in axes),
            _log_blocks(axes, group),
            _readings(axes),
        ):
            yield Sense(reading, group, like_table3, judge, refill, log_blocks)


def _choices(values: tuple[Any, ...], vary: bool) -> tuple[Any, ...]:
    return values if vary else values[:1]


def _readings(axes: Axes) -> tuple[Reading, ...]:
    if "homes" not in axes:
        return (REFERENCE,)
    return READINGS if "time" in axes else READINGS[: len(HOMES)]


def _log_blocks(axes: Axes, group: str) -> tuple[int, ...]:
    # SYSMARK alone of the whole stand-ins is run with few.
    if "log blocks" in axes and (group != WHOLE_GROUP or "sysmark" in axes):
        return (REFERENCE_LOG_BLOCKS, FEW_LOG_BLOCKS)
    return (REFERENCE_LOG_BLOCKS,)
