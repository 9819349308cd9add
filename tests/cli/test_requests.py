"""--requests: one line a request, whose parts add up, and which the summary sums up."""

from __future__ import annotations

import csv
import lzma
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.programs import CONFIGS, DEMO_TRACE, Program, Workspace, sets

COLUMNS = [
    "id",
    "op",
    "offset",
    "size",
    "arrival_ns",
    "start_ns",
    "complete_ns",
    "latency_ns",
    "queue_ns",
    "frame_wait_ns",
    "flash_ns",
    "transfer_ns",
    "pages",
    "hits",
    "cpu_ns",
]
NAMES = {"read": "R", "write": "W", "trim": "T", "flush": "F"}
PAGE = 2048

#: Filled, so that reads come from flash; a small buffer, so that frames are waited for.
BUSY = sets(
    workload__out_of_range="wrap",
    nand__blocks_per_plane=512,
    precondition__fill=1,
    buffer__size="1MiB",
)

Row = dict[str, Any]


def load(path: Path) -> list[Row]:
    """Rows with numbers, except for the operation; those of several jobs say of which they are."""
    with path.open(encoding="ascii", newline="") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames in (COLUMNS, [*COLUMNS, "job", "queue", "stream"])
        return [
            {name: value if name == "op" else int(value) for name, value in row.items()}
            for row in reader
        ]


def of_trace(path: Path, limit: int) -> list[tuple[int, str, int, int]]:
    """(arrival in ns, op, offset, size) of the first requests of a trace."""
    with lzma.open(path, "rt") as file:
        lines = [line.rstrip("\n").split(",") for line in file if not line.startswith(("#", "t"))]
    return [
        (round(float(time) * 1000), op, int(offset), int(size))
        for time, op, offset, size in lines[:limit]
    ]


def wrong_sums(rows: list[Row]) -> list[int]:
    """The requests whose parts do not add up."""
    return [
        row["id"]
        for row in rows
        if row["queue_ns"]
        + row["cpu_ns"]
        + row["frame_wait_ns"]
        + row["flash_ns"]
        + row["transfer_ns"]
        != row["latency_ns"]
        or row["start_ns"] != row["arrival_ns"] + row["queue_ns"] + row["cpu_ns"]
        or row["complete_ns"] != row["arrival_ns"] + row["latency_ns"]
    ]


