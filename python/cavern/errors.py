"""What can go wrong for a user, and the two ways a figure can fail to come about."""

from __future__ import annotations

from pathlib import Path


class CavernError(Exception):
    """Something that the user can put right; str() is one line that says what and where."""


class InputError(CavernError):
    """A file given by the user is wrong: what is wrong, where, and what would be right."""

    def __init__(self, path: Path | str, line: int, what: str, right: str) -> None:
        self.path = path
        self.line = line
        self.what = what
        self.right = right
        super().__init__(f"{path}:{line}: {what}; {right}")


class SimulatorError(CavernError, RuntimeError):
    """The simulator stopped with another exit status than 0.

    str() is what it said: for a mistake of the user (status 2) the one line
    `error: FILE:LINE: what; what would be right`."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class NotAvailableError(Exception):
    """A run lacks the data of one figure, which is left out and named; no fault of the user."""
