"""`./cavern test`: every test of the project, and one closing line that sums them up."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

import click

from cavern.devtools.building import ninja
from cavern.devtools.checks import (
    PROCESSORS,
    SANITIZED,
    SANITIZED_AT_NIGHT,
    run_checks,
    run_programs,
)
from cavern.devtools.programs import (
    LABELS,
    Depth,
    OtherTest,
    Program,
    is_chosen,
    layer_of,
    lists_of,
    may_have,
    others_of,
    programs_of,
)
from cavern.devtools.steps import Steps, slowness
from cavern.devtools.totals import Totals
from cavern.simulator import BUILD, ROOT

#: Words of an expression of pytest that are no names.
OPERATORS = {"and", "or", "not"}


def pytest_expression(pattern: str) -> str | None:
    """What -k takes; none where it knows no such expression, or where the pattern is a layer."""
    if pattern in LABELS:
        return None
    expression = " or ".join(part for part in pattern.split("|") if part)
    return expression if re.fullmatch(r"[\w :+\-.\[\]\\/()]+", expression) else None


def pytest_options(expression: str | None, depth: Depth) -> list[str]:
    options = ["-k", expression] if expression else []
    if depth.left_out:
        options += ["-m", " and ".join(f"not {label}" for label in depth.left_out)]
    return options


def is_folder(pattern: str) -> bool:
    """Whether it names a folder of C++ tests, or its program: core/buffer, core_buffer."""
    return any((ROOT / "tests" / each).is_dir() for each in (pattern, pattern.replace("_", "/")))


def pytest_may_have(expression: str, depth: Depth) -> bool:
    """Whether a test in Python may have that name. What is in none of its sources is in no name;
    what is in the text alone may be a parameter, which only pytest knows."""
    words = [word.lower() for word in re.findall(r"[^\s()]+", expression)]
    if "not" in words:
        return True
    names = [word for word in words if word not in OPERATORS]
    files = sorted((ROOT / "tests").rglob("*.py"))
    text = "\n".join(file.read_text(encoding="utf-8") for file in files).lower()
    named = re.findall(r"^\s*(?:def|class) (test\w*)", text, re.MULTILINE)
    named += [str(file.relative_to(ROOT)).lower() for file in files]
    if any(name in each for name in names for each in named):
        return True
    pieces = [piece for name in names for piece in re.findall(r"\w+", name)]
    if is_folder(expression) or not any(piece in text for piece in pieces):
        return False
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", str(ROOT / "tests")]
    command += pytest_options(expression, depth)
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0


def wanted(
    programs: list[Program],
    others: list[OtherTest],
    lists: dict[Program, list[str]],
    pattern: str,
) -> tuple[list[Program], list[OtherTest]]:
    """What may have tests that match: by its name, by its sources, or by the names that the program
    had when it was built last."""
    layer = layer_of(pattern)
    some = [
        program
        for program in programs
        if program.label == layer
        or layer is None
        and (
            program.is_called(pattern)
            or may_have(program, pattern)
            or any(re.search(pattern, program.prefix + test) for test in lists.get(program, []))
        )
    ]
    return some, [test for test in others if is_chosen(test, pattern, Depth.NIGHTLY)]


def build_and_run_programs(
    pattern: str | None, everything: bool, depth: Depth, totals: Totals, steps: Steps
) -> None:
    """`everything` is built, or only what the pattern needs."""
    start = time.monotonic()
    if everything:
        ninja([])
        programs, others = programs_of(BUILD), others_of(BUILD)
    else:
        ninja(["build.ninja"])  # which programs there are
        programs, others = programs_of(BUILD), others_of(BUILD)
        if pattern is not None:
            known = {} if layer_of(pattern) else lists_of(BUILD, programs, PROCESSORS)
            some = wanted(programs, others, known, pattern)
            if some == ([], []) and len(known) < len(programs):
                ninja([])  # a parameter, of a program that was never built?
                some = wanted(programs, others, lists_of(BUILD, programs, PROCESSORS), pattern)
            programs, others = some
        targets = {program.name for program in programs}
        targets |= {test.target for test in others if test.target}
        if targets:
            ninja(sorted(targets))
    steps.add_wall("build", time.monotonic() - start)
    run_programs(BUILD, programs, others, pattern, depth, totals, steps)


def run_pytest(expression: str | None, depth: Depth, totals: Totals, steps: Steps) -> None:
    report = BUILD / "pytest.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "--numprocesses", str(PROCESSORS)]
    command += ["--dist", "worksteal", f"--junitxml={report}", str(ROOT / "tests")]
    command += pytest_options(expression, depth)
    start = time.monotonic()
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    steps.add_wall("pytest", time.monotonic() - start)
    totals.add_report(report, ok=status in (0, 5))  # 5: the pattern matched none
    if report.exists():
        totals.add_over(*steps.add_junit(report))


@click.command()
@click.argument("pattern", required=False)
@click.option("--fast", is_flag=True, help="Leave out the tests marked slow.")
@click.option("--nightly", is_flag=True, help="Everything: the longest tests, and --checks.")
@click.option(
    "--checks",
    is_flag=True,
    help="Also build with warnings as errors, and run unit and protocol tests under sanitizers.",
)
@click.option("--full", is_flag=True, help="Lockstep over ten million grants for each shape.")
def test(pattern: str | None, fast: bool, nightly: bool, checks: bool, full: bool) -> None:
    """Runs the tests whose name (or layer, or folder) matches PATTERN, or all but the longest.
    PATTERN rtl is all of the RTL: proofs, lockstep, coverage, mutation."""
    if fast and nightly:
        raise click.UsageError("--fast and --nightly exclude each other")
    try:
        re.compile(pattern or "")
    except re.error as error:
        raise click.UsageError(f"{pattern!r} is no regular expression: {error}") from error
    depth = Depth.FAST if fast else Depth.NIGHTLY if nightly else Depth.USUAL
    if full:
        os.environ["CAVERN_TEST_FULL"] = "1"
    if nightly:
        os.environ["CAVERN_TEST_NIGHTLY"] = "1"
    start = time.monotonic()
    totals = Totals()
    steps = Steps(bounded=not nightly, slower=slowness())
    expression = pytest_expression(pattern) if pattern else None
    python = not pattern or bool(expression and pytest_may_have(expression, depth))
    build_and_run_programs(pattern, python, depth, totals, steps)
    if python:
        run_pytest(expression, depth, totals, steps)
    # Last: what they alone see is rare, and their build takes as long as the others' tests.
    if checks or nightly:
        run_checks(totals, steps, SANITIZED_AT_NIGHT if nightly else SANITIZED)
    print("\n".join(steps.lines()))
    print(f"tests took {time.monotonic() - start:.0f} s")
    if totals.passed + totals.failed == 0:
        print(
            f"error: <command line>:1: no test matches {pattern!r}; "
            "tests/README.md says which layers and folders there are",
            file=sys.stderr,
        )
        sys.exit(2)
    print(totals.line())
    sys.exit(1 if totals.failed else 0)
