"""The figures, each drawn from the rows of its CSV file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from papers.experiment import Cell, Figure, Row, Table
from papers.ncq import drawing
from papers.ncq.runs import (
    COMPARED,
    DISPATCHES,
    FACTOR,
    LINK,
    RECORD_KIB,
    REFERENCE_RANGE,
    WORKLOAD_NAMES,
)
from papers.units import kibibytes

#: Names of the reference drive and of those before, in the figures.
REFERENCE_DRIVE = "FlashSim"
#: Ways to count how much is written in a time: by the host's clock, by the time in which commands
#: were outstanding, by the time that the flash needs if nothing waits.
BY_TIME = {"elapsed": "bandwidth_bps", "busy": "busy_bps", "flash": "flash_bps"}


@dataclass(frozen=True)
class Pair:
    """LRU and NCQ-aware LRU under the same conditions, each the mean over its seeds."""

    lru: dict[str, float]
    aware: dict[str, float]

    def gain(self, measure: str) -> float:
        """The gain as a share of what LRU has."""
        before = self.lru[measure]
        return self.aware[measure] / before - 1 if before else 0.0

    @property
    def points(self) -> float:
        """The gain of the hit ratio; 0.01 is one point."""
        return self.aware["hit_ratio"] - self.lru["hit_ratio"]


def measures(row: Row) -> dict[str, float]:
    """Hit ratio; where time was simulated also bandwidth, IOPS and commands outstanding."""
    found = {"hit_ratio": row["buffer.hit_ratio"]}
    if row.get("host.bandwidth_bps"):
        found["bandwidth_bps"] = row["host.bandwidth_bps"]
        found["iops"] = row["host.iops"]
        written = row["host.write.bytes"]
        found["busy_bps"] = written / row["host.busy_ns"] * 1e9
        found["flash_bps"] = written / max(row["ftl.execution_time_ns"], 1) * 1e9
        found["outstanding"] = outstanding(row)
    return found


def outstanding(row: Row) -> float:
    """Commands in host and device by Little's law, those that wait for a tag among them."""
    waiting = sum(
        row[f"host.{op}.count"] * row[f"host.{op}.lat_ns.mean"] for op in ("read", "write")
    )
    count = sum(row[f"host.{op}.count"] for op in ("read", "write"))
    return row["host.iops"] * waiting / count / 1e9 if count else 0.0


def pair(table: Table, names: tuple[str, str] = COMPARED, column: str = "policy") -> Pair:
    return Pair(*(_mean(table.where(**{column: name})) for name in names))


def _mean(table: Table) -> dict[str, float]:
    rows = [measures(row) for row in table]
    if not rows:
        raise LookupError("no runs to compare")
    return {name: fmean(row[name] for row in rows) for name in rows[0]}


#: By workload and buffer size.
Pairs = dict[tuple[str, str], Pair]


def pairs_of(part: Table) -> Pairs:
    return {
        (workload, size): pair(part.where(trace=workload, size=size))
        for workload in WORKLOAD_NAMES
        for size in part.where(trace=workload).values("size")
    }


def in_use(table: Table, **other: object) -> Table:
    """The timed runs on the reference drive, with the fitted values in use or others."""
    fitted = {"factor": FACTOR, "range": REFERENCE_RANGE, "link": LINK}
    return table.where(part="figures", **(fitted | other))


def figures(table: Table) -> Iterator[Figure]:
    columns: tuple[str, ...] = ("workload", "drive", "buffer_kib", "policy")
    for name, what, scale, title in (
        ("figure3", "hit_ratio", 1.0, "Figure 3: hit ratio"),
        ("figure4", "bandwidth_bps", 1e-6, "Figure 4: write bandwidth, MB/s"),
        ("figure5", "iops", 1.0, "Figure 5: IOPS"),
    ):
        yield Figure(
            name, (*columns, what), list(_by_size(table, what, scale)), drawing.by_size(what, title)
        )
    columns = ("workload", "buffer_kib", "points", "relative", *BY_TIME, "outstanding")
    yield Figure("gains", columns, list(_gains(table)), drawing.gains)
    columns = ("fitted", "value", "workload", "buffer_kib", "points", *BY_TIME, "outstanding")
    yield Figure("fitted", columns, list(_fitted(table)), drawing.fitted)
    columns = ("workload", "drive", "range_kib", "buffer_kib", "lru", "aware", "points", "relative")
    yield Figure("ranges", columns, list(_by_range(table)), drawing.ranges)
    columns = ("slowdown", "buffer_kib", "lru", "aware", "points", "outstanding")
    yield Figure("loads", columns, list(_by_load(table)), drawing.loads)
    columns = ("trace", "depth", "dispatch", "hit_ratio", "iops", "mean_ms", "iops_ratio", "points")
    yield Figure("ncq-deep", columns, list(_deep(table)), drawing.deep)


