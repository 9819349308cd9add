"""Fixtures of the figures' tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plots.made_runs import RunMaker


@pytest.fixture
def runs(tmp_path: Path) -> RunMaker:
    return RunMaker(tmp_path)
