"""On which line of a TOML file a key stands: tomllib does not say."""

from __future__ import annotations

import re
import tomllib
from typing import Any

_HEADER = re.compile(r"\s*(\[\[?)(.+?)\]\]?\s*(#.*)?$")
_KEY = re.compile(
    r"""\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*
                      (?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=""",
    re.VERBOSE,
)

Path = tuple[str | int, ...]


class TomlLines:
    """Lines of tables and keys of a file that tomllib has read without complaint."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Path, int] = {}
        count: dict[Path, int] = {}
        table: Path = ()
        for number, line in enumerate(text.splitlines(), 1):
            if header := _HEADER.match(line):
                table = ()
                for part in _parts(header[2]):
                    table += (part,)
                    self._lines.setdefault(table, number)
                    if count.get(table) and (table != _parts(header[2])):
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
    """The parts of a dotted key, as TOML reads them."""
    try:
        table: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return (dotted,)
    parts: list[str] = []
    while isinstance(table, dict):
        (name, table), *_ = table.items()
        parts.append(name)
    return tuple(parts)
