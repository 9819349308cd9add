"""What `./cavern bench setup` reads, decides and prints; it runs at length by hand alone."""

from __future__ import annotations

import io
import subprocess
import sys

import click
import pytest
from cavern.bench import setup
from cavern.bench.setup import TIMES, Figure, chosen, debian_sources, own_time, processor_seconds
from rich.console import Console

from tests.cli.programs import ENVIRONMENT

ONE_LINE = "deb [signed-by=/a] http://m/debian bookworm main contrib\n# deb http://n x main\n"
OTHERS = "deb http://o/sdk sdk-bookworm main\ndeb-src http://m/debian bookworm main\n"
STANZAS = """\
Types: deb
# a comment
URIs: http://m/debian
Suites: bookworm bookworm-updates
Components: main

Types: deb
URIs: http://o/node
Suites: nodistro
Components: main
"""


def test_mirrors_are_those_of_this_debian() -> None:
    assert debian_sources([ONE_LINE + OTHERS]) == [("http://m/debian", "bookworm")]
    assert debian_sources([STANZAS]) == [
        ("http://m/debian", "bookworm"),
        ("http://m/debian", "bookworm-updates"),
    ]
    assert debian_sources([OTHERS]) == []


def test_the_time_of_a_build_is_at_the_end_of_its_log() -> None:
    log = "[1/2] took 9m9.0s\n0m0.250s 0m0.500s\n4m1.000s 0m20.000s\n"
    assert processor_seconds(log) == 261.75
    assert processor_seconds("[1/2] took 9m9.0s\n") is None


def test_time_of_its_own_is_what_is_beyond_the_simulators() -> None:
    rows = [f"{0.05 + i % 3 / 100:.3f} 0.010 0.020" for i in range(TIMES)]
    rows += ["0.030 0.010 0.005"] * TIMES
    wall, processor = own_time("\n".join(rows))
    assert wall == pytest.approx(0.03) and processor == pytest.approx(0.015)


def test_steps_come_in_their_order() -> None:
    assert chosen("front-door,demo") == ["demo", "front-door"]
    with pytest.raises(click.UsageError, match="no step 'dem'"):
        chosen("demo,dem")


@pytest.mark.parametrize(
    ("figure", "verdict"),
    [
        (Figure("x", 239.0, 900.0, 240), "kept"),
        (Figure("x", 241.0, 1.0, 240), "missed"),
        (Figure("x", None, 301.0, most_processor_s=300), "missed"),
        (Figure("x", None, None, most_processor_s=300), "missed"),
        (Figure("x", 1.0, 1.0, 240, done=False), "failed"),
    ],
)
def test_a_bound_is_kept_or_missed(figure: Figure, verdict: str) -> None:
    console = Console(file=io.StringIO(), width=120)
    console.print(setup.table([figure]))
    assert isinstance(console.file, io.StringIO)
    assert verdict in console.file.getvalue()
    assert figure.kept == (verdict == "kept")


def test_without_debootstrap_it_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cavern", "bench", "setup", "--steps=demo"],
        env={**ENVIRONMENT, "PATH": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    right = "be root, and apt-get install debootstrap"
    assert done.stderr == f"error: <command line>:1: a fresh Debian cannot be made here; {right}\n"
