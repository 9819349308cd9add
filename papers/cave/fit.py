"""How well the synthetic workloads fit the paper's Table 3, and which traces are like those of it:
both are counted from what is played."""

from __future__ import annotations

import csv
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cavern import SimulatorError

from papers.cave.runs import LARGE
from papers.cave.traces import Played, played_traces
from papers.experiment import Cell, Input, Table
from papers.units import size_bytes


@dataclass(frozen=True)
class Characteristics:
    """What Table 3 says of a trace: share of random requests, mean request, storage, and what was
    written (its number of writes counts pages of 2 KB)."""

    random: float
    mean_kb: float
    storage_gb: float
    written_gb: float


#: Table 3; KB are taken as 1024 bytes, GB as 10^9.
TABLE_3 = {
    "oltp": Characteristics(0.987, 5.3, 12.5, 11_639_536 * 2048 / 1e9),
    "general": Characteristics(0.690, 24.9, 32.0, 7_933_879 * 2048 / 1e9),
    "sysmark": Characteristics(0.470, 47.1, 32.0, 2_131_747 * 2048 / 1e9),
}
#: A trace is as random as those of Table 3 within a point of their range.
RANGE = (
    min(trace.random for trace in TABLE_3.values()) - 0.01,
    max(trace.random for trace in TABLE_3.values()) + 0.01,
)


def rows(table: Table) -> Iterator[tuple[Cell, ...]]:
    """(workload, characteristic, Table 3, what was played) of each stand-in."""
    for name, (played, ours) in _counted(table).items():
        wanted = TABLE_3.get(name.split("-")[0])
        if played.input.kind == "workload" and wanted:
            for field in ("random", "mean_kb", "storage_gb", "written_gb"):
                yield name, field, getattr(wanted, field), getattr(ours, field)


def scope(table: Table) -> Iterator[tuple[Cell, ...]]:
    """(trace, group, random, written MiB, whether it is like those of Table 3)."""
    for name, (played, ours) in _counted(table).items():
        yield name, played.group, ours.random, ours.written_gb * 1e9 / 2**20, int(like(ours))


def like_table3(table: Table) -> set[str]:
    """The traces whose writes are as random as those of Table 3, and more than the large buffer
    holds."""
    return {name for name, (_, ours) in _counted(table).items() if like(ours)}


def like(trace: Characteristics) -> bool:
    return RANGE[0] <= trace.random <= RANGE[1] and trace.written_gb * 1e9 > size_bytes(LARGE)


def _counted(table: Table) -> dict[str, tuple[Played, Characteristics]]:
    """By the name of a trace; those that were varied are left out."""
    inputs = {played.name: played for played in played_traces(quick=False) if not played.varied}
    found = {}
    for row in table.where(part="drives"):
        played = inputs.get(row["trace"])
        if played and row["vary.group"] == played.group and played.name not in found:
            limit = row["vary.limit"] or None
            found[played.name] = (played, measure(played.input, limit, table.simulator))
    return found


@cache
def measure(played: Input, limit: int | None, simulator: Path) -> Characteristics:
    """Counts the writes that a trace or workload makes. One is random if it does not begin where
    the one before it ended."""
    verb = "generate" if played.kind == "workload" else "convert"
    with tempfile.TemporaryDirectory() as scratch:
        trace = Path(scratch) / "trace.csv"
        command = [str(simulator), "trace", verb, str(played.file), str(trace)]
        done = subprocess.run(
            command + (["--limit", str(limit)] if limit else []),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SimulatorError(done.returncode, done.stderr.strip())
        count = random = total = end = furthest = 0
        with trace.open(newline="") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                if row["op"] != "W":
                    continue
                offset, size = int(row["offset"]), int(row["size"])
                random += offset != end or count == 0
                count, total, end = count + 1, total + size, offset + size
                furthest = max(furthest, end)
    return Characteristics(random / count, total / count / 1024, furthest / 1e9, total / 1e9)
