"""TOML files, and on which line of one a key stands: tomllib does not say."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.reading.limits import (
    MOST_DEPTH,
    TOO_DEEP,
    TOO_LARGE,
    Place,
    beyond_limits,
    line_of_depth,
    read_text,
)

#: A million seeds have half of it.
MOST_MIB = 16
_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_DOT = r"[ \t]*+\.[ \t]*+"
_DOTTED = rf"{_PART}(?:{_DOT}{_PART})*+"
_PARTS = re.compile(_PART)
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")
#: What may have dots in it, each as a whole, so that the first kind is a key.
_DOTS = re.compile(
    rf"(?P<deep>(?:{_PART}{_DOT}){{{MOST_DEPTH}}})"
    r'|"""(?:[^"\\]|\\[\s\S]|"(?!""))*+(?:""")?'
    r"|'''(?:[^']|'(?!''))*+(?:''')?"
    rf"|{_DOTTED}|\#.*"
)


def read_toml(path: Path, expected: str) -> tuple[dict[str, Any], TomlLines]:
    """What the file holds, and on which lines. Raises InputError at its line where it is no TOML,
    or beyond the limits."""
    text = read_text(path, MOST_MIB, expected)
    # tomllib takes time with the square of the parts of a key.
    deep = _deep_key(text)
    if deep is not None:
        line = text.count("\n", 0, deep) + 1
        raise InputError(path, line, "a key of many parts", f"expected {MOST_DEPTH} at most")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = int(place[1]) if place else text.rstrip("\n").count("\n") + 1
        what = re.sub(r"\s*\(at .*?\)", "", str(error))
        raise InputError(path, line, f"not TOML: {what}", "expected key = value") from None
    except RecursionError:
        raise InputError(path, line_of_depth(text), TOO_DEEP, f"expected {expected}") from None
    except ValueError:  # more digits than Python makes a whole number of
        raise InputError(path, _line_of_digits(text), TOO_LARGE, f"expected {expected}") from None
    lines = TomlLines(text)
    where, what = beyond_limits(data)
    if what:
        raise InputError(path, lines.of(*where), what, f"expected {expected}")
    return data, lines


def _deep_key(text: str) -> int | None:
    """Where a key has more parts than anything may be deep."""
    if all(line.count(".") < MOST_DEPTH for line in text.split("\n")):
        return None
    return next((found.start() for found in _DOTS.finditer(text) if found["deep"]), None)


def _line_of_digits(text: str) -> int:
    found = re.search(r"[0-9_]{4300}", text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


class TomlLines:
    """Lines of tables and keys of a file that tomllib has read without complaint."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Place, int] = {}
        count: dict[Place, int] = {}
        table: Place = ()
        for number, line in enumerate(text.split("\n"), 1):
            if header := _HEADER.match(line):
                parts = _parts(header[2])
                table = ()
                for part in parts:
                    table += (part,)
                    self._lines.setdefault(table, number)
                    if count.get(table) and (table != parts):
                        table += (count[table] - 1,)
                if header[1] == "[[":
                    count[table] = count.get(table, 0) + 1
                    self._lines.setdefault(table, number)
                    table += (count[table] - 1,)
                self._lines.setdefault(table, number)
            elif key := _KEY.match(line):
                path = table
                for part in _parts(key[1]):
                    path += (part,)
                    self._lines.setdefault(path, number)

    def of(self, *path: str | int) -> int:
        """The line of a key or table, else of the nearest one around it, else 1."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[:-1]
        return 1


def _parts(dotted: str) -> tuple[str, ...]:
    """The parts of a dotted key, as TOML reads them. More than may be are text that looks alike."""
    return tuple(map(_name, _PARTS.findall(dotted)[:MOST_DEPTH]))


def _name(part: str) -> str:
    if part[0] == '"' and "\\" in part:
        try:
            return str(tomllib.loads(f"name = {part}")["name"])
        except tomllib.TOMLDecodeError:
            return part
    return part[1:-1] if part[0] in "\"'" else part
