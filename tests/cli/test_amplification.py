"""Write amplification against published models: `validate --only amplification`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cavern.validate.amplification import d_choices, fifo, greedy

from tests.cli.test_python_commands import cavern


def test_greedy_is_fifo_for_blocks_of_very_many_pages() -> None:
    for share in (0.7, 0.8, 0.9, 0.95):
        assert greedy(share, 200_000) == pytest.approx(fifo(share), rel=2e-3)
        assert greedy(share, 32) < 0.99 * fifo(share)


@pytest.mark.slow
def test_many_choices_are_greedy_and_few_are_worse() -> None:
    for share in (0.72, 0.85, 0.93):
        assert d_choices(share, 64, 4000) == pytest.approx(greedy(share, 64), rel=2e-3)
        assert greedy(share, 64) < d_choices(share, 64, 10) < d_choices(share, 64, 2)
        assert d_choices(share, 64, 2) < d_choices(share, 64, 1)


def test_fifo_solves_its_equation_and_a_drive_with_much_spare_copies_little() -> None:
    # x = 0.2, A = 1.25: share = 1 / (-A ln x).
    assert fifo(1 / (1.25 * 1.6094379124341003)) == pytest.approx(1.25, rel=1e-9)
    assert greedy(0.1, 64) == pytest.approx(1.0, rel=1e-3)


def rows_of(folder: Path, *arguments: str) -> tuple[int, dict[str, dict[str, Any]]]:
    file = folder / "rows.json"
    done = cavern("validate", "--only", "amplification", "--json", str(file), *arguments)
    rows = json.loads(file.read_text(encoding="utf-8"))
    return done.returncode, {row["what"]: row for row in rows}


@pytest.mark.slow
def test_the_drive_agrees_with_every_model(tmp_path: Path) -> None:
    status, rows = rows_of(tmp_path)
    assert status == 0
    assert len(rows) == 15
    assert all(abs(row["ours"] / row["expected"] - 1) < 0.05 for row in rows.values())


@pytest.mark.slow
def test_another_policy_breaks_the_comparison(tmp_path: Path) -> None:
    status, rows = rows_of(tmp_path, "--set", "ftl.gc_policy=fifo")
    assert status == 1
    for name, row in rows.items():
        # Few pages in a block and little spare set greedy apart.
        if name.startswith("fifo"):
            assert row["holds"]
        elif not name.startswith("d-choices of 10"):
            assert not row["holds"], name
