"""How well the synthetic workloads fit the paper's Table V: the table beside what was played."""

from __future__ import annotations

from collections.abc import Iterator

from papers.experiment import Cell, Table

#: Table V: read and write mean KB, reads in percent.
TABLE_5 = {
    "sysmark": {"read_mean_kb": 13.6, "write_mean_kb": 20.0, "reads": 0.33},
    "pc": {"read_mean_kb": 20.0, "write_mean_kb": 13.4, "reads": 0.237},
    "financial": {"read_mean_kb": 2.3, "write_mean_kb": 3.6, "reads": 0.474},
    "tpcc": {"read_mean_kb": 2.2, "write_mean_kb": 2.1, "reads": 0.814},
}


def rows(table: Table) -> Iterator[tuple[Cell, ...]]:
    """(workload, characteristic, Table V, what was played), KB of 1024 bytes."""
    for trace, wanted in TABLE_5.items():
        of_trace = table.where(trace=trace, part="whole").rows
        if not of_trace:
            continue
        row = of_trace[0]
        reads, writes = (row[f"host.{op}.count"] for op in ("read", "write"))
        played = {
            "read_mean_kb": row["host.read.bytes"] / reads / 1024,
            "write_mean_kb": row["host.write.bytes"] / writes / 1024,
            "reads": reads / (reads + writes),
        }
        for what, value in wanted.items():
            yield trace, what, value, played[what]
