"""Two tenants that read the same dies: the slow-downs of both are those of MQSim
(tests/reference/ssd/README.md, "Two tenants")."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import pytest

from tests.cli.programs import BIN, ROOT, Program, Workspace, sets

MOST_APART = 0.10
#: As MQSim's scenarios have it, whose flows keep to chips 0 and 1 of each channel. MQSim reads one
#: die of a chip at a time; a read moves 4 KiB of its page.
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
ways = 2
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


def figures(name: str) -> dict[int, dict[str, int]]:
    """The rows of a file of reference figures, by the depth of flow 2."""
    text = (ROOT / "tests/reference/ssd" / name).read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {int(row["depth"]): {key: int(value) for key, value in row.items()} for row in rows}


@dataclass(frozen=True)
class Scenario:
    """Two flows of random reads: the first has `first` under way. `alone` is the column with its
    rate by itself, that of the row for a depth of `first` where there is no such column."""

    rows: dict[int, dict[str, int]]
    first: int
    settings: dict[str, object]

    def expected(self, depth: int) -> tuple[float, float]:
        row = self.rows[depth]
        alone = row.get("flow1_alone_iops", self.rows[self.first]["flow2_alone_iops"])
        return alone / row["flow1_iops"], row["flow2_alone_iops"] / row["flow2_iops"]

    def slowdowns(
        self, workspace: Workspace, depth: int, runtime: str = "250ms", **more: object
    ) -> tuple[float, float]:
        """Of flows in closed loops these are slow-downs of their rates."""

        def reads(*words: str) -> list[int]:
            workspace.write("contended.toml", DRIVE)
            flows = (("one", "0B", self.first), ("two", "500MiB", depth))
            jobs = (
                JOB.format(name=name, offset=offset, depth=own, runtime=runtime)
                for name, offset, own in flows
            )
            workspace.write("jobs.toml", "".join(jobs))
            program = Program(BIN / "cavern-sim", workspace.folder)
            played = ("--workload", "jobs.toml", *sets(**{**self.settings, **more}), *words)
            summary = program.simulate("contended.toml", "out", *played)
            return [job["read"]["count"] for job in summary["host"]["jobs"]]

        together = reads()
        one, two = reads("--flow", "one")[0], reads("--flow", "two")[1]
        return one / together[0], two / together[1]


BACKEND = Scenario(figures("backend-contention.csv"), 2, {})
#: The controller has at most 16 commands of each flow's queue.
FETCH = Scenario(
    figures("queue-fetch-size.csv"),
    8,
    {
        "host__queues": 2,
        "host__queue_depth": 256,
        "host__nvme__queue_of": "flow",
        "host__nvme__fetch_limit": 16,
    },
)
BY_DAY = [(BACKEND, 2), (BACKEND, 16), (BACKEND, 64), (FETCH, 8), (FETCH, 64)]


@pytest.mark.parametrize(("scenario", "depth"), BY_DAY)
def test_slowdowns_are_those_of_mqsim(workspace: Workspace, scenario: Scenario, depth: int) -> None:
    found = scenario.slowdowns(workspace, depth)
    assert found == pytest.approx(scenario.expected(depth), rel=MOST_APART)


@pytest.mark.nightly
@pytest.mark.parametrize("scenario", [BACKEND, FETCH])
def test_slowdowns_at_length_are_those_of_mqsim(workspace: Workspace, scenario: Scenario) -> None:
    for depth in scenario.rows:
        found = scenario.slowdowns(workspace, depth, runtime="1s")
        assert found == pytest.approx(scenario.expected(depth), rel=MOST_APART), depth


def test_with_twice_the_dies_they_are_not(workspace: Workspace) -> None:
    found = BACKEND.slowdowns(workspace, 64, nand__ways=4)
    assert found[0] < BACKEND.expected(64)[0] * (1 - MOST_APART)


def test_without_the_limit_the_deeper_flow_takes_all(workspace: Workspace) -> None:
    found = FETCH.slowdowns(workspace, 64, host__nvme__fetch_limit=0)
    assert found[0] > FETCH.expected(64)[0] * (1 + MOST_APART)
