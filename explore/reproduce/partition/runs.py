"""The runs: traces, both translation layers, sizes of the memory, and how it is divided."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from explore.simulator import ROOT
from explore.sweep import Case, Input, case

NAME = "partition"
PAPER = "Adaptive partitioning (MSST 2010)"

CONFIG = "configs/shim.toml"
TRACES = ROOT / "traces"
WORKLOADS = Path(__file__).with_name("workloads")
MIB = 1 << 20

LAYERS = ("dftl", "fast")
#: MiB of memory for both. Figures 5 and 7 to 10 have the larger one.
SIZES = (16, 8)
#: A quick run has a sixteenth of both memory and drive.
QUICK_SIZES = (1,)
#: Shares of the map, percent.
STEPS = tuple(range(0, 101, 10))
QUICK_STEPS = (0, 25, 50, 75, 100)
#: Neither side goes below this: data pass through a frame, a look-up through an entry.
LEAST_BYTES = 2048
#: Of Figure 2, with the other side at 1 MiB.
SPACES = (1, 2, 4, 8, 16, 32)
QUICK_SPACES = (1, 4)

#: Adaptive: the paper's tuning interval (section IV-A) and multiple of its unit; and more steps,
#: with DFTL larger ones, because the traces to be had are short: the paper's move at most 8 KB in
#: 1000 requests. The larger ones are for 16 MiB, and in proportion to other memories.
PACES: dict[str, dict[str, tuple[int, float]]] = {
    "paper": {"dftl": (1000, 1.0), "fast": (10000, 1.0)},
    "faster": {"dftl": (100, 32.0), "fast": (1000, 1.0)},
}
#: 64 GiB and the extra blocks: 3 % of all with DFTL, 10 % with FAST (sections IV-B and IV-C).
BLOCKS = {"dftl": 540_672, "fast": 582_656}
OVERPROVISION = {"dftl": 0.03, "fast": 0.1}
PAGE_BYTES, PAGES_PER_BLOCK = 2048, 64
LOG_BYTES = 4 * PAGES_PER_BLOCK  #: of map that a log block of FAST takes

#: Real traces write 1 GB or less, half of the extra blocks of 64 GiB: nothing would ever be
#: collected. With DFTL they are played on a drive of an eighth.
SMALLER = 8
QUICK_SMALLER = 16
QUICK_LIMIT = 15_000


@dataclass(frozen=True)
class Played:
    """A trace or workload, and how much of it."""

    input: Input
    limit: int | None = None
    real: bool = True


def inputs(quick: bool) -> Iterator[Played]:
    """Real traces, then workloads fitted to the paper's Table V (their names end in "-fit")."""
    yield Played(Input(TRACES / "oltp-mysql-1h.csv.xz", name="mysql"))
    if not quick:
        yield Played(Input(TRACES / "oltp-mssql-51min.csv.xz", name="mssql"))
        yield Played(Input(TRACES / "tpcc-136ms.csv.xz", name="tpcc"))
        yield Played(Input(TRACES / "websearch-60s.csv.xz", name="websearch"))
        for name, pattern in OTHERS.items():
            file = elsewhere(pattern)
            if file:
                yield Played(Input(file, name=name))
    for name, limit in LIMITS.items():
        yield Played(Input(WORKLOADS / f"{name}.toml", "workload", name), limit, real=False)


#: Traces that may not be passed on, by the pattern of their file's name in CAVERN_TRACES.
OTHERS = {"financial1": "*inancial1*", "pcmark": "*pcmark*"}
#: Requests of a fitted workload that are played.
LIMITS = {"sysmark-fit": 300_000, "pc-fit": 300_000, "tpcc-fit": 600_000}


def elsewhere(pattern: str) -> Path | None:
    folder = os.environ.get("CAVERN_TRACES")
    for place in sorted(Path(folder).glob(pattern)) if folder else []:
        if place.is_file():
            return place
    return None


def plan(quick: bool) -> list[Case]:
    return [*_partitions(quick), *_spaces(quick)]