def _by_size(table: Table, what: str, scale: float) -> Iterator[tuple[Cell, ...]]:
    before = table.where(part="before")
    drives = {REFERENCE_DRIVE: in_use(table)}
    drives |= {drive: before.where(drive=drive) for drive in before.values("drive")}
    for drive, part in drives.items():
        for (workload, size), both in pairs_of(part).items():
            for policy in COMPARED:
                value = getattr(both, policy)[what] * scale
                yield workload, drive, kibibytes(size), policy, value


def _gains(table: Table) -> Iterator[tuple[Cell, ...]]:
    for (workload, size), both in pairs_of(in_use(table)).items():
        yield (
            workload,
            kibibytes(size),
            both.points,
            both.gain("hit_ratio"),
            *(both.gain(measure) for measure in BY_TIME.values()),
            both.lru["outstanding"],
        )


def fitted_values(table: Table) -> Iterator[tuple[str, Cell, Pairs]]:
    """Column and value of each fitted value over its range, the others as in use."""
    part = table.where(part="figures")
    for column in ("factor", "range", "link"):
        for value in sorted(part.values(column), key=_order):
            yield column, value, pairs_of(in_use(table, **{column: value}))


def _order(value: str | float) -> float:
    return kibibytes(value) if isinstance(value, str) else value


def _fitted(table: Table) -> Iterator[tuple[Cell, ...]]:
    for column, value, pairs in fitted_values(table):
        for (workload, size), both in pairs.items():
            yield (
                column,
                value,
                workload,
                kibibytes(size),
                both.points,
                *(both.gain(measure) for measure in BY_TIME.values()),
                both.lru["outstanding"],
            )


def range_pairs(table: Table, part: str) -> Iterator[tuple[str, str, str, Pair]]:
    """Workload, range and buffer size with both policies, the queue always full."""
    runs = table.where(part=part)
    for span in runs.values("range"):
        for (workload, size), both in pairs_of(runs.where(range=span)).items():
            yield workload, span, size, both


def _by_range(table: Table) -> Iterator[tuple[Cell, ...]]:
    for drive, part in ((REFERENCE_DRIVE, "full"), ("1×1", "before-full")):
        for workload, span, size, both in range_pairs(table, part):
            if kibibytes(span) > kibibytes(size):
                yield (
                    workload,
                    drive,
                    kibibytes(span),
                    kibibytes(size),
                    both.lru["hit_ratio"],
                    both.aware["hit_ratio"],
                    both.points,
                    both.gain("hit_ratio"),
                )


def load_pairs(table: Table) -> Iterator[tuple[int, str, Pair]]:
    part = table.where(part="before-loads")
    for slowdown in part.values("slowdown"):
        for size in part.values("size"):
            yield slowdown, size, pair(part.where(slowdown=slowdown, size=size))


def _by_load(table: Table) -> Iterator[tuple[Cell, ...]]:
    for slowdown, size, both in load_pairs(table):
        yield (
            slowdown,
            kibibytes(size),
            both.lru["hit_ratio"],
            both.aware["hit_ratio"],
            both.points,
            both.lru["outstanding"],
        )


def _deep(table: Table) -> Iterator[tuple[Cell, ...]]:
    """Each against LRU that takes commands up in turn; depth 0 stands for a trace's own times."""
    part = table.where(part="deep")
    for trace in part.values("trace"):
        for depth in part.where(trace=trace).values("depth"):
            here = part.where(trace=trace, depth=depth)
            plain = here.one(dispatch="in-turn")
            for dispatch in DISPATCHES:
                row = here.one(dispatch=dispatch)
                mean_ms = outstanding(row) / row["host.iops"] * 1e3
                yield (
                    trace,
                    depth,
                    dispatch,
                    row["buffer.hit_ratio"],
                    row["host.iops"],
                    mean_ms,
                    row["host.iops"] / plain["host.iops"],
                    row["buffer.hit_ratio"] - plain["buffer.hit_ratio"],
                )


def queue_kib(workload: str, depth: int) -> int:
    """What the commands before a new one will write: sum of R_i.size in section III."""
    return (depth - 1) * RECORD_KIB[workload]
