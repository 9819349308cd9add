"""What `./cavern test` chooses to run, and how it sums up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cavern.devtools import checks
from cavern.devtools.building import ninja
from cavern.devtools.programs import (
    Depth,
    OtherTest,
    Program,
    others_of,
    programs_of,
)
from cavern.devtools.steps import BOUND, LONG, Steps, slowness
from cavern.devtools.testing import pytest_expression, pytest_may_have, pytest_options, wanted
from cavern.devtools.totals import Totals
from cavern.simulator import BUILD, ROOT

JUNIT = """<testsuite>
  <testcase name="a" status="run"/>
  <testcase name="b" status="fail"><failure message="no"/></testcase>
  <testcase name="c" status="notrun"><skipped message="later"/></testcase>
  <testcase name="d"><error message="setup"/></testcase>
</testsuite>"""


def test_totals_count_each_case_once(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(JUNIT, encoding="utf-8")
    totals = Totals()
    totals.add_junit(report)
    assert totals.line() == "1 passed, 2 failed, 1 skipped"


def test_a_program_that_stops_without_a_word_is_a_failure(tmp_path: Path) -> None:
    totals = Totals()
    totals.add_report(tmp_path / "none.xml", ok=True)
    assert totals.line() == "0 passed, 0 failed"
    totals.add_report(tmp_path / "none.xml", ok=False)
    assert totals.line() == "0 passed, 1 failed"
    # Where tests tell why, they are what is counted.
    (tmp_path / "report.xml").write_text(JUNIT, encoding="utf-8")
    totals.add_report(tmp_path / "report.xml", ok=False)
    assert totals.line() == "1 passed, 3 failed, 1 skipped"


@pytest.mark.parametrize(
    ("pattern", "expression"),
    [
        ("unit", None),  # a layer of C++
        ("rtl", "rtl"),
        ("sweep", "sweep"),
        ("Lru|sweep", "Lru or sweep"),
        ("test_a[b-1]", "test_a[b-1]"),
        ("sweep and not slow", "sweep and not slow"),
        ("^Lru.*$", None),  # pytest has no regular expressions
    ],
)
def test_pytest_takes_a_pattern_as_it_can(pattern: str, expression: str | None) -> None:
    assert pytest_expression(pattern) == expression


def test_pytest_starts_only_where_it_may_have_such_a_test() -> None:
    def may(expression: str) -> bool:
        return pytest_may_have(expression, Depth.NIGHTLY)

    assert may("rtl") and may("starts_only_where") and may("nothing or test_sweep.py")
    assert may("not " + "slow")
    # The text of this file is a text, too.
    assert not any(may(name) for name in ("LruPage" + "Policy", "core/buffer", "core_buffer"))


def test_only_programs_that_may_have_a_test_are_built() -> None:
    programs, others = programs_of(BUILD), others_of(BUILD)

    def names(pattern: str, lists: dict[Program, list[str]] | None = None) -> set[str]:
        return {program.name for program in wanted(programs, others, lists or {}, pattern)[0]}

    assert names("core/buffer") == names("core_buffer") == {"core_buffer_test"}
    assert names("timed/tlm") == names("protocol") == {"timed_tlm_test"}
    # A word may be a folder and in names of tests elsewhere.
    below = {program.name for program in programs if program.folder.startswith("timed/")}
    assert below < names("timed") < {program.name for program in programs}
    assert names("EventQueueTest") == {"timed_tlm_test"}
    assert names("NoSuchTest") == set()
    # A parameter is in no source, but was in the program that was built before.
    known = {programs[0]: ["Each/Some.Holds/NoSuchTest"]}
    assert names("NoSuchTest", known) == {programs[0].name}
    assert {test.label for test in wanted(programs, others, {}, "rtl")[1]} == {"cosim"}
    assert {test.name for test in wanted(programs, others, {}, "RtlLint.Weighted1")[1]} == {
        "RtlLint.Weighted1Ways",
        "RtlLint.Weighted16Ways",
    }


def test_a_build_that_fails_ends_the_run_with_what_it_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = tmp_path / "build" / "release"
    build.mkdir(parents=True)
    (build / "build.ninja").write_text(
        "rule no\n command = echo the reason && false\nbuild all: no\n"
        "rule yes\n command = touch yes\nbuild yes: yes\n"
    )
    ninja(["yes"], build)
    assert (build / "yes").exists()
    assert capsys.readouterr() == ("", "")
    with pytest.raises(SystemExit) as ended:
        ninja([], build)
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "the reason" in said and f"error: {tmp_path}/build/build.log:1: building failed" in said


MEASURED = """\
import subprocess, sys, time
import pytest
BUSY = "import time; end = time.process_time() + 0.4\\nwhile time.process_time() < end: pass"
@pytest.fixture(scope="module")
def shared():
    exec(BUSY)