def _partitions(quick: bool) -> Iterator[Case]:
    """Figures 4 to 10."""
    for size in QUICK_SIZES if quick else SIZES:
        for played in inputs(quick):
            for layer in LAYERS:
                for share in QUICK_STEPS if quick else STEPS:
                    split = static(layer, size * MIB, share / 100, blocks(played, layer, quick))
                    yield _case(played, layer, quick, split, {"size": size, "share": share})
                for pace in PACES:
                    yield _case(
                        played,
                        layer,
                        quick,
                        adaptive(layer, size * MIB, pace),
                        {"size": size, "pace": pace},
                    )


def _spaces(quick: bool) -> Iterator[Case]:
    """Figure 2: one side grows, the other keeps 1 MiB."""
    for played in inputs(quick):
        if played.input.label in ("pc-fit", "tpcc-fit"):
            for grows in ("buffer", "map"):
                for space in QUICK_SPACES if quick else SPACES:
                    of_map = (space if grows == "map" else 1) * MIB
                    split: dict[str, object] = {
                        "ftl.partition": "static",
                        "ftl.map_cache": f"{of_map}B",
                        "buffer.size": f"{(1 if grows == 'map' else space) * MIB}B",
                    }
                    yield _case(played, "dftl", quick, split, {"grows": grows, "space": space})


def _case(
    played: Played, layer: str, quick: bool, split: dict[str, object], labels: dict[str, str | int]
) -> Case:
    limit = QUICK_LIMIT if quick else played.limit
    return case(
        CONFIG,
        played.input,
        {**drive(layer, blocks(played, layer, quick)), **split},
        {"trace": played.input.label, "layer": layer, **labels},
        limit=limit,
    )


def blocks(played: Played, layer: str, quick: bool) -> int:
    if quick:
        return BLOCKS[layer] // QUICK_SMALLER
    return BLOCKS[layer] // (SMALLER if played.real and layer == "dftl" else 1)


def drive(layer: str, count: int) -> dict[str, object]:
    """Section IV, full of data written in the order of addresses."""
    settings: dict[str, object] = {
        "fidelity": "untimed",
        "workload.out_of_range": "wrap",
        "precondition.fill": 1.0,
        "nand.blocks_per_plane": count,
        "ftl.overprovision": OVERPROVISION[layer],
        "ftl.scheme": layer,
    }
    # FAST maps whole blocks.
    return settings | ({"alloc.scheme": "stripe-block"} if layer == "fast" else {})


def static(layer: str, total: int, share: float, count: int) -> dict[str, object]:
    """Fixed: `share` of `total` bytes for the map, in whole pages."""
    of_map = min(
        max(int(total * share) // PAGE_BYTES * PAGE_BYTES, LEAST_BYTES), total - LEAST_BYTES
    )
    settings: dict[str, object] = {
        "ftl.partition": "static",
        "buffer.size": f"{total - of_map}B",
    }
    if layer == "dftl":
        return settings | {"ftl.map_cache": f"{of_map}B"}
    # Beyond the extra blocks memory for log blocks is of no use (section IV-C).
    extra = int(count * OVERPROVISION["fast"]) - 4
    return settings | {"ftl.log_blocks": min(of_map // LOG_BYTES, extra)}


def adaptive(layer: str, total: int, pace: str) -> dict[str, object]:
    """From one half on by Algorithm 1."""
    interval, scale = PACES[pace][layer]
    if pace != "paper":
        scale *= total / (16 * MIB)
    settings: dict[str, object] = {
        "ftl.partition": "adaptive",
        "ftl.adaptive.ratio": 0.5,
        "ftl.adaptive.interval": interval,
        "ftl.adaptive.tune_scale": scale,
        "buffer.size": f"{total // 2}B",
    }
    if layer == "dftl":
        return settings | {"ftl.map_cache": f"{total // 2}B"}
    return settings | {"ftl.log_blocks": total // 2 // LOG_BYTES}
