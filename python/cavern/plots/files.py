"""Writes files, or says in one line why not."""

from __future__ import annotations

from pathlib import Path

from cavern.errors import InputError


def make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        right = "expected a directory that can be written"
        raise InputError(path, 1, f"cannot be made ({error.strerror})", right) from None


def write_file(path: Path, content: bytes) -> None:
    """Whole or not at all: written beside and renamed."""
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        right = "expected a place that can be written"
        raise InputError(path, 1, f"cannot be written ({error.strerror})", right) from None
