"""What can go wrong for a user, and the two ways a figure can fail to come about."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def one_line(text: str, most: int = 400) -> str:
    """What a file says, for a message: one line, none too long, nothing that a terminal obeys."""
    line = _plain(" ".join(text.split()))
    return line if len(line) <= most else f"{line[: most // 2]} ... {line[-most // 2 :]}"


def _plain(text: str) -> str:
    return re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", "\ufffd", text)


class CavernError(Exception):
    """Something that the user can put right; str() is one line that says what and where."""


class InputError(CavernError):
    """A file given by the user is wrong: what is wrong, where, and what would be right."""

    def __init__(self, path: Path | str, line: int, what: str, right: str) -> None:
        self.path = path
        self.line = line
        self.what = one_line(what)
        self.right = one_line(right, 2000)
        super().__init__(f"{_plain(str(path))}:{line}: {self.what}; {self.right}")

    @classmethod
    def of(cls, error: OSError) -> InputError:
        """What the system refused: a full disk, a name that is too long."""
        place = error.filename2 or error.filename
        where = "<output>" if place is None else os.fsdecode(place)
        right = "expected a file or folder that can be read, or written"
        if error.errno in _NO_ROOM:
            right = "expected room there; make some, or choose another place with --out"
        elif error.errno == errno.ENAMETOOLONG:
            right = "expected a shorter one"
        return cls(where, 1, error.strerror or str(error), right)


class SimulatorError(CavernError, RuntimeError):
    """The simulator stopped with another exit status than 0.

    str() is what it said: for a mistake of the user (status 2) the one line
    `error: FILE:LINE: what; what would be right`."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class CavernWarning(UserWarning):
    """What a run says of itself that a reader of its figures should know."""


class NotAvailableError(Exception):
    """A run lacks the data of one figure, which is left out and named; no fault of the user."""
