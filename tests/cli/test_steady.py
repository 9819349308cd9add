"""A drive that collects all the time: `validate --only steady`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cavern.validate.row import Row

from tests.cli.test_python_commands import cavern


def rows_of(folder: Path, *arguments: str) -> tuple[int, dict[str, dict[str, Any]]]:
    file = folder / "rows.json"
    done = cavern("validate", "--only", "steady", "--json", str(file), *arguments)
    rows = json.loads(file.read_text(encoding="utf-8"))
    return done.returncode, {row["what"]: row for row in rows}


@pytest.mark.parametrize(("ours", "holds"), [(1.0, True), (5.0, True), (5.1, False)])
def test_a_limit_is_held_by_less(ours: float, holds: bool) -> None:
    assert Row("p99.9 / mean", "", ours, 5.0, 0.0, "at most 5", at_most=True).holds is holds


@pytest.mark.slow
def test_no_die_of_a_full_drive_waits_for_another(tmp_path: Path) -> None:
    status, rows = rows_of(tmp_path)
    assert status == 0
    assert len(rows) == 9


@pytest.mark.slow
def test_collection_in_bursts_breaks_the_latency(tmp_path: Path) -> None:
    status, rows = rows_of(tmp_path, "--set", "ftl.gc_pace=burst")
    assert status == 1
    for name, row in rows.items():
        if "p99.9" in name:
            assert row["ours"] > 50


@pytest.mark.slow
def test_taking_operations_in_their_order_lets_reads_wait_for_copies(tmp_path: Path) -> None:
    status, rows = rows_of(tmp_path, "--set", "scheduler.discipline=fifo")
    assert status == 1
    (reads,) = (row for name, row in rows.items() if "p99.99 of reads" in name)
    assert not reads["holds"]
