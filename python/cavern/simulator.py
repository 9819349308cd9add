"""Running the simulator and reading what it wrote."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import time
from collections import ChainMap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from cavern.errors import CavernError, SimulatorError
from cavern.reading.json_file import read_json

#: An installed package carries the program; a source tree has built it.
_CARRIED = Path(__file__).resolve().parent / "program"
IN_TREE = not _CARRIED.is_dir()
#: The folder that relative names of configurations are looked for in: the tree's, or what is
#: installed of it (configs/, traces/).
ROOT = Path(__file__).resolve().parents[2] if IN_TREE else _CARRIED / "share" / "cavern"
BUILD = ROOT / "build" / "release"
SIMULATOR = (BUILD if IN_TREE else _CARRIED) / "bin" / "cavern-sim"
#: What the simulator offers itself, of which `trace info` is ours; the sentences are those of
#: ./cavern.
SIMULATOR_COMMANDS = {
    "config": "lists the drives; shows one, what two differ in, all keys, or one key; "
    "prints their JSON Schema",
    "firmware": "runs a firmware image on the controller's processor alone",
    "results": "lists every field of summary.json; prints its JSON Schema",
    "run": "runs one simulation",
    "serve": "exports the drive to real software, as a network block device",
    "trace": "describes a trace, with a picture; converts a trace; makes one",
}
#: Options of `run` that name a file to read.
_INPUTS = ("trace", "workload", "load-state")
#: A summary has the columns of a table (--columns) behind it, as its format.
_TABLE = "csv:"
#: The environment that the front door sets: SystemC's banner would be taken for an error message.
ENVIRONMENT = ChainMap({"SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}, os.environ)


def prefix() -> Path:
    """Where an installed package has bin/cavern-sim, lib/libcavern.so.*, include/cavern/, what
    find_package(Cavern) of CMake finds, and share/cavern/."""
    if IN_TREE:
        raise CavernError(
            f"{ROOT}:1: this is the source tree; "
            "cmake --install build/release --prefix DIR installs program and library"
        )
    return _CARRIED


def program(name: str = "cavern-sim") -> Path:
    """Where one of Cavern's programs lies."""
    return SIMULATOR.with_name(name)


def clock_of(process: int) -> float:
    """In seconds; it stands still while that process waits for a processor (schedstat of Linux)."""
    waited = 0
    with suppress(OSError):
        waited = int(Path(f"/proc/{process}/schedstat").read_text(encoding="utf-8").split()[1])
    return time.monotonic() - waited / 1e9


def end_of(process: subprocess.Popen[Any], seconds: float, text: Any = None) -> tuple[Any, Any]:
    """What it prints, and says of errors, until its end. By clock_of() it has so long for that: it
    is killed then, and subprocess.TimeoutExpired thrown."""
    end = clock_of(process.pid) + seconds
    while (rest := end - clock_of(process.pid)) > 0:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(text, timeout=rest)
        text = None  # it may be given once
    process.kill()
    raise subprocess.TimeoutExpired(process.args, seconds)


@dataclass(frozen=True)
class Run:
    """One finished simulation."""

    folder: Path
    summary: dict[str, Any]


def ask(words: Sequence[str], program: Path = SIMULATOR) -> str:
    """What the program prints. Raises SimulatorError unless its status is 0."""
    done = subprocess.run(
        [str(program), *words],
        capture_output=True,
        encoding="utf-8",
        errors="replace",  # a path may have bytes that are no text
        check=False,
        env=ENVIRONMENT,
    )
    raise_for(done.returncode, done.stderr)
    return done.stdout


@cache
def outputs() -> tuple[str, ...]:
    """Options of `run` that name a file to write, as its help has them."""
    named = re.findall(r"^  --([a-z-]+) FILE(?: |$)", ask(["run", "--help"]), re.MULTILINE)
    return tuple(name for name in named if name not in _INPUTS)


def raise_for(status: int, said: str) -> None:
    """Raises SimulatorError unless the status is 0. `said`: on standard error."""
    if status != 0:
        raise SimulatorError(max(status, 1), said.strip() or f"exit status {status}")


def simulate(
    config: Path | str,
    out: Path,
    *,
    arguments: list[str] | None = None,
    overrides: dict[str, object] | None = None,
    program: Path = SIMULATOR,
) -> Run:
    """Runs one simulation into the folder `out`. Raises SimulatorError unless its status is 0."""
    words = ["run", str(config), "--out", str(out), *set_words(overrides or {})]
    ask([*words, *(arguments or []), "--quiet"], program)
    summary, _ = read_json(out / "summary.json", "the summary of a run")
    return Run(out, summary)


def input_words(played: Mapping[str, Any], path: Path | str | None = None) -> list[str]:
    """The words of `run` that play an input again: run.input of a summary. `path`: where it lies
    now."""
    words = [f"--{played['kind']}", str(path or played["path"])]
    for name in ("format", "limit", "warmup"):
        if isinstance(value := played.get(name), str | int) and value:
            option, text = f"--{name}", str(value)
            if name == "format" and text.startswith(_TABLE):
                option, text = "--columns", text.removeprefix(_TABLE)
            words += [option, text]
    if isinstance(state := played.get("state"), str):
        words += ["--load-state", state]
    return words


def value_in(command: str, option: str) -> str:
    """The value of an option in run.command of a summary; empty where it has none."""
    with suppress(ValueError):
        for word, following in pairwise([*shlex.split(command), ""]):
            name, equals, value = word.partition("=")
            if name == option:
                return value if equals else following
    return ""


def set_words(overrides: Mapping[str, object]) -> list[str]:
    """Keys of the configuration as the program takes them. A text need not be quoted for it."""
    return [word for key, value in overrides.items() for word in ("--set", f"{key}={_toml(value)}")]


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
