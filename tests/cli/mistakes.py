"""Wrong words, files and places for the program under test, and what it has to say of each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.cli.programs import DEMO_TRACE, TRACE, Program, Workspace, tree

RUN = ["run", "drive.toml", "--out", "out"]
TRACED = [*RUN, "--trace", "trace.csv"]
LOGS = "--requests requests.csv --decisions decisions.jsonl --timeline timeline.json".split()
WAVES = "--waves waves.fst --set channel.arbiter=rtl".split()
LONG = ["--trace", str(DEMO_TRACE), *"--limit 5000 --set workload.out_of_range=wrap".split()]
NEGATIVE = TRACE + "30,W,0,-512\n"
JOB = '[[job]]\nrw = "randwrite"\nsize = "1MiB"\n'

Prepare = Callable[[Workspace], object]


@dataclass(frozen=True)
class Mistake:
    name: str
    #: what follows "error: "; "*" stands for some more words, "#" for a number
    message: str
    arguments: list[str]
    prepare: Prepare = lambda workspace: None
    text: str = ""  #: standard input


FORM = re.compile(r"error: .+?:[1-9][0-9]*: [^;\n]+(; [^;\n]+)+\n")


def is_message(text: str, expected: str = "*") -> bool:
    """Whether a program wrote one line `error: FILE:LINE: what; what would be right`."""
    pattern = re.escape(expected).replace(r"\*", ".*").replace(r"\#", "[1-9][0-9]*")
    return bool(FORM.fullmatch(text) and re.fullmatch(f"error: {pattern}\n", text))


def add(name: str, content: str | bytes) -> Prepare:
    return lambda workspace: workspace.write(name, content)


def set_to(*settings: str) -> list[str]:
    return [*TRACED, *(part for setting in settings for part in ("--set", setting))]


def check(mistake: Mistake, workspace: Workspace, simulator: Program) -> None:
    """It is one line and leaves nothing."""
    mistake.prepare(workspace)
    before = tree(workspace.folder)
    finished = simulator(*mistake.arguments, text=mistake.text)
    assert is_message(finished.stderr, mistake.message), finished.stderr
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert tree(workspace.folder) == before
