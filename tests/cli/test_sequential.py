"""Sequential streams of the NVMe drive of TLC: something on the way is busy all the time."""

from __future__ import annotations

import pytest

from tests.cli.programs import BIN, CONFIGS, ROOT, Json, Program, sets

#: As few blocks as the spare ones allow, and of an eighth of the pages, so that it is soon filled.
SMALL: dict[str, object] = {
    "nand__blocks_per_plane": 40,
    "nand__pages_per_block": 144,
    "ftl__overprovision": 0.15,
}
REQUESTS = 6000
FRESH: dict[str, object] = {"precondition__fill": 0.5}
#: Overwritten at random: what lies in a row is on dies, planes and blocks of all kinds.
USED: dict[str, object] = {"precondition__fill": 1.0, "precondition__overwrite": 1.0}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(BIN / "cavern-sim", tmp_path_factory.mktemp("streams"))


def run(program: Program, name: str, rw: str, **settings: object) -> Json:
    workload = ROOT / "traces" / "workloads" / f"sequential-{rw}.toml"
    arguments = ("--workload", workload, "--limit", REQUESTS, *sets(**SMALL, **settings))
    return program.simulate(CONFIGS / "tlc-nvme.toml", name, *arguments)


def busiest(summary: Json) -> float:
    """Share of the time that the link, the busiest bus or the busiest die was at work."""
    host = summary["host"]
    resources = [host["link_busy_ns"]]
    for part in ("channels", "dies"):
        resources.append(max(each["busy_ns"] for each in summary[part]))
    return max(resources) / host["busy_ns"]


def occupied(summary: Json) -> float:
    """Share of the time of requests that the dies had an operation, its bus phases among it."""
    shares = [die["occupied"] for die in summary["dies"]]
    whole = summary["sim"]["simulated_ns"] / summary["host"]["busy_ns"]
    return whole * sum(shares) / len(shares)


@pytest.mark.slow
@pytest.mark.parametrize("rw", ["read", "write"])
def test_a_stream_reaches_the_lower_of_link_bus_and_dies(program: Program, rw: str) -> None:
    assert busiest(run(program, f"{rw}-fresh", rw, **FRESH)) > 0.97


@pytest.mark.slow
@pytest.mark.parametrize("rw", ["read", "write"])
def test_no_die_of_a_used_drive_rests(program: Program, rw: str) -> None:
    assert occupied(run(program, f"{rw}-used", rw, **USED)) > 0.97


@pytest.mark.slow
def test_without_its_commands_the_drive_is_slower(program: Program) -> None:
    commands = {"nand__cache_read": "false", "nand__multi_plane_read": "false"}
    assert busiest(run(program, "without", "read", **FRESH, **commands)) < 0.9


@pytest.mark.slow
def test_dies_of_a_used_drive_rest_where_few_requests_wait(program: Program) -> None:
    assert occupied(run(program, "shallow", "read", **USED, host__queue_depth=1)) < 0.9
