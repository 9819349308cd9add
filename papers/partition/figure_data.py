"""The paper's figures, each drawn from the rows of its CSV file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from papers.experiment import Cell, Figure, Row, Table
from papers.partition import drawing, fit
from papers.partition.runs import (
    DIVIDED,
    FASTER_RULE,
    LAYERS,
    PAGE_BYTES,
    POPULARITY,
    QUICK_ENTRIES,
    READ_RULES,
    REFERENCE_ENTRY,
    REFERENCE_RULE,
    REFERENCE_SIZE,
    SPACE_TRACES,
    UNDIVIDED_RULES,
)
from papers.partition.views import Runs, View
from papers.units import time_us

SPARE_BYTES = 64
#: Figure 8 has the traces that are long enough.
LONG = ("pc", "tpcc")


def figures(table: Table) -> Iterator[Figure]:
    runs = Runs(table)
    whole = View(runs)
    yield Figure(
        "table5",
        ("workload", "characteristic", "table5", "played"),
        list(fit.rows(table)),
        drawing.table5,
    )
    columns: tuple[str, ...] = ("trace", "entry", "grows", "mib", "time_s", "normalized")
    yield Figure("figure2", columns, list(_spaces(whole)), drawing.spaces)
    columns = ("trace", "memory_mib", "entry", "kind", "map_share", "time_s", "normalized")
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
        yield Figure(times, columns, list(_times(whole, layer)), drawing.times(times, layer))
        yield Figure(parts, effects, list(_effects(whole, layer)), drawing.effects(parts, layer))
    columns = ("trace", "layer", "kind", "requests", "mb_per_s")
    yield Figure("figure8", columns, list(_throughput(whole)), drawing.throughput)
    columns = ("trace", "entry", "kind", "map_share", "erases")
    for layer, name in zip(LAYERS, ("figure9", "figure10"), strict=True):
        yield Figure(name, columns, list(_erases(whole, layer)), drawing.erases(name, layer))
    columns = ("trace", "layer", "entry", "rule", "requests", "map_share")
    yield Figure("ratio", columns, list(_ratio(whole)), drawing.ratio)
    columns = ("trace", "layer", "kind", "map_share", "time_s", "above_best")
    yield Figure("before", columns, list(_before(View(runs, "before"))), drawing.before)
    columns = ("trace", "layer", "divided", "kind", "map_share", "time_s", "relative")
    yield Figure("divided", columns, list(_divided(View(runs, "full"))), drawing.divided)
    columns = ("trace", "layer", "popularity", "kind", "map_share", "time_s", "above_best")
    yield Figure("popularity", columns, list(_popularity(whole)), drawing.popularity)


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


def best(rows: list[Row]) -> Row:
    return min(rows, key=time_s)


def worst(rows: list[Row]) -> Row:
    return max(rows, key=time_s)


def map_share(row: Row) -> float:
    """The map's share of memory; adaptive: the mean over all tuning periods, as in the paper."""
    if row.get("vary.share") is not None:
        return row["vary.share"] / 100
    return row["ftl.partition.mean_map_ratio"]


def kind(row: Row) -> str:
    return "static" if row.get("vary.share") is not None else f"adaptive, {row['vary.rule']}"


def views(whole: View, layer: str) -> Iterator[View]:
    """By the readings of the paper that change what this layer does."""
    for entry in QUICK_ENTRIES if layer == "dftl" else (REFERENCE_ENTRY,):
        for rule in READ_RULES:
            yield whole.other(entry=entry, rule=rule)


def _spaces(whole: View) -> Iterator[tuple[Cell, ...]]:
    for trace in SPACE_TRACES:
        rows = [
            row
            for entry in QUICK_ENTRIES
            for grows in ("buffer", "map")
            for row in whole.other(entry=entry).spaces(trace, grows)
        ]
        longest = max(map(time_s, rows))
        for row in rows:
            time = time_s(row)
            labels = (row["vary.entry"], row["vary.grows"], row["vary.space"])
            yield trace, *labels, time, time / longest


