"""What all tests need: the package is run from the tree."""

from __future__ import annotations

import os
from pathlib import Path

from cavern.devtools.pytest_seconds import pytest_fixture_setup, pytest_runtest_call

__all__ = ["pytest_fixture_setup", "pytest_runtest_call"]

# Programs that tests start find it where `./cavern` has them find it.
os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parents[1] / "python")
# Every run verifies what its results promise (docs/summary-fields.md).
os.environ["CAVERN_CHECK_LAWS"] = "1"
# The program stays what it is while tests run.
os.environ["CAVERN_UNCOUNTED"] = "1"
