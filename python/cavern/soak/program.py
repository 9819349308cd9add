"""The program that is played, and what it runs under."""

from __future__ import annotations

import re
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cavern.simulator import ENVIRONMENT as OF_A_RUN
from cavern.simulator import SIMULATOR, end_of

#: Every run verifies what its summary and its rows promise.
ENVIRONMENT = {**OF_A_RUN, "CAVERN_CHECK_LAWS": "1"}
#: No drive of a case takes a tenth of it.
SECONDS = 60

#: As ./cavern soak is told; another build plays what was drawn for this one.
program: Path = SIMULATOR
under: list[str] = []


def command(*words: object) -> list[str]:
    return [*under, str(program), *map(str, words)]


def limit() -> int:
    """Seconds after which a run hangs; valgrind is some fifty times slower."""
    return SECONDS * 50 if under else SECONDS


def ran(
    *words: object, folder: Path | None = None, text: str = "", drawing: bool = False
) -> tuple[int, str, str]:
    """Exit status of a command of the program, what it printed, and what it said of errors; -1: it
    does not end. `text`: what it reads. What is run for `drawing` a case runs under nothing."""
    with subprocess.Popen(
        command(*words)[len(under) if drawing else 0 :],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        cwd=folder,
    ) as process:
        try:
            output, error = end_of(process, limit(), text.encode())
        except subprocess.TimeoutExpired:
            return -1, "", f"no end after {limit()} s"
    said = error.decode(errors="replace").strip()
    return process.returncode, output.decode(errors="replace"), said


@dataclass
class Started:
    """A command that waits for somebody. `ready` is the line that says so; None: it does not."""

    process: subprocess.Popen[str]
    ready: re.Match[str] | None

    def ended(self) -> tuple[int, str]:
        """Exit status, and what it said of errors; -9: it did not end, and was killed."""
        error = ""
        with suppress(subprocess.TimeoutExpired):
            error = end_of(self.process, limit())[1].strip()
        status = self.process.wait()
        return status, error or (f"no end after {limit()} s" if status == -9 else "")


@contextmanager
def started(*words: object, folder: Path, says: str, ready: re.Pattern[str]) -> Iterator[Started]:
    """`says`: where its line comes, stdout or stderr."""
    with subprocess.Popen(
        command(*words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        cwd=folder,
        encoding="utf-8",
        errors="replace",
    ) as process:
        stream = getattr(process, says)
        begins, _, _ = select.select([stream], [], [], limit())
        if not begins:
            process.kill()
        yield Started(process, ready.fullmatch(stream.readline()) if begins else None)
