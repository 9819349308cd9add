"""A full drive under random writes, which collects all the time."""

from __future__ import annotations

from collections.abc import Iterator

from explore.validate.bench import Bench
from explore.validate.row import Row

US = 1e-6
# configs/nand/tlc-16k.toml: means over the three page types.
T_R, T_PROG, T_BERS = 50 * US, 550 * US, 3500 * US
COMMAND = 7 * 25e-9
TRANSFER = (16384 + 2208) / 1.2e9
DIES = 16

# The formula knows programs of one plane, of a page each.
DRIVE: dict[str, object] = {
    "nand.multi_plane": "false",
    "ftl.gc_placement": "plane",
    "ftl.unit": "page",
    "nand.column_change": "false",
}


def seconds_of_a_die(pages: float, copies: float, erases: float) -> float:
    """What a die needs for so many pages of the host, copies and erases, buses included."""
    program = COMMAND + TRANSFER + T_PROG
    read = COMMAND + T_R + TRANSFER
    return pages * program + copies * (read + program) + erases * T_BERS


def steady_rows(bench: Bench) -> Iterator[Row]:
    """Random writes of a page each: no die waits while another works."""
    for depth in (32, 256):
        run = bench.run(
            "steady-tlc.toml",
            {**DRIVE, "host.queue_depth": depth},
            job={
                "rw": "randwrite",
                "bs": "16KiB",
                "size": "45GiB",
                "number_ios": 60_000,
                "iodepth": depth,
            },
        )
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
            sum(die["utilization"] for die in dies) / len(dies),
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
