"""What the simulator knows: the words a key of the configuration accepts, asked of the program."""

from __future__ import annotations

import re
import subprocess
from functools import cache

from explore.simulator import ENVIRONMENT, SIMULATOR, SimulatorError

_AVAILABLE = re.compile(r"^\s+accepts\s+available: (.+)$", re.MULTILINE)


@cache
def choices(key: str) -> tuple[str, ...]:
    """The words that a key accepts, in the program's order. Raises SimulatorError for no such key,
    LookupError for one that takes no words."""
    command = [str(SIMULATOR), "config", "explain", key]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SimulatorError(done.returncode, done.stderr.strip())
    words = _AVAILABLE.search(done.stdout)
    if words is None:
        raise LookupError(f"{key} takes no words")
    return tuple(words[1].split(", "))
