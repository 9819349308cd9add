"""A full drive under random writes, which collects all the time."""

from __future__ import annotations

from collections.abc import Iterator

from cavern.validate.amplification import greedy
from cavern.validate.bench import Bench, Job
from cavern.validate.row import Row

US = 1e-6
# configs/nand/tlc-16k.toml: means over the three page types.
T_R, T_PROG, T_BERS = 50 * US, 550 * US, 3500 * US
T_R_SLOWEST, T_PROG_SLOWEST = 60 * US, 700 * US
COMMAND = 7 * 25e-9
TRANSFER = (16384 + 2208) / 1.2e9
DIES = 16

#: A quarter of the blocks, and a job that writes over all of them: sooner full.
SMALL: dict[str, object] = {"nand.blocks_per_plane": 96}
SIZE = "11GiB"

# The formula knows programs of one plane, of a page each.
DRIVE: dict[str, object] = {
    "nand.multi_plane": "false",
    "ftl.gc_placement": "plane",
    "ftl.unit": "page",
    "nand.column_change": "false",
}


def seconds_of_a_die(pages: float, copies: float, erases: float) -> float:
    """What a die needs for these pages of the host, copies and erases, buses included."""
    program = COMMAND + TRANSFER + T_PROG
    read = COMMAND + T_R + TRANSFER
    return pages * program + copies * (read + program) + erases * T_BERS


def _mean(dies: list[dict[str, float]], field: str) -> float:
    return sum(die[field] for die in dies) / len(dies)


def spare_row(bench: Bench) -> Row:
    """The drive as it is shipped but for its planes, which know nothing of each other here."""
    run = bench.run(
        "steady-tlc.toml",
        {**DRIVE, "fidelity": "untimed", "nand.planes": 1, "buffer.policy": "none"},
        job={"rw": "randwrite", "bs": "16KiB", "size": SIZE, "number_ios": 400_000},
    )
    nand = run.summary["config"]["nand"]
    share = 1 - run.summary["config"]["ftl"]["overprovision"]
    return Row(
        "full drive, random writes, write amplification",
        "programs/page",
        run.summary["ftl"]["waf_pages"],
        greedy(share, nand["pages_per_block"]),
        0.06,
        "Desnoyers 2014, greedy, with the spare of the drive and none of it kept free",
    )


def steady_rows(bench: Bench) -> Iterator[Row]:
    yield spare_row(bench)
    for depth in (32, 256):
        yield from busy_rows(bench, depth)
        yield together_row(bench, depth)
    yield read_row(bench)


def read_row(bench: Bench) -> Row:
    """Reads beside few writes: the dies are busy 1 % of the time, nearly all of it with copies. A
    read waits for the program that its die is busy with, and for no other. Blocks are longer, so
    that an erase meets fewer than one read in ten thousand."""
    pages: dict[str, object] = {"bs": "16KiB", "size": SIZE, "arrival": "poisson"}
    run = bench.run(
        "steady-tlc.toml",
        {**DRIVE, "nand.blocks_per_plane": 48, "nand.pages_per_block": 288},
        job=[
            {**pages, "rw": "randread", "rate_iops": 500, "number_ios": 100_000},
            {**pages, "rw": "randwrite", "rate_iops": 50, "number_ios": 10_000},
        ],
    )
    latency = run.summary["host"]["read"]["lat_ns"]
    alone = latency["p50"] * 1e-9 - T_R
    return Row(
        "the same, almost idle, p99.99 of reads",
        "us",
        latency["p99_99"] * 1e-3,
        (T_R_SLOWEST + alone + T_PROG_SLOWEST + COMMAND + TRANSFER) / US,
        0.0,
        "at most a read alone and one program, both of the slowest page",
        at_most=True,
    )


def _writes(depth: int) -> Job:
    return {
        "rw": "randwrite",
        "bs": "16KiB",
        "size": SIZE,
        "number_ios": 60_000,
        "iodepth": depth,
    }


def busy_rows(bench: Bench, depth: int) -> Iterator[Row]:
    """Random writes of a page each: no die waits while another works."""
    settings = {**SMALL, **DRIVE, "host.queue_depth": depth}
    run = bench.run("steady-tlc.toml", settings, job=_writes(depth))
    ftl, dies = run.summary["ftl"], run.summary["dies"]
    pages = ftl["host_pages"]
    seconds = run.summary["sim"]["simulated_ns"] * 1e-9
    needed = seconds_of_a_die(pages, ftl["gc_pages"], ftl["erases"])
    yield Row(
        f"full drive, random writes, depth {depth}",
        "pages/s",
        pages / seconds,
        DIES * pages / needed,
        0.03,
        "dies x rate of a die, programs and reads of copies and erases among its work",
    )
    yield Row(
        f"the same, dies busy, depth {depth}",
        "share",
        _mean(dies, "utilization"),
        1.0,
        0.15,
        "all the time but for the buses",
    )
    latency = run.summary["host"]["write"]["lat_ns"]
    yield Row(
        f"the same, p99.9 / mean, depth {depth}",
        "",
        latency["p99_9"] / latency["mean"],
        5.0,
        0.0,
        "at most 5",
        at_most=True,
    )


def together_row(bench: Bench, depth: int) -> Row:
    """The row of a drive whose planes of a die are programmed together."""
    run = bench.run(
        "steady-tlc.toml",
        {
            **SMALL,
            "host.queue_depth": depth,
            "ftl.unit": "page",
            "nand.column_change": "false",
        },
        job=_writes(depth),
    )
    return Row(
        f"with multi-plane programs, dies occupied, depth {depth}",
        "share",
        _mean(run.summary["dies"], "occupied"),
        1.0,
        0.15,
        "a die has an operation all the time: arrays, buses and waiting for them",
    )
