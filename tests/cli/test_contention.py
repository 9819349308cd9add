"""Two tenants that read the same dies: the slow-downs of both are those of MQSim
(tests/reference/ssd/README.md, backend-contention.csv)."""

from __future__ import annotations

import csv

import pytest

from tests.cli.programs import BIN, ROOT, Program, Workspace

MOST_APART = 0.10
#: As its ssdconfig-backend-contention.xml has it, where both flows keep to chips 0 and 1 of each
#: channel. MQSim reads one die of a chip at a time; a read moves 4 KiB of its page.
DRIVE = """\
extends = "reference-4k.toml"
[host]
interface = "nvme"
generation = 3
lanes = 4
queue_depth = 1024
[host.nvme]
slots = 1024
[nand]
channels = 8
ways = {ways}
dies = 1
planes = 2
blocks_per_plane = 64
t_read = "75us"
bus_rate = "333MB/s"
[buffer]
policy = "none"
[precondition]
fill = 1.0
"""
JOB = """\
[[job]]
name = "{name}"
rw = "randread"
bs = "4KiB"
size = "500MiB"
offset = "{offset}"
number_ios = 100000000
runtime = "{runtime}"
iodepth = {depth}
"""
FIGURES = (ROOT / "tests/reference/ssd/backend-contention.csv").read_text(encoding="utf-8")
ROWS = {
    int(row["depth"]): {name: int(value) for name, value in row.items()}
    for row in csv.DictReader(FIGURES.splitlines())
}


def reads(
    workspace: Workspace, depth: int, flow: str = "", ways: int = 2, runtime: str = "250ms"
) -> list[int]:
    """How many reads the two flows, of depths 2 and `depth`, have answered."""
    workspace.write("contended.toml", DRIVE.format(ways=ways))
    jobs = (("one", "0B", 2), ("two", "500MiB", depth))
    text = "".join(
        JOB.format(name=name, offset=offset, depth=depth, runtime=runtime)
        for name, offset, depth in jobs
    )
    workspace.write("jobs.toml", text)
    program = Program(BIN / "cavern-sim", workspace.folder)
    words = ("--workload", "jobs.toml", *(("--flow", flow) if flow else ()))
    summary = program.simulate("contended.toml", "out", *words)
    return [job["read"]["count"] for job in summary["host"]["jobs"]]


def slowdowns(workspace: Workspace, depth: int, **how: object) -> tuple[float, float]:
    """Of a flow of closed loops the slow-down is that of its rate."""
    together = reads(workspace, depth, **how)  # type: ignore[arg-type]
    one = reads(workspace, depth, "one", **how)[0]  # type: ignore[arg-type]
    two = reads(workspace, depth, "two", **how)[1]  # type: ignore[arg-type]
    return one / together[0], two / together[1]


def expected(depth: int) -> tuple[float, float]:
    """Flow 1 alone is flow 2 alone at the same depth."""
    row = ROWS[depth]
    alone = ROWS[2]["flow2_alone_iops"]
    return alone / row["flow1_iops"], row["flow2_alone_iops"] / row["flow2_iops"]


@pytest.mark.parametrize("depth", [2, 16, 64])
def test_slowdowns_are_those_of_mqsim(workspace: Workspace, depth: int) -> None:
    assert slowdowns(workspace, depth) == pytest.approx(expected(depth), rel=MOST_APART)


@pytest.mark.nightly
@pytest.mark.parametrize("depth", sorted(ROWS))
def test_slowdowns_at_length_are_those_of_mqsim(workspace: Workspace, depth: int) -> None:
    found = slowdowns(workspace, depth, runtime="1s")
    assert found == pytest.approx(expected(depth), rel=MOST_APART)


def test_with_twice_the_dies_they_are_not(workspace: Workspace) -> None:
    found = slowdowns(workspace, 64, ways=4)
    assert found[0] < expected(64)[0] * (1 - MOST_APART)
