"""The runs: the paper's workloads over buffer sizes, address ranges and loads; deeper queues."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from explore.simulator import ROOT
from explore.sweep import Case, Input, case

NAME = "ncq"
PAPER = "NCQ-aware buffer (Kim & Kim 2013)"

CONFIG = "configs/ncq-base.toml"
WORKLOADS = Path(__file__).with_name("workloads")
TRACES = ROOT / "traces"
WORKLOAD_NAMES = ("workload1", "workload2")
RECORD_KIB = {"workload1": 256, "workload2": 1024}
DEPTH = 32

#: LRU, the same with what waits in the queue, and that as Figure 2 has it by the letter.
POLICIES: dict[str, dict[str, object]] = {
    "lru": {},
    "aware": {"buffer.ncq_aware": True},
    "literal": {"buffer.ncq_aware": True, "buffer.ncq_literal_minmax": True},
}
COMPARED = ("lru", "aware")

SIZES = ("1MiB", "2MiB", "4MiB", "8MiB", "16MiB", "32MiB")
QUICK_SIZES = ("1MiB", "4MiB", "16MiB")
SMALLEST = SIZES[0]
#: Where the records lie. The paper does not say; the reference is the one at which workload 1 gains
#: at 1 MB about what the paper says, and everything else follows.
RANGES = ("4MiB", "8MiB", "16MiB", "32MiB", "128MiB")
QUICK_RANGES = ("4MiB", "16MiB", "128MiB")
REFERENCE_RANGE = "16MiB"
SEEDS, QUICK_SEEDS, UNTIMED_SEEDS = (1, 2), (1,), (1, 2, 3)

#: The paper names no drive: a single die, on which bandwidth follows hits, and many.
DRIVES: dict[str, dict[str, object]] = {
    "1×1": {"nand.channels": 1, "nand.ways": 1, "nand.blocks_per_plane": 8192},
    "8×4": {"nand.channels": 8, "nand.ways": 4, "nand.blocks_per_plane": 256},
}
REFERENCE_DRIVE = "1×1"

#: Arrivals slowed down by so much. 1: as in the paper's Table I, 41 times what a single die with a
#: buffer of 1 MB can take; at 41 it can just take them.
SLOWDOWNS = (1, 34, 41, 51)
QUICK_SLOWDOWNS = (1, 41)

#: Requests of a run and those before counting: enough to fill the largest buffer several times.
LIMITS = {"workload1": 3_000, "workload2": 1_200}
WARMUPS = {"workload1": 300, "workload2": 120}
QUICK_SHARE = 4
UNTIMED_SHARE = 4  #: runs without time can be longer by so much

#: Beyond the paper: commands outstanding on NVMe, and how the device takes them up.
DEPTHS = (32, 128, 512, 1024)
QUICK_DEPTHS = (32, 1024)
DISPATCHES: dict[str, dict[str, object]] = {
    "at-once": {"buffer.dispatch": "at-once"},
    "in-turn": {},
    "aware": {"buffer.ncq_aware": True, "buffer.ncq_max_pinned": 0.5},
}
DEEP_LIMIT, QUICK_DEEP_LIMIT = 12_000, 4_000
#: A drive of today in its decisions: pages leave, and lie anywhere.
DEEP: dict[str, object] = {
    **DRIVES["8×4"],
    "buffer.size": "16MiB",
    "buffer.policy": "lru-page",
    "ftl.scheme": "page",
    "alloc.scheme": "stripe-page",
    "host.interface": "nvme",
    "host.generation": 4,
    "host.nvme.slots": DEPTHS[-1],
    "workload.out_of_range": "wrap",
}


def plan(quick: bool) -> list[Case]:
    return [*_figures(quick), *_ranges(quick), *_loads(quick), *_deep(quick)]


def played(workload: str, span: str) -> Input:
    return Input(WORKLOADS / f"{workload}-{span}.toml", "workload", workload)


def _lengths(workload: str, quick: bool, times: int = 1) -> dict[str, int]:
    share = QUICK_SHARE if quick else 1
    return {"limit": times * LIMITS[workload] // share, "warmup": WARMUPS[workload] // share}


def _figures(quick: bool) -> Iterator[Case]:
    """Figures 3 to 5, in simulated time."""
    for workload in WORKLOAD_NAMES:
        for drive, shape in DRIVES.items():
            for size in QUICK_SIZES if quick else SIZES:
                for policy in COMPARED:
                    for seed in QUICK_SEEDS if quick else SEEDS:
                        yield case(
                            CONFIG,
                            played(workload, REFERENCE_RANGE),
                            {**shape, **POLICIES[policy], "buffer.size": size},
                            {
                                "trace": workload,
                                "part": "figures",
                                "drive": drive,
                                "size": size,
                                "policy": policy,
                                "nth": seed,
                            },
                            seed=seed,
                            **_lengths(workload, quick),
                        )


def _ranges(quick: bool) -> Iterator[Case]:
    """Hits alone, with the queue always full: no time is needed for that."""
    for workload in WORKLOAD_NAMES:
        for span in QUICK_RANGES if quick else RANGES:
            for size in QUICK_SIZES if quick else SIZES:
                for policy, settings in POLICIES.items():
                    if policy not in COMPARED and (span, size) != (REFERENCE_RANGE, SMALLEST):
                        continue
                    # Few records fit into the smallest buffer, so what it holds varies most.
                    for seed in UNTIMED_SEEDS if size == SMALLEST else UNTIMED_SEEDS[:1]:
                        yield case(
                            CONFIG,
                            played(workload, span),
                            {
                                **DRIVES["1×1"],
                                **settings,
                                "fidelity": "untimed",
                                "buffer.size": size,
                            },
                            {
                                "trace": workload,
                                "part": "ranges",
                                "range": span,
                                "size": size,
                                "policy": policy,
                                "nth": seed,
                            },
                            seed=seed,
                            **_lengths(workload, quick, UNTIMED_SHARE),
                        )


def _loads(quick: bool) -> Iterator[Case]:
    """How long the queue is depends on how fast commands come."""
    for slowdown in QUICK_SLOWDOWNS if quick else SLOWDOWNS:
        for size in QUICK_SIZES if quick else SIZES:
            for policy in COMPARED:
                yield case(
                    CONFIG,
                    played("workload1", REFERENCE_RANGE),
                    {
                        **DRIVES["1×1"],
                        **POLICIES[policy],
                        "buffer.size": size,
                        "workload.speedup": 1 / slowdown,
                    },
                    {
                        "trace": "workload1",
                        "part": "loads",
                        "slowdown": slowdown,
                        "size": size,
                        "policy": policy,
                    },
                    **_lengths("workload1", quick),
                )


def deep_inputs(quick: bool) -> Iterator[Input]:
    yield Input(WORKLOADS / "records.toml", "workload", "records")
    yield Input(WORKLOADS / "small-random.toml", "workload", "small-random")
    yield Input(TRACES / "oltp-mysql-1h.csv.xz", name="mysql")
    if not quick:
        yield Input(TRACES / "oltp-mssql-51min.csv.xz", name="mssql")
        yield Input(TRACES / "tpcc-136ms.csv.xz", name="tpcc")
        yield Input(TRACES / "shared-hosting-1h.csv.xz", name="hosting")


def _deep(quick: bool) -> Iterator[Case]:
    """NVMe, as many commands outstanding as the queue holds; and traces at their own times."""
    for each in deep_inputs(quick):
        limit = QUICK_DEEP_LIMIT if quick else DEEP_LIMIT
        if each.label == "records":
            limit = LIMITS["workload1"] // (QUICK_SHARE if quick else 1)
        for depth in (0, *(QUICK_DEPTHS if quick else DEPTHS)):
            if depth == 0 and each.kind == "workload":
                continue  # has no times of its own
            for dispatch, settings in DISPATCHES.items():
                yield case(
                    CONFIG,
                    each,
                    {
                        **DEEP,
                        **settings,
                        "host.queue_depth": depth or DEPTHS[-1],
                        "workload.arrival": "closed" if depth else "trace",
                        "workload.depth": depth or DEPTHS[-1],
                    },
                    {"trace": each.label, "part": "deep", "depth": depth, "dispatch": dispatch},
                    limit=limit,
                    warmup=limit // 10,
                )
