"""`./cavern test`: every test of the project, and one closing line that sums them up."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import click

from explore.simulator import BUILD, ROOT

#: Groups of tests: the labels of ctest, and the names of pytest's follow the group's own.
GROUPS = {"rtl": "^(cosim|rtl)$"}


@dataclass
class Totals:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add_junit(self, report: Path) -> None:
        """Adds the cases of a JUnit file as ctest and pytest write it."""
        for case in ET.parse(report).getroot().iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                self.failed += 1
            elif case.find("skipped") is not None or case.get("status") == "notrun":
                self.skipped += 1
            else:
                self.passed += 1

    def line(self) -> str:
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


def run_ctest(pattern: str | None, fast: bool, totals: Totals) -> None:
    report = BUILD / "ctest.xml"
    report.unlink(missing_ok=True)
    command = [
        "ctest",
        "--test-dir",
        str(BUILD),
        "--output-on-failure",
        "--parallel",
        "2",
        "--output-junit",
        str(report),
        "--no-tests=ignore",
    ]
    if pattern in GROUPS:
        command += ["--label-regex", GROUPS[pattern]]
    elif pattern:
        labels = subprocess.run(
            ["ctest", "--test-dir", str(BUILD), "--print-labels"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()
        command += ["--label-regex" if pattern in labels else "--tests-regex", pattern]
    if fast:
        command += ["--label-exclude", "slow"]
    status = subprocess.run(command, check=False).returncode
    before = totals.failed
    if report.exists():
        totals.add_junit(report)
    if status != 0 and totals.failed == before:
        totals.failed += 1  # ctest itself did not get through


def run_pytest(pattern: str | None, fast: bool, totals: Totals) -> None:
    report = BUILD / "pytest.xml"
    report.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--numprocesses",
        str(len(os.sched_getaffinity(0))),
        "--dist",
        "worksteal",
        f"--junitxml={report}",
        str(ROOT / "tests"),
    ]
    if pattern:
        command += ["-k", pattern]
    if fast:
        command += ["-m", "not slow"]
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    before = totals.failed
    if report.exists():
        totals.add_junit(report)
    if status not in (0, 5) and totals.failed == before:  # 5: the pattern matched none
        totals.failed += 1


@click.command()
@click.argument("pattern", required=False)
@click.option("--fast", is_flag=True, help="leave out the tests marked slow")
@click.option("--full", is_flag=True, help="lockstep over ten million grants for each shape")
def test(pattern: str | None, fast: bool, full: bool) -> None:
    """Runs the tests whose name (or layer) matches PATTERN, or all. PATTERN rtl is all of the RTL:
    proofs, lockstep, coverage, mutation."""
    if full:
        os.environ["CAVERN_TEST_FULL"] = "1"
    start = time.monotonic()
    totals = Totals()
    run_ctest(pattern, fast, totals)
    run_pytest(pattern, fast, totals)
    print(f"tests took {time.monotonic() - start:.0f} s")
    if totals.passed + totals.failed == 0:
        print(
            f"error: <command line>:1: no test matches {pattern!r}; ctest -N lists the names",
            file=sys.stderr,
        )
        sys.exit(2)
    print(totals.line())
    sys.exit(1 if totals.failed else 0)
