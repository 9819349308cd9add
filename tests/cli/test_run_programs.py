"""The runner of C++ tests on a program whose tests misbehave (tests/support/misbehaving_tests.cpp),
and on a build of such programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from cavern.devtools.checks import run_programs
from cavern.devtools.programs import (
    Depth,
    OtherTest,
    Program,
    chosen,
    is_chosen,
    listed,
    may_have,
    programs_of,
    written_names,
)
from cavern.devtools.run_programs import Result, Runner, batches_of
from cavern.devtools.steps import Steps
from cavern.devtools.totals import Totals
from cavern.simulator import BUILD, ENVIRONMENT, ROOT, clock_of, end_of

NAME = "misbehaving_tests"
SOURCE = ROOT / "tests" / "support" / "misbehaving_tests.cpp"


def program(alone: bool = False, timeout: float = 20, name: str = NAME) -> Program:
    return Program(name, "support/odd", "unit", "p/", timeout, alone, (str(SOURCE),))


def run(tests: list[str], alone: bool = False, timeout: float = 20) -> list[Result]:
    results: list[Result] = []
    batches = batches_of(program(alone, timeout), tests)
    Runner(BUILD, 2).run(batches, [], results.extend)
    return results


def told(results: list[Result]) -> dict[str, tuple[str, str]]:
    return {result.name.rpartition(".")[2]: (result.status, result.why) for result in results}


def test_the_tests_after_one_that_ends_the_program_run_too() -> None:
    names = ["Passes", "Crashes", "IsSkipped", "Exits", "Fails", "PassesAtLast"]
    results = run([f"Misbehaving.{name}" for name in names])
    assert told(results) == {
        "Passes": ("passed", ""),
        "Crashes": ("failed", "crashed: SIGABRT"),
        "IsSkipped": ("skipped", ""),
        "Exits": ("failed", "ended the program, with status 0"),
        "Fails": ("failed", "failed"),
        "PassesAtLast": ("passed", ""),
    }
    assert all(result.name.startswith("p/Misbehaving.") for result in results)
    output = next(result.output for result in results if result.name.endswith(".Fails"))
    assert "this is why" in output and "Exits" not in output


def test_a_batch_ends_with_its_first_failure_where_that_is_enough() -> None:
    for name, why in (("Fails", "failed"), ("Crashes", "crashed: SIGABRT")):
        results: list[Result] = []
        tests = [f"Misbehaving.{each}" for each in ("Passes", name, "PassesAtLast")]
        Runner(BUILD, 2, first_failure=True).run(batches_of(program(), tests), [], results.extend)
        assert told(results).pop(name) == ("failed", why)
        assert ("PassesAtLast", ("passed", "")) not in told(results).items()


@pytest.mark.slow
def test_a_test_that_hangs_is_named_and_the_others_run() -> None:
    results = run(
        [f"Misbehaving.{name}" for name in ("Passes", "Hangs", "PassesAtLast")], timeout=1
    )
    assert told(results) == {
        "Passes": ("passed", ""),
        "Hangs": ("failed", "hangs: it has not ended after 1 s"),
        "PassesAtLast": ("passed", ""),
    }


@pytest.mark.slow
def test_who_waits_for_a_processor_does_not_hang() -> None:
    """Two that are busy share one: each waits for half of the time."""
    processor = str(min(os.sched_getaffinity(0)))
    command = ["taskset", "--cpu-list", processor, sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(command) as one, subprocess.Popen(command) as other:
        try:
            wall, clock = time.monotonic(), clock_of(one.pid)
            time.sleep(1)
            assert clock_of(one.pid) - clock < 0.8 * (time.monotonic() - wall)
        finally:
            one.kill()
            other.kill()
    # A process that is gone, or sleeps, waits for none.
    wall, clock = time.monotonic(), clock_of(one.pid)
    assert clock_of(one.pid) - clock == pytest.approx(time.monotonic() - wall, abs=0.5)


def test_who_waits_longer_than_its_time_has_its_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cavern.simulator.clock_of", lambda _: 0.0)  # it waits all the time
    reads = "import sys, time; time.sleep(0.3); print(sys.stdin.read())"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", reads], stdin=pipe, stdout=pipe) as process:
        assert end_of(process, 0.1, b"text") == (b"text\n", None)


def test_a_program_that_crashes_after_its_tests_fails() -> None:
    tests = ["Misbehaving.CrashesTheEnd", "Misbehaving.PassesAtLast"]
    (first, second, end) = run(tests)
    assert (first.status, second.status) == ("passed", "passed")
    assert (end.name, end.why) == (NAME, "crashed: SIGABRT after its tests")


def test_a_program_that_does_not_start_fails_all_its_tests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(ENVIRONMENT, "CAVERN_TEST_NO_START", "1")
    results = run(["Misbehaving.Passes", "Misbehaving.PassesAtLast"])
    why = "ended the program, with status 3 before its first test"
    assert told(results) == {"Passes": ("failed", why), "PassesAtLast": ("failed", why)}


def test_a_process_that_a_test_leaves_behind_is_not_waited_for() -> None:
    start = time.monotonic()
    assert told(run(["Misbehaving.LeavesAProcess"])) == {"LeavesAProcess": ("passed", "")}
    assert time.monotonic() - start < 10


def test_processor_time_is_that_of_the_test() -> None:
    results = run(["Misbehaving.Passes", "Misbehaving.IsBusy"])
    seconds = {result.name.rpartition(".")[2]: result.seconds for result in results}
    assert seconds["Passes"] < 0.1 < seconds["IsBusy"] < 2


def test_tests_of_a_kind_run_together_and_those_alone_do_not() -> None:
    tests = [*(f"A.T{i}" for i in range(250)), *(f"Slow/A.T/{i}" for i in range(9)), "NightlyA.T"]
    sizes = [len(batch.tests) for batch in batches_of(program(), tests)]
    assert sizes == [200, 50, 8, 1, 1]
    assert {len(batch.tests) for batch in batches_of(program(alone=True), tests)} == {1}


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_ends_what_runs(workers: int) -> None:
    runner = Runner(BUILD, workers)
    batches = batches_of(program(alone=True), ["Misbehaving.Passes", "Misbehaving.Hangs"])

    def report(_: list[Result]) -> None:
        raise KeyboardInterrupt

    start = time.monotonic()
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        runner.run(batches, [], report)
    assert time.monotonic() - start < 10
    assert threading.active_count() == before


BUILD_OF_ONE = {
    "name": NAME,
    "folder": "support/odd",
    "label": "unit",
    "prefix": "",
    "timeout": 20,
    "alone": False,
    "sources": [str(SOURCE)],
}


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A build with that one program."""
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / NAME).symlink_to(BUILD / "tests" / NAME)
    (tests / "programs.jsonl").write_text(json.dumps(BUILD_OF_ONE) + "\n")
    return tmp_path


