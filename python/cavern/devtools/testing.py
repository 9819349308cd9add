"""`./cavern test`: every test of the project, and one closing line that sums them up."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from enum import Enum

import click

from cavern.devtools.checks import (
    PROCESSORS,
    SANITIZED,
    SANITIZED_AT_NIGHT,
    ctest,
    run_checks,
)
from cavern.devtools.totals import Totals
from cavern.simulator import BUILD, ROOT

#: Groups of tests: the labels of ctest, and the names of pytest's follow the group's own.
GROUPS = {"rtl": "^(cosim|rtl)"}


class Depth(Enum):
    """Labels that are left out: of ctest and of pytest, where they are markers."""

    FAST = ("slow", "nightly")
    USUAL = ("nightly",)
    NIGHTLY = ()


def ctest_options(pattern: str | None, labels: list[str], depth: Depth) -> list[str]:
    """What chooses the tests; `labels` are those there are."""
    options = ["--no-tests=ignore"]
    if pattern in GROUPS:
        options += ["--label-regex", GROUPS[pattern]]
    elif pattern:
        options += ["--label-regex" if pattern in labels else "--tests-regex", pattern]
    if depth.value:
        options += ["--label-exclude", "|".join(depth.value)]
    return options


def pytest_options(pattern: str | None, depth: Depth) -> list[str]:
    options = ["-k", pattern] if pattern else []
    if depth.value:
        options += ["-m", " and ".join(f"not {label}" for label in depth.value)]
    return options


def run_ctest(pattern: str | None, depth: Depth, totals: Totals) -> None:
    labels = subprocess.run(
        ["ctest", "--test-dir", str(BUILD), "--print-labels"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    ctest(BUILD, totals, *ctest_options(pattern, labels, depth))


def run_pytest(pattern: str | None, depth: Depth, totals: Totals) -> None:
    report = BUILD / "pytest.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "--numprocesses", str(PROCESSORS)]
    command += ["--dist", "worksteal", f"--junitxml={report}", str(ROOT / "tests")]
    command += pytest_options(pattern, depth)
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    totals.add_report(report, ok=status in (0, 5))  # 5: the pattern matched none


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
    """Runs the tests whose name (or layer) matches PATTERN, or all but the longest. PATTERN rtl is
    all of the RTL: proofs, lockstep, coverage, mutation."""
    if fast and nightly:
        raise click.UsageError("--fast and --nightly exclude each other")
    depth = Depth.FAST if fast else Depth.NIGHTLY if nightly else Depth.USUAL
    if full:
        os.environ["CAVERN_TEST_FULL"] = "1"
    if nightly:
        os.environ["CAVERN_TEST_NIGHTLY"] = "1"
    start = time.monotonic()
    totals = Totals()
    if checks or nightly:
        run_checks(totals, SANITIZED_AT_NIGHT if nightly else SANITIZED)
    run_ctest(pattern, depth, totals)
    run_pytest(pattern, depth, totals)
    print(f"tests took {time.monotonic() - start:.0f} s")
    if totals.passed + totals.failed == 0:
        print(
            f"error: <command line>:1: no test matches {pattern!r}; ctest -N lists the names",
            file=sys.stderr,
        )
        sys.exit(2)
    print(totals.line())
    sys.exit(1 if totals.failed else 0)
