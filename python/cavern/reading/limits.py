"""What a file may hold. Whoever has read one may recurse into it, calculate with its numbers as 64
bits, and write its texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.reading.packed import opened

#: The number of parts that a key of the configuration may have.
MOST_DEPTH = 64
TOO_DEEP = f"nested deeper than {MOST_DEPTH}"
TOO_LARGE = "a whole number of more than 64 bits"
LEAST, LARGEST = -(2**63), 2**63 - 1
_BLOCK = 1 << 20

#: Where in a file: keys and indices of lists.
Place = tuple[str | int, ...]


def read_text(path: Path, most_mib: int, expected: str) -> str:
    """The whole file, unpacked. Raises InputError where it is none, too large, or no UTF-8."""
    blocks = []
    try:
        with opened(path) as file:
            while block := file.read(_BLOCK):
                blocks.append(block)
                if len(blocks) > most_mib:
                    what = f"more than {most_mib} MiB"
                    raise InputError(path, 1, what, f"expected {expected}, not as large")
    except FileNotFoundError:
        raise InputError(path, 1, "no such file", f"expected {expected}") from None
    except OSError as error:
        what = f"cannot be read ({error.strerror})"
        raise InputError(path, 1, what, f"expected {expected}") from None
    content = b"".join(blocks)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(path, line, "no UTF-8", f"expected {expected}") from None


def beyond_limits(value: dict[str, Any] | list[Any], room: int = MOST_DEPTH) -> tuple[Place, str]:
    """Where a table or list holds what is beyond the limits, and what that is; nothing else."""
    items: Iterable[tuple[str | int, Any]] = enumerate(value)
    if isinstance(value, dict):
        if not all(map(str.isascii, value)) and not all(map(_is_text, value)):
            return (), "a name with half a character"
        items = value.items()
    for key, part in items:
        if not isinstance(part, dict | list):
            if what := _fault(part):
                return (key,), what
        elif room == 1:
            return (key,), TOO_DEEP
        else:
            place, what = beyond_limits(part, room - 1)
            if what:
                return (key, *place), what
    return (), ""


def _fault(part: Any) -> str:
    """What is wrong with a text or a number, if anything."""
    if isinstance(part, str):
        return "" if part.isascii() or _is_text(part) else "a text with half a character"
    if isinstance(part, int):
        return "" if LEAST <= part <= LARGEST else TOO_LARGE
    if isinstance(part, float):
        return "" if isfinite(part) else "a number that is not finite"
    return ""


def line_of_depth(text: str) -> int:
    """The line of a text on which more brackets are open than may be."""
    depth = 0
    for bracket in re.finditer(r"[][{}]", text):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > MOST_DEPTH:
            return text.count("\n", 0, bracket.start()) + 1
    return 1


def _is_text(text: str) -> bool:
    """Whether it can be written: JSON may name half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
