"""Running the simulator and reading what it wrote."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
SIMULATOR = BUILD / "bin" / "cavern-sim"
#: As the front door sets it: SystemC's banner would be taken for an error message.
ENVIRONMENT = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}


class SimulatorError(RuntimeError):
    """The simulator stopped with another exit status than 0; str() is what it said."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Run:
    """One finished simulation."""

    folder: Path
    summary: dict[str, Any]


def simulate(
    config: Path | str,
    out: Path,
    *,
    arguments: list[str] | None = None,
    overrides: dict[str, object] | None = None,
    program: Path = SIMULATOR,
    show_progress: bool = False,
) -> Run:
    """Runs one simulation into the folder `out`. Raises SimulatorError unless its status is 0."""
    command = [str(program), "run", str(config), "--out", str(out)]
    for key, value in (overrides or {}).items():
        command += ["--set", f"{key}={_toml(value)}"]
    command += arguments or []
    if not show_progress:
        command.append("--quiet")
    finished = subprocess.run(
        command,
        stdout=None if show_progress else subprocess.PIPE,
        stderr=None if show_progress else subprocess.PIPE,
        text=True,
        check=False,
    )
    if finished.returncode != 0:
        raise SimulatorError(finished.returncode, (finished.stderr or "").strip())
    with open(out / "summary.json", encoding="utf-8") as file:
        return Run(out, json.load(file))


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
