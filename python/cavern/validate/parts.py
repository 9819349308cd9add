"""Writes smaller than a NAND page on a full drive: what they cost in reads and programs."""

from __future__ import annotations

from collections.abc import Iterator

from cavern.validate.bench import Bench
from cavern.validate.row import Row
from cavern.validate.steady import COMMAND, DIES, DRIVE, SMALL, T_BERS, T_PROG, T_R

PAGE, SPARE = 16384, 2208
BUS = 1.2e9
COLUMN_CHANGE = 4 * 25e-9
WARMUP, WRITES = 8_000, 60_000
#: Blocks are left for all that is written: nothing is collected.
FRESH: dict[str, object] = {"precondition.overwrite": 0.0}
SIZES = {"512B": 512, "4KiB": 4096, "16KiB": 16384}


def transfer(size: float) -> float:
    """Seconds on the channel bus, with the share of the spare area."""
    return (size + size * SPARE / PAGE) / BUS


def rest_of(unit: int, size: int) -> float:
    """Bytes from the first to the last that a write leaves of its unit, on average: all of it, but
    for the first and the last place of a write in there."""
    places = unit / size
    return unit - 2 * size / places


def seconds_of_a_write(unit: int, size: int) -> float:
    """What a die needs for a write of the host: its share of a program, the rest of its unit."""
    programs = max(unit, size) / PAGE
    program = COMMAND + transfer(PAGE) + T_PROG
    if size >= unit:
        return programs * program
    return programs * program + COMMAND + T_R + transfer(rest_of(unit, size))


def part_rows(bench: Bench) -> Iterator[Row]:
    """Each mapping unit under each size of write; then the smallest while the drive collects."""
    for unit_text in ("4KiB", "16KiB"):
        unit = SIZES[unit_text]
        for text, size in SIZES.items():
            run = write_at_random(bench, {**FRESH, "ftl.unit": unit_text}, text)
            ftl, buffer = run["ftl"], run["buffer"]
            what = f"{text} writes, mapping unit {unit_text}"
            written = ftl["host_pages"] * unit  # what left the buffer, in whole units
            yield Row(
                what,
                "programmed/host byte",
                written / ftl["host_bytes"],
                max(unit, size) / size,
                0.01,
                "a write takes its mapping units whole",
            )
            yield Row(
                "the same",
                "RMW/write",
                buffer["rmw_pages"] / WRITES,
                1.0 if size < unit else 0.0,
                0.01,
                "where a write leaves a part of its unit, that is read first",
            )
            yield Row(
                "the same",
                "1/s",
                run["host"]["iops"],
                DIES / seconds_of_a_write(unit, size),
                0.03,
                "dies x rate of a die",
            )
    yield from collecting_rows(bench)


def collecting_rows(bench: Bench) -> Iterator[Row]:
    """The copies are those that the run made; what they cost is not."""
    unit = SIZES["4KiB"]
    for text, size in (("512B", 512), ("4KiB", 4096)):
        run = write_at_random(bench, {**SMALL, "ftl.unit": "4KiB"}, text, written="2800MiB")
        ftl, dies = run["ftl"], run["dies"]
        arrays = sum(die["reads"] for die in dies)
        columns = sum(die["register_reads"] for die in dies)
        programs = sum(die["programs"] for die in dies)
        needed = (
            arrays * (COMMAND + T_R)
            + columns * COLUMN_CHANGE
            + (arrays + columns) * transfer(unit)
            + programs * (COMMAND + transfer(PAGE) + T_PROG)
            + ftl["erases"] * T_BERS
        )
        what = f"{text} writes, mapping unit 4KiB, collecting"
        yield Row(
            what,
            "1/s",
            run["host"]["iops"],
            DIES * WRITES / needed,
            0.03,
            "dies x rate of a die, reads, programs and erases of collection among its work",
        )
        yield Row(
            "the same",
            "units/NAND page",
            (ftl["host_pages"] + ftl["gc_pages"]) / programs,
            PAGE / unit,
            0.01,
            "host and copies fill their pages",
        )
        yield Row(
            "the same",
            "RMW/write",
            run["buffer"]["rmw_pages"] / WRITES,
            1.0 if size < unit else 0.0,
            0.02,
            "where a write leaves a part of its unit, that is read first",
        )


def write_at_random(
    bench: Bench, settings: dict[str, object], size: str, written: str = "11GiB"
) -> dict:
    """Random writes over a full drive, when the buffer is full. One plane a die: filling the drive
    is what takes the time, and programs of one plane know no other."""
    return bench.run(
        "steady-tlc.toml",
        {
            **DRIVE,
            "nand.planes": 1,
            "nand.column_change": "true",
            "buffer.size": "4MiB",
            **settings,
        },
        job={
            "rw": "randwrite",
            "bs": size,
            "size": written,
            "number_ios": WARMUP + WRITES,
            "iodepth": 256,
        },
        arguments=["--warmup", str(WARMUP)],
    ).summary
