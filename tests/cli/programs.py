"""Running the programs under test, and small inputs for them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cavern.simulator import BUILD, ROOT, end_of

BIN = BUILD / "bin"
CONFIGS = ROOT / "configs"
DEMO_TRACE = ROOT / "traces" / "oltp-mysql-1h.csv.xz"

#: As the front door sets it.
ENVIRONMENT = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}

Json = dict[str, Any]


def _let_sigint_interrupt() -> None:
    """A shell starts background jobs, and so all below them, with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@cache
def built_without() -> str:
    """What the program under test was built without, as it says: "firmware, serve"."""
    command = [str(BIN / "cavern-sim"), "--version"]
    said = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return said.stdout.partition("built without ")[2].strip()


def skip_what_is_not_built(errors: str) -> None:
    """Skips a test whose program refuses a part that it was built without."""
    refused = re.search(r"this program is built without (\w+);", errors)
    if refused and refused[1] in built_without().split(", "):
        pytest.skip(f"built without {refused[1]}")


@dataclass(frozen=True)
class Program:
    """A program and the folder it is started in."""

    path: Path
    folder: Path

    @contextmanager
    def started(self, *arguments: object) -> Iterator[subprocess.Popen[str]]:
        """The program running, for the time of a with block."""
        with subprocess.Popen(
            [str(self.path), *map(str, arguments)],
            cwd=self.folder,
            env=ENVIRONMENT,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=_let_sigint_interrupt,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def __call__(
        self, *arguments: object, text: str | None = None, timeout: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """Runs it to its end; `text` is its standard input. Time in which it waits for a processor
        is no part of `timeout`."""
        command = [str(self.path), *map(str, arguments)]
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=ENVIRONMENT,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            output, errors = end_of(process, timeout, text or "")
        skip_what_is_not_built(errors)
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def simulate(self, config: object, out: str, *arguments: object) -> Json:
        """A run that must succeed; returns its summary."""
        finished = self("run", config, "--out", out, "--quiet", *arguments)
        assert finished.returncode == 0, finished.stderr
        assert finished.stderr == ""
        return json.loads((self.folder / out / "summary.json").read_text())


def sets(**values: object) -> list[str]:
    """sets(channel__arbiter="rtl") is ["--set", "channel.arbiter=rtl"]."""
    pairs = [f"{key.replace('__', '.')}={value}" for key, value in values.items()]
    return [part for pair in pairs for part in ("--set", pair)]


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file below a folder with its content, every folder with None."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def front_door_in(folder: Path) -> None:
    """The front door and what it reads, without anything that it sets up."""
    read = ("completion.sh", "examples.txt")
    for name in ("cavern", "VERSION", *(f"python/cavern/{name}" for name in read)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "requirements", folder / "requirements")


def decisions(path: Path) -> list[Json]:
    """The events of a decision log, without their times."""
    events = [json.loads(line) for line in path.read_text().splitlines()]
    for event in events:
        del event["t"]
    return events


DRIVE = """\
extends = "{conventional}"

[nand]
channels = 2
ways = 2
blocks_per_plane = 64

[buffer]
size = "64KiB"
policy = "lru-page"
"""

TRACE = """\
time_us,op,offset,size
0,W,0,4096
10,W,8192,4096
20,R,0,4096
"""


class Workspace:
    """Files for the program under test: drive.toml, trace.csv and what a test adds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("drive.toml", DRIVE.format(conventional=CONFIGS / "conventional.toml"))
        self.write("trace.csv", TRACE)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def replace(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        before = path.read_text()
        assert before.count(old) == 1
        path.write_text(before.replace(old, new))

    def add_trace(self, name: str, requests: Iterable[tuple[float, str, int, int]]) -> Path:
        """A trace of (time in us, op, offset, size)."""
        lines = [f"{time},{op},{offset},{size}" for time, op, offset, size in requests]
        return self.write(name, "\n".join(["time_us,op,offset,size", *lines, ""]))
