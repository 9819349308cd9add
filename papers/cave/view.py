"""The runs as one sense of the claims sees them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from papers.cave.readings import REFERENCE, REFERENCE_LOG_BLOCKS, Axes, Reading, Sense
from papers.cave.runs import COMPARED, LARGE, SMALL
from papers.cave.traces import REFERENCE_GROUP
from papers.experiment import Claim, Row, Table

#: trace, order, buffer
Key = tuple[str, str, str]


def reference(table: Table, reading: Reading = REFERENCE) -> Table:
    """The runs of Figures 5 to 7: the reference's traces and number of log blocks, the homes of a
    reading."""
    drives = table.where(group=REFERENCE_GROUP, part="drives", log_blocks=REFERENCE_LOG_BLOCKS)
    return with_homes(drives, reading.homes)


def with_homes(table: Table, homes: str) -> Table:
    """The runs of the conventional drive, and those of the proposed one with such homes."""
    return Table([row for row in table if row["vary.mode"] in ("", homes)])


def pairs(table: Table) -> Iterator[tuple[Key, Row, Row]]:
    """(trace, order, buffer) with the conventional and the proposed run."""
    for trace in table.values("trace"):
        for order in COMPARED:
            for size in (SMALL, LARGE):
                here = table.where(trace=trace, order=order, size=size)
                yield (
                    (trace, order, size),
                    here.one(drive="conventional"),
                    here.one(drive="proposed"),
                )


def merges_of(row: Row) -> int:
    return sum(row[f"ftl.merges.{kind}"] for kind in ("switch", "partial", "full"))


def copies_of(row: Row) -> int:
    return row["ftl.merge_pages"] + row["ftl.gc_pages"]


@dataclass(frozen=True)
class View:
    """The runs of one sense, of these traces only if any are named."""

    table: Table
    sense: Sense
    only: Collection[str] | None = None

    @property
    def reading(self) -> Reading:
        return self.sense.reading

    @cached_property
    def both(self) -> dict[Key, tuple[Row, Row]]:
        """The conventional and the proposed run of each trace, order and buffer; none if there
        are no runs with such homes and log blocks."""
        drives = self._here("drives").where(log_blocks=self.sense.log_blocks)
        if not drives.where(mode=self.reading.homes).rows:
            return {}
        return {key: (a, b) for key, a, b in pairs(with_homes(drives, self.reading.homes))}

    @cached_property
    def hits(self) -> dict[str, dict[tuple[str, str], float]]:
        """Figure 4: of each trace, the hit ratio by order and buffer."""
        found: dict[str, dict[tuple[str, str], float]] = {}
        for row in self._here("hits"):
            if row["vary.refill"] == (self.sense.refill if row["vary.order"] == "ref" else ""):
                key = row["vary.order"], row["vary.size"]
                found.setdefault(row["trace"], {})[key] = row["buffer.write_hit_ratio"]
        return found

    def _here(self, part: str) -> Table:
        rows = self.table.where(group=self.sense.group, part=part)
        return Table([row for row in rows if self.only is None or row["trace"] in self.only])


@dataclass(frozen=True)
class Question:
    """A claim of the paper: how it is decided by what is seen, and along which axes."""

    decide: Callable[[View], Claim]
    axes: Axes = ()
    #: What the other judge is.
    judge: str = ""
    #: Whether the outcome hangs on the number of log blocks, which the paper does not give.
    log_blocks: bool = False
