"""The paper's figures, each drawn from the rows of its CSV file."""

from __future__ import annotations

from collections.abc import Iterator

from explore.reproduce.cave import drawing, fit
from explore.reproduce.cave.readings import HOMES, READINGS, REFERENCE, Reading
from explore.reproduce.cave.runs import (
    COMPARED,
    DRIVES,
    LARGE,
    ORDERS,
    REFERENCE_LOG_BLOCKS,
    SMALL,
)
from explore.reproduce.experiment import Cell, Figure, Table
from explore.reproduce.units import kibibytes
from explore.sweep.table import Row


def figures(table: Table) -> Iterator[Figure]:
    yield Figure(
        "table3",
        ("workload", "characteristic", "table3", "played"),
        list(fit.rows(table)),
        drawing.table3,
    )
    yield Figure(
        "figure2-example",
        ("scheme", "what", "copies", "erases"),
        list(_example(table)),
        drawing.example,
    )
    columns: tuple[str, ...] = (
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
    columns = ("trace", "order", "buffer", "drive", "write_hit_ratio")
    yield Figure("figure5", columns, list(_hits(table)), drawing.hits)
    columns = ("trace", "order", "buffer", "drive", "write_s", "collection_s", "execution_s")
    yield Figure("figure6", columns, list(_times(table)), drawing.times)
    columns = ("trace", "order", "buffer", "drive", "collection_share")
    yield Figure("figure7", columns, list(_shares(table)), drawing.shares)
    columns = ("trace", "order", "buffer", "log_blocks", "reduction")
    yield Figure("log-blocks", columns, list(_by_log_blocks(table)), drawing.by_log_blocks)
    columns = ("trace", "order", "buffer", "mode", "execution_s", "reduction")
    yield Figure("homes", columns, list(_by_mode(table)), drawing.by_mode)
    columns = ("trace", "order", "buffer", "reading", "conventional_s", "proposed_s", "reduction")
    yield Figure("readings", columns, list(_by_reading(table)), drawing.by_reading)


def reference(table: Table, reading: Reading = REFERENCE) -> Table:
    """The runs of Figures 5 to 7: the reference number of log blocks, the homes of a reading."""
    return with_homes(table.where(part="drives", log_blocks=REFERENCE_LOG_BLOCKS), reading.homes)


def with_homes(table: Table, homes: str) -> Table:
    """The runs of the conventional drive, and those of the proposed one with such homes."""
    return Table([row for row in table if row["vary.mode"] in ("", homes)])


def pairs(table: Table) -> Iterator[tuple[tuple[str, str, str], Row, Row]]:
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
    hits = table.where(part="hits")
    for trace in hits.values("trace"):
        for order in ORDERS:
            for row in hits.where(trace=trace, order=order):
                yield trace, order, kibibytes(row["vary.size"]), row["buffer.write_hit_ratio"]


def _hits(table: Table) -> Iterator[tuple[Cell, ...]]:
    for key, *both in pairs(reference(table)):
        for drive, row in zip(DRIVES, both, strict=True):
            yield (*key, drive, row["buffer.write_hit_ratio"])


def _times(table: Table) -> Iterator[tuple[Cell, ...]]:
    for key, *both in pairs(reference(table)):
        for drive, row in zip(DRIVES, both, strict=True):
            yield (
                *key,
                drive,
                row["ftl.write_time_ns"] / 1e9,
                row["ftl.gc_time_ns"] / 1e9,
                row["ftl.execution_time_ns"] / 1e9,
            )


def _shares(table: Table) -> Iterator[tuple[Cell, ...]]:
    for key, *both in pairs(reference(table)):
        for drive, row in zip(DRIVES, both, strict=True):
            yield (*key, drive, REFERENCE.collection_share(row))


def _by_log_blocks(table: Table) -> Iterator[tuple[Cell, ...]]:
    drives = table.where(part="drives")
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


def _by_reading(table: Table) -> Iterator[tuple[Cell, ...]]:
    for reading in READINGS:
        for key, *both in pairs(reference(table, reading)):
            times = (reading.execution_ns(row) / 1e9 for row in both)
            yield (*key, reading.name, *times, reading.reduction(*both))
