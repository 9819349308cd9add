"""Tests of a build, and checks that take a build of their own: warnings as errors, sanitizers.

Each of these builds is a preset of CMakePresets.json. Where the release build has warnings as
errors itself (CAVERN_WERROR=1 when it was configured), no other is made for that.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from cavern.devtools.totals import Totals
from cavern.simulator import ROOT

PROCESSORS = len(os.sched_getaffinity(0))
#: Layers whose tests run under the sanitizers, and what else does at night.
SANITIZED = ("unit", "protocol")
SANITIZED_AT_NIGHT = (*SANITIZED, "timing")
#: What is broken on purpose: most of it is slow, and its parts are those of the other tests.
NOT_SANITIZED = "Broken|Lying|Tampered"
PRESETS = {"dev": "warnings as errors", "asan": "address and undefined sanitizers"}


def ctest(folder: Path, totals: Totals, *options: str) -> None:
    """Runs tests of a build and adds them up."""
    report = folder / "ctest.xml"
    report.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", str(folder), "--output-on-failure"]
    command += ["--parallel", str(PROCESSORS), "--output-junit", str(report), *options]
    totals.add_report(report, ok=subprocess.run(command, check=False).returncode == 0)


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


def run_checks(totals: Totals, layers: tuple[str, ...] = SANITIZED) -> None:
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
        print(
            f"{'built' if built else 'NOT BUILT'} in {time.monotonic() - start:.0f} s", flush=True
        )
        if built and preset == "asan":
            folder = ROOT / "build" / preset
            labels = f"^({'|'.join(layers)})"
            options = ["--label-regex", labels, "--label-exclude", "slow|nightly"]
            options += ["--exclude-regex", NOT_SANITIZED, "--no-tests=error"]
            ctest(folder, totals, *options)
