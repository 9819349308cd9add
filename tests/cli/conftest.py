"""Fixtures of the command line's tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.installation import Installation
from tests.cli.programs import BIN, ROOT, Program, Workspace
from tests.cli.sweeps import SMALL, finished, prepared


@pytest.fixture(autouse=True, scope="session")
def no_states() -> Iterator[None]:
    """Nothing is kept in the user's own folder, nor found there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAVERN_STATE_CACHE", "")
        yield


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
def sweeping(tmp_path: Path) -> Workspace:
    """The same, and a sweep of 32 runs."""
    return prepared(tmp_path)


@pytest.fixture
def swept(sweeping: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The same, and its results in out/: a copy of what was made once, to be changed at will."""
    shutil.copytree(finished(tmp_path_factory) / "out", sweeping.folder / "out")
    return sweeping


@pytest.fixture
def searching(sweeping: Workspace) -> Workspace:
    """The same as sweeping, and a search among 24 runs."""
    sweeping.write("small.toml", SMALL)
    return sweeping


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Installation]:
    """The front door in a tree of its own, in which nothing is missing."""
    made = Installation(tmp_path / "tree of mine")
    made("config", "list")
    made.told()
    yield made
    # The name without blanks by which Verilator knows it.
    for link in Path("/var/tmp").glob("cavern-*"):
        if link.is_symlink() and link.readlink().parent == tmp_path:
            link.unlink()
