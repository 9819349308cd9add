"""Jobs and queues apart: `host.jobs[]`, `host.queues[]`, and three columns of requests.csv."""

from __future__ import annotations

import csv
import json

import pytest

from tests.cli.programs import CONFIGS, Json, Program, Workspace, sets
from tests.cli.test_requests import COLUMNS

JOBS = """[[job]]
name = "reader"
rw = "randread"
bs = "4KiB"
size = "8MiB"
number_ios = 400
iodepth = 1

[[job]]
name = "writer"
rw = "randwrite"
bs = "8KiB"
size = "8MiB"
stream = 3
number_ios = 600
iodepth = 8
"""
SMALL = {
    "nand__channels": 2,
    "nand__ways": 2,
    "nand__blocks_per_plane": 64,
    "buffer__size": "64KiB",
    "precondition__fill": 1,
    "ftl__overprovision": 0.2,
}
WEIGHTED = {
    "host__interface": "nvme",
    "host__queues": 2,
    "host__fdp__handles": 4,
    "host__nvme__arbitration": "weighted",
    "host__nvme__priorities": '["high", "low"]',
}
NAMES = {"R": "read", "W": "write"}
Row = dict[str, str]


def play(
    workspace: Workspace, simulator: Program, workload: str, *arguments: object, **settings: object
) -> tuple[Json, list[Row], list[str]]:
    workspace.write("jobs.toml", workload)
    summary = simulator.simulate(
        CONFIGS / "conventional.toml",
        "out",
        *("--workload", "jobs.toml", "--requests", "r.csv"),
        *sets(**{**SMALL, **settings}),
        *arguments,
    )
    with (workspace.folder / "r.csv").open(encoding="ascii", newline="") as file:
        reader = csv.DictReader(file)
        return summary, list(reader), list(reader.fieldnames or [])


def counted(share: Json, rows: list[Row]) -> None:
    """What is said of a job or queue is what its rows add up to."""
    for op, name in NAMES.items():
        latencies = sorted(int(row["latency_ns"]) for row in rows if row["op"] == op)
        said = share[name]
        assert said["count"] == len(latencies)
        assert said["bytes"] == sum(int(row["size"]) for row in rows if row["op"] == op)
        if not latencies:
            continue
        found = said["lat_ns"]
        assert (found["min"], found["max"]) == (latencies[0], latencies[-1])
        assert found["mean"] == pytest.approx(sum(latencies) / len(latencies))
        median = latencies[(len(latencies) + 1) // 2 - 1]
        assert median <= found["p50"] <= median * (1 + 1 / 2048)


@pytest.mark.parametrize("warmup", [0, 100])
def test_jobs_and_queues_are_what_their_requests_add_up_to(
    warmup: int, workspace: Workspace, simulator: Program
) -> None:
    summary, rows, columns = play(workspace, simulator, JOBS, "--warmup", warmup, **WEIGHTED)
    assert columns == [*COLUMNS, "job", "queue", "stream"]
    assert len(rows) == 1000 - warmup
    jobs, queues = summary["host"]["jobs"], summary["host"]["queues"]
    assert [job["name"] for job in jobs] == ["reader", "writer"]
    for column, shares in (("job", jobs), ("queue", queues)):
        assert [share["id"] for share in shares] == [0, 1]
        for share in shares:
            of_it = [row for row in rows if row[column] == str(share["id"])]
            assert of_it
            counted(share, of_it)
    assert {(row["job"], row["op"], row["stream"]) for row in rows} == {
        ("0", "R", "0"),
        ("1", "W", "3"),
    }


def test_queues_count_from_where_the_statistics_of_a_served_drive_begin_anew(
    workspace: Workspace, simulator: Program
) -> None:
    """The image is written to the drive before they begin."""
    (workspace.folder / "raw").write_bytes(b"x" * (64 << 10))
    served = simulator(
        *("serve", CONFIGS / "conventional.toml", "--image", "raw", "--run", "true"),
        *("--out", "served", *sets(**SMALL | WEIGHTED | {"precondition__fill": 0})),
    )
    assert served.returncode == 0, served.stderr
    host = json.loads((workspace.folder / "served/summary.json").read_text())["host"]
    assert host["write"]["count"] == 0
    assert [queue["write"]["count"] for queue in host["queues"]] == [0, 0]


def test_one_job_on_one_queue_is_not_told_apart(workspace: Workspace, simulator: Program) -> None:
    one = JOBS[JOBS.index("[[job]]", 1) :]
    summary, _, columns = play(workspace, simulator, one, host__interface="nvme")
    assert columns == COLUMNS
    assert "jobs" not in summary["host"]
    assert "read" not in summary["host"]["queues"][0]


def test_jobs_with_a_rate_are_told_apart_and_too_many_are_not(
    workspace: Workspace, simulator: Program
) -> None:
    paced = JOBS.replace("number_ios", "rate_iops = 2000\nnumber_ios")
    summary, rows, _ = play(workspace, simulator, paced)
    assert [job["write"]["count"] for job in summary["host"]["jobs"]] == [0, 600]
    many = "numjobs = 65\nnumber_ios = 1"
    summary, rows, _ = play(workspace, simulator, JOBS.replace("number_ios = 400", many))
    assert "jobs" not in summary["host"]
    assert {int(row["job"]) for row in rows} == set(range(66))
