"""How well the synthetic workloads fit the paper's Table 3: the table beside what was played."""

from __future__ import annotations

import csv
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from explore.reproduce.cave.runs import LIMITS, inputs
from explore.reproduce.experiment import Cell, Table
from explore.simulator import ENVIRONMENT, SimulatorError


@dataclass(frozen=True)
class Characteristics:
    """What Table 3 says of a trace: share of random requests, mean request, storage."""

    random: float
    mean_kb: float
    storage_gb: float


#: Table 3; KB are taken as 1024 bytes, GB as 10^9.
TABLE_3 = {
    "oltp-fit": Characteristics(0.987, 5.3, 12.5),
    "general-fit": Characteristics(0.690, 24.9, 32.0),
    "sysmark-fit": Characteristics(0.470, 47.1, 32.0),
}


def rows(table: Table) -> Iterator[tuple[Cell, ...]]:
    """(workload, characteristic, Table 3, what was played)."""
    played = {one.label: one for one in inputs(quick=False)}
    for name in table.where(part="drives").values("trace"):
        if name in TABLE_3:
            ours = measure(played[name].file, LIMITS[name], table.simulator)
            for field in ("random", "mean_kb", "storage_gb"):
                yield name, field, getattr(TABLE_3[name], field), getattr(ours, field)


def measure(workload: Path, limit: int, simulator: Path) -> Characteristics:
    """Counts the requests that the workload makes. A request is random if it does not begin where
    the one before it ended."""
    with tempfile.TemporaryDirectory() as scratch:
        trace = Path(scratch) / "trace.csv"
        done = subprocess.run(
            [str(simulator), "trace", "generate", str(workload), str(trace), "--limit", str(limit)],
            capture_output=True,
            text=True,
            check=False,
            env=ENVIRONMENT,
        )
        if done.returncode != 0:
            raise SimulatorError(done.returncode, done.stderr.strip())
        count = random = total = end = furthest = 0
        with trace.open(newline="") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                offset, size = int(row["offset"]), int(row["size"])
                random += offset != end or count == 0
                count, total, end = count + 1, total + size, offset + size
                furthest = max(furthest, end)
    return Characteristics(random / count, total / count / 1024, furthest / 1e9)