def report_of(
    build: Path, pattern: str, capsys: pytest.CaptureFixture[str], steps: Steps
) -> tuple[str, str]:
    """The closing line, and all that was said before."""
    totals = Totals()
    run_programs(build, programs_of(build), [], pattern, Depth.USUAL, totals, steps)
    return totals.line(), capsys.readouterr().out


def test_each_fault_is_said_once_more_at_the_end(
    build: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line, said = report_of(build, "Pass|Crashes$|Fails|Skip", capsys, Steps())
    assert line == "3 passed, 2 failed, 1 skipped"
    assert f"{NAME}: {line}; " in said
    summary = said.partition("\nfailed:\n")[2].splitlines()
    assert summary == ["Misbehaving.Crashes: crashed: SIGABRT", "Misbehaving.Fails: failed"]
    assert "this is why" in said


@pytest.mark.slow
def test_a_test_over_its_bound_fails_unless_it_is_an_exception(
    build: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cavern.devtools.steps.BOUND", 0.2)
    steps = Steps(long={})
    line, said = report_of(build, "IsBusy|PassesAtLast", capsys, steps)
    assert line == "1 passed, 1 failed"
    assert "Misbehaving.IsBusy: took " in said and "its bound is 0.2 s" in said
    assert steps.lines()[-1].startswith("OVER ITS BOUND: Misbehaving.IsBusy took ")
    for allowed in (Steps(long={"*.IsBusy": (2.0, "a control")}), Steps(bounded=False)):
        line, _ = report_of(build, "IsBusy|PassesAtLast", capsys, allowed)
        assert line == "2 passed, 0 failed"
        assert allowed.lines(1)[-1].endswith("Misbehaving.IsBusy")


def test_a_pattern_chooses_by_layer_folder_program_or_name() -> None:
    tests = listed(BUILD / "tests" / NAME)
    assert len(tests) == 12

    def count(pattern: str | None, depth: Depth = Depth.NIGHTLY) -> int:
        return len(chosen(program(), tests, pattern, depth))

    assert [count(None, depth) for depth in Depth] == [10, 11, 12]
    whole = ("unit", "support/odd", "support", "support/", NAME)
    assert {count(pattern) for pattern in whole} == {12}
    assert [count(word) for word in ("Passes", "p/Mis", "Fails$|Hangs")] == [4, 12, 2]
    # Neither a layer of others, nor a part of a folder's name.
    assert [count(word) for word in ("timing", "rtl", "supp", "odd")] == [0, 0, 0, 0]
    assert program(name="core_buffer_test").is_called("core_buffer")


@pytest.mark.parametrize(
    ("label", "kind", "chosen_by"),
    [
        ("cosim", "", {"rtl", "cosim", "EveryShape", None}),
        ("cosim;slow", "slow", {"rtl", "cosim", "EveryShape", None}),
        ("unit-nightly", "nightly", {"unit", "EveryShape", None}),
    ],
)
def test_what_ctest_runs_is_chosen_likewise(
    label: str, kind: str, chosen_by: set[str | None]
) -> None:
    test = OtherTest("EveryShape.x", tuple(label.split(";")), None)
    patterns = {"rtl", "cosim", "unit", "EveryShape", "Fuzz", None}
    assert test.kind == kind
    assert {each for each in patterns if is_chosen(test, each, Depth.NIGHTLY)} == chosen_by
    assert is_chosen(test, None, Depth.FAST) == (kind == "")


def test_names_are_found_in_sources_that_are_not_built() -> None:
    text = """
    TEST(Plain, Holds) {} TEST_F(Fixture,
                                 HoldsToo) {}
    TEST_P(Each, Holds) {} INSTANTIATE_TEST_SUITE_P(Slow, Each, Values(1));
    INSTANTIATE_TEST_SUITE_P(, Each, Values(2));
    """
    assert written_names(text) == [
        "Plain.Holds",
        "Fixture.HoldsToo",
        "Slow/Each.Holds/",
        "Each.Holds/",
    ]
    assert may_have(program(), "Misbehaving.Ha") and not may_have(program(), "LruPage")
