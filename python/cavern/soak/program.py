"""The program that is played, and what it runs under."""

from __future__ import annotations

from pathlib import Path

from cavern.simulator import ENVIRONMENT as OF_A_RUN
from cavern.simulator import SIMULATOR

#: Every run verifies what its summary and its rows promise.
ENVIRONMENT = {**OF_A_RUN, "CAVERN_CHECK_LAWS": "1"}

#: As ./cavern soak is told; another build plays what was drawn for this one.
program: Path = SIMULATOR
under: list[str] = []


def command(*words: object) -> list[str]:
    return [*under, str(program), *map(str, words)]
