"""The front door's commands that run many simulations: demo and validate."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def cavern(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cavern", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_every_comparison_of_validate_holds(tmp_path: Path) -> None:
    done = cavern("validate", "--json", str(tmp_path / "rows.json"))
    assert done.returncode == 0, done.stdout
    rows = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    assert len(rows) > 105
    assert all(row["holds"] for row in rows)
    for stream in ("x1", "x2", "x3", "x8"):
        assert any(row["what"].startswith(stream) for row in rows)


@pytest.mark.slow
def test_validate_fails_where_the_model_is_changed(tmp_path: Path) -> None:
    done = cavern(
        "validate", "--set", "nand.t_program=204us", "--json", str(tmp_path / "rows.json")
    )
    assert done.returncode == 1
    rows = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    broken = {row["what"] for row in rows if not row["holds"]}
    assert "unloaded 2 KiB write-through" in broken
    assert "x1 random write 4 KiB, depth 1, mean" in broken
    # Reads and buffered writes have nothing to do with tPROG.
    assert "unloaded 2 KiB read" not in broken
    assert "unloaded 2 KiB buffered write" not in broken


@pytest.mark.slow
def test_validate_fails_where_the_links_are_changed(tmp_path: Path) -> None:
    done = cavern(
        "validate",
        "--only",
        "links",
        "--set",
        "host.nvme.max_payload=128B",
        "--set",
        "host.nvme.arbitration=round-robin",
        "--json",
        str(tmp_path / "rows.json"),
    )
    assert done.returncode == 1
    rows = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    broken = {row["what"] for row in rows if not row["holds"]}
    for generation in (3, 4, 5):
        for op in ("read", "write"):
            assert f"saturated 128 KiB {op}, PCIe {generation} x4" in broken
    for priority in ("high", "medium", "low"):
        assert f"share of a weighted queue, class {priority}" in broken
    assert not any("SATA" in what for what in broken)


@pytest.mark.slow
def test_validate_fails_where_sata_frames_take_longer(tmp_path: Path) -> None:
    done = cavern(
        "validate",
        "--only",
        "links",
        "--set",
        "host.sata.handshake=3us",
        "--json",
        str(tmp_path / "rows.json"),
    )
    assert done.returncode == 1
    rows = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    assert {row["what"] for row in rows if not row["holds"]} == {
        f"saturated 128 KiB {op}, SATA {generation}"
        for op in ("read", "write")
        for generation in (1, 2, 3)
    }


@pytest.mark.slow
def test_demo_compares_two_drives_in_lockstep(tmp_path: Path) -> None:
    done = cavern("demo", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "execution time" in done.stdout and "hit ratio" in done.stdout
    for name in ("conventional", "cave"):
        summary = json.loads((tmp_path / name / "summary.json").read_text(encoding="utf-8"))
        assert len(summary["channels"]) == 8
        for channel in summary["channels"]:
            assert channel["lockstep"]["compared"] > 0
            assert channel["lockstep"]["mismatches"] == 0
        assert list((tmp_path / name / "figures").glob("gantt.png"))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "conventional" in page and "cave" in page
