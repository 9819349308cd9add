"""Closed formulas: latency and bandwidth of the whole drive."""

from __future__ import annotations

from collections.abc import Iterator

from cavern.validate.bench import BASE, Bench
from cavern.validate.row import Row

US = 1e-6

# The part of CAVE's tables, as configs/nand/slc-k9xxg08uxa.toml has it.
PAGE = 2048
COMMAND = 7 * 30e-9
TRANSFER = 2112 * 30e-9
T_R, T_PROG = 25 * US, 200 * US
CHANNELS, WAYS = 8, 4
DIRECT = 4e9


def latency_rows(bench: Bench) -> Iterator[Row]:
    """Unloaded latency of one request, nothing else in the drive."""
    sizes = {"2 KiB": 2048, "128 KiB": 131072}
    filled = {**BASE, "precondition.fill": 1.0}
    link = {label: size / DIRECT for label, size in sizes.items()}
    page_link = PAGE / DIRECT
    program = COMMAND + TRANSFER + T_PROG
    read = COMMAND + T_R + TRANSFER
    # 64 pages on 32 dies: two rounds of four ways on each bus. A round of reads is bound by its
    # four read-outs, and the pages of the last way of all channels share the link. In a round of
    # writes a die takes its second page when its first is programmed; the bus staggers the ways.
    two_read_rounds = 2 * (COMMAND + T_R + WAYS * TRANSFER) + CHANNELS * page_link
    two_write_rounds = CHANNELS * page_link + (WAYS - 1) * (COMMAND + TRANSFER) + 2 * program
    through = {**BASE, "buffer.policy": "none"}
    cases: list[tuple[str, str, str, dict[str, object], float, str]] = [
        (
            "2 KiB",
            "read",
            "read",
            filled,
            read + page_link,
            "7 cycles + tR + 2112 B on the bus + link",
        ),
        (
            "128 KiB",
            "read",
            "read",
            filled,
            two_read_rounds,
            "2 x (7 cycles + tR + 4 x 2112 B on the bus) + 8 pages on the link",
        ),
        ("2 KiB", "buffered write", "write", BASE, link["2 KiB"], "bytes / link"),
        ("128 KiB", "buffered write", "write", BASE, link["128 KiB"], "bytes / link"),
        (
            "2 KiB",
            "write-through",
            "write",
            through,
            program + page_link,
            "link + 7 cycles + 2112 B on the bus + tPROG",
        ),
        (
            "128 KiB",
            "write-through",
            "write",
            through,
            two_write_rounds,
            "8 pages on the link + 3 x (7 cycles + 2112 B) + 2 x (7 cycles + 2112 B + tPROG)",
        ),
    ]
    for label, what, op, overrides, expected, formula in cases:
        size = sizes[label]
        run = bench.run(
            "cave-base.toml",
            overrides,
            job={
                "rw": op,
                "bs": f"{size // 1024}KiB",
                "size": "16MiB",
                "number_ios": 100,
                "iodepth": 1,
            },
        )
        yield Row(
            f"unloaded {label} {what}",
            "us",
            run.summary["host"][op]["lat_ns"]["mean"] / 1e3,
            expected / US,
            0.01,
            formula,
        )


def bandwidth_rows(bench: Bench) -> Iterator[Row]:
    """Saturated bandwidth with the host link, the buses and the dies as the limit in turn."""
    depth = 4096
    # Enough blocks that no run reaches collection.
    deep = {
        **BASE,
        "host.queue_depth": depth,
        "buffer.policy": "none",
        "buffer.size": "32MiB",
        "nand.blocks_per_plane": 512,
    }
    filled = {**deep, "precondition.fill": 1.0}
    slow_link = {"host.bandwidth": "50MB/s"}
    bus_page = COMMAND + TRANSFER
    # Round robin serves a read-out and a command of each way in turn, so the ways march together:
    # when the last has been read out, all commands go, and tR passes with the bus idle.
    read_round = WAYS * TRANSFER + COMMAND + T_R
    few, many = 2, 8
    # A closed network of `depth` customers, thrown at random on n equal servers, keeps
    # depth / (depth + n - 1) of them busy.
    cases: list[tuple[str, str, str, dict[str, object], float, int, str]] = [
        ("host link", "", "read", {**filled, **slow_link}, 50e6, 1, "link rate"),
        ("host link", "rand", "read", {**filled, **slow_link}, 50e6, 1, "link rate"),
        ("host link", "", "write", {**deep, **slow_link}, 50e6, 1, "link rate"),
        ("host link", "rand", "write", {**deep, **slow_link}, 50e6, 1, "link rate"),
        (
            "bus",
            "",
            "read",
            filled,
            CHANNELS * WAYS * PAGE / read_round,
            1,
            "8 x 4 x 2048 B / (4 x 2112 B on the bus + 7 cycles + tR)",
        ),
        (
            "bus",
            "",
            "write",
            {**deep, "nand.ways": many},
            CHANNELS * PAGE / bus_page,
            1,
            "8 x 2048 B / (7 cycles + 2112 B on the bus), 8 ways",
        ),
        (
            "bus",
            "rand",
            "write",
            {**deep, "nand.ways": many},
            CHANNELS * PAGE / bus_page,
            CHANNELS,
            "the same",
        ),
        (
            "dies",
            "",
            "write",
            {**deep, "nand.ways": few},
            CHANNELS * few * PAGE / (bus_page + T_PROG),
            1,
            "16 x 2048 B / (7 cycles + 2112 B + tPROG), 2 ways",
        ),
        (
            "dies",
            "rand",
            "write",
            {**deep, "nand.ways": few},
            CHANNELS * few * PAGE / (bus_page + T_PROG),
            CHANNELS * few,
            "the same",
        ),
    ]
    for limit, order, op, overrides, expected, servers, formula in cases:
        share = depth / (depth + servers - 1)
        job = {
            "rw": order + op,
            "bs": "2KiB",
            "size": "32MiB",
            "number_ios": 60_000,
            "iodepth": depth,
            "seed": 7,
        }
        ours = bench.steady_bandwidth("cave-base.toml", overrides, job)
        what = f"saturated {'random' if order else 'sequential'} {op}, limit: {limit}"
        if servers > 1:
            formula += f" x {depth} / {depth + servers - 1}"
        yield Row(what, "MB/s", ours / 1e6, expected * share / 1e6, 0.01, formula)