def _all(whole: View, layer: str, trace: str, size: int) -> Iterator[Row]:
    """Fixed shares of each entry size, and after them what is tuned."""
    entry = None
    for view in views(whole, layer):
        if view.entry != entry:
            entry = view.entry
            yield from view.fixed(trace, layer, size)
        yield view.adapted(trace, layer, size)


def _times(whole: View, layer: str) -> Iterator[tuple[Cell, ...]]:
    for trace, size in whole.cells(layer):
        rows = list(_all(whole, layer, trace, size))
        longest = max(map(time_s, rows)) or 1.0
        for row in rows:
            time = time_s(row)
            yield trace, size, row["vary.entry"], kind(row), map_share(row), time, time / longest


def ratio_of(hits: int, misses: int) -> float | None:
    return hits / (hits + misses) if hits + misses else None


def _effects(whole: View, layer: str) -> Iterator[tuple[Cell, ...]]:
    for trace in whole.at(layer):
        rows = whole.fixed(trace, layer)

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


def _throughput(whole: View) -> Iterator[tuple[Cell, ...]]:
    for trace in LONG:
        for layer in LAYERS:
            rows = whole.fixed(trace, layer)
            shown = {
                f"best, {best(rows)['vary.share']} %": best(rows),
                f"worst, {worst(rows)['vary.share']} %": worst(rows),
            }
            for rule in READ_RULES:
                shown[f"adaptive, {rule}"] = whole.other(rule=rule).adapted(trace, layer)
            for name, row in shown.items():
                for requests, rate in throughput(row):
                    yield trace, layer, name, requests, rate


def _erases(whole: View, layer: str) -> Iterator[tuple[Cell, ...]]:
    for trace in whole.at(layer):
        for row in _all(whole, layer, trace, REFERENCE_SIZE):
            yield trace, row["vary.entry"], kind(row), map_share(row), row["flash.erases"]


def _ratio(whole: View) -> Iterator[tuple[Cell, ...]]:
    for layer in LAYERS:
        for trace in whole.at(layer):
            for view in views(whole, layer):
                row = view.adapted(trace, layer)
                length = row["flash.periods.requests"]
                total = row["ftl.partition.buffer_bytes"] + row["ftl.partition.map_bytes"]
                for index, of_map in enumerate(row["flash.periods.map_bytes"]):
                    at = (index + 1) * length
                    yield trace, layer, view.entry, view.rule, at, of_map / total


def _judged(
    view: View, trace: str, layer: str, rules: tuple[str, ...] = (REFERENCE_RULE,)
) -> Iterator[tuple[Cell, ...]]:
    """Kind, share, time, and how much it is above the best fixed share's."""
    rows = view.fixed(trace, layer)
    least = time_s(best(rows))
    for row in (*rows, *(view.other(rule=rule).adapted(trace, layer) for rule in rules)):
        yield kind(row), map_share(row), time_s(row), time_s(row) / least - 1 if least else 0.0


def _before(view: View) -> Iterator[tuple[Cell, ...]]:
    for layer in LAYERS:
        for trace in view.at(layer):
            for cells in _judged(view, trace, layer, (REFERENCE_RULE, FASTER_RULE)):
                yield trace, layer, *cells


def _divided(full: View) -> Iterator[tuple[Cell, ...]]:
    """Times relative to an equal division, of the whole drive and of the divided one."""
    for layer in LAYERS:
        for trace in full.traces:
            for divided in (1, DIVIDED):
                view = full.other(divided=divided)
                rows = view.fixed(trace, layer)
                half = next(time_s(row) for row in rows if row["vary.share"] == 50)
                rules = (REFERENCE_RULE, *(UNDIVIDED_RULES[:1] if divided != 1 else ()))
                tuned = [view.other(rule=rule).adapted(trace, layer) for rule in rules]
                for row in (*rows, *tuned):
                    labels = (trace, layer, divided, kind(row), map_share(row))
                    yield *labels, time_s(row), time_s(row) / half


def _popularity(whole: View) -> Iterator[tuple[Cell, ...]]:
    for layer in LAYERS:
        for trace in whole.at(layer):
            for value in sorted(POPULARITY[trace]):
                view = whole.other(popularity={trace: value})
                if view.fixed(trace, layer):
                    for cells in _judged(view, trace, layer):
                        yield trace, layer, value, *cells