def test_busy(): exec(BUSY)
def test_busy_below(): subprocess.run([sys.executable, "-c", BUSY])
def test_waits(shared): time.sleep(0.5)
def test_busy_and_wrong():
    exec(BUSY)
    assert False
"""


@pytest.mark.slow
def test_a_bound_is_kept_by_tests_and_by_what_they_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "conftest.py").write_text(
        "from cavern.devtools.pytest_seconds import pytest_fixture_setup, pytest_runtest_call\n"
    )
    (tmp_path / "test_measured.py").write_text(MEASURED)
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-n2", "-c"]
    command += [str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), f"--junitxml={report}"]
    subprocess.run([*command, str(tmp_path)], cwd=tmp_path, capture_output=True, check=False)
    monkeypatch.setattr("cavern.devtools.steps.PYTEST_BOUND", 0.3)
    totals = Totals()
    totals.add_report(report, ok=False)
    assert totals.line() == "3 passed, 1 failed"
    steps = Steps(long={})
    totals.add_over(*steps.add_junit(report))
    over = sorted(each.partition(" took ")[0].rpartition("::")[2] for each in steps.over)
    assert over == ["shared", "test_busy", "test_busy_and_wrong", "test_busy_below"]
    assert totals.line() == "1 passed, 4 failed"
    allowed = Steps(long={"*::test_busy*": (60.0, "a control"), "fixture *": (60.0, "another")})
    assert allowed.add_junit(report) == (0, 0)


@pytest.mark.slow
def test_a_slow_machine_has_longer_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not Steps(long={}).add_test("A.B", BOUND * 1.5)
    assert Steps(long={}, slower=2.0).add_test("A.B", BOUND * 1.5)
    assert not Steps(long={}, slower=2.0).add_test("A.B", BOUND * 2.5)
    monkeypatch.setattr("cavern.devtools.steps.REFERENCE_LOOP", 1e-3)
    assert slowness() > 5
    monkeypatch.setattr("cavern.devtools.steps.REFERENCE_LOOP", 1e3)
    assert slowness() == 1  # a quick one has the same


def test_exceptions_to_the_bound_have_reasons() -> None:
    assert all(bound > BOUND and len(reason) > 20 for bound, reason in LONG.values())


MARKED = """\
import pytest
def test_quick(): pass
@pytest.mark.slow
def test_slow(): pass
@pytest.mark.nightly
def test_nightly(): pass
@pytest.mark.slow
@pytest.mark.nightly
def test_both(): pass
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "depth", "chosen"),
    [
        (None, Depth.FAST, {"quick"}),
        (None, Depth.USUAL, {"quick", "slow"}),
        (None, Depth.NIGHTLY, {"quick", "slow", "nightly", "both"}),
        ("both", Depth.NIGHTLY, {"both"}),
    ],
)
def test_pytest_runs_what_is_asked_for(
    pattern: str | None, depth: Depth, chosen: set[str], tmp_path: Path
) -> None:
    (tmp_path / "test_marked.py").write_text(MARKED)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--collect-only"]
    command += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)]
    command += [*pytest_options(pattern, depth), str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    names = {line.rpartition("test_")[2] for line in done.stdout.splitlines() if "::" in line}
    assert names == chosen, done.stdout + done.stderr


def test_fast_and_nightly_exclude_each_other() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cavern", "test", "--fast", "--nightly"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: <command line>:1: --fast and --nightly exclude")


