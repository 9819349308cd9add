"""A sweep as a map: how long the slowest of a hundred writes takes, by the size of the write buffer
and the dies of a channel. One picture into the folder named.

PYTHONPATH=python python3 examples/python/buffer_map.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import cavern
import matplotlib.pyplot as plt

SWEEP = {
    "config": "configs/cave.toml",
    "traces": ["traces/oltp-mysql-1h.csv.xz"],
    "limit": 4000,
    "set": {"workload.out_of_range": "wrap"},
    "vary": {"buffer.size": ["1MiB", "2MiB", "4MiB", "8MiB", "16MiB"], "nand.ways": [1, 2, 4]},
}


def main(folder: Path) -> None:
    table = cavern.sweep(SWEEP).table
    rows = table.pivot_table(
        index="vary.nand.ways",
        columns="vary.buffer.size",
        values="host.write.lat_ns.p99",
        sort=False,
    )
    plt.style.use("cavern.plots.cavern")  # as Cavern's own figures
    figure, axes = plt.subplots(figsize=(4.6, 2.4))
    image = axes.imshow(rows / 1e6, cmap="viridis", aspect="auto")  # dark is low, as in its pages
    axes.grid(visible=False)
    axes.set_xticks(range(rows.shape[1]), rows.columns // 2**20)
    axes.set_yticks(range(rows.shape[0]), rows.index)
    axes.set_xlabel("write buffer (MiB)")
    axes.set_ylabel("dies per channel")
    figure.colorbar(image, label="p99 of writes (ms)")
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "buffer_map.png", metadata={"Software": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
