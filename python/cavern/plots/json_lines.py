"""Where in a JSON text a value stands; walked through only when there is something to blame."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_SPACE = re.compile(r"[\s,:]*")


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Line on which the value at `path` (keys and list indices) starts, with its key if it has one.

    Where the path leads nowhere, the line of the last step that exists. `text` is valid JSON.
    """
    decoder = json.JSONDecoder()
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
