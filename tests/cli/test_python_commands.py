"""The front door's commands that run many simulations: demo and validate."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cavern.validate.command import SECTIONS

from tests.cli.validated import validate, validated

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
def test_every_comparison_of_validate_holds(tmp_path_factory: pytest.TempPathFactory) -> None:
    status, rows = validated(tmp_path_factory)
    assert status == 0, [row for row in rows if not row["holds"]]
    assert len(rows) > 105
    assert all(row["holds"] for row in rows)
    assert {row["section"] for row in rows} == set(SECTIONS)
    for stream in ("x1", "x2", "x3", "x8"):
        assert any(row["what"].startswith(stream) for row in rows)


def broken_rows(folder: Path, section: str, *settings: str) -> set[str]:
    """What does not hold in a section where settings are other ones; the command says so too."""
    status, rows = validate(folder / "rows.json", "--only", section, *sets(settings))
    assert status == 1
    return {row["what"] for row in rows if not row["holds"]}


def sets(settings: tuple[str, ...]) -> list[str]:
    return [word for setting in settings for word in ("--set", setting)]


@pytest.mark.slow
def test_validate_fails_where_the_model_is_changed(tmp_path: Path) -> None:
    broken = broken_rows(tmp_path, "drive", "nand.t_program=204us")
    assert "unloaded 2 KiB write-through" in broken
    # Reads and buffered writes have nothing to do with tPROG.
    assert "unloaded 2 KiB read" not in broken
    assert "unloaded 2 KiB buffered write" not in broken


@pytest.mark.slow
def test_validate_fails_where_programs_take_longer_than_a_simulator_has_them(
    tmp_path: Path,
) -> None:
    broken = broken_rows(tmp_path, "simulators", "nand.t_program=204us")
    assert "x1 random write 4 KiB, depth 1, mean" in broken


@pytest.mark.slow
def test_validate_fails_where_the_bus_is_granted_in_another_order(tmp_path: Path) -> None:
    # In which order the bus is granted matters near saturation alone.
    assert broken_rows(tmp_path, "simulators", "channel.policy=round-robin") == {
        f"x9 random read, Poisson {rate} k/s, mean" for rate in (226, 260)
    }


@pytest.mark.slow
def test_validate_fails_where_the_links_are_changed(tmp_path: Path) -> None:
    broken = broken_rows(
        tmp_path, "links", "host.nvme.max_payload=128B", "host.nvme.arbitration=round-robin"
    )
    for generation in (3, 4, 5):
        for op in ("read", "write"):
            assert f"saturated 128 KiB {op}, PCIe {generation} x4" in broken
    for priority in ("high", "medium", "low"):
        assert f"share of a weighted queue, class {priority}" in broken
    assert not any("SATA" in what for what in broken)


@pytest.mark.slow
def test_validate_fails_where_sata_frames_take_longer(tmp_path: Path) -> None:
    assert broken_rows(tmp_path, "links", "host.sata.handshake=3us") == {
        f"saturated 128 KiB {op}, SATA {generation}"
        for op in ("read", "write")
        for generation in (1, 2, 3)
    }


#: How long a step of the demo took on this machine.
STEP = re.compile(r"^(.* \.\.\.) [\d.]+ s$", re.MULTILINE)


@pytest.mark.slow
def test_demo_collects_in_lockstep_and_says_what_the_readme_shows(tmp_path: Path) -> None:
    done = cavern("demo", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    printed = STEP.sub(r"\1", done.stdout.replace(str(tmp_path), "out/demo"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"\n$ ./cavern demo\n{printed}```\n" in STEP.sub(r"\1", readme)
    assert max(len(line) for line in printed.splitlines()) <= 100
    for name in ("conventional", "cave", "cave-firmware"):
        summary = json.loads((tmp_path / name / "summary.json").read_text(encoding="utf-8"))
        assert summary["ftl"]["waf"] > 2 and summary["ftl"]["gc_runs"] > 0
        assert len(summary["channels"]) == 8
        for channel in summary["channels"]:
            assert channel["lockstep"]["compared"] == channel["grants"] > 0
            assert channel["lockstep"]["mismatches"] == 0
        assert list((tmp_path / name / "figures").glob("gantt.png"))
    assert summary["cpu"]["decisions_compared"] > 500_000
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "conventional" in page and "cave" in page
    # Nothing is doubtful here; why CAVE's writes take longer stands below the table.
    assert 'class="warning"' not in page and 'class="reservations"' not in page
    assert page.index("</table>") < page.index("why CAVE") < page.index("<figure>")