@pytest.mark.parametrize("arrival", ["trace", "closed"])
@pytest.mark.parametrize("config", ["conventional", "cave"])
def test_parts_add_up_and_mean_is_that_of_the_summary(
    config: str, arrival: str, simulator: Program
) -> None:
    limit = 3000
    summary = simulator.simulate(
        CONFIGS / f"{config}.toml",
        "out",
        "--trace",
        DEMO_TRACE,
        "--limit",
        limit,
        *BUSY,
        *sets(workload__arrival=arrival),
        "--requests",
        "requests.csv",
    )
    rows = load(simulator.folder / "requests.csv")
    assert wrong_sums(rows) == []
    assert [row["complete_ns"] for row in rows] == sorted(row["complete_ns"] for row in rows)
    for part in ("frame_wait_ns", "flash_ns", "transfer_ns"):
        assert min(row[part] for row in rows) >= 0 and max(row[part] for row in rows) > 0
    rows.sort(key=lambda row: row["id"])
    assert [row["id"] for row in rows] == list(range(limit))

    host = summary["host"]
    for name, op in NAMES.items():
        latencies = sorted(row["latency_ns"] for row in rows if row["op"] == op)
        assert host[name]["count"] == len(latencies)
        assert host[name]["bytes"] == sum(row["size"] for row in rows if row["op"] == op)
        if latencies:
            told = host[name]["lat_ns"]
            assert told["mean"] == pytest.approx(sum(latencies) / len(latencies), abs=0.5)
            assert (told["min"], told["max"]) == (latencies[0], latencies[-1])
            # Quantiles come from a histogram with bins of limited width.
            median = latencies[(len(latencies) - 1) // 2]
            assert told["p50"] == pytest.approx(median, rel=0.02)
    assert host["read"]["count"] > 100 and host["write"]["count"] > 1000
    assert sum(row["pages"] for row in rows if row["op"] == "W") == (
        summary["buffer"]["write_hits"] + summary["buffer"]["write_misses"]
    )
    assert sum(row["hits"] for row in rows if row["op"] == "W") == summary["buffer"]["write_hits"]

    # The negative control.
    rows[17]["flash_ns"] += 1
    assert wrong_sums(rows) == [17]


def test_requests_are_those_of_the_trace(simulator: Program) -> None:
    limit = 3000
    summary = simulator.simulate(
        CONFIGS / "cave.toml",
        "out",
        "--trace",
        DEMO_TRACE,
        "--limit",
        limit,
        *sets(workload__out_of_range="wrap"),
        "--requests",
        "requests.csv",
    )
    rows = sorted(load(simulator.folder / "requests.csv"), key=lambda row: row["id"])
    trace = of_trace(DEMO_TRACE, limit)
    capacity = summary["ftl"]["logical_pages"] * PAGE
    assert [(row["arrival_ns"], row["op"], row["size"]) for row in rows] == [
        (time, op, size) for time, op, _, size in trace
    ]
    # A request that would end beyond the drive is moved as a whole; the others stay.
    for row, (_, _, offset, size) in zip(rows, trace, strict=True):
        assert row["offset"] + size <= capacity
        if offset + size <= capacity:
            assert row["offset"] == offset
    counted = Counter(op for _, op, _, _ in trace)
    assert {op: summary["host"][name]["count"] for name, op in NAMES.items()} == {
        op: counted[op] for op in NAMES.values()
    }


@pytest.mark.parametrize("trace", ["shared-hosting-1h", "tpcc-136ms"])
def test_host_counts_are_those_of_a_whole_trace(trace: str, simulator: Program) -> None:
    path = DEMO_TRACE.with_name(f"{trace}.csv.xz")
    summary = simulator.simulate(
        CONFIGS / "cave.toml", "out", "--trace", path, *sets(workload__out_of_range="wrap")
    )
    requests = of_trace(path, 10**9)
    for name, op in NAMES.items():
        sizes = [size for _, of, _, size in requests if of == op]
        assert summary["host"][name]["count"] == len(sizes)
        assert summary["host"][name]["bytes"] == sum(sizes)
    assert summary["sim"]["requests"] == len(requests) > 1000


def test_trim_and_flush_are_counted(workspace: Workspace, simulator: Program) -> None:
    workspace.add_trace(
        "t.csv",
        [
            (0, "W", 0, 8192),
            (1000, "T", 0, 4096),
            (2000, "F", 0, 0),
            (9000, "R", 0, 8192),
            (19000, "F", 0, 0),
        ],
    )
    summary = simulator.simulate("drive.toml", "out", "--trace", "t.csv", "--requests", "r.csv")
    host = summary["host"]
    assert [(host[n]["count"], host[n]["bytes"]) for n in ("read", "write", "trim", "flush")] == [
        (1, 8192),
        (1, 8192),
        (1, 4096),
        (2, 0),
    ]
    rows = load(simulator.folder / "r.csv")
    assert [row["op"] for row in rows] == ["W", "T", "F", "R", "F"]
    assert wrong_sums(rows) == []


def test_warmup_is_left_out_of_the_statistics(workspace: Workspace, simulator: Program) -> None:
    workspace.add_trace("t.csv", [(1000 * i, "W", 8192 * i, 4096) for i in range(100)])
    arguments = ["--trace", "t.csv", "--requests", "r.csv"]
    assert simulator.simulate("drive.toml", "all", *arguments)["host"]["write"]["count"] == 100
    summary = simulator.simulate("drive.toml", "rest", *arguments, "--warmup", 40)
    assert summary["host"]["write"]["count"] == 60
    assert summary["buffer"]["write_misses"] == 120
