"""JSON files, and where in their text a value stands."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.reading.limits import MOST_DEPTH, TOO_DEEP, beyond_limits, line_of_depth, read_text

#: Far above a timeline that a picture is made of; parsed, it takes ten times the memory.
MOST_MIB = 1024
#: Digits of a number, with its sign: one more than the largest within the limits has.
MOST_DIGITS = 21

_SPACE = re.compile(r"[\s,:]*")


def read_json(path: Path, expected: str) -> tuple[Any, str]:
    """What the file holds, and its text. Raises InputError at its line where it is cut short, is no
    JSON, or is beyond the limits."""
    text = read_text(path, MOST_MIB, expected)
    return parse_json(path, text, expected), text


def parse_json(path: Path, text: str, expected: str) -> Any:
    """What a text of the file holds; raises as read_json() does."""
    try:
        data = _parsed(text)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        what = "the file ends in the middle" if cut else f"not JSON ({error.msg})"
        raise InputError(path, error.lineno, what, f"expected {expected}, complete") from None
    except RecursionError:
        raise InputError(path, line_of_depth(text), TOO_DEEP, f"expected {expected}") from None
    place, what = beyond_limits([data], MOST_DEPTH + 1)
    if what:
        raise InputError(path, line_of(text, place[1:]), what, f"expected {expected}")
    return data


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # more digits than Python makes a whole number of
        return json.loads(text, parse_int=_whole)


def _whole(digits: str) -> int:
    return int(digits[:MOST_DIGITS])


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Line on which the value at `path` (keys and list indices) starts, with its key if it has one.

    Where the path leads nowhere, the line of the last step that exists. `text` is valid JSON. It is
    walked through only when there is something to blame.
    """
    decoder = json.JSONDecoder(parse_int=float)  # of any number of digits
    position = _skip(text, 0)
    found = position
    for step in path:
        place = _member(text, position, step, decoder)
        if place is None:
            break
        found, position = place
    return text.count("\n", 0, found) + 1


def _member(
    text: str, position: int, step: str | int, decoder: json.JSONDecoder
) -> tuple[int, int] | None:
    """Start of a member (of its key in an object) and of its value."""
    opening = text[position] if position < len(text) else ""
    if opening != ("{" if isinstance(step, str) else "["):
        return None
    position = _skip(text, position + 1)
    index = 0
    while text[position] not in "}]":
        start, name = position, index
        if opening == "{":
            name, position = decoder.raw_decode(text, position)
            position = _skip(text, position)
        if name == step:
            return start, position
        _, position = decoder.raw_decode(text, position)
        position = _skip(text, position)
        index += 1
    return None


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position
