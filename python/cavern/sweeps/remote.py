"""One simulation on a worker of a cluster.

The module is sent there as it stands and needs Python alone: Cavern need not be installed there.
The program and its inputs are seen there by the same paths as here."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TypedDict


class Task(TypedDict):
    program: str
    sha256: str  # of the program
    arguments: list[str]  # without --out; relative to `cwd`
    cwd: str
    environment: dict[str, str]  # on top of the worker's


class Answer(TypedDict):
    status: int
    stderr: str
    files: dict[str, bytes]
    worker: str


def simulate_there(task: Task) -> Answer:
    """Runs it in a folder of its own and returns what it wrote.

    Raises OSError where the program cannot be run: another worker may be able to."""
    answer: Answer = {"status": 1, "stderr": "", "files": {}, "worker": os.uname().nodename}
    with open(task["program"], "rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != task["sha256"]:
            answer["stderr"] = f"{task['program']} is another program there than here"
            return answer
    with tempfile.TemporaryDirectory(prefix="cavern-") as folder:
        # Neither outlives the worker.
        command = ["setpriv", "--pdeathsig", "KILL", task["program"], *task["arguments"]]
        done = subprocess.run(
            [*command, "--out", folder, "--quiet"],
            cwd=task["cwd"],
            env={**os.environ, **task["environment"]},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            check=False,
        )
        answer["status"] = done.returncode
        answer["stderr"] = done.stderr.decode(errors="replace").strip()
        for path in Path(folder).rglob("*"):
            if path.is_file():
                answer["files"][str(path.relative_to(folder))] = path.read_bytes()
    if done.returncode < 0 and not answer["stderr"]:
        answer["stderr"] = f"ended by {signal.Signals(-done.returncode).name}"
    return answer
