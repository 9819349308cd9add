"""The paper's figures, each drawn from the rows of its CSV file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from explore.reproduce.experiment import Cell, Figure, Table
from explore.reproduce.partition import drawing, fit
from explore.reproduce.partition.runs import LAYERS, PACES, PAGE_BYTES
from explore.reproduce.units import time_us
from explore.sweep.table import Row

SPARE_BYTES = 64


def figures(table: Table) -> Iterator[Figure]:
    yield Figure(
        "table5",
        ("workload", "characteristic", "table5", "played"),
        list(fit.rows(table)),
        drawing.table5,
    )
    columns: tuple[str, ...] = ("trace", "grows", "mib", "time_s", "normalized")
    yield Figure("figure2", columns, list(_spaces(table)), drawing.spaces)
    columns = ("trace", "memory_mib", "kind", "map_share", "time_s", "normalized")
    effects = (
        "trace",
        "map_share",
        "buffer_read_hits",
        "buffer_write_hits",
        "map_read_hits",
        "map_write_hits",
        "data_copies",
        "table_copies",
        "flash_reads",
        "flash_writes",
        "merge_time",
    )
    for layer, (times, parts) in zip(
        LAYERS, (("figure4", "figure5"), ("figure6", "figure7")), strict=True
    ):
        yield Figure(times, columns, list(_times(table, layer)), drawing.times(times, layer))
        yield Figure(parts, effects, list(_effects(table, layer)), drawing.effects(parts, layer))
    columns = ("trace", "layer", "kind", "requests", "mb_per_s")
    yield Figure("figure8", columns, list(_throughput(table)), drawing.throughput)
    columns = ("trace", "kind", "map_share", "erases")
    for layer, name in zip(LAYERS, ("figure9", "figure10"), strict=True):
        yield Figure(name, columns, list(_erases(table, layer)), drawing.erases(name, layer))
    columns = ("trace", "layer", "pace", "requests", "map_share")
    yield Figure("ratio", columns, list(_ratio(table)), drawing.ratio)


def operation_times_us(row: Row) -> tuple[float, float, float]:
    """Read, write and erase as in the paper's Table I: with the transfer of the page."""
    cycle = time_us(row["config.nand.bus_cycle"])
    transfer = (PAGE_BYTES + SPARE_BYTES) * cycle
    return (
        time_us(row["config.nand.t_read"]) + transfer,
        time_us(row["config.nand.t_program"]) + transfer,
        time_us(row["config.nand.t_erase"]),
    )


def time_s(row: Row) -> float:
    """The paper's measure: the times of all flash operations added up."""
    counts = (row["flash.reads"], row["flash.programs"], row["flash.erases"])
    return sum(n * t for n, t in zip(counts, operation_times_us(row), strict=True)) / 1e6


def reference_size(table: Table) -> int:
    return max(table.values("size"))


def fixed(table: Table, trace: str, layer: str, size: int) -> list[Row]:
    """The runs with fixed shares, ascending."""
    rows = [
        r
        for r in table.where(trace=trace, layer=layer, size=size)
        if r.get("vary.share") is not None
    ]
    return sorted(rows, key=lambda row: row["vary.share"])


def adapted(table: Table, trace: str, layer: str, size: int, pace: str) -> Row:
    return table.one(trace=trace, layer=layer, size=size, pace=pace)


def best(rows: list[Row]) -> Row:
    return min(rows, key=time_s)


def worst(rows: list[Row]) -> Row:
    return max(rows, key=time_s)


def map_share(row: Row) -> float:
    """Of the memory; adaptive: the mean over all tuning periods, as in the paper."""
    if row.get("vary.share") is not None:
        return row["vary.share"] / 100
    return row["ftl.partition.mean_map_ratio"]


def kind(row: Row) -> str:
    return "static" if row.get("vary.share") is not None else f"adaptive, {row['vary.pace']}"


def cells(table: Table, layer: str) -> Iterator[tuple[str, int]]:
    """Trace and size of memory of Figures 4 to 10."""
    for trace in table.values("trace"):
        for size in table.values("size"):
            if fixed(table, trace, layer, size):
                yield trace, size


def _spaces(table: Table) -> Iterator[tuple[Cell, ...]]:
    for trace in table.values("trace"):
        for grows in table.values("grows"):
            rows = table.where(trace=trace, grows=grows).rows
            longest = max((time_s(row) for row in rows), default=1.0)
            for row in rows:
                yield trace, grows, row["vary.space"], time_s(row), time_s(row) / longest


