"""One figure: what CAVE does to execution time, to the slowest writes and to sequential reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from cavern.figures import BLUE, GREEN, MUTED, VERMILLION, titled
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from papers.cave.runs import COMPARED
from papers.cave_limits.runs import PAPER, READS, WRITES
from papers.drawing import distinct, legend, where
from papers.experiment import Cell, Claim, Figure, Row, Table

COLUMNS = (
    "shape",
    "buffer",
    "order",
    "execution_ratio",
    "write_mean_ratio",
    "write_p99_9_ratio",
    "conventional_p99_9_ms",
    "proposed_p99_9_ms",
    "read_mean_ratio",
)
MEASURES = {
    "execution_ratio": "execution time",
    "write_p99_9_ratio": "p99.9 of write latency",
    "read_mean_ratio": "sequential read, mean latency",
}


def _ratio(conventional: Row, proposed: Row, field: str) -> float | None:
    return proposed[field] / conventional[field] if conventional[field] else None


def _rows(table: Table) -> Iterator[tuple[Cell, ...]]:
    for shape in table.values("shape"):
        reads = table.where(trace=READS.label, shape=shape)
        read = _ratio(
            reads.one(drive="conventional"), reads.one(drive="proposed"), "host.read.lat_ns.mean"
        )
        for size in table.values("size"):
            for order in COMPARED:
                here = table.where(trace=WRITES.label, shape=shape, size=size, order=order)
                both = here.one(drive="conventional"), here.one(drive="proposed")
                slow = [row["host.write.lat_ns.p99_9"] / 1e6 for row in both]
                yield (
                    shape,
                    size,
                    order,
                    _ratio(*both, "ftl.execution_time_ns"),
                    _ratio(*both, "host.write.lat_ns.mean"),
                    _ratio(*both, "host.write.lat_ns.p99_9"),
                    *slow,
                    read,
                )


def figures(table: Table) -> Iterator[Figure]:
    yield Figure("cave-limits", COLUMNS, list(_rows(table)), draw)


def draw(records: list[dict[str, Any]]) -> Drawing:
    figure = titled(
        6.2,
        "CAVE against the conventional drive",
        "mysql at its own times, 4 GiB drives; below the line CAVE is ahead",
    )
    panels = figure.subplots(3, 1, sharex=True)
    shapes, sizes = distinct(records, "shape"), distinct(records, "buffer")
    colors = dict(zip(sizes, (VERMILLION, GREEN, BLUE) if len(sizes) > 1 else (BLUE,), strict=True))
    marks = dict(zip(COMPARED, (("o", "-"), ("^", (0, (4, 1.2)))), strict=True))
    for axes, (column, name) in zip(panels, MEASURES.items(), strict=True):
        for size, (order, (marker, dash)) in product(sizes, marks.items()):
            heights = [record[column] for record in where(records, buffer=size, order=order)]
            if column == "read_mean_ratio":  # the same with every buffer and order
                axes.plot(range(len(shapes)), heights, "s-", color=MUTED, ms=4, lw=1.3)
                break
            look = {"marker": marker, "ls": dash, "color": colors[size], "ms": 4, "lw": 1.3}
            axes.plot(range(len(shapes)), heights, **look, label=f"{order}, {size}")
        axes.axhline(1, color=MUTED, lw=0.9)
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_title(f"{name}: CAVE / conventional")
    panels[-1].set_xticks(range(len(shapes)), shapes)
    panels[-1].set_xlabel("channels × ways")
    legend(figure, panels[:1], 2)
    return figure


def claims(table: Table) -> Iterator[Claim]:
    records: list[dict[str, Any]] = [dict(zip(COLUMNS, row, strict=True)) for row in _rows(table)]

    def text(record: dict[str, Any], column: str) -> str:
        name = f"{record['shape']} {record['buffer']} {record['order']}"
        return f"{name} ({record[column]:.2f}×)"

    slower = [record for record in records if record["write_p99_9_ratio"] > 1]
    yield Claim(
        PAPER,
        "4.2",
        "a request that meets a full buffer waits until all victims "
        "are written: the slowest writes get slower (p99.9)",
        "a disadvantage",
        f"slower in {len(slower)} of {len(records)} cases",
        len(slower) == len(records),
        "not for " + ", ".join(text(r, "write_p99_9_ratio") for r in records if r not in slower)
        if len(slower) < len(records)
        else "",
        decided_by="cave-limits",
    )
    largest = max(records, key=lambda record: record["read_mean_ratio"])
    yield Claim(
        PAPER,
        "4.2",
        "sequential reads lose the parallelism of striping",
        "a drawback",
        f"mean latency up to {largest['read_mean_ratio']:.2f}× at {largest['shape']}",
        largest["read_mean_ratio"] > 1,
        decided_by="cave-limits",
    )
    worth = [
        record
        for record in records
        if record["execution_ratio"] and 1 / record["execution_ratio"] > record["read_mean_ratio"]
    ]
    yield Claim(
        PAPER,
        "4.2",
        "writes gain much more than reads lose",
        "much more",
        f"in {len(worth)} of {len(records)} cases",
        len(worth) == len(records),
        "execution time divided by more than sequential reads are slowed down",
        decided_by="cave-limits",
    )
    ahead = [record for record in records if record["execution_ratio"] < 1]
    both = [record for record in ahead if record["write_p99_9_ratio"] <= 1]
    yield Claim(
        PAPER,
        "beyond the paper",
        "a shorter execution time comes with a shorter p99.9 of writes",
        "not looked at",
        f"in {len(both)} of the {len(ahead)} cases in which it is shorter",
        len(both) == len(ahead),
        kind="addition",
        decided_by="cave-limits",
    )
