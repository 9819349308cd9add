"""Help ends with examples, and the examples run."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable

import pytest
from cavern.__main__ import COMMANDS
from cavern.examples import examples
from cavern.simulator import SIMULATOR_COMMANDS

from tests.cli.programs import ROOT, Program
from tests.cli.test_readme import run, written

#: The tests do not run themselves.
NOT_RUN = {"mutate", "test"}
#: These have tests of their own.
LONG = {"bench", "demo", "reproduce", "validate"}
#: A search is shorter by day.
LESS_BY_DAY = {"--trials 24": "--trials 8"}


def here(command: str) -> str:
    """The command, without what the front door sets up before."""
    return command.replace("./cavern ", f"{shlex.quote(sys.executable)} -m cavern ")


def test_every_command_has_one_or_two() -> None:
    assert set(examples()) == {*COMMANDS, *SIMULATOR_COMMANDS, "completion"}
    assert {len(lines) for lines in examples().values()} <= {1, 2}
    for name, lines in examples().items():
        assert all(re.search(rf"\./cavern {name}\b", line) for line in lines), name


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(examples()))
def test_help_ends_with_them(command: str, front_door: Program) -> None:
    finished = front_door(command, "--help")
    assert (finished.returncode, finished.stderr) == (0, "")
    shown = [line.strip() for line in finished.stdout.rstrip("\n").splitlines()]
    lines = examples()[command]
    assert shown[-len(lines) - 1 :] == ["Examples:", *lines]


def ran(lines: Iterable[str]) -> None:
    """In one go and in their order: some read what others wrote."""
    for line in lines:
        finished = run(here(line))
        assert finished.returncode == 0, f"{line}\n{finished.stdout}{finished.stderr}"


def lines_of(names: set[str]) -> list[str]:
    return [line for name, lines in examples().items() if name in names for line in lines]


def by_day(line: str) -> str:
    for as_it_is, less in LESS_BY_DAY.items():
        line = line.replace(as_it_is, less)
    return line


@pytest.mark.slow
def test_they_run() -> None:
    lines = lines_of(set(examples()) - NOT_RUN - LONG)
    documented = {command.text for command in written()}
    assert sum(by_day(line) != line for line in lines) == len(LESS_BY_DAY)
    ran(by_day(line) for line in lines if line not in documented)  # documents run theirs


@pytest.mark.nightly
def test_long_ones_run() -> None:
    ran(lines_of({*LONG, "search"}))


@pytest.mark.slow
def test_one_that_does_not_run_is_found() -> None:
    (line,) = (line for line in examples()["sweep"] if "--dry-run" in line)
    assert run(here(line)).returncode == 0
    assert run(here(line.replace("ways.toml", "weighs.toml"))).returncode == 2
    assert (ROOT / "python" / "cavern" / "examples.txt").is_file()