def _all(table: Table, trace: str, layer: str, size: int) -> list[Row]:
    return [
        *fixed(table, trace, layer, size),
        *(adapted(table, trace, layer, size, pace) for pace in PACES),
    ]


def _times(table: Table, layer: str) -> Iterator[tuple[Cell, ...]]:
    for trace, size in cells(table, layer):
        rows = _all(table, trace, layer, size)
        longest = max(map(time_s, rows)) or 1.0
        for row in rows:
            yield trace, size, kind(row), map_share(row), time_s(row), time_s(row) / longest


def ratio_of(hits: int, misses: int) -> float | None:
    return hits / (hits + misses) if hits + misses else None


def _effects(table: Table, layer: str) -> Iterator[tuple[Cell, ...]]:
    for trace, size in cells(table, layer):
        if size != reference_size(table):
            continue
        rows = fixed(table, trace, layer, size)

        def of_largest(row: Row, value: Any, rows: list[Row] = rows) -> float | None:
            largest = max(map(value, rows))
            return value(row) / largest if largest else None

        for row in rows:
            yield (
                trace,
                map_share(row),
                ratio_of(row["buffer.read_hits"], row["buffer.read_misses"]),
                ratio_of(row["buffer.write_hits"], row["buffer.write_misses"]),
                ratio_of(row["ftl.cmt.read_hits"], row["ftl.cmt.read_misses"]),
                ratio_of(row["ftl.cmt.write_hits"], row["ftl.cmt.write_misses"]),
                of_largest(row, lambda r: r["ftl.cmt.data_copies"]),
                of_largest(row, lambda r: r["ftl.cmt.table_copies"]),
                of_largest(row, lambda r: r["flash.reads"]),
                of_largest(row, lambda r: r["flash.programs"]),
                of_largest(row, merge_time_s),
            )


def merge_time_s(row: Row) -> float:
    read, write, erase = operation_times_us(row)
    return (row["ftl.merge_pages"] * (read + write) + row["flash.erases"] * erase) / 1e6


def throughput(row: Row) -> list[tuple[int, float]]:
    """Requests so far, and MB a second of flash time in the period that ended there."""
    length = row["flash.periods.requests"]
    read, write, erase = operation_times_us(row)
    names = ("host_bytes", "reads", "programs", "erases")
    counts = zip(*(row[f"flash.periods.{name}"] for name in names), strict=True)
    found = []
    for index, (moved, reads, programs, erases) in enumerate(counts):
        spent = reads * read + programs * write + erases * erase
        if spent:
            found.append(((index + 1) * length, moved / spent))
    return found


def _throughput(table: Table) -> Iterator[tuple[Cell, ...]]:
    size = reference_size(table)
    for trace in LONG:
        for layer in LAYERS:
            rows = fixed(table, trace, layer, size)
            if not rows:
                continue
            shown = {
                f"best, {best(rows)['vary.share']} %": best(rows),
                f"worst, {worst(rows)['vary.share']} %": worst(rows),
            }
            shown |= {
                f"adaptive, {pace}": adapted(table, trace, layer, size, pace) for pace in PACES
            }
            for name, row in shown.items():
                for requests, rate in throughput(row):
                    yield trace, layer, name, requests, rate


#: Figure 8 has the traces that are long enough.
LONG = ("pc-fit", "tpcc-fit")


def _erases(table: Table, layer: str) -> Iterator[tuple[Cell, ...]]:
    for trace, size in cells(table, layer):
        if size == reference_size(table):
            for row in _all(table, trace, layer, size):
                yield trace, kind(row), map_share(row), row["flash.erases"]


def _ratio(table: Table) -> Iterator[tuple[Cell, ...]]:
    for layer in LAYERS:
        for trace, size in cells(table, layer):
            if size != reference_size(table):
                continue
            for pace in PACES:
                row = adapted(table, trace, layer, size, pace)
                length = row["flash.periods.requests"]
                total = row["ftl.partition.buffer_bytes"] + row["ftl.partition.map_bytes"]
                for index, of_map in enumerate(row["flash.periods.map_bytes"]):
                    yield trace, layer, pace, (index + 1) * length, of_map / total
