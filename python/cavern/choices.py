"""What the simulator knows, asked of the program: words of keys, and tables of schemes."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from cavern.simulator import ask


@cache
def _listed() -> dict[str, Any]:
    """`./cavern config list --json`."""
    listed: dict[str, Any] = json.loads(ask(["config", "list", "--json"]))
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
