"""Memory: what the page-mapping layer takes for each physical page, and that space nobody has
written costs nothing."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cavern.simulator import BUILD, ROOT, simulate

#: Planes, blocks of a plane, pages of a block. A figure for a page needs some millions of them:
#: the operating system gives memory in pages of 4 KiB or 2 MiB.
DRIVES = ((4, 8192, 64), (4, 2048, 256), (4, 912, 1152))
MOST_BYTES = 9.0
#: 32 x 8 dies of 4 x 912 blocks of 1152 pages of 16 KiB.
HUGE = {"nand.channels": 32, "nand.ways": 8}
HUGE_PLANES = (1024, 912, 1152)
MOST_SECONDS, MOST_MIB = 1.0, 200.0

_LINE = re.compile(r"(\d+) pages ([\d.]+) s (\d+) bytes built (\d+) bytes filled")


def layer(planes: int, blocks: int, pages: int, overwrites: float) -> dict[str, float]:
    """The layer alone, in a process of its own: built, filled, and each page overwritten so often
    on average. 0 overwrites: only built."""
    command = [str(BUILD / "bin" / "cavern-ftl-bench"), "memory"]
    command += [str(number) for number in (planes, blocks, pages, overwrites)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    match = _LINE.match(text)
    assert match is not None, text
    count = int(match[1])
    return {
        "pages": count,
        "start, s": float(match[2]),
        "start, MiB": int(match[3]) / 2**20,
        "bytes/page": int(match[4]) / count,
    }


def whole_drive(fidelity: str) -> dict[str, float]:
    """The simulator with a drive of 16 TiB, from its start over one write to its end."""
    with tempfile.TemporaryDirectory() as scratch:
        workload = Path(scratch) / "workload.toml"
        job = {"rw": "randwrite", "bs": "16KiB", "size": "14TiB", "number_ios": 1}
        lines = [f"{key} = {json.dumps(value)}\n" for key, value in job.items()]
        workload.write_text("[[job]]\n" + "".join(lines), encoding="utf-8")
        start = time.monotonic()
        run = simulate(
            ROOT / "configs" / "tlc-modern.toml",
            Path(scratch) / "out",
            overrides={**HUGE, "fidelity": fidelity},
            arguments=["--workload", str(workload)],
        )
        seconds = time.monotonic() - start
    return {
        "pages": run.summary["ftl"]["logical_pages"],
        "start, s": seconds,
        "start, MiB": run.summary["sim"]["peak_rss_bytes"] / 2**20,
    }


def memory_bench(console: Console) -> dict[str, dict[str, float]]:
    """Figures with their limits; the test of this bench compares them."""
    figures: dict[str, dict[str, float]] = {}
    table = Table(
        title="page layer, 7 % spare, filled and overwritten once: resident bytes of all its "
        "structures for a physical page",
        title_justify="left",
    )
    for heading in ("planes x blocks x pages", "pages", "bytes/page", "limit"):
        table.add_column(heading, justify="right")
    for planes, blocks, pages in DRIVES:
        name = f"{planes} x {blocks} x {pages}"
        row = figures[name] = layer(planes, blocks, pages, 1.0)
        table.add_row(name, f"{row['pages']:,.0f}", f"{row['bytes/page']:.2f}", f"{MOST_BYTES:g}")
    console.print(table)

    huge = Table(
        title="a drive of 16 TiB with pages of 16 KiB: from nothing to ready (layer), from the "
        "start of the program over one write to its end (drive)",
        title_justify="left",
    )
    for heading in ("what", "seconds", "MiB resident", "limits"):
        huge.add_column(heading, justify="left" if heading == "what" else "right")
    figures["16 TiB, page layer"] = layer(*HUGE_PLANES, 0.0)
    for fidelity in ("untimed", "at"):
        figures[f"16 TiB, drive, {fidelity}"] = whole_drive(fidelity)
    for name, row in figures.items():
        if name.startswith("16 TiB"):
            huge.add_row(
                name,
                f"{row['start, s']:.4f}",
                f"{row['start, MiB']:.2f}",
                f"{MOST_SECONDS:g} s, {MOST_MIB:g} MiB",
            )
    console.print(huge)
    return figures