def test_presets_of_the_checks_check_what_they_say() -> None:
    presets = json.loads((ROOT / "CMakePresets.json").read_text())
    variables = {each["name"]: each.get("cacheVariables") for each in presets["configurePresets"]}
    assert set(checks.PRESETS) == {"dev", "asan"}
    assert variables["dev"]["CAVERN_WERROR"] == "ON"
    assert variables["asan"]["CAVERN_SANITIZE"] == "address,undefined"
    targets = {each["name"]: each.get("targets") for each in presets["buildPresets"]}
    # All of the one; of the other only the programs whose tests are run.
    assert targets["dev"] is None
    assert targets["asan"] == [f"{layer}_tests" for layer in checks.SANITIZED_AT_NIGHT]


def test_layers_that_are_not_sanitized_are_neither_built_nor_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[str] = []
    tested: set[str] = set()

    def build(_: str, targets: list[str]) -> bool:
        built.extend(targets)
        return True

    depths: list[object] = []

    def run(folder: Path, programs: list[Program], *options: object) -> None:
        assert folder == ROOT / "build" / "asan"
        if options[0]:
            assert (programs, options[0]) == ([], [fuzzer])
            depths.append(options[2])
            return
        assert options[2] is Depth.FAST and options[-1] == checks.NOT_SANITIZED
        tested.update(program.label for program in programs)

    fuzzer = OtherTest("TraceFuzz.Some", ("unit-slow",), "tests/trace_mutation")
    linter = OtherTest("Lint.Some", ("cosim",), None)

    monkeypatch.setattr(checks, "PRESETS", {"asan": "sanitizers"})
    monkeypatch.setattr(checks, "build", build)
    monkeypatch.setattr(checks, "programs_of", lambda folder: programs_of(BUILD))
    monkeypatch.setattr(checks, "others_of", lambda folder: [linter, fuzzer])
    monkeypatch.setattr(checks, "run_programs", run)
    checks.run_checks(Totals(), Steps())
    assert built == ["unit_tests", "protocol_tests"]
    assert tested == {"unit", "protocol"}
    built.clear()
    tested.clear()
    checks.run_checks(Totals(), Steps(), checks.SANITIZED_AT_NIGHT)
    assert built == ["unit_tests", "protocol_tests", "timing_tests"]
    assert tested == {"unit", "protocol", "timing"}
    assert depths == [Depth.USUAL, Depth.NIGHTLY]


def test_a_build_that_fails_is_a_test_that_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checks, "PRESETS", {"no-such-preset": "nothing"})
    totals = Totals()
    checks.run_checks(totals, Steps())
    assert totals.line() == "0 passed, 1 failed"
    said = capsys.readouterr().out
    assert "no-such-preset" in said and "NOT BUILT" in said


def test_a_release_build_with_warnings_as_errors_needs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "build" / "release"
    folder.mkdir(parents=True)
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    monkeypatch.setattr(checks, "PRESETS", {"dev": "warnings as errors"})
    monkeypatch.setattr(checks, "build", lambda preset, targets: False)
    for setting, line in (("ON", "1 passed, 0 failed"), ("OFF", "0 passed, 1 failed")):
        (folder / "CMakeCache.txt").write_text(f"A:BOOL=ON\nCAVERN_WERROR:BOOL={setting}\n")
        totals = Totals()
        checks.run_checks(totals, Steps())
        assert totals.line() == line
    assert "release build was built with warnings as errors" in capsys.readouterr().out
