"""cpu.model = cost: what the processors of the controller add to a request, to the nanosecond."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cli.programs import BIN, CONFIGS, DEMO_TRACE, Program, sets
from tests.cli.test_requests import load

#: Far apart, so that no request meets another; without refreshes, which come at their own times.
ALONE = sets(workload__out_of_range="wrap", workload__speedup=1e-4, dram__model="ideal")
CYCLES = dict(
    cpu__model="cost",
    cpu__clock="400MHz",
    cpu__command_cycles=1000,
    cpu__read_cycles=200,
    cpu__write_cycles=400,
    cpu__operation_cycles=0,
)
LIMIT = 2000


def run(simulator: Program, name: str, *arguments: object) -> tuple[dict[str, Any], dict[int, Any]]:
    summary = simulator.simulate(
        CONFIGS / "conventional.toml",
        name,
        "--trace",
        DEMO_TRACE,
        "--limit",
        LIMIT,
        *arguments,
        "--requests",
        f"{name}.csv",
    )
    return summary, {row["id"]: row for row in load(simulator.folder / f"{name}.csv")}


def test_a_request_alone_takes_longer_by_its_cycles(simulator: Program) -> None:
    without, plain = run(simulator, "none", *ALONE)
    with_cost, slowed = run(simulator, "cost", *ALONE, *sets(**CYCLES))
    assert plain.keys() == slowed.keys()
    for number, row in slowed.items():
        per_page = 200 if row["op"] == "R" else 400
        cycles = 1000 + per_page * row["pages"]
        assert row["cpu_ns"] == cycles * 2.5, number
        assert row["latency_ns"] - plain[number]["latency_ns"] == row["cpu_ns"], number
        assert plain[number]["cpu_ns"] == 0
    assert with_cost["cpu"]["commands"] == LIMIT
    assert with_cost["cpu"]["busy_ns"] == sum(row["cpu_ns"] for row in slowed.values())
    assert "cpu" not in without
    for section in ("buffer", "ftl"):
        assert with_cost[section] == without[section] | {
            name: with_cost[section][name]
            for name in ("stall_ns", "in_flight_read_hits")
            if name in with_cost[section]
        }


def test_a_slow_processor_bounds_the_drive_and_more_of_them_help(simulator: Program) -> None:
    closed = sets(workload__out_of_range="wrap", workload__arrival="closed", **CYCLES)
    iops = {}
    for cores in (1, 2):
        slow = sets(cpu__clock="1MHz", cpu__cores=cores)
        summary, rows = run(simulator, f"cores-{cores}", *closed, *slow)
        iops[cores] = summary["host"]["iops"]
        assert summary["cpu"]["utilization"] > 0.95
        assert max(row["cpu_ns"] for row in rows.values()) > 10 * min(
            row["cpu_ns"] for row in rows.values()
        )
    assert iops[2] == pytest.approx(2 * iops[1], rel=0.02)


@pytest.mark.slow
def test_default_cycles_are_those_of_the_firmware(simulator: Program) -> None:
    done = simulator("firmware", BIN.parent / "firmware" / "drive_cycles.elf")
    assert done.returncode == 0, done.stderr
    measured = dict(re.findall(r"^(.*): (\d+) cycles$", done.stdout, re.MULTILINE))
    for key, name in (
        ("cpu.read_cycles", "a page read"),
        ("cpu.write_cycles", "a page written"),
        ("cpu.operation_cycles", "a flash operation"),
    ):
        default = re.search(r"default +(\d+)", simulator("config", "explain", key).stdout)
        assert default is not None, key
        assert int(default[1]) == pytest.approx(int(measured[name]), rel=0.02), key


#: A small drive that collects, with its map in flash.
SMALL = sets(
    nand__channels=2,
    nand__ways=2,
    nand__blocks_per_plane=64,
    buffer__size="64KiB",
    ftl__scheme="dftl",
    ftl__map_cache="4KiB",
    ftl__overprovision=0.3,
    precondition__fill=1.0,
    workload__out_of_range="wrap",
)


def test_each_kind_of_decision_costs_its_cycles(simulator: Program) -> None:
    plain, _ = run(simulator, "plain", *SMALL, *sets(**CYCLES))
    ftl = plain["ftl"]
    programs = sum(die["programs"] for die in plain["dies"])
    counts = {
        "eviction": plain["buffer"]["evicted_pages"],
        "allocation": programs,
        "map": ftl["map_pages_read"] + ftl["map_pages_written"],
        "collection": ftl["gc_pages"] + ftl["erases"],
    }
    assert all(count > 100 for count in counts.values())
    for kind, count in counts.items():
        cost = sets(**CYCLES, **{f"cpu__{kind}_cycles": 1000})
        slowed, rows = run(simulator, kind, *SMALL, *cost)
        assert slowed["cpu"]["cycles"] - plain["cpu"]["cycles"] == 1000 * count, kind
        assert slowed["ftl"]["erases"] == ftl["erases"]
        assert sum(row["cpu_ns"] for row in rows.values()) > slowed["cpu"]["commands"] * 2500


def test_eviction_ahead_of_need_costs_its_cycles(simulator: Program) -> None:
    ahead = sets(buffer__eviction="linear-threshold", cpu__eviction_cycles=1000)
    slowed, _ = run(simulator, "ahead", *SMALL, *sets(**CYCLES), *ahead)
    per_page = {"read": 200, "write": 400}
    asked = 1000 * slowed["cpu"]["commands"]
    evicted = 1000 * slowed["buffer"]["evicted_pages"]
    pages = slowed["cpu"]["cycles"] - asked - evicted
    reads = slowed["buffer"]["read_hits"] + slowed["buffer"]["read_misses"]
    writes = slowed["buffer"]["write_hits"] + slowed["buffer"]["write_misses"]
    assert pages == per_page["read"] * reads + per_page["write"] * writes
