"""Writes files, or says in one line why not."""

from __future__ import annotations

from pathlib import Path

from cavern.errors import InputError


def _refuse_dash(path: Path) -> None:
    """Standard output has what the command prints."""
    if str(path) == "-":
        what = "- is standard output, which is no place for it"
        raise InputError("<command line>", 1, what, "expected the path of a file or folder")


def make_directory(path: Path) -> None:
    _refuse_dash(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        right = "expected a directory that can be written"
        raise InputError(path, 1, f"cannot be made ({error.strerror})", right) from None


def write_file(path: Path, content: bytes) -> None:
    """Whole or not at all: written beside and renamed."""
    _refuse_dash(path)
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        right = "expected a place that can be written"
        raise InputError(path, 1, f"cannot be written ({error.strerror})", right) from None
