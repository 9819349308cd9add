"""Brings the release build up to date, for tests that need only a part of it."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from cavern.simulator import BUILD, ENVIRONMENT

#: Lines shown of what a build that failed has said.
LINES_SHOWN = 30


def _log_of(build: Path) -> Path:
    return build.parent / "build.log"


def builds(targets: list[str], build: Path = BUILD) -> bool:
    """Builds those targets, or without any all; whether it could. It says nothing, and waits for
    another command that builds."""
    with (build.parent / ".lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        lock.truncate()
        print(os.getpid(), file=lock, flush=True)
        with _log_of(build).open("wb") as output:
            done = subprocess.run(
                ["ninja", "-C", str(build), *targets],
                env=ENVIRONMENT,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
    return done.returncode == 0


def ninja(targets: list[str], build: Path = BUILD) -> None:
    """Builds the targets, and ends the program where that fails."""
    if not builds(targets, build):
        log = _log_of(build)
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        print("\n".join(lines[-LINES_SHOWN:]), file=sys.stderr)
        text = f"error: {log}:1: building failed; the lines above and this file say why"
        print(text, file=sys.stderr)
        sys.exit(1)
