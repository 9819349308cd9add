"""Folded stacks of a profile (`start;main;printf 62`), as a tree of who called whom."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from cavern.errors import InputError
from cavern.reading.packed import opened

DEEPEST = 500
RIGHT = 'expected lines such as "start;main;printf 62"'


@dataclass
class Frame:
    """A function as called from one place."""

    name: str
    own: int = 0  #: cycles in the function itself
    called: dict[str, Frame] = field(default_factory=dict)

    @property
    def cycles(self) -> int:
        return self.own + sum(frame.cycles for frame in self.called.values())


def read_stacks(path: Path) -> Frame:
    """The tree of a file of folded stacks. Its root stands for all of them."""
    try:
        with opened(path) as file:
            text = file.read().decode()
    except UnicodeDecodeError:
        raise InputError(path, 1, "is no text", RIGHT) from None
    except OSError as error:
        what = "no such file" if isinstance(error, FileNotFoundError) else "cannot be read"
        raise InputError(path, 1, what, RIGHT) from None
    root = Frame("all")
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        match = re.fullmatch(r"(.*\S) +([0-9]{1,18})", line)
        names = match[1].split(";") if match else []
        if match is None or not all(names):
            raise InputError(path, number, "is no folded stack", RIGHT)
        if len(names) > DEEPEST:
            raise InputError(
                path, number, f"is {len(names)} functions deep", f"expected {DEEPEST} at most"
            )
        frame = root
        for name in names:
            frame = frame.called.setdefault(name, Frame(name))
        frame.own += int(match[2])
    if root.cycles == 0:
        raise InputError(path, 1, "has no cycles", RIGHT)
    return root
