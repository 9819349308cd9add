"""A sweep of 32 runs and a search among 24, for the tests of ./cavern sweep and search."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from cavern.__main__ import main

from tests.cli.once import once
from tests.cli.programs import ROOT, Workspace

#: Fields of the machine and the moment; docs/read-a-report.md names them.
MOMENT = {"sim.wall_s", "sim.requests_per_wall_s", "sim.flash_ops_per_wall_s", "sim.peak_rss_bytes"}

JOB = '[[job]]\nrw = "randwrite"\nbs = "4KiB"\nsize = "8MiB"\nnumber_ios = {}\niodepth = 8\n'

SPEC = """\
config = "drive.toml"
traces = ["trace.csv"]
workloads = [{ file = "w.toml", name = "random", limit = 300, set = { "host.queue_depth" = 4 } }]
seeds = [1, 2]

[set]
nand.t_erase = "1ms"

[vary]
"buffer.size" = ["16KiB", "64KiB"]

[[zip]]
nand.channels = [1, 2]
nand.ways = [2, 1]

[variants.drive.plain]
alloc.scheme = "stripe-page"

[variants.drive.cave]
buffer.eviction = "cave"
alloc.scheme = "block-round-robin"
"""

#: A search, in the same folder.
SMALL = """\
title = "Small"
config = "drive.toml"
workloads = ["w.toml"]
limit = 300

[vary]
buffer.size = ["16KiB", "32KiB", "64KiB", "128KiB"]
nand.ways = [1, 2]
buffer.policy = ["lru-page", "lru-block", "fab"]

[search]
objectives = ["ftl.execution_time_ns", "host.write.lat_ns.mean"]
trials = 12
"""


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "cavern", "sweep", *map(str, arguments)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "python")}


def sweep(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(),
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )


def told(folder: Path, *arguments: object, name: str = "sweep") -> subprocess.CompletedProcess[str]:
    """The same in this process: for what ends before anything is run."""
    words = [name, *map(str, arguments)]
    with chdir(folder), redirect_stdout(StringIO()) as said, redirect_stderr(StringIO()) as wrong:
        status = main(words)
    return subprocess.CompletedProcess(words, status, said.getvalue(), wrong.getvalue())


def prepared(folder: Path) -> Workspace:
    """A folder with a small drive, and a sweep of 32 runs."""
    workspace = Workspace(folder)
    workspace.write("w.toml", JOB.format(400))
    workspace.write("spec.toml", SPEC)
    return workspace


def finished(factory: pytest.TempPathFactory) -> Path:
    """Such a folder in which the sweep was made into out/; once for all workers. Tests leave it as
    it is; what the sweep said lies beside, as .stdout."""

    def make(told: Path) -> None:
        folder = told.with_suffix("")
        folder.mkdir(exist_ok=True)
        done = sweep(prepared(folder).folder, "spec.toml", "--out", "out", "--jobs", 4)
        assert (done.returncode, done.stderr) == (0, "")
        told.write_text(done.stdout, encoding="utf-8")

    return once("finished-sweep.stdout", factory, make).with_suffix("")


def table(folder: Path) -> list[dict[str, Any]]:
    return pq.read_table(folder / "table.parquet").to_pylist()


def without_moment(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if k not in MOMENT} for row in rows]


def stamps(folder: Path) -> dict[str, int]:
    """When each finished run was finished."""
    found = folder.glob("runs/[!.]*/summary.json")
    return {path.parent.name: path.stat().st_mtime_ns for path in found}
