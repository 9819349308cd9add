#!/usr/bin/env python3
"""Converts a normalised block trace to Cavern's csv form.

Input, plain or xz: a header `t_us,dev,op,lba512,nsec`, then one request a line, sorted by time: the
time in microseconds, the number of the device, op R, W or D (discard), first sector and number of
sectors of 512 bytes. Output: `time_us,op,offset,size` in bytes, discards as T, the devices laid end
to end by number, each beginning on a multiple of 1 MiB. The name of the output decides whether it
is compressed (.xz).
"""

from __future__ import annotations

import argparse
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

SECTOR_BYTES = 512
DEVICE_ALIGNMENT = 1 << 20
HEADER = "t_us,dev,op,lba512,nsec"
OPS = {"R": "R", "W": "W", "D": "T"}


class Request(NamedTuple):
    time_us: str
    device: int
    op: str
    offset: int
    size: int


def open_text(path: Path, mode: str) -> IO[str]:
    if path.suffix != ".xz":
        return path.open(mode, encoding="utf-8", newline="\n")
    if mode == "r":
        return lzma.open(path, "rt", encoding="utf-8", newline="\n")
    preset = 9 | lzma.PRESET_EXTREME
    return lzma.open(path, "wt", encoding="utf-8", newline="\n", preset=preset)


def read_requests(path: Path) -> Iterator[Request]:
    with open_text(path, "r") as lines:
        if next(lines, "").strip() != HEADER:
            sys.exit(f"error: {path}:1: the header is missing; the first line is {HEADER}")
        for number, line in enumerate(lines, start=2):
            try:
                time_us, device, op, sector, sectors = line.strip().split(",")
                yield Request(
                    shortest(time_us),
                    int(device),
                    OPS[op],
                    int(sector) * SECTOR_BYTES,
                    int(sectors) * SECTOR_BYTES,
                )
            except (ValueError, KeyError):
                sys.exit(f"error: {path}:{number}: not a request; a line is {HEADER}")


def shortest(time_us: str) -> str:
    """12.500 as 12.5, 7.000 as 7: the same time in fewer characters."""
    return time_us.rstrip("0").rstrip(".") if "." in time_us else time_us


def device_bases(path: Path) -> dict[int, int]:
    ends: dict[int, int] = {}
    for request in read_requests(path):
        ends[request.device] = max(ends.get(request.device, 0), request.offset + request.size)
    bases: dict[int, int] = {}
    base = 0
    for device in sorted(ends):
        bases[device] = base
        base += -(-ends[device] // DEVICE_ALIGNMENT) * DEVICE_ALIGNMENT
    return bases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path, help="such as oltp.csv or oltp.csv.xz")
    parser.add_argument("--notice", type=Path, help="text that goes before the header as comments")
    arguments = parser.parse_args()
    bases = device_bases(arguments.input)
    with open_text(arguments.output, "w") as out:
        if arguments.notice:
            for line in arguments.notice.read_text(encoding="utf-8").splitlines():
                out.write(f"# {line}".rstrip() + "\n")
        out.write("time_us,op,offset,size\n")
        for r in read_requests(arguments.input):
            out.write(f"{r.time_us},{r.op},{bases[r.device] + r.offset},{r.size}\n")


if __name__ == "__main__":
    main()
