"""What `./cavern bench instructions` counts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cavern.bench import instructions
from cavern.bench.instructions import counted
from cavern.errors import SimulatorError
from cavern.simulator import ROOT

from tests.cli.once import once

needs_valgrind = pytest.mark.skipif(not instructions.available(), reason=instructions.MISSING)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each run is counted once, for all workers: it starts for seconds in valgrind."""
    monkeypatch.delenv("CAVERN_CHECK_LAWS")  # which is not free

    def shared(name: str, requests: int, arbiter: str) -> int:
        def count(file: Path) -> None:
            file.write_text(f"{counted(name, requests, arbiter)}")

        what = f"instructions {name} {requests} {arbiter}"
        return int(once(what, tmp_path_factory, count).read_text())

    monkeypatch.setattr(instructions, "counted", shared)


#: The buffer is full when the first run ends.
SIZES = (8000, 20_000)


@needs_valgrind
@pytest.mark.slow
@pytest.mark.usefixtures("counts")
def test_more_requests_cost_more_instructions_and_start_up_cancels() -> None:
    few, more = (
        instructions.per_request("random-write", "tlm", (SIZES[0], many))
        for many in (14_000, SIZES[1])
    )
    first, second = few["instructions of 8,000"], few["instructions of 14,000"]
    assert 0 < first < second < more["instructions of 20,000"]
    # Divided by its requests a run would seem dearer: the start is in that.
    request = few["instructions/request"]
    assert 1000 < request < 20_000
    assert first / SIZES[0] > 1.5 * request
    assert more["instructions/request"] == pytest.approx(request, rel=0.25)


@needs_valgrind
@pytest.mark.slow
@pytest.mark.usefixtures("counts")
def test_instructions_are_the_same_again_and_grow_with_the_arbiter() -> None:
    before = instructions.counted("random-write", SIZES[0], "tlm")
    # The path of the temporary folder and the clock's digits have a part in it.
    assert counted("random-write", SIZES[0], "tlm") == pytest.approx(before, rel=1e-3)
    assert counted("random-write", SIZES[0], "lockstep") > before


#: Instructions of a request at most, 1 % more than were counted: as built, and with the branches
#: counted.
MOST = {
    ("random-write", "tlm"): (6_968, 5_914),
    ("random-write, no buffer", "tlm"): (5_207, 4_383),
    ("random-write, no buffer", "rtl"): (7_256, 6_437),
    ("random-write, no time", "tlm"): (1_750, 1_434),
    ("random-write, no buffer, no time", "tlm"): (1_141, 989),
    ("tlc", "tlm"): (34_087, 31_242),
}
COUNTED = (ROOT / "build" / "release" / "profile.stamp").exists()


@needs_valgrind
@pytest.mark.slow
@pytest.mark.usefixtures("counts")
@pytest.mark.parametrize(("name", "arbiter"), MOST)
def test_what_is_off_costs_no_instruction(name: str, arbiter: str) -> None:
    most = MOST[name, arbiter][COUNTED]
    request = instructions.per_request(name, arbiter, SIZES)["instructions/request"]
    assert 0.8 * most < request < most


@pytest.mark.slow
@needs_valgrind
def test_a_run_that_fails_is_no_count() -> None:
    with pytest.raises(SimulatorError, match="channel.arbiter"):
        instructions.counted("mixed", 1, "nobody")


@pytest.mark.slow
def test_without_valgrind_one_line_says_how_to_get_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cavern", "bench", "instructions"],
        cwd=ROOT,
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == f"error: <command line>:1: {instructions.MISSING}\n"
