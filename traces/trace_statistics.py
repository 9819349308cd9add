#!/usr/bin/env python3
"""Prints one line of a Markdown table for each trace in Cavern's csv form (plain or xz)."""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

PAGE_BYTES = 4096
COLUMNS = [
    "trace",
    "requests",
    "length s",
    "reads",
    "writes",
    "writes %",
    "mean read KiB",
    "mean write KiB",
    "written MiB",
    "written once MiB",
    "address space GiB",
    "4 KiB aligned %",
]


def row(path: Path) -> list[str]:
    count = {"R": 0, "W": 0}
    size = {"R": 0, "W": 0}
    pages: set[int] = set()
    end = aligned = 0
    time_us = "0"
    with lzma.open(path, "rt") if path.suffix == ".xz" else path.open() as lines:
        for line in lines:
            if line.startswith("#") or line.startswith("time_us"):
                continue
            time_us, op, offset_text, size_text = line.rstrip("\n").split(",")
            offset, length = int(offset_text), int(size_text)
            count[op] += 1
            size[op] += length
            end = max(end, offset + length)
            aligned += offset % PAGE_BYTES == 0 and length % PAGE_BYTES == 0
            if op == "W":
                pages.update(range(offset // PAGE_BYTES, (offset + length - 1) // PAGE_BYTES + 1))
    total = count["R"] + count["W"]
    return [
        f"`{path.name}`",
        f"{total:,}",
        f"{float(time_us) / 1e6:,.3f}",
        f"{count['R']:,}",
        f"{count['W']:,}",
        f"{100 * count['W'] / total:.2f}",
        f"{size['R'] / 1024 / count['R']:.2f}" if count["R"] else "-",
        f"{size['W'] / 1024 / count['W']:.2f}" if count["W"] else "-",
        f"{size['W'] / 2**20:.2f}",
        f"{len(pages) * PAGE_BYTES / 2**20:.2f}",
        f"{end / 2**30:.2f}",
        f"{100 * aligned / total:.2f}",
    ]


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: trace_statistics.py TRACE.csv[.xz] ...")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + " --- |" * len(COLUMNS))
    for name in sys.argv[1:]:
        print("| " + " | ".join(row(Path(name))) + " |")


if __name__ == "__main__":
    main()
