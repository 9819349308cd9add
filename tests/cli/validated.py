"""What the tests of `./cavern validate` have in common: its rows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.once import once
from tests.cli.programs import ROOT, Json


def validate(file: Path, *arguments: str) -> tuple[int, list[Json]]:
    """Exit status, and the rows."""
    done = subprocess.run(
        [sys.executable, "-m", "cavern", "validate", "--json", str(file), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(file.read_text(encoding="utf-8"))


def validated(
    factory: pytest.TempPathFactory, section: str | None = None
) -> tuple[int, list[Json]]:
    """The same without arguments, run once for all workers; of all sections, or of one."""

    def run(file: Path) -> None:
        status, rows = validate(file.with_suffix(".rows"))
        file.write_text(json.dumps({"status": status, "rows": rows}), encoding="utf-8")

    told = json.loads(once("validate.json", factory, run).read_text(encoding="utf-8"))
    return told["status"], [row for row in told["rows"] if section in (None, row["section"])]
