"""The runs: the paper's workloads over buffer sizes, address ranges and loads; deeper queues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from cavern import Case

from papers import TRACES
from papers.experiment import Input, case

NAME = "ncq"
PAPER = "NCQ-aware buffer (Kim & Kim 2013)"

#: The drive of the simulator that the paper builds on; before, a part of another paper stood in.
CONFIG, BEFORE_CONFIG = "configs/ncq-flashsim.toml", "configs/ncq-base.toml"
WORKLOADS = Path(__file__).with_name("workloads")
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

SEEDS, QUICK_SEEDS, UNTIMED_SEEDS = (1, 2, 3), (1,), (1, 2, 3)
FITTED_SEEDS = BEFORE_SEEDS = (1, 2)

# ---- fitted: what the paper does not give -------------------------------------------------------

#: The flash's times as multiples of those of FlashSim's ssd.conf.
FACTOR, FACTORS, QUICK_FACTORS = 0.8, (0.7, 0.75, 0.8, 0.85, 0.9, 1.0), (0.8, 1.0)
#: Where the records lie.
REFERENCE_RANGE = "16MiB"
RANGES, QUICK_RANGES = ("4MiB", "8MiB", "16MiB", "32MiB", "128MiB"), ("4MiB", "16MiB", "128MiB")
#: Generation of the SATA link: 1.5, 3 and 6 Gb/s.
LINK, LINKS, QUICK_LINKS = 3, (1, 2, 3), (2, 3)
#: Buffers over which claims are judged with other values than those in use.
FITTED_SIZES, QUICK_FITTED_SIZES = ("1MiB", "2MiB", "4MiB", "8MiB"), ("1MiB", "4MiB")
#: Times of FlashSim's ssd.conf (configs/nand/slc-4k-flashsim.toml), in nanoseconds.
FLASH_NS = {"nand.t_read": 1_000, "nand.t_program": 10_000, "nand.t_erase": 1_000_000}

# ---- the drives before --------------------------------------------------------------------------

#: A single die, on which bandwidth follows hits, and many.
DRIVES: dict[str, dict[str, object]] = {
    "1×1": {"nand.channels": 1, "nand.ways": 1, "nand.blocks_per_plane": 8192},
    "8×4": {"nand.channels": 8, "nand.ways": 4, "nand.blocks_per_plane": 256},
}
#: Arrivals slowed down by so much. 1: as in the paper's Table I, 41 times what a single die with a
#: buffer of 1 MB can take; at 41 it can just take them.
SLOWDOWNS = (1, 34, 41, 51)
QUICK_SLOWDOWNS = (1, 41)

#: Requests of a run and those before counting: enough to fill the largest buffer several times.
LIMITS = {"workload1": 12_000, "workload2": 4_000}
BEFORE_LIMITS = {"workload1": 3_000, "workload2": 1_200}
WARMUP_SHARE = 10
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
    before = (*_before(quick), *_full(quick, "before-full"), *_before_loads(quick))
    return [*_figures(quick), *_full(quick, "full"), *before, *_deep(quick)]


def played(workload: str, span: str) -> Input:
    return Input(WORKLOADS / f"{workload}-{span}.toml", "workload", workload)


def flash_times(factor: float) -> dict[str, object]:
    return {key: f"{round(ns * factor)}ns" for key, ns in FLASH_NS.items()}


def _lengths(limits: dict[str, int], workload: str, quick: bool, times: int = 1) -> dict[str, int]:
    limit = times * limits[workload] // (QUICK_SHARE if quick else 1)
    return {"limit": limit, "warmup": limit // times // WARMUP_SHARE}


def _figures(quick: bool) -> Iterator[Case]:
    """Figures 3 to 5; the same with each fitted value changed, one at a time."""
    use = (FACTOR, REFERENCE_RANGE, LINK)
    seeds: tuple[int, ...] = QUICK_SEEDS if quick else SEEDS
    yield from _timed(*use, QUICK_SIZES if quick else SIZES, seeds, quick)
    yield from _timed(*use, (SMALLEST,), seeds, quick, ("literal",))
    sizes = QUICK_FITTED_SIZES if quick else FITTED_SIZES
    seeds = QUICK_SEEDS if quick else FITTED_SEEDS
    for factor in QUICK_FACTORS if quick else FACTORS:
        if factor != FACTOR:
            yield from _timed(factor, REFERENCE_RANGE, LINK, sizes, seeds, quick)
    for span in QUICK_RANGES if quick else RANGES:
        if span != REFERENCE_RANGE:
            yield from _timed(FACTOR, span, LINK, sizes, seeds, quick)
    for link in QUICK_LINKS if quick else LINKS:
        if link != LINK:
            yield from _timed(FACTOR, REFERENCE_RANGE, link, sizes, seeds, quick)


def _timed(
    factor: float,
    span: str,
    link: int,
    sizes: Iterable[str],
    seeds: Iterable[int],
    quick: bool,
    policies: Iterable[str] = COMPARED,
) -> Iterator[Case]:
    for workload, size, policy, seed in product(WORKLOAD_NAMES, sizes, policies, seeds):
        yield case(
            CONFIG,
            played(workload, span),
            {
                **flash_times(factor),
                **POLICIES[policy],
                "host.generation": link,
                "buffer.size": size,
            },
            {
                "part": "figures",
                "factor": factor,
                "range": span,
                "link": link,
                "size": size,
                "policy": policy,
                "nth": seed,
            },
            seed=seed,
            **_lengths(LIMITS, workload, quick),
        )


def _full(quick: bool, part: str) -> Iterator[Case]:
    """Hits alone, with the queue always full: no time is needed for that."""
    config, drive = (CONFIG, {}) if part == "full" else (BEFORE_CONFIG, DRIVES["1×1"])
    for workload, span, size, policy in product(
        WORKLOAD_NAMES, QUICK_RANGES if quick else RANGES, QUICK_SIZES if quick else SIZES, POLICIES
    ):
        if policy not in COMPARED and (span, size) != (REFERENCE_RANGE, SMALLEST):
            continue
        # Few records fit into the smallest buffer, so what it holds varies most.
        for seed in UNTIMED_SEEDS if size == SMALLEST and not quick else UNTIMED_SEEDS[:1]:
            yield case(
                config,
                played(workload, span),
                {**drive, **POLICIES[policy], "fidelity": "untimed", "buffer.size": size},
                {
                    "part": part,
                    "range": span,
                    "size": size,
                    "policy": policy,
                    "nth": seed,
                },
                seed=seed,
                **_lengths(BEFORE_LIMITS, workload, quick, UNTIMED_SHARE),
            )


def _before(quick: bool) -> Iterator[Case]:
    """Figures 3 to 5 on the drives before."""
    for workload, (drive, shape), size, policy, seed in product(
        WORKLOAD_NAMES,
        DRIVES.items(),
        QUICK_SIZES if quick else SIZES,
        COMPARED,
        QUICK_SEEDS if quick else BEFORE_SEEDS,
    ):
        yield case(
            BEFORE_CONFIG,
            played(workload, REFERENCE_RANGE),
            {**shape, **POLICIES[policy], "buffer.size": size},
            {
                "part": "before",
                "drive": drive,
                "size": size,
                "policy": policy,
                "nth": seed,
            },
            seed=seed,
            **_lengths(BEFORE_LIMITS, workload, quick),
        )


def _before_loads(quick: bool) -> Iterator[Case]:
    """How long the queue is depends on how fast commands come."""
    for slowdown, size, policy in product(
        QUICK_SLOWDOWNS if quick else SLOWDOWNS, QUICK_SIZES if quick else SIZES, COMPARED
    ):
        yield case(
            BEFORE_CONFIG,
            played("workload1", REFERENCE_RANGE),
            {
                **DRIVES["1×1"],
                **POLICIES[policy],
                "buffer.size": size,
                "workload.speedup": 1 / slowdown,
            },
            {
                "part": "before-loads",
                "slowdown": slowdown,
                "size": size,
                "policy": policy,
            },
            **_lengths(BEFORE_LIMITS, "workload1", quick),
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
            limit = BEFORE_LIMITS["workload1"] // (QUICK_SHARE if quick else 1)
        for depth in (0, *(QUICK_DEPTHS if quick else DEPTHS)):
            if depth == 0 and each.kind == "workload":
                continue  # has no times of its own
            for dispatch, settings in DISPATCHES.items():
                yield case(
                    BEFORE_CONFIG,
                    each,
                    {
                        **DEEP,
                        **settings,
                        "host.queue_depth": depth or DEPTHS[-1],
                        "workload.arrival": "closed" if depth else "trace",
                        "workload.depth": depth or DEPTHS[-1],
                    },
                    {"part": "deep", "depth": depth, "dispatch": dispatch},
                    limit=limit,
                    warmup=limit // 10,
                )
