"""The two ways a figure can fail to come about."""

from __future__ import annotations

from pathlib import Path


class InputError(Exception):
    """A file given by the user is wrong: what is wrong, where, and what would be right."""

    def __init__(self, path: Path | str, line: int, what: str, right: str) -> None:
        self.path = path
        self.line = line
        self.what = what
        self.right = right
        super().__init__(f"{path}:{line}: {what}; {right}")


class NotAvailableError(Exception):
    """A run lacks the data of one figure, which is left out and named; no fault of the user."""
