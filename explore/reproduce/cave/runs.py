"""The runs: traces, buffer sizes, orders of eviction, both drives."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from explore.reproduce.cave.readings import HOMES, REFERENCE
from explore.simulator import ROOT
from explore.sweep import Case, Input, case

NAME = "cave"
PAPER = "CAVE (SAC 2011)"

CONFIG = "configs/cave-base.toml"
TRACES = ROOT / "traces"
FITTED = TRACES / "workloads"

#: Figure 4 compares five orders; Figures 5 to 7 go on with two of them.
ORDERS = ("lru-page", "ref", "lru-block", "fab", "clc")
COMPARED = ("lru-page", "lru-block")
SMALL, LARGE = "128KiB", "16MiB"
SIZES = (SMALL, "256KiB", "512KiB", "1MiB", "2MiB", "4MiB", "8MiB", LARGE)
QUICK_SIZES = (SMALL, "1MiB", LARGE)

#: Physical log blocks of the whole drive. The paper gives no number: all of these are run, and the
#: one in the middle stands in Figures 5 to 7. MCSplit gets as many, eight to a log superblock.
LOG_BLOCKS = (128, 512, 1024, 2048, 4096)
REFERENCE_LOG_BLOCKS = 1024

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

#: Requests of a fitted workload: enough to overwrite the buffer and all log blocks many times.
LIMITS = {"oltp-fit": 30_000, "general-fit": 20_000, "sysmark-fit": 12_000}
QUICK_LIMIT = 6_000
EXAMPLES = Path(__file__).with_name("examples")


def inputs(quick: bool) -> Iterator[Input]:
    """Real traces, then workloads fitted to the paper's Table 3 (their names end in "-fit")."""
    yield Input(TRACES / "oltp-mysql-1h.csv.xz", name="mysql")
    yield Input(TRACES / "oltp-mssql-51min.csv.xz", name="mssql")
    if not quick:
        yield Input(TRACES / "tpcc-136ms.csv.xz", name="tpcc")
        yield Input(TRACES / "shared-hosting-1h.csv.xz", name="hosting")
        financial = financial1()
        if financial:
            yield Input(financial, name="financial1")
        yield Input(Path(__file__).with_name("oltp-fit.toml"), "workload", "oltp-fit")
        yield Input(FITTED / "cave-general-fitted.toml", "workload", "general-fit")
    yield Input(FITTED / "cave-sysmark-fitted.toml", "workload", "sysmark-fit")


def financial1() -> Path | None:
    """The paper's own OLTP trace, if the user has it (traces/README.md says where to get it)."""
    folder = os.environ.get("CAVERN_TRACES")
    for place in sorted(Path(folder).glob("*inancial1*")) if folder else []:
        if place.is_file():
            return place
    return None


def plan(quick: bool) -> list[Case]:
    return [*_examples(), *_hit_ratios(quick), *_drives(quick)]


def _hit_ratios(quick: bool) -> Iterator[Case]:
    """Figure 4. What is below the buffer does not matter to its hits: page mapping, empty drive."""
    for played in inputs(quick):
        for order in ORDERS:
            for size in QUICK_SIZES if quick else SIZES:
                yield case(
                    CONFIG,
                    played,
                    {**COMMON, "buffer.policy": order, "buffer.size": size},
                    {"trace": played.label, "part": "hits", "order": order, "size": size},
                    limit=QUICK_LIMIT if quick else LIMITS.get(played.label),
                )


def _drives(quick: bool) -> Iterator[Case]:
    """Figures 5 to 7: both drives, and what the paper leaves open about them."""
    for played in inputs(quick):
        for order in COMPARED:
            for size in (SMALL, LARGE):
                for drive, settings in DRIVES.items():
                    for mode, log_blocks in _left_open(drive, quick):
                        yield case(
                            CONFIG,
                            played,
                            {
                                **COMMON,
                                **STEADY,
                                **settings,
                                **({"alloc.block-round-robin.mode": mode} if mode else {}),
                                "buffer.policy": order,
                                "buffer.size": size,
                                "ftl.log_blocks": log_blocks,
                            },
                            {
                                "trace": played.label,
                                "part": "drives",
                                "order": order,
                                "size": size,
                                "drive": drive,
                                "mode": mode,
                                "log_blocks": log_blocks,
                            },
                            limit=QUICK_LIMIT if quick else LIMITS.get(played.label),
                        )


def _left_open(drive: str, quick: bool) -> Iterator[tuple[str, int]]:
    """Mode of the allocator (conventional: none) and number of log blocks."""
    plain = REFERENCE.homes if drive == "proposed" else ""
    for log_blocks in (REFERENCE_LOG_BLOCKS,) if quick else LOG_BLOCKS:
        yield plain, log_blocks
    if plain:
        for mode in HOMES:
            if mode != plain:
                yield mode, REFERENCE_LOG_BLOCKS


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
        labels = {"trace": name, "part": "example", "drive": scheme}
        yield case(CONFIG, played, {**drive, **settings}, labels)
