"""A drive that collects all the time: `validate --only steady`."""

from __future__ import annotations

from pathlib import Path

import pytest
from cavern.validate.bench import Bench
from cavern.validate.row import Row
from cavern.validate.steady import busy_rows, read_row, spare_row

from tests.cli.validated import validated


@pytest.mark.parametrize(("ours", "holds"), [(1.0, True), (5.0, True), (5.1, False)])
def test_a_limit_is_held_by_less(ours: float, holds: bool) -> None:
    assert Row("p99.9 / mean", "", ours, 5.0, 0.0, "at most 5", at_most=True).holds is holds


@pytest.mark.slow
def test_no_die_of_a_full_drive_waits_for_another(tmp_path_factory: pytest.TempPathFactory) -> None:
    _, rows = validated(tmp_path_factory, "steady")
    assert len(rows) == 10
    assert all(row["holds"] for row in rows)


@pytest.mark.slow
def test_few_blocks_leave_less_than_the_spare(tmp_path: Path) -> None:
    """As many pages in blocks as long as the part's own: those kept free are a tenth of them."""
    assert spare_row(Bench(tmp_path, {})).holds
    (tmp_path / "few").mkdir()
    few = {"nand.blocks_per_plane": 48, "nand.pages_per_block": 1152}
    row = spare_row(Bench(tmp_path / "few", dict(few)))
    assert not row.holds and row.ours > 5


@pytest.mark.slow
@pytest.mark.parametrize("depth", [32, 256])
def test_collection_in_bursts_breaks_the_latency(depth: int, tmp_path: Path) -> None:
    rows = list(busy_rows(Bench(tmp_path, {"ftl.gc_pace": "burst"}), depth))
    (tail,) = (row for row in rows if "p99.9" in row.what)
    assert tail.ours > 20 and not tail.holds


@pytest.mark.slow
def test_taking_operations_in_their_order_lets_reads_wait_for_copies(tmp_path: Path) -> None:
    row = read_row(Bench(tmp_path, {"scheduler.discipline": "fifo"}))
    assert "p99.99 of reads" in row.what and not row.holds
