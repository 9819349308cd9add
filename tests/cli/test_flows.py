"""Several flows of one run: traces at the same time, one flow by itself (--flow), and what flows
cost each other (--alone)."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cavern.sweeps.alone import Flow, Shared

from tests.cli.programs import BIN, Json, Program, Workspace, sets
from tests.cli.sweeps import told

JOBS = """\
[[job]]
name = "reader"
rw = "randread"
bs = "4KiB"
size = "1MiB"
number_ios = 400
iodepth = 2

[[job]]
name = "writer"
rw = "randwrite"
bs = "4KiB"
size = "1MiB"
offset = "1MiB"
number_ios = 900
iodepth = 16
"""
FIO = """\
[global]
bs=4k
size=1m
norandommap
number_ios=300

[first]
rw=randread

[second]
stonewall
rw=randwrite
"""


@pytest.fixture
def program(workspace: Workspace) -> Program:
    workspace.add_trace("a.csv", ((10.0 * i, "R", 4096 * (i % 64), 4096) for i in range(300)))
    workspace.add_trace("b.csv", ((7.0 * i, "W", 4096 * (i % 90), 4096) for i in range(500)))
    workspace.add_trace("far.csv", [(0.0, "W", 2**40, 4096)])
    workspace.write("jobs.toml", JOBS)
    workspace.write("jobs.fio", FIO)
    return Program(BIN / "cavern-sim", workspace.folder)


BOTH = ("--trace", "first=a.csv", "--trace", "second=b.csv")


def jobs(summary: Json) -> dict[str, tuple[int, int]]:
    """Reads and writes of each flow."""
    told_of = summary["host"]["jobs"]
    return {job["name"]: (job["read"]["count"], job["write"]["count"]) for job in told_of}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_traces_are_played_at_the_same_time_each_in_its_region(program: Program) -> None:
    summary = program.simulate("drive.toml", "out", *BOTH, "--requests", "r.csv")
    assert jobs(summary) == {"first": (300, 0), "second": (0, 500)}
    played = rows(program.folder / "r.csv")
    assert [int(row["job"]) for row in played].count(0) == 300
    # The second begins at the first MiB behind the first, and both begin at once.
    for job, base, step in (("0", 0, 10_000), ("1", 1 << 20, 7_000)):
        own = sorted(
            (float(row["arrival_ns"]), int(row["offset"])) for row in played if row["job"] == job
        )
        assert [offset - base for _, offset in own] == [
            4096 * (i % (64 if job == "0" else 90)) for i in range(len(own))
        ]
        assert [time for time, _ in own] == [step * i for i in range(len(own))]
    source = summary["run"]["input"]
    assert source["kind"] == "traces" and source["path"] == "first=a.csv second=b.csv"
    assert len(source["sha256"]) == 64


def test_one_trace_may_have_a_name_and_plays_as_without(program: Program) -> None:
    named = program.simulate("drive.toml", "named", "--trace", "first=a.csv")
    plain = program.simulate("drive.toml", "plain", "--trace", "a.csv")
    for summary in (named, plain):
        assert "jobs" not in summary["host"]
    assert named["host"] == plain["host"] and named["run"]["id"] == plain["run"]["id"]


@pytest.mark.parametrize(
    ("played", "names"),
    [
        (BOTH, ("first", "second")),
        (("--workload", "jobs.toml"), ("reader", "writer")),
        (("--workload", "jobs.fio"), ("first", "second")),
    ],
    ids=["traces", "jobs", "fio"],
)
def test_a_flow_by_itself_sends_what_it_sends_beside_the_others(
    program: Program, played: tuple[str, ...], names: tuple[str, str]
) -> None:
    def asked_for(place: int, *words: str) -> list[tuple[str, str, str]]:
        program.simulate("drive.toml", "out", *played, "--requests", "r.csv", *words)
        own = [row for row in rows(program.folder / "r.csv") if row["job"] == str(place)]
        return sorted((row["op"], row["offset"], row["size"]) for row in own)

    whole = program.simulate("drive.toml", "whole", *played)
    for place, name in enumerate(names):
        alone = program.simulate("drive.toml", "alone", *played, "--flow", name)
        assert jobs(alone)[name] == jobs(whole)[name]
        assert sum(map(sum, jobs(alone).values())) == sum(jobs(whole)[name])
        assert asked_for(place, "--flow", name) == asked_for(place)
        assert alone["run"]["input"]["flow"] == name
        assert alone["run"]["id"] != whole["run"]["id"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--trace", "first=a.csv", "--trace", "b.csv"),
            "--trace b.csv among several has no name; --trace NAME=FILE for each",
        ),
        (
            ("--trace", "x=a.csv", "--trace", "x=b.csv"),
            "two traces named x; --trace NAME=FILE for each",
        ),
        ((*BOTH, "--flow", "third"), "--flow third names no flow; one of first, second"),
        (
            ("--trace", "a.csv", "--flow", "a"),
            "--flow a names no flow; there is one, without a name",
        ),
        (
            ("--trace", "first=a.csv", "--trace", "far=far.csv"),
            "the traces reach to byte 1099513724928 of a drive of ",
        ),
    ],
    ids=["unnamed", "twice", "unknown", "single", "large"],
)
def test_flows_that_are_none_are_refused(
    program: Program, words: tuple[str, ...], message: str
) -> None:
    done = program("run", "drive.toml", "--out", "none", *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: <command line>:1: {message}"), done.stderr
    assert done.stderr.count("\n") == 1 and not (program.folder / "none").exists()


# ---- a queue for each flow -----------------------------------------------------------------------


def queued(program: Program, **settings: object) -> Json:
    """The jobs over two queues of NVMe."""
    given = {"host__interface": "nvme", "host__queues": 2, "host__queue_depth": 32, **settings}
    return program.simulate("drive.toml", "out", "--workload", "jobs.toml", *sets(**given))["host"]


def served(host: Json) -> list[int]:
    return [queue["read"]["count"] + queue["write"]["count"] for queue in host["queues"]]


def test_each_flow_has_a_queue(program: Program) -> None:
    own = queued(program, host__nvme__queue_of="flow")
    assert served(own) == [400, 900]
    mixed = queued(program)
    assert served(mixed) != [400, 900] and sum(served(mixed)) == 1300
    # More flows than queues: in turn.
    one = queued(program, host__nvme__queue_of="flow", host__queues=1)
    assert one["read"]["count"] + one["write"]["count"] == 1300


def test_a_class_for_each_tenant_helps_the_urgent_one(program: Program) -> None:
    """Of few slots the reader gets what it asks for."""
    few = {"host__nvme__queue_of": "flow", "host__nvme__slots": 4}
    classes = {"host__nvme__arbitration": "weighted", "host__nvme__priorities": '["urgent","low"]'}
    alike, urgent = queued(program, **few), queued(program, **few, **classes)
    reads = [host["jobs"][0]["read"]["lat_ns"]["mean"] for host in (alike, urgent)]
    assert reads[1] < reads[0] * 0.95


def test_a_controller_takes_no_more_of_a_queue_than_its_limit(program: Program) -> None:
    """The writer has sixteen under way; of which the device has two at a time."""
    free, bound = (
        queued(program, host__nvme__queue_of="flow", host__nvme__fetch_limit=limit)
        for limit in (0, 2)
    )
    writes = [host["jobs"][1]["write"]["lat_ns"]["mean"] for host in (free, bound)]
    reads = [host["jobs"][0]["read"]["lat_ns"]["mean"] for host in (free, bound)]
    assert writes[1] > 1.2 * writes[0] and reads[1] < reads[0]
    assert served(bound) == [400, 900]


# ---- what flows cost each other -----------------------------------------------------------------


def test_flows_are_compared_with_themselves_alone(program: Program) -> None:
    words = ("drive.toml", "--workload", "jobs.toml", "--alone", "--out", "tenants")
    done = told(program.folder, *words, name="run")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split() == [
        "flow", "requests", "mean", "alone", "slow-down", "p99", "alone",
    ]  # fmt: skip
    found = json.loads((program.folder / "tenants" / "alone.json").read_text())
    assert found["schema"] == "cavern.alone/1"
    reader, writer = found["flows"]
    assert (reader["requests"], writer["requests"]) == (400, 900)
    # Sixteen writes at a time keep two reads waiting, and less the other way round.
    assert reader["slowdown"] > 1.2 and 0.99 < writer["slowdown"] < reader["slowdown"]
    for name, of_it in (("reader-alone", reader), ("together", None)):
        summary = json.loads((program.folder / "tenants" / name / "summary.json").read_text())
        kind = summary["host"]["jobs"][0]["read"]["lat_ns"]
        assert kind["mean"] == pytest.approx(reader["alone_mean_ns" if of_it else "mean_ns"])


def test_a_flow_that_nobody_disturbs_is_not_slowed(program: Program, workspace: Workspace) -> None:
    workspace.add_trace("late.csv", ((5e6 + i, "W", 4096 * i, 4096) for i in range(50)))
    words = ("drive.toml", "--trace", "a=a.csv", "--trace", "late=late.csv", "--alone")
    assert told(program.folder, *words, "--out", "tenants", "--quiet", name="run").stdout == ""
    found = json.loads((program.folder / "tenants" / "alone.json").read_text())
    assert [flow["slowdown"] for flow in found["flows"]] == pytest.approx([1.0, 1.0], abs=0.02)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--trace", "a.csv"), "the run has no flows of different names"),
        (
            ("--workload", "jobs.toml", "--set", "fidelity=untimed"),
            "the run has no flows of different names",
        ),
        (("--workload", "jobs.toml", "--repeat", "3"), "--alone excludes --repeat"),
        (
            ("--workload", "jobs.toml", "--limit", "5"),
            "--limit counts the requests of all flows; --alone takes number_ios of each job",
        ),
        (
            ("--workload", "jobs.toml", "--flow", "reader"),
            "--flow plays one of the flows; --alone takes all of them",
        ),
    ],
)
def test_what_has_no_flows_is_refused(
    program: Program, words: tuple[str, ...], message: str
) -> None:
    done = told(program.folder, "drive.toml", *words, "--alone", "--out", "none", name="run")
    assert done.returncode == 2 and message in done.stderr


def test_the_simulator_itself_sends_to_the_front_door(program: Program) -> None:
    done = program("run", "drive.toml", "--trace", "a.csv", "--alone")
    assert done.returncode == 2 and "./cavern run plays each" in done.stderr


@pytest.fixture
def shared() -> Callable[..., Shared]:
    def make(*slowdowns: float) -> Shared:
        return Shared(tuple(Flow("f", 1, 100.0 * one, 0, 100.0, 0) for one in slowdowns))

    return make


def test_fairness_is_that_of_the_papers(shared: Callable[..., Shared]) -> None:
    equal, unequal = shared(2.0, 2.0), shared(1.0, 4.0)
    assert (equal.fairness, equal.jain, equal.weighted_speedup) == pytest.approx((1, 1, 1))
    # Progress 1 and 1/4: (5/4)^2 / (2 * 17/16).
    assert unequal.fairness == pytest.approx(0.25)
    assert unequal.jain == pytest.approx(25 / 34)
    assert unequal.weighted_speedup == pytest.approx(1.25)
    assert '"fairness"' not in shared().record()
