"""`./cavern bench beside`: a build takes as long as itself; what takes twice as long is seen."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from cavern.bench import beside as bench
from cavern.simulator import SIMULATOR
from click.testing import CliRunner

SHORT = replace(bench.CELLS["random write"], lengths=(1_000, 61_000))


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.slow
def test_a_program_that_does_everything_twice_takes_twice_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "WAYS", {"at": bench.WAYS["at"]})
    twice = program(tmp_path, "twice", f'"{SIMULATOR}" "$@" && exec "{SIMULATOR}" "$@"')
    ratios = []
    for _ in range(3):  # other work on the machine can be worth half of a figure
        itself = bench.measure(SHORT, SIMULATOR, None, 3)
        doubled = bench.measure(SHORT, twice, None, 3)
        assert list(itself) == ["at", "at, other"] and len(itself["at"]) == 3
        found = (bench.ratio(one["at"], one["at, other"])[1] for one in (itself, doubled))
        ratios.append(tuple(found))
        if 0.6 < ratios[-1][0] < 1.5 < ratios[-1][1] < 3:
            return
    raise AssertionError(ratios)


def test_rows_say_how_many_times_as_long_the_others_take() -> None:
    found = {
        "at": [1.0, 2.0, 1.0],
        "at, other": [2.0, 2.0, 3.0],
        "untimed": [0.5, 0.5, 0.5],
        "MQSim": [5.0, 6.0, 8.0],
    }
    assert bench.rows_of(found) == [
        (
            "at",
            "1.00 (1.00 - 2.00)",
            "at, other 2.00 (1.00 - 3.00); MQSim 5.00 (3.00 - 8.00)",
        ),
        ("at, other", "2.00 (2.00 - 3.00)", ""),
        ("untimed", "0.50 (0.50 - 0.50)", "MQSim 12.00 (10.00 - 16.00)"),
        ("MQSim", "6.00 (5.00 - 8.00)", ""),
    ]


#: Of MQSim's file, what is set.
DRIVE = "\n".join(f"<{name}>?</{name}>" for name in bench.ALWAYS | bench.PLAIN)
QUEUES = "<IO_Queue_Depth>?</IO_Queue_Depth>\n<Queue_Fetch_Size>?</Queue_Fetch_Size>\n"


def test_mqsim_gets_the_same_drive_and_the_same_requests(tmp_path: Path) -> None:
    """What is given to it, by a program in its place that takes no time."""
    folder = tmp_path / "mqsim"
    folder.mkdir()
    (folder / "ssdconfig.xml").write_text(QUEUES + DRIVE)
    program(folder, "MQSim", 'test -r "$2" && test -r "$4"')
    cell = replace(bench.CELLS["TLC, 70/30 of 16 KiB, filled"], lengths=(10, 1_000))
    played = bench.trace(cell, 1_000, tmp_path)
    assert bench.play_mqsim(folder, cell, played) < 1
    drive = (tmp_path / "ssd.xml").read_text()
    assert "?" not in drive and "<IO_Queue_Depth>513</IO_Queue_Depth>" in drive
    assert "<Page_Capacity>16384</Page_Capacity>" in drive
    scenario = (tmp_path / "workload.xml").read_text()
    assert f"<File_Path>{played}</File_Path>" in scenario
    assert "<Plane_IDs>0,1,2,3</Plane_IDs>" in scenario and "WRITE_CACHE" in scenario
    rows = [line.split() for line in played.read_text().splitlines()]
    assert len(rows) == 1_000 and {row[3] for row in rows} == {"32"}
    assert 0.65 < sum(row[4] == "1" for row in rows) / len(rows) < 0.75
    assert max(int(row[2]) for row in rows) * 512 < cell.span


def test_what_is_no_mqsim_is_named(tmp_path: Path) -> None:
    (tmp_path / "ssdconfig.xml").write_text("<IO_Queue_Depth>1</IO_Queue_Depth>")
    program(tmp_path, "MQSim", "echo out of cheese; exit 3")
    words = ["--mqsim", str(tmp_path), "--cell", "random write", "--rounds", "1"]
    with pytest.raises(bench.InputError, match="ssdconfig.xml:1: it has 0 of <Data_Cache_DRAM"):
        bench.play_mqsim(tmp_path, SHORT, bench.trace(SHORT, 10, tmp_path))
    (tmp_path / "ssdconfig.xml").write_text(QUEUES + DRIVE)
    with pytest.raises(bench.InputError, match="MQSim:1: it ends with 3: out of cheese; exit 0"):
        bench.play_mqsim(tmp_path, SHORT, bench.trace(SHORT, 10, tmp_path))
    assert CliRunner().invoke(bench.beside, [*words[:2], "--cell", "no such"]).exit_code == 2


def test_the_figures_are_also_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "WAYS", {"untimed": bench.WAYS["untimed"]})
    monkeypatch.setattr(bench, "CELLS", {"random write": replace(SHORT, lengths=(10, 2_000))})
    words = ["--rounds", "1", "--json", str(tmp_path / "figures.json")]
    done = CliRunner().invoke(bench.beside, words)
    assert done.exit_code == 0 and "us a request" in done.output
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert list(figures["random write"]) == ["untimed"]
