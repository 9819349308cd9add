"""The runs: traces, buffer sizes, orders of eviction, both drives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cavern import Case

from papers.cave.readings import FEW_LOG_BLOCKS, HOMES, REFERENCE, REFERENCE_LOG_BLOCKS
from papers.cave.traces import REFERENCE_GROUP, VARIED_HOMES, Played, played_traces
from papers.experiment import Input, case

NAME = "cave"
PAPER = "CAVE (SAC 2011)"

CONFIG = "configs/cave-base.toml"

#: Figure 4 compares five orders; Figures 5 to 7 go on with two of them.
ORDERS = ("lru-page", "ref", "lru-block", "fab", "clc")
COMPARED = ("lru-page", "lru-block")
SMALL, LARGE = "128KiB", "16MiB"
SIZES = (SMALL, "256KiB", "512KiB", "1MiB", "2MiB", "4MiB", "8MiB", LARGE)
QUICK_SIZES = (SMALL, "1MiB", LARGE)
#: Buffer sizes of whole stand-ins and desktop traces.
FEWER_SIZES = (SMALL, "512KiB", "2MiB", LARGE)

#: Physical log blocks of the whole drive. The paper gives no number: all of these are run, and the
#: one in the middle stands in Figures 5 to 7. MCSplit gets as many, eight to a log superblock.
LOG_BLOCKS = (FEW_LOG_BLOCKS, REFERENCE_LOG_BLOCKS, 4096)

DRIVES: dict[str, dict[str, object]] = {
    "conventional": {
        "buffer.eviction": "single",
        "ftl.scheme": "mcsplit",
        "alloc.scheme": "stripe-page",
    },
    "proposed": {
        "buffer.eviction": "cave",
        "ftl.scheme": "bast",
        "alloc.scheme": "block-round-robin",
        "alloc.block-round-robin.mode": REFERENCE.homes,
    },
}
COMMON: dict[str, object] = {
    "fidelity": "untimed",
    # The traces are of other disks than this one of 29.8 GiB.
    "workload.out_of_range": "wrap",
}
STEADY: dict[str, object] = {"precondition.fill": 1.0, "precondition.pattern": "sequential"}
#: A sixteenth of the drive: filling all of it takes longer than the few requests after it. The log
#: blocks need as many spare ones as a quarter of the drive has.
QUICK_DRIVE: dict[str, object] = {"nand.blocks_per_plane": 512, "ftl.overprovision": 0.28}
EXAMPLES = Path(__file__).with_name("examples")


def plan(quick: bool) -> list[Case]:
    cases = list(_examples())
    for played in played_traces(quick):
        cases += [*_hit_ratios(played, quick), *_drives(played, quick)]
    return cases


def _hit_ratios(played: Played, quick: bool) -> Iterator[Case]:
    """Figure 4. What is below the buffer does not matter to its hits: page mapping, empty drive."""
    every = {REFERENCE_GROUP: QUICK_SIZES if quick else SIZES}
    for order, refill in (*((order, "") for order in ORDERS), ("ref", "lru")):
        for size in every.get(played.group, QUICK_SIZES if quick or played.varied else FEWER_SIZES):
            yield case(
                CONFIG,
                played.input,
                {
                    **COMMON,
                    "buffer.policy": order,
                    "buffer.size": size,
                    **({"buffer.ref.refill": refill} if refill else {}),
                },
                {**played.labels("hits"), "order": order, "size": size, "refill": refill},
                limit=played.limit,
            )


def _drives(played: Played, quick: bool) -> Iterator[Case]:
    """Figures 5 to 7: both drives, and what the paper leaves open about them."""
    for order in COMPARED:
        for size in (SMALL, LARGE):
            for drive, settings in DRIVES.items():
                for mode, log_blocks in _left_open(played, drive, quick):
                    yield case(
                        CONFIG,
                        played.input,
                        {
                            **COMMON,
                            **STEADY,
                            **settings,
                            **(QUICK_DRIVE if quick else {}),
                            **({"alloc.block-round-robin.mode": mode} if mode else {}),
                            "buffer.policy": order,
                            "buffer.size": size,
                            "ftl.log_blocks": log_blocks,
                        },
                        {
                            **played.labels("drives"),
                            "order": order,
                            "size": size,
                            "drive": drive,
                            "mode": mode,
                            "log_blocks": log_blocks,
                        },
                        limit=played.limit,
                    )


def _left_open(played: Played, drive: str, quick: bool) -> Iterator[tuple[str, int]]:
    """Mode of the allocator (conventional: none) and number of log blocks."""
    homes = HOMES if drive == "proposed" else ("",)
    if played.varied:
        yield (VARIED_HOMES if homes[0] else ""), REFERENCE_LOG_BLOCKS
        return
    for mode in homes:
        yield mode, REFERENCE_LOG_BLOCKS
        if played.few_log_blocks and not (quick and mode in HOMES[1:]):
            yield mode, FEW_LOG_BLOCKS
    if played.group == REFERENCE_GROUP and not quick:
        for log_blocks in LOG_BLOCKS[2:]:
            yield homes[0], log_blocks


def _examples() -> Iterator[Case]:
    """Figure 2: the paper's drive of four channels with four pages a block, as a simulation."""
    drive: dict[str, object] = {
        "fidelity": "untimed",
        **STEADY,
        "nand.channels": 4,
        "nand.ways": 1,
        "nand.pages_per_block": 4,
        "nand.blocks_per_plane": 64,
        "ftl.overprovision": 0.2,
        "ftl.log_blocks": 4,
    }
    bast = {**DRIVES["proposed"], "buffer.eviction": "single"}
    schemes: dict[str, tuple[str, dict[str, object]]] = {
        "BAST, move": (
            "one-channel",
            {**bast, "buffer.policy": "lru-block", "buffer.size": "8KiB"},
        ),
        "BAST, merge": (
            "one-channel-log",
            {**bast, "buffer.policy": "none", "alloc.block-round-robin.mode": "sticky"},
        ),
        "MCSplit, merge": ("multi-channel", {**DRIVES["conventional"], "buffer.policy": "none"}),
    }
    for scheme, (name, settings) in schemes.items():
        played = Input(EXAMPLES / f"{name}.csv")
        labels = {"group": "", "part": "example", "drive": scheme}
        yield case(CONFIG, played, {**drive, **settings}, labels)
