"""fio and Cavern are given the same jobs, and send the same requests."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.fio_differential import (
    Drawn,
    Row,
    difference,
    draw,
    play_cavern,
    play_fio,
)

pytestmark = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is missing")
BY_DAY = range(16)
NIGHTLY = range(16, 516)


def check(seeds: range, folder: Path) -> None:
    found = []
    for seed in seeds:
        here = folder / str(seed)
        here.mkdir()
        job = draw(seed)
        if what := difference(job, play_fio(job.text(), here), play_cavern(job.text(), here)):
            found.append(f"{seed}: {what}\n{job.text()}")
        shutil.rmtree(here)
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_drawn_jobs_are_those_of_fio(tmp_path: Path) -> None:
    check(BY_DAY, tmp_path)


@pytest.mark.nightly
def test_many_drawn_jobs_are_those_of_fio(tmp_path: Path) -> None:
    check(NIGHTLY, tmp_path)


@pytest.mark.parametrize(
    "keys",
    [
        {"rw": "write"},
        {"rw": "write:16k", "offset": "4k", "io_size": "200k", "fsync": "1"},
        {"rw": "read:4k", "loops": "2"},
        {"rw": "read", "zonemode": "strided", "zonesize": "32k", "zoneskip": "8k"},
    ],
    ids=lambda keys: keys["rw"],
)
def test_a_job_smaller_than_its_file_is_that_of_fio(keys: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    os.truncate(tmp_path / "file", 1 << 20)
    job = Drawn({"ioengine": "psync", "bs": "12k", "size": "40k"} | keys)
    with_file = play_fio(job.text(), tmp_path)
    assert difference(job, with_file, play_cavern(job.text(), tmp_path)) == ""


def test_every_key_that_is_drawn_changes_the_requests() -> None:
    drawn = {key for seed in NIGHTLY for key in draw(seed).keys}
    assert {"zonemode", "percentage_random", "rw_sequencer", "loops", "io_size", "ba"} <= drawn


@pytest.mark.parametrize(
    "change",
    [
        {"size": "128k"},
        {"bs": "8k"},
        {"offset": "64k"},
        {"rw": "write:4k"},
        {"number_ios": "7"},
        {"loops": "2"},
        {"fsync": "2"},
        {"end_fsync": "1"},
        {"zonemode": "strided", "zonesize": "8k", "zoneskip": "8k"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_key_that_one_of_them_ignored_would_be_seen(
    change: dict[str, str], tmp_path: Path
) -> None:
    """The negative control of the comparison."""
    keys = {"ioengine": "psync", "rw": "write", "bs": "4k", "filesize": "1m", "size": "256k"}
    job = Drawn(keys | change)
    with_key = play_fio(job.text(), tmp_path)
    assert difference(job, with_key, play_cavern(job.text(), tmp_path)) == ""
    assert difference(job, with_key, play_cavern(Drawn(keys).text(), tmp_path)) != ""


def test_shares_that_differ_are_seen() -> None:
    job = Drawn({"rw": "randrw"}, free=True)
    rows = [Row("RW"[i % 2], 4096 * (i * 37 % 1000), 4096) for i in range(1000)]
    assert difference(job, rows, rows) == ""
    other = [replace(row, op="R" if i % 10 < 7 else "W") for i, row in enumerate(rows)]
    assert difference(job, rows, other).startswith("count of ")
    small = [replace(row, size=2048) for row in rows]
    assert difference(job, rows, small).startswith("requests of ")
    narrow = [replace(row, offset=row.offset // 8192 * 4096) for row in rows]
    assert difference(job, rows, narrow).startswith(("places", "in order", "mean place"))
