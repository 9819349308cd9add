"""What --help of each command ends with: lines of examples.txt, which the tests run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("examples.txt")


@cache
def examples() -> dict[str, list[str]]:
    """Command lines by the command that they show."""
    found: dict[str, list[str]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, command = line.partition(": ")
            found.setdefault(name, []).append(command)
    return found


def epilog(command: str) -> str | None:
    """The examples as click has them: "\\b" keeps it from joining the lines."""
    lines = examples().get(command, [])
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)]) if lines else None
