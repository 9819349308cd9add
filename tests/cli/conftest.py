"""Fixtures of the command line's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.programs import BIN, ROOT, Program, Workspace
from tests.cli.sweeps import JOB, SPEC


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A folder with a small drive and a trace of three requests."""
    return Workspace(tmp_path)


@pytest.fixture
def simulator(tmp_path: Path) -> Program:
    """build/release/bin/cavern-sim, in the test's own folder."""
    return Program(BIN / "cavern-sim", tmp_path)


@pytest.fixture(scope="session")
def set_up() -> None:
    """Whatever ./cavern has to do before its first command of the session is done."""
    assert Program(ROOT / "cavern", ROOT)("config", "list", timeout=600).returncode == 0


@pytest.fixture
def front_door(set_up: None, tmp_path: Path) -> Program:
    """./cavern, started from another folder than the project's."""
    return Program(ROOT / "cavern", tmp_path)


@pytest.fixture
def sweeping(workspace: Workspace) -> Workspace:
    """The same, and a sweep of 32 runs."""
    workspace.write("w.toml", JOB.format(400))
    workspace.write("spec.toml", SPEC)
    return workspace
