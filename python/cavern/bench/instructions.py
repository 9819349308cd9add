"""Instructions that a request costs: a measure of speed that no other load on the machine changes.

The simulator runs in valgrind twice, with more requests the second time. The difference of what was
counted, by that of the requests, leaves out start-up, reading the configuration, and the check of
the untouched part of the map at the end.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from cavern.bench.jobs import CONFIG, WHAT, arbiters, play
from cavern.errors import SimulatorError
from cavern.simulator import ENVIRONMENT, ROOT, SIMULATOR

#: The first run fills the write buffer; what comes on top meets a full one.
REQUESTS = (20_000, 60_000)
MISSING = "valgrind is missing; apt-get install valgrind"
#: The drive that is compared with other simulators has neither write buffer nor SDRAM times. Here
#: it has the blocks of the other drive, and the arbiter that drives have by default.
REFERENCE = (
    str(ROOT / "configs" / "reference-4k.toml"),
    "nand.blocks_per_plane=2048",
    "channel.policy=round-robin",
)
#: A drive of today with pages of 16 KiB behind NVMe, filled. It is as small as its spare blocks let
#: it be, for it is filled in valgrind, too.
TLC = (
    str(ROOT / "configs" / "tlc-nvme.toml"),
    "nand.blocks_per_plane=20",
    "nand.pages_per_block=384",
    "ftl.overprovision=0.35",
    "precondition.fill=0.8",
    "host.queues=2",
)
#: What is counted, by name: the job, the drive, settings.
CELLS: dict[str, tuple[str, ...]] = {
    "random-write": ("random-write", str(CONFIG)),
    "mixed": ("mixed", str(CONFIG)),
    "random-write, no buffer": ("random-write", *REFERENCE),
    "random-write, no time": ("random-write", str(CONFIG), "fidelity=untimed"),
    "random-write, no buffer, no time": ("random-write", *REFERENCE, "fidelity=untimed"),
    "tlc": ("tlc", *TLC),
}

_TOTAL = re.compile(r"^summary: (\d+)", re.MULTILINE)


def available() -> bool:
    return shutil.which("valgrind") is not None


def counted(name: str, requests: int, arbiter: str) -> int:
    """Instructions of a run of one of the CELLS, from the start of the program to its end. Raises
    ClickException without valgrind, SimulatorError where the run fails."""
    job, config, *settings = CELLS[name]
    if not available():
        raise click.ClickException(MISSING)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        # Without its model of caches cachegrind only counts, some twice as fast as callgrind.
        counts = folder / "counts"
        command = [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            "--quiet",
            f"--cachegrind-out-file={counts}",
            str(SIMULATOR),
            "run",
            config,
            "--out",
            str(folder / "out"),
            "--quiet",
            *[f"--set={each}" for each in (f"channel.arbiter={arbiter}", *settings)],
            *play(job, requests, folder),
        ]
        finished = subprocess.run(
            command, env=ENVIRONMENT, capture_output=True, text=True, check=False
        )
        if finished.returncode != 0:
            raise SimulatorError(finished.returncode, finished.stderr.strip())
        total = _TOTAL.search(counts.read_text(encoding="utf-8"))
    assert total is not None, os.fspath(counts)
    return int(total[1])


def per_request(name: str, arbiter: str, sizes: tuple[int, int] = REQUESTS) -> dict[str, float]:
    """`sizes`: requests of the two runs, the smaller one first."""
    few, many = (counted(name, requests, arbiter) for requests in sizes)
    return {
        f"instructions of {sizes[0]:,}": few,
        f"instructions of {sizes[1]:,}": many,
        "instructions/request": (many - few) / (sizes[1] - sizes[0]),
    }


def instructions_bench(console: Console) -> dict[str, dict[str, float]]:
    table = Table(
        title=f"instructions, counted by valgrind: {WHAT}; a request: the difference of the runs "
        "by that of their requests",
        title_justify="left",
    )
    results: dict[str, dict[str, float]] = {}
    for name in CELLS:
        for arbiter in ["tlm"] if "no time" in name else arbiters():
            results[f"{name} {arbiter}"] = per_request(name, arbiter)
    table.add_column("workload")
    table.add_column("arbiter")
    for heading in next(iter(results.values())):
        table.add_column(heading, justify="right")
    for key, row in results.items():
        table.add_row(*key.rsplit(maxsplit=1), *(f"{value:,.0f}" for value in row.values()))
    console.print(table)
    return results
