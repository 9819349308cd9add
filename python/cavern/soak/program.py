"""The program that is played, and what it runs under."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cavern.simulator import ENVIRONMENT as OF_A_RUN
from cavern.simulator import SIMULATOR

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
    try:
        done = subprocess.run(
            command(*words)[len(under) if drawing else 0 :],
            input=text.encode(),
            capture_output=True,
            env=ENVIRONMENT,
            cwd=folder,
            timeout=limit(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, "", f"no end after {limit()} s"
    said = done.stderr.decode(errors="replace").strip()
    return done.returncode, done.stdout.decode(errors="replace"), said
