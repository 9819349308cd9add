"""What `./cavern test` chooses to run, and how it sums up."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from cavern.devtools import checks
from cavern.devtools.building import ninja
from cavern.devtools.mutants import draw, equal_in_meaning, mutants_of
from cavern.devtools.mutating import SURVIVED, Judge, nearness
from cavern.devtools.programs import (
    Depth,
    OtherTest,
    Program,
    others_of,
    programs_of,
    those_about,
)
from cavern.devtools.steps import BOUND, LONG, Steps, slowness
from cavern.devtools.testing import pytest_expression, pytest_may_have, pytest_options, wanted
from cavern.devtools.totals import Totals
from cavern.errors import InputError
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


# ---- mutants ------------------------------------------------------------------------------------

OPERATORS = """\
if (a < b && !c) {
x = y - 1'000u;
x += f(++i) + to_string(i);
bool done = true;
"""
CHANGES = [
    "if (a [[< => <=]] b && !c) {",
    "if (a [[< => >=]] b && !c) {",
    "if (a < b [[&& => ||]] !c) {",
    "if (a < b && [[! => ]]c) {",
    "x = y [[- => +]] 1'000u;",
    "x = y - [[1'000 => 1001]]u;",
    "x = y - [[1'000 => 999]]u;",
    "x += f([[++ => --]]i) + to_string(i);",
    "bool done = [[true => false]];",
]
NO_OPERATORS = """\
#include <array> // a < b
/* a && b,
   true */
template <typename T, int n = 3>
std::vector<std::uint32_t> f(const T& t, X&& x, double d = 1.5e-3) {
    say("a < 1", 'x', R"(true && "1")");
    CAVERN_CHECK(holds(t), "more than " + std::to_string(x - 1));
    virtual int g() const = 0;
"""


def changes_of(source: str, file: str = "model/core/a.cpp") -> list[str]:
    lines = mutants_of(file, source)
    return [mutant.change for each in lines.values() for mutant in each]


def test_one_operator_of_a_mutant_is_another() -> None:
    assert changes_of(OPERATORS) == CHANGES
    (mutant, *_) = mutants_of("model/core/a.cpp", OPERATORS)[0]
    assert (mutant.line, mutant.text) == (1, OPERATORS.replace("a < b", "a <= b"))
    # Of a header the defaults of members stay.
    assert changes_of(OPERATORS, "model/core/a.h") == CHANGES[:-1]


def test_comments_texts_and_declarations_of_templates_stay() -> None:
    assert changes_of(NO_OPERATORS) == []
    code = "CAVERN_CHECK(std::max({1, a}) < 2, one(a, 1) < 2);"
    assert {each.partition("[[")[0] for each in changes_of(code)} == {
        "CAVERN_CHECK(std::max({",
        "CAVERN_CHECK(std::max({1, a}) ",
        "CAVERN_CHECK(std::max({1, a}) < ",
    }


@pytest.mark.slow
def test_a_seed_always_draws_the_same_mutants() -> None:
    def drawn(seed: int) -> list[tuple[str, int, str]]:
        return [(each.file, each.line, each.change) for each in islice(draw(seed), 40)]

    assert drawn(1) == drawn(1) != drawn(2)
    layers = {file.split("/")[1] for file, _, _ in drawn(1)}
    assert layers <= {"core", "timed", "nvme", "workload", "results"} and len(layers) > 2
    assert len({(file, line) for file, line, _ in drawn(1)}) == 40


def test_what_means_the_same_is_a_mutant_of_a_line_that_is_there(tmp_path: Path) -> None:
    for file, change in equal_in_meaning():
        source = (ROOT / file).read_text(encoding="utf-8")
        assert change in changes_of(source, file), f"{file}: {change}"
    path = tmp_path / "mutants.txt"
    path.write_text("model/core/a.cpp | a [[< => <=]] b\n")
    with pytest.raises(InputError, match="mutants.txt:1: no mutant; FILE"):
        equal_in_meaning(path)


class Judged:
    """A judge of mutants of model/core/ftl/a.cpp, whose builds and tests are told of."""

    def __init__(self, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.source = copy / "model" / "core" / "ftl" / "a.cpp"
        self.object = "model/core/ftl/CMakeFiles/ftl.dir/a.cpp.o"
        for path in (self.source, copy / self.object):
            path.parent.mkdir(parents=True)
            path.touch()
        (self.mutant, *_) = mutants_of("model/core/ftl/a.cpp", "a < b\n")[0]
        folders = (("host", "timed/host"), ("alloc", "core/alloc"), ("ftl", "core/ftl"))
        self.programs = [Program(n, folder, "unit", "", 60, False, ()) for n, folder in folders]
        made = {self.object: "as it was"}
        made |= {f"tests/{program.name}": "as it was" for program in self.programs}
        self.seen: list[str] = []
        self.changed: set[str] = set()
        self.failing = ""
        self.judge = Judge.__new__(Judge)
        for name, value in {
            "_copy": copy,
            "_build": copy,
            "_programs": self.programs,
            "_digests": made,
            "_stale": set(),
            "_failure": self.failure,
            "_made": lambda: {**made, **dict.fromkeys(self.changed, "changed")},
        }.items():
            monkeypatch.setattr(self.judge, name, value, raising=False)
        monkeypatch.setattr("cavern.devtools.mutating.builds", self.builds)

    def builds(self, targets: list[str], _: Path) -> bool:
        assert self.source.read_text() == "a <= b\n"
        self.seen.append(f"build {' '.join(targets)}")
        return self.failing not in targets

    def failure(self, programs: list[Program], file: str) -> str:
        assert file == "model/core/ftl/a.cpp"
        self.seen.append(f"test {programs[0].name}")
        return "A.Test failed" if self.failing == f"test {programs[0].name}" else ""

    def verdict(self) -> str | None:
        self.seen.clear()
        verdict = self.judge.judge(self.mutant)
        assert self.source.read_text() == "a < b\n"
        return verdict


def test_the_nearest_tests_judge_a_mutant_first_and_leave_the_source_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = Judged(tmp_path, monkeypatch)
    assert [nearness(judged.mutant.file, program) for program in judged.programs] == [0, 1, 2]
    judged.changed = {judged.object, "tests/ftl", "tests/alloc"}
    compiled = f"build {judged.object}"
    near = [compiled, "build ftl", "test ftl", "build alloc", "test alloc"]
    assert judged.verdict() == SURVIVED
    assert judged.seen == [*near, "build host"]
    judged.failing = "test alloc"
    assert judged.verdict() == "A.Test failed"
    assert judged.seen == near


def test_what_the_compiler_makes_the_same_of_or_refuses_is_not_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = Judged(tmp_path, monkeypatch)
    assert judged.verdict() is None
    assert judged.seen == [f"build {judged.object}"]
    judged.failing = judged.object
    assert judged.verdict() is None
    assert judged.seen == [f"build {judged.object}"]
    judged.failing = ""
    # What a mutant before has left is built with it, and not taken for its own.
    other = "model/core/ftl/CMakeFiles/ftl.dir/b.cpp.o"
    judged.judge._stale = {other}
    judged.changed = {other}
    assert judged.verdict() is None
    assert judged.seen == [f"build {judged.object} {other}"]


def test_tests_about_a_file_include_its_header(tmp_path: Path) -> None:
    about, other = tmp_path / "a_test.cpp", tmp_path / "b_test.cpp"
    about.write_text(
        '#include "core/ftl/a.h"\nTEST_P(A, One) {}\nINSTANTIATE_TEST_SUITE_P(I, A, 1);'
    )
    other.write_text('#include "core/ftl/aa.h"\nTEST(B, One) {}')
    program = Program("p", "core/ftl", "unit", "", 60, False, (str(about), str(other)))
    for file in ("model/core/ftl/a.cpp", "model/core/ftl/a.h"):
        assert those_about(file, program, ["B.One", "I/A.One/0"]) == ["I/A.One/0"]
    assert those_about("model/core/ftl/c.cpp", program, ["B.One"]) == []
