"""What a drive takes while it fills, and after: random writes over four times its capacity, with
greedy victims and with the oldest block. One picture into the folder named.

PYTHONPATH=python python3 examples/python/write_cliff.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cavern
import matplotlib.pyplot as plt

MIB = 2**20
CAPACITIES = 4  # that the job writes
DRIVE: dict[str, Any] = {
    "nand.channels": 2,
    "nand.ways": 2,
    "nand.blocks_per_plane": 128,
    "ftl.overprovision": 0.15,
    "ftl.scheme": "page",
    "alloc.scheme": "stripe-page",
    "buffer.size": "1MiB",
    "buffer.policy": "lru-page",
}
JOB = Path(__file__).parents[1] / "fio" / "random-fill.fio"


def main(folder: Path) -> None:
    plt.style.use("cavern.plots.cavern")  # as Cavern's own figures
    figure, axes = plt.subplots()
    for victim in ("greedy", "fifo"):
        result = cavern.run("conventional", JOB, **DRIVE, ftl__gc_policy=victim)
        windows = result.windows
        seconds = (windows["end_ns"] - windows["begin_ns"]) / 1e9
        written = windows["write_bytes"].cumsum() / windows["write_bytes"].sum() * CAPACITIES
        rate = windows["write_bytes"] / seconds / MIB
        axes.plot(written, rate, label=f"{victim}, WAF {result['ftl.waf']:.2f}")
    axes.set_xlabel("capacities written")
    axes.set_ylabel("MiB/s")
    axes.set_ylim(bottom=0)
    axes.legend()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "write_cliff.png", metadata={"Software": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
