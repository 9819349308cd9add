"""Fixtures of the figures' tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plots.made_runs import RunMaker


@pytest.fixture
def runs(tmp_path: Path) -> RunMaker:
    return RunMaker(tmp_path)


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said is not drawn."""
    for name in ("comparison_figures", "run_figures"):
        monkeypatch.setattr(f"cavern.plots.report.{name}", lambda *arguments: [])
