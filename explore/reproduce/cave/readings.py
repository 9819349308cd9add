"""The readings of what the paper leaves open, each of which every claim is judged by."""

from __future__ import annotations

from dataclasses import dataclass

from explore.sweep.table import Row


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
