"""The paper's figures, each drawn from the rows of its CSV file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from papers.cave import drawing, fit
from papers.cave.readings import (
    FEW_LOG_BLOCKS,
    HOMES,
    READINGS,
    REFERENCE,
    REFERENCE_LOG_BLOCKS,
    Reading,
    Sense,
)
from papers.cave.runs import DRIVES, ORDERS
from papers.cave.traces import (
    ASSUMED,
    DESKTOP_GROUP,
    REFERENCE_GROUP,
    SYSMARK,
    VARIED_HOMES,
    WHOLE_GROUP,
)
from papers.cave.view import View, copies_of, merges_of, pairs, reference, with_homes
from papers.experiment import Cell, Figure, Table
from papers.units import kibibytes

GROUPS = (REFERENCE_GROUP, WHOLE_GROUP, DESKTOP_GROUP)


def figures(table: Table) -> Iterator[Figure]:
    yield Figure(
        "table3",
        ("workload", "characteristic", "table3", "played"),
        list(fit.rows(table)),
        drawing.table3,
    )
    columns: tuple[str, ...] = ("trace", "group", "random", "written_mib", "like_table3")
    yield Figure("traces", columns, list(fit.scope(table)), drawing.scope)
    yield Figure(
        "figure2-example",
        ("scheme", "what", "copies", "erases"),
        list(_example(table)),
        drawing.example,
    )
    columns = (
        "trace",
        "order",
        "buffer",
        "drive",
        "merges",
        "copies_per_merge",
        "erases_per_merge",
    )
    yield Figure("figure2-traces", columns, list(_merges(table)), drawing.merges)
    columns = ("trace", "order", "buffer_kib", "write_hit_ratio")
    yield Figure("figure4", columns, list(_hits_by_size(table)), drawing.hits_by_size)
    # The reference's reading and traces; and whole stand-ins and desktop traces, gathered.
    gather = Reading("gather", REFERENCE.time)
    for name, of, views in (
        ("", "", [View(table, Sense())]),
        ("-whole", ", gather", [View(table, Sense(gather, group)) for group in GROUPS[1:]]),
    ):
        columns = ("trace", "order", "buffer", "drive", "write_hit_ratio")
        yield Figure(f"figure5{name}", columns, list(_hits(views)), partial(drawing.hits, of=of))
        columns = ("trace", "order", "buffer", "drive", "write_s", "collection_s", "execution_s")
        yield Figure(f"figure6{name}", columns, list(_times(views)), partial(drawing.times, of=of))
        columns = ("trace", "order", "buffer", "drive", "collection_share")
        yield Figure(
            f"figure7{name}", columns, list(_shares(views)), partial(drawing.shares, of=of)
        )
    columns = ("trace", "order", "buffer", "log_blocks", "reduction")
    yield Figure("log-blocks", columns, list(_by_log_blocks(table)), drawing.by_log_blocks)
    columns = ("trace", "order", "buffer", "mode", "execution_s", "reduction")
    yield Figure("homes", columns, list(_by_mode(table)), drawing.by_mode)
    columns = ("trace", "order", "buffer", "reading", "conventional_s", "proposed_s", "reduction")
    for name, number in (("readings", REFERENCE_LOG_BLOCKS), ("few-log-blocks", FEW_LOG_BLOCKS)):
        rows = list(_by_reading(table, number))
        yield Figure(name, columns, rows, drawing.by_reading)
    columns = ("assumed", "order", "buffer", "time", "hits_lost", "reduction")
    yield Figure("assumed", columns, list(_by_assumption(table)), drawing.by_assumption)


def _example(table: Table) -> Iterator[tuple[Cell, ...]]:
    for row in table.where(part="example"):
        yield (row["vary.drive"], row["trace"], copies_of(row), row["ftl.erases"])


def _merges(table: Table) -> Iterator[tuple[Cell, ...]]:
    for key, *both in pairs(reference(table)):
        for drive, row in zip(DRIVES, both, strict=True):
            count = merges_of(row)
            yield (
                *key,
                drive,
                count,
                row["ftl.merge_pages"] / count if count else None,
                row["ftl.erases"] / count if count else None,
            )


def _hits_by_size(table: Table) -> Iterator[tuple[Cell, ...]]:
    """All traces but those that were varied. ref-lru: REF that refills its window by LRU."""
    hits = Table([row for row in table.where(part="hits") if row["vary.group"] in GROUPS])
    for trace in hits.values("trace"):
        for order, refill in (*((order, "") for order in ORDERS), ("ref", "lru")):
            for row in hits.where(trace=trace, order=order, refill=refill):
                name = f"{order}-{refill}" if refill else order
                yield trace, name, kibibytes(row["vary.size"]), row["buffer.write_hit_ratio"]


def _hits(views: list[View]) -> Iterator[tuple[Cell, ...]]:
    for view in views:
        for key, both in view.both.items():
            for drive, row in zip(DRIVES, both, strict=True):
                yield (*key, drive, row["buffer.write_hit_ratio"])


def _times(views: list[View]) -> Iterator[tuple[Cell, ...]]:
    for view in views:
        for key, both in view.both.items():
            for drive, row in zip(DRIVES, both, strict=True):
                yield (
                    *key,
                    drive,
                    row["ftl.write_time_ns"] / 1e9,
                    row["ftl.gc_time_ns"] / 1e9,
                    row["ftl.execution_time_ns"] / 1e9,
                )


def _shares(views: list[View]) -> Iterator[tuple[Cell, ...]]:
    for view in views:
        for key, both in view.both.items():
            for drive, row in zip(DRIVES, both, strict=True):
                yield (*key, drive, view.reading.collection_share(row))


def _by_log_blocks(table: Table) -> Iterator[tuple[Cell, ...]]:
    drives = table.where(group=REFERENCE_GROUP, part="drives")
    for log_blocks in drives.values("log_blocks"):
        here = with_homes(drives.where(log_blocks=log_blocks), REFERENCE.homes)
        for key, conventional, proposed in pairs(here):
            yield (*key, log_blocks, REFERENCE.reduction(conventional, proposed))


def _by_mode(table: Table) -> Iterator[tuple[Cell, ...]]:
    for homes in HOMES:
        reading = Reading(homes, REFERENCE.time)
        for key, conventional, proposed in pairs(reference(table, reading)):
            time = reading.execution_ns(proposed) / 1e9
            yield (*key, homes, time, reading.reduction(conventional, proposed))


def _by_reading(table: Table, log_blocks: int) -> Iterator[tuple[Cell, ...]]:
    for reading in READINGS:
        for group in GROUPS:
            rows = table.where(group=group, part="drives", log_blocks=log_blocks)
            # With few log blocks a quick plan has the reference's homes only.
            if not any(row["vary.mode"] == reading.homes for row in rows):
                continue
            for key, *both in pairs(with_homes(rows, reading.homes)):
                times = (reading.execution_ns(row) / 1e9 for row in both)
                yield (*key, reading.name, *times, reading.reduction(*both))


def _by_assumption(table: Table) -> Iterator[tuple[Cell, ...]]:
    """On the stand-in for SYSMARK: the value in use first, then what was varied."""
    varied = [value for values in ASSUMED.values() for value in values[1:]]
    lengths = {row["vary.group"] for row in table if row["vary.group"].endswith(" requests")}
    for group in dict.fromkeys((WHOLE_GROUP, *varied, *sorted(lengths))):
        for time in ("makespan", "sum"):
            reading = Reading(VARIED_HOMES, time)
            view = View(table, Sense(reading, group), {SYSMARK})
            for (_, order, size), both in view.both.items():
                a, b = (row["buffer.write_hit_ratio"] for row in both)
                value = "in use" if group == WHOLE_GROUP else group
                yield value, order, size, time, a - b, reading.reduction(*both)
