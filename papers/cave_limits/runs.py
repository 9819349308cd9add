"""The runs: a real trace at its own times, and a sequential reader, on drives of several shapes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cavern import Case

from papers import TRACES
from papers.cave.runs import COMPARED, CONFIG, DRIVES, LARGE, STEADY
from papers.experiment import Input, case

NAME = "cave-limits"
PAPER = "CAVE (SAC 2011)"

WRITES = Input(TRACES / "oltp-mysql-1h.csv.xz", name="mysql")
READS = Input(Path(__file__).with_name("workloads") / "scan.toml", "workload", "scan")
#: channels, ways
SHAPES = ((1, 1), (2, 1), (4, 2), (8, 4), (8, 8))
QUICK_SHAPES = ((2, 1), (8, 4))
SIZES = ("256KiB", "2MiB", LARGE)
QUICK_SIZES = (LARGE,)
LIMIT, QUICK_LIMIT = 10_000, 2_000
#: Every drive has 4 GiB whatever its shape, so that only the shape differs.
BLOCKS = 32_768
#: All log superblocks may lie on one way, and its blocks must suffice even with 64 dies.
LOG_BLOCKS, OVERPROVISION = 512, 0.15


def shape_text(channels: int, ways: int) -> str:
    return f"{channels}×{ways}"


def plan(quick: bool) -> list[Case]:
    return list(_cases(quick))


def _cases(quick: bool) -> Iterator[Case]:
    for channels, ways in QUICK_SHAPES if quick else SHAPES:
        for size in QUICK_SIZES if quick else SIZES:
            for order in COMPARED:
                for drive, settings in DRIVES.items():
                    for played in (WRITES, READS):
                        # The buffer is for writes: neither its size nor its order matters to reads.
                        if played is READS and (size, order) != (LARGE, COMPARED[0]):
                            continue
                        yield case(
                            CONFIG,
                            played,
                            {
                                "fidelity": "at",
                                "dram.model": "ideal",
                                "workload.out_of_range": "wrap",
                                **STEADY,
                                **settings,
                                "nand.channels": channels,
                                "nand.ways": ways,
                                "nand.blocks_per_plane": BLOCKS // (channels * ways),
                                "ftl.log_blocks": LOG_BLOCKS,
                                "ftl.overprovision": OVERPROVISION,
                                "buffer.policy": order,
                                "buffer.size": size,
                            },
                            {
                                "shape": shape_text(channels, ways),
                                "size": size,
                                "order": order,
                                "drive": drive,
                            },
                            limit=QUICK_LIMIT if quick else LIMIT,
                        )
