"""What `./cavern test` chooses to run, and how it sums up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cavern.devtools import checks
from cavern.devtools.testing import Depth, ctest_options, pytest_options
from cavern.devtools.totals import Totals
from cavern.simulator import ROOT

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
    ("pattern", "depth", "options"),
    [
        (None, Depth.USUAL, ["--label-exclude", "nightly"]),
        (None, Depth.FAST, ["--label-exclude", "slow|nightly"]),
        (None, Depth.NIGHTLY, []),
        ("unit", Depth.NIGHTLY, ["--label-regex", "unit"]),
        ("Lru", Depth.NIGHTLY, ["--tests-regex", "Lru"]),
        ("rtl", Depth.NIGHTLY, ["--label-regex", "^(cosim|rtl)"]),
    ],
)
def test_ctest_runs_what_is_asked_for(
    pattern: str | None, depth: Depth, options: list[str]
) -> None:
    assert ctest_options(pattern, ["unit", "cosim"], depth) == ["--no-tests=ignore", *options]


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


def test_layers_that_are_not_sanitized_are_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    tested: list[str] = []

    def build(_: str, targets: list[str]) -> bool:
        built.extend(targets)
        return True

    monkeypatch.setattr(checks, "PRESETS", {"asan": "sanitizers"})
    monkeypatch.setattr(checks, "build", build)
    monkeypatch.setattr(checks, "ctest", lambda folder, totals, *options: tested.extend(options))
    checks.run_checks(Totals())
    assert built == ["unit_tests", "protocol_tests"]
    assert tested[:2] == ["--label-regex", "^(unit|protocol)"]
    assert tested[tested.index("--exclude-regex") + 1] == checks.NOT_SANITIZED
    built.clear()
    tested.clear()
    checks.run_checks(Totals(), checks.SANITIZED_AT_NIGHT)
    assert built == ["unit_tests", "protocol_tests", "timing_tests"]
    assert tested[:2] == ["--label-regex", "^(unit|protocol|timing)"]


def test_a_build_that_fails_is_a_test_that_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checks, "PRESETS", {"no-such-preset": "nothing"})
    totals = Totals()
    checks.run_checks(totals)
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
        checks.run_checks(totals)
        assert totals.line() == line
    assert "release build was built with warnings as errors" in capsys.readouterr().out
