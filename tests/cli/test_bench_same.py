"""`./cavern bench same`: a build answers as itself, and one that is broken is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from cavern.bench.same import answer, difference, same, shipped_runs
from cavern.simulator import SIMULATOR
from click.testing import CliRunner

BROKEN = SIMULATOR.with_name("cavern-sim-broken-hold")


@pytest.mark.slow
def test_a_build_answers_as_itself() -> None:
    words = ["--drive", "cave", "--input", "tpcc-136ms", "--limit", "50", "--pairs", "7-8"]
    done = CliRunner().invoke(same, ["--against", str(SIMULATOR), *words])
    assert done.output == "8 runs, 0 differ\n"
    assert done.exit_code == 0


def test_a_broken_build_is_named_with_the_run() -> None:
    words = ["--drive", "bench-4k", "--input", "sequential-write", "--limit", "200", "--pairs", "0"]
    done = CliRunner().invoke(same, ["--against", str(BROKEN), *words])
    assert "bench-4k, sequential-write, channel.arbiter=lockstep: " in done.output
    assert done.output.endswith("4 runs, 2 differ\n")
    assert done.exit_code == 1


def test_any_byte_of_summary_decisions_and_rows_counts(tmp_path: Path) -> None:
    run = next(shipped_runs(("cave",), ("tpcc-136ms",), 20))
    said = answer(SIMULATOR, run, tmp_path / "run", ())
    assert {"summary", "decisions", "requests", "exit status", "message"} == said.keys()
    assert all(said[part] for part in ("summary", "decisions", "requests"))
    for part, text in said.items():
        other = {**said, part: text[:-1] + "?"}
        assert difference(said, other).startswith(part), part
    assert difference(said, {**said, "requests": ""}).startswith("requests: 21 | 0 lines")


def test_a_field_that_was_renamed_on_purpose_is_left_out(tmp_path: Path) -> None:
    run = next(shipped_runs(("cave",), ("tpcc-136ms",), 20))
    said = answer(SIMULATOR, run, tmp_path / "run", ("dies.one_shots", "sim.kernel_events"))
    assert '"one_shots"' not in said["summary"]
    assert '"cache_reads"' in said["summary"]
    assert '"kernel_events"' not in said["summary"]


def test_a_build_that_hangs_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hangs = tmp_path / "hangs"
    hangs.write_text("#!/bin/sh\nexec sleep 60\n")
    hangs.chmod(0o755)
    monkeypatch.setattr("cavern.bench.same.SECONDS", 0.2)
    run = next(shipped_runs(("cave",), ("tpcc-136ms",), 20))
    said = answer(hangs, run, tmp_path / "run", ())
    found = difference({"exit status": "0", "message": ""}, said)
    assert found == f"exit status, line 1: 0 | none after 0.2 s of {hangs}"
