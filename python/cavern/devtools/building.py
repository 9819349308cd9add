"""Brings the release build up to date, for tests that need only a part of it."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from cavern.simulator import BUILD, ENVIRONMENT

#: Of what a build that failed has said.
LINES_SHOWN = 30


def ninja(targets: list[str], build: Path = BUILD) -> None:
    """Builds those targets, or without any all. Ends the program where that fails. It says nothing
    else, and waits for another command that builds."""
    log = build.parent / "build.log"
    with (build.parent / ".lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        lock.truncate()
        print(os.getpid(), file=lock, flush=True)
        with log.open("wb") as output:
            status = subprocess.run(
                ["ninja", "-C", str(build), *targets],
                env=ENVIRONMENT,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            ).returncode
    if status != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        print("\n".join(lines[-LINES_SHOWN:]), file=sys.stderr)
        text = f"error: {log}:1: building failed; the lines above and this file say why"
        print(text, file=sys.stderr)
        sys.exit(1)
