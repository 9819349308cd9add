"""What the simulator knows, asked of the program: words of keys, and tables of schemes."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from typing import Any

from cavern.errors import SimulatorError
from cavern.simulator import ENVIRONMENT, SIMULATOR


@cache
def _listed() -> dict[str, Any]:
    """`./cavern config list --json`."""
    command = [str(SIMULATOR), "config", "list", "--json"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SimulatorError(done.returncode, done.stderr.strip())
    listed: dict[str, Any] = json.loads(done.stdout)
    return listed


def choices(key: str) -> tuple[str, ...]:
    """The words that a key accepts, in the program's order. LookupError where it takes none, or
    where there is no such key."""
    for row in _listed()["keys"]:
        if row["name"] == key and "words" in row:
            return tuple(word["name"] for word in row["words"])
    raise LookupError(f"no key {key} that takes words")


def rows(table: str) -> tuple[str, ...]:
    """The names of the rows of a table that is not that of a key, such as trace_output_formats."""
    return tuple(row["name"] for row in _listed()["tables"][table])
