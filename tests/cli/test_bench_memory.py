"""What `./cavern bench memory` prints stays within its limits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cavern.bench.memory import DRIVES, MOST_BYTES, MOST_MIB, MOST_SECONDS, layer

from tests.cli.test_python_commands import cavern


@pytest.mark.slow
def test_every_figure_is_within_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    done = cavern("bench", "memory", "--json", str(file))
    assert done.returncode == 0, done.stderr
    figures = json.loads(file.read_text(encoding="utf-8"))["results"]["memory"]
    assert len(figures) == len(DRIVES) + 3
    for name, row in figures.items():
        assert row["start, s"] < MOST_SECONDS, name
        assert row["start, MiB"] < MOST_MIB, name
        if name.startswith("16 TiB"):
            assert row["pages"] > 1e9
        else:
            # Less than the map and its reverse would mean that the drive was not filled.
            assert 4 + 0.93 * 4 < row["bytes/page"] < MOST_BYTES, name


def test_a_drive_that_is_only_built_is_seen_to_cost_nothing() -> None:
    assert layer(4, 8192, 64, 0.0)["bytes/page"] < 0.5
