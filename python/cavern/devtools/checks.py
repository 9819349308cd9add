"""Tests of a build, and checks that take a build of their own: warnings as errors, sanitizers.

Each of these builds is a preset of CMakePresets.json. Where the release build has warnings as
errors itself (CAVERN_WERROR=1 when it was configured), no other is made for that.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections import Counter, defaultdict
from pathlib import Path

from cavern.devtools.programs import (
    Depth,
    OtherTest,
    Program,
    chosen,
    is_chosen,
    lists_of,
    others_of,
    programs_of,
)
from cavern.devtools.run_programs import OTHERS, Batch, Result, Runner, batches_of
from cavern.devtools.steps import Steps
from cavern.devtools.totals import Totals
from cavern.simulator import ROOT

PROCESSORS = len(os.sched_getaffinity(0))
#: Layers whose tests run under the sanitizers, and what else does at night.
SANITIZED = ("unit", "protocol")
SANITIZED_AT_NIGHT = (*SANITIZED, "timing")
#: What is broken on purpose: most of it is slow, and its parts are those of the other tests.
NOT_SANITIZED = "Broken|Lying|Tampered"
PRESETS = {"dev": "warnings as errors", "asan": "address and undefined sanitizers"}


class Report:
    """Says what fails as it does, and how each program did when its last test has run."""

    def __init__(self, batches: list[Batch], others: int, totals: Totals, steps: Steps) -> None:
        self._left = Counter(batch.program.name for batch in batches for _ in batch.tests)
        self._left[OTHERS] = others
        self._counts: dict[str, Totals] = {}
        self._seconds: dict[str, float] = defaultdict(float)
        self._totals = totals
        self._steps = steps
        self.failures: list[str] = []

    def take(self, results: list[Result]) -> None:
        for result in results:
            why = result.why
            if not self._steps.add_test(result.name, result.seconds) and not why:
                why = self._steps.over[-1].removeprefix(f"{result.name} ")
            if why:
                self.failures.append(f"{result.name}: {why}")
                print(f"FAILED {result.program}: {result.name}: {why}\n{result.output}".rstrip())
            self._count(result.program, result.status, bool(why))
            self._seconds[result.program] += result.seconds
            self._left[result.program] -= result.name != result.program
        for name in {result.program for result in results}:
            if self._left[name] <= 0:
                line = self._counts[name].line()
                print(f"{name}: {line}; {self._seconds[name]:.1f} s of processor time", flush=True)

    def _count(self, program: str, status: str, failed: bool) -> None:
        for totals in (self._totals, self._counts.setdefault(program, Totals())):
            if status == "skipped" and not failed:
                totals.skipped += 1
            else:
                totals.add(not failed)


def run_programs(
    build: Path,
    programs: list[Program],
    others: list[OtherTest],
    pattern: str | None,
    depth: Depth,
    totals: Totals,
    steps: Steps,
    left_out: str = "",
) -> None:
    """Runs the tests that are asked for, but those whose name has `left_out` in it."""
    start = time.monotonic()
    batches = []
    for program, listed in lists_of(build, programs, PROCESSORS).items():
        tests = chosen(program, listed, pattern, depth)
        if left_out:
            tests = [each for each in tests if not re.search(left_out, program.prefix + each)]
        batches += batches_of(program, tests)
    others = [test for test in others if is_chosen(test, pattern, depth)]
    report = Report(batches, len(others), totals, steps)
    Runner(build, PROCESSORS).run(batches, others, report.take)
    if report.failures:
        print("\n".join(["", "failed:", *sorted(report.failures)]))
    steps.add_wall("C++ tests", time.monotonic() - start)


def build(preset: str, targets: list[str]) -> bool:
    """Configures and builds; what the compiler says is shown where it fails. Without targets it
    makes those that the preset names, or all."""
    options = ["--target", *targets] if targets else []
    for command in (
        ["cmake", "--preset", preset],
        ["cmake", "--build", "--preset", preset, *options],
    ):
        done = subprocess.run(
            command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            print(done.stdout)
            return False
    return True


def takes_warnings_as_errors(folder: Path) -> bool:
    """Whether that build was configured so."""
    cache = folder / "CMakeCache.txt"
    return cache.exists() and "CAVERN_WERROR:BOOL=ON" in cache.read_text().split("\n")


def run_checks(totals: Totals, steps: Steps, layers: tuple[str, ...] = SANITIZED) -> None:
    """Each build counts as one test, and so does each test of `layers` under the sanitizers."""
    for preset, what in PRESETS.items():
        if preset == "dev" and takes_warnings_as_errors(ROOT / "build" / "release"):
            totals.add(True)
            print(f"the release build was built with {what}", flush=True)
            continue
        start = time.monotonic()
        print(f"building with {what} ...", flush=True)
        built = build(preset, [f"{layer}_tests" for layer in layers] if preset == "asan" else [])
        totals.add(built)
        seconds = time.monotonic() - start
        steps.add_wall(f"build with {what}", seconds)
        print(f"{'built' if built else 'NOT BUILT'} in {seconds:.0f} s", flush=True)
        if built and preset == "asan":
            run_sanitized(ROOT / "build" / preset, layers, totals, steps)


def run_sanitized(folder: Path, layers: tuple[str, ...], totals: Totals, steps: Steps) -> None:
    """A sanitized test has no bound: what it may take is that of the sound one."""
    programs = [each for each in programs_of(folder) if each.label in layers]
    own = Steps(bounded=False)
    run_programs(folder, programs, [], None, Depth.FAST, totals, own, NOT_SANITIZED)
    fuzzers = [test for test in others_of(folder) if (test.target or "").startswith("tests/")]
    depth = Depth.NIGHTLY if layers == SANITIZED_AT_NIGHT else Depth.USUAL
    run_programs(folder, [], fuzzers, None, depth, totals, own)
    steps.walls += [(seconds, f"sanitized {what}") for seconds, what in own.walls]
