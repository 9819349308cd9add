"""Tables as TOML text."""

from __future__ import annotations

import json
import re
from typing import Any


def toml(table: dict[str, Any]) -> str:
    """Nested tables as TOML text; None is left out. A list of tables is inline."""

    def value_text(value: Any) -> str:
        if isinstance(value, list):
            return "[" + ", ".join(map(value_text, value)) + "]"
        if isinstance(value, dict):
            pairs = (f"{name(key)} = {value_text(entry)}" for key, entry in value.items())
            return "{" + ", ".join(pairs) + "}"
        # JSON's strings, whole numbers, fractions and truth values are TOML's too.
        return json.dumps(value, ensure_ascii=False)

    def name(key: str) -> str:
        return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)

    def lines(table: dict[str, Any], path: list[str]) -> list[str]:
        own = [
            f"{name(key)} = {value_text(value)}"
            for key, value in table.items()
            if not isinstance(value, dict) and value is not None
        ]
        if path and own:
            own = ["", f"[{'.'.join(map(name, path))}]", *own]
        for key, value in table.items():
            if isinstance(value, dict):
                own += lines(value, [*path, key])
        return own

    return "\n".join(lines(table, [])).strip() + "\n"
