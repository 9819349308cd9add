"""TOML and JSON of others: within limits, or one line that says where not."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cavern.errors import InputError
from cavern.reading.json_file import line_of, read_json
from cavern.reading.limits import MOST_DEPTH
from cavern.reading.toml_file import read_toml

from tests.pace import within

Read = Callable[[Path, str], tuple[Any, Any]]
DEEP = ".".join(["a"] * 100_000)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def table(depth: int) -> str:
    return "{a = " * depth + "1" + "}" * depth


TOML = {
    "deep list": (f"x = 1\ny = {nested(3000)}", 2, "nested deeper than 64"),
    "list one too deep": (f"x = {nested(MOST_DEPTH)}", 1, "nested deeper than 64"),
    "deep table": (f"x = 1\ny = {table(3000)}", 2, "nested deeper than 64"),
    "deep headers": (
        "[" + ".".join("a" * 60) + "]\n" + ".".join("b" * 60) + " = 1\n",
        2,
        "nested deeper than 64",
    ),
    "key of many parts": (f"x = 1\n{DEEP} = 1", 2, "a key of many parts"),
    "table of many parts": (f"[{DEEP}]", 1, "a key of many parts"),
    "tables of many parts": (f"[[ {DEEP} ]]", 1, "a key of many parts"),
    "inline key of many parts": (f"x = {{ {DEEP} = 1 }}", 1, "a key of many parts"),
    "quoted key of many parts": (
        " . ".join(['"a.b"', "'c'"] * 50) + " = 1",
        1,
        "a key of many parts",
    ),
    "many digits": (f"x = 1\ny = {'9' * 5000}", 2, "a whole number of more than 64 bits"),
    "65 bits": (f"[x]\ny = [1, {2**63}]", 2, "a whole number of more than 64 bits"),
    "65 bits below": (f"x = {-(2**63) - 1}", 1, "a whole number of more than 64 bits"),
    "hexadecimal": (f"x = 0x{'f' * 20}", 1, "a whole number of more than 64 bits"),
    "not finite": ("[x]\ny = 1\nz = -inf", 3, "a number that is not finite"),
    "no number": ("x = nan", 1, "a number that is not finite"),
    "behind what only looks like a line's end": (
        f"x = 'a\u2028b\u2029'\ny = {2**63}",
        2,
        "a whole number of more than 64 bits",
    ),
    "no text": (b"x = 1\ny = '\xff'", 2, "no UTF-8"),
    "no TOML": ("x = 1\ny", 2, "not TOML"),
}
JSON = {
    "deep list": (f"[1,\n{nested(100_000)}]", 2, "nested deeper than 64"),
    "list one too deep": (nested(MOST_DEPTH + 1), 1, "nested deeper than 64"),
    "deep object": ('{"a":' * 900 + "1" + "}" * 900, 1, "nested deeper than 64"),
    "many digits": (f'{{"a": 1,\n"b": {"9" * 5000}}}', 2, "a whole number of more than 64 bits"),
    "many digits below": (f"[-1{'0' * 5000}]", 1, "a whole number of more than 64 bits"),
    "400 digits": (f"[{{}},\n{'9' * 400}]", 2, "a whole number of more than 64 bits"),
    "65 bits": (f'{{"a": {{\n"b": {2**63}}}}}', 2, "a whole number of more than 64 bits"),
    "a number alone": (str(2**63), 1, "a whole number of more than 64 bits"),
    "overflow": ("[1,\n1e999]", 2, "a number that is not finite"),
    "no number": ("[\nNaN]", 2, "a number that is not finite"),
    "half a character": ('{"a": 1,\n"b": "\\ud800"}', 2, "a text with half a character"),
    "half a name": ('{"a": 1,\n"b": {"\\ud800": 1}}', 2, "a name with half a character"),
    "no text": (b'["\n\xff"]', 2, "no UTF-8"),
    "cut": ('{"a": [\n1,', 2, "the file ends in the middle"),
    "no JSON": ("{\nno}", 2, "not JSON"),
}
CASES = [
    pytest.param(read, *case, id=f"{kind}: {name}")
    for kind, read, cases in (("TOML", read_toml, TOML), ("JSON", read_json, JSON))
    for name, case in cases.items()
]


@pytest.mark.parametrize(("read", "content", "line", "what"), CASES)
def test_what_is_beyond_the_limits_is_one_line(
    read: Read, content: str | bytes, line: int, what: str, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    begun = time.process_time()
    with pytest.raises(InputError) as caught:
        read(file, "a thing")
    # What takes time with the square of the depth takes seconds.
    assert within(time.process_time() - begun, 1)
    assert (caught.value.line, caught.value.what.split(":")[0].split(" (")[0]) == (line, what)
    assert str(caught.value).startswith(f"{file}:{line}: {what}")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 1000


def test_what_is_within_the_limits_is_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    numbers = [-(2**63), 2**63 - 1, 1e308, -0.5]
    # Texts, comments and lists of numbers have more dots than a key may.
    text = f'x = {numbers}\n"{DEEP}" = """\n{DEEP} = 1\n"""  # {DEEP}\ny = [{"0.5, " * 200}]\n'
    text += f"[{'.'.join(['a'] * MOST_DEPTH)}]\nz = {nested(1)}\n"
    file.write_text(text)
    with pytest.raises(InputError, match="nested deeper"):
        read_toml(file, "a thing")
    file.write_text(text.replace(f"[{'.'.join(['a'] * MOST_DEPTH)}]", "[a.b]"))
    data, lines = read_toml(file, "a thing")
    assert data["x"] == numbers and data[DEEP].startswith("a.a") and len(data["y"]) == 200
    assert lines.of("a", "b", "z") == 7
    file.write_text(f'{{"x": {numbers},\n"y": "\\ud83d\\ude00", "z": {nested(MOST_DEPTH - 1)}}}')
    data, text = read_json(file, "a thing")
    assert data["x"] == numbers and data["y"] == "😀" and line_of(text, ["y"]) == 2


@pytest.mark.parametrize("read", [read_toml, read_json])
def test_what_never_ends_is_too_large(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cavern.reading.json_file.MOST_MIB", 8)
    os.symlink("/dev/zero", tmp_path / "file")
    with pytest.raises(InputError, match=r"more than \d+ MiB; expected a thing"):
        read(tmp_path / "file", "a thing")


def test_names_that_escapes_stand_in_are_found(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text('[x."a\\u0062.c"]\n"d\\"e".f = 1\n\'g"h\' = 2\n')
    data, lines = read_toml(file, "a thing")
    assert data == {"x": {"ab.c": {'d"e': {"f": 1}, 'g"h': 2}}}
    assert lines.of("x", "ab.c", 'd"e', "f") == 2 and lines.of("x", "ab.c", 'g"h') == 3
