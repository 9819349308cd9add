"""What fields and columns promise of each other, in runs that broke it once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import pytest

from tests.cli.programs import CONFIGS, Json, Program, Workspace, sets
from tests.cli.test_requests import load, wrong_sums

FILLED = {"precondition__fill": 0.01}


def play(
    workspace: Workspace, simulator: Program, trace: list[Any], settings: Mapping[str, object]
) -> Json:
    workspace.add_trace("t.csv", trace)
    arguments = ["--trace", "t.csv", *sets(**{**FILLED, **settings})]
    if settings.get("fidelity") != "untimed":
        arguments += ["--requests", "r.csv"]
    return simulator.simulate(CONFIGS / "conventional.toml", "out", *arguments)


def test_tests_have_every_run_verify_its_laws() -> None:
    assert os.environ["CAVERN_CHECK_LAWS"] == "1"


def test_parts_of_a_read_into_the_buffer_add_up(workspace: Workspace, simulator: Program) -> None:
    small = {"buffer__cache_reads": "true", "buffer__size": "2KiB"}
    play(workspace, simulator, [(0, "W", 0, 2048), (0, "R", 65536, 2048)], small)
    rows = load(workspace.folder / "r.csv")
    assert wrong_sums(rows) == []
    read = rows[1]
    for part in ("queue_ns", "cpu_ns", "frame_wait_ns", "flash_ns", "transfer_ns"):
        assert 0 <= read[part] <= read["latency_ns"]
    assert read["frame_wait_ns"] > 0 and read["flash_ns"] > 0


def test_a_bus_is_held_no_longer_than_there_is_time(
    workspace: Workspace, simulator: Program
) -> None:
    polled = {"nand__ready": "poll", "nand__t_rhw": "1ms"}
    summary = play(workspace, simulator, [(0, "R", 0, 2048)], polled)
    busy = [channel["busy_ns"] for channel in summary["channels"]]
    assert 0 < max(busy) <= summary["sim"]["measured_ns"] == summary["sim"]["simulated_ns"]
    assert max(channel["utilization"] for channel in summary["channels"]) <= 1


@pytest.mark.parametrize("fidelity", ["at", "untimed"])
def test_flash_operations_are_those_of_nand_pages(
    fidelity: str, workspace: Workspace, simulator: Program
) -> None:
    units = {"ftl__unit": "512B", "nand__page_size": "4KiB", "buffer__size": "64KiB"}
    writes = [(0, "W", 4096 * i, 4096) for i in range(100)]
    summary = play(workspace, simulator, writes, {**units, "fidelity": fidelity})
    programs = summary["ftl"]["programmed_bytes"] // 4096
    assert summary["sim"]["flash_ops"] == programs + summary["ftl"]["erases"] > 50
