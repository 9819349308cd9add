"""SQLite's crash tests through the drive: what is committed is not lost, and never half there."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from tests.cli.programs import ENVIRONMENT, ROOT, Program, Workspace, sets
from tests.cli.serving import SMALL, Served, serving
from tests.cli.sqlite_on_drive import PLACES, SECTOR, Drive, connect, look

JOURNALS = ("delete", "wal")


@pytest.fixture
def drive(workspace: Workspace) -> Path:
    return workspace.write("small.toml", SMALL)


def crash(served: Served, journal: str, seed: int, broken: str = "") -> int:
    """Transactions up to a crash; the last that SQLite has said is committed, or 0."""
    at = random.Random(seed).randrange(1, 60)
    command = [sys.executable, "-m", "tests.cli.sqlite_on_drive", served.socket, journal]
    done = subprocess.run(
        [*command, str(seed), str(at), broken],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 9, done
    return int(done.stdout.split()[-1]) if done.stdout else 0


def found(served: Served, journal: str) -> int:
    """Transactions in the database after a crash; it is sound."""
    with served.connect() as client:
        database = connect(Drive(client, random.Random(0), 0, ""), journal)
        count = look(database)
        database.close()
    return count


@contextmanager
def full_drive(simulator: Program, drive: Path) -> Iterator[Served]:
    """Has to collect for what is written; none of the files is there."""
    with serving(simulator, drive, *sets(precondition__fill=1)) as served:
        with served.connect() as client:
            for place in PLACES.values():
                assert client.write(place, bytes(SECTOR)) == 0
        yield served


def write_beside(served: Served, seed: int) -> None:
    """So that collection has to move the database."""
    rng = random.Random(seed)
    with served.connect() as client:
        for _ in range(300):
            place = rng.choice(tuple(PLACES.values())) + (3 << 19) + 2048 * rng.randrange(256)
            assert client.write(place, rng.randbytes(2048)) == 0


def crash_often(served: Served, journal: str, seeds: range, broken: str = "") -> None:
    before = 0
    for seed in seeds:
        committed = crash(served, journal, seed, broken) or before
        write_beside(served, seed)
        before = found(served, journal)
        # The one that the crash fell into may have been committed in time.
        assert committed <= before <= committed + 1, seed


@pytest.mark.parametrize("journal", JOURNALS)
@pytest.mark.slow
def test_what_is_committed_outlives_crashes(journal: str, drive: Path, simulator: Program) -> None:
    with full_drive(simulator, drive) as served:
        crash_often(served, journal, range(6))
        assert served.stop()["ftl"]["waf_pages"] > 1


@pytest.mark.nightly
@pytest.mark.parametrize("journal", JOURNALS)
def test_what_is_committed_outlives_many_crashes(
    journal: str, drive: Path, simulator: Program
) -> None:
    for begin in range(100, 600, 20):
        with full_drive(simulator, drive) as served:
            crash_often(served, journal, range(begin, begin + 20))
            assert served.stop()["ftl"]["waf_pages"] > 1


@pytest.mark.parametrize(
    ("journal", "broken"), [("delete", "database-journal"), ("wal", "database-wal")]
)
def test_a_sync_that_does_nothing_is_noticed(
    journal: str, broken: str, drive: Path, simulator: Program
) -> None:
    """The control."""
    with (
        full_drive(simulator, drive) as served,
        pytest.raises((AssertionError, apsw.Error)),
    ):
        crash_often(served, journal, range(40), broken)
