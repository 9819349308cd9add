"""Write amplification against published models: `validate --only amplification`."""

from __future__ import annotations

from pathlib import Path

import pytest
from cavern.validate.amplification import d_choices, fifo, greedy

from tests.cli.validated import validate, validated


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


@pytest.mark.slow
def test_the_drive_agrees_with_every_model(tmp_path_factory: pytest.TempPathFactory) -> None:
    _, rows = validated(tmp_path_factory, "amplification")
    assert len(rows) == len({row["what"] for row in rows}) == 15
    assert all(row["holds"] for row in rows)
    assert all(abs(row["ours"] / row["expected"] - 1) < 0.05 for row in rows)


@pytest.mark.slow
def test_another_policy_breaks_the_comparison(tmp_path: Path) -> None:
    settings = ("--only", "amplification", "--set", "ftl.gc_policy=fifo")
    status, rows = validate(tmp_path / "rows.json", *settings)
    assert status == 1
    for row in rows:
        # Few pages in a block and little spare set greedy apart.
        if row["what"].startswith("fifo"):
            assert row["holds"]
        elif not row["what"].startswith("d-choices of 10"):
            assert not row["holds"], row["what"]
