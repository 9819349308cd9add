"""One figure: IOPS and latency by clock, for each number of processors; and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cavern.figures import MUTED, titled
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import FuncFormatter, NullFormatter

from papers.drawing import Records, curve, distinct, legend, where
from papers.experiment import Cell, Claim, Figure, Row, Table
from papers.judging import Judge
from papers.lookup.drawing import STYLES
from papers.lookup_drive.runs import FREE, PAPER

JUDGE = Judge(PAPER)
#: The figure that decides.
SHOWN = "lookup-drive"
#: Share of the IOPS without a processor from which a drive is as fast.
FULL_SPEED = 0.95
#: The same of another look-up: which request comes first moves IOPS by less than a percent.
AS_FAST = 0.99
COLUMNS = (
    "look_up",
    "groups",
    "cores",
    "mhz",
    "iops",
    "of_free",
    "read_mean_us",
    "read_p99_us",
    "write_mean_us",
    "write_p99_us",
    "cycles_per_command",
    "utilization",
)
MEASURES = {
    "iops": "1000 IOPS",
    "read_mean_us": "reads, mean µs",
    "read_p99_us": "reads, p99 µs",
}
Point = tuple[str, int, int, int]


def point(row: Row) -> Point:
    return tuple(row[f"vary.{name}"] for name in ("look_up", "groups", "cores", "mhz"))


def free(table: Table) -> Row:
    return table.one(look_up=FREE)


def _rows(table: Table) -> Iterator[tuple[Cell, ...]]:
    fastest = free(table)["host.iops"]
    for row in table:
        commands = row.get("cpu.commands")
        yield (
            *point(row),
            row["host.iops"],
            row["host.iops"] / fastest,
            *(
                row[f"host.{op}.lat_ns.{which}"] / 1e3
                for op in ("read", "write")
                for which in ("mean", "p99")
            ),
            row["cpu.cycles"] / commands if commands else 0,
            row["cpu.utilization"] if commands else 0,
        )


def figures(table: Table) -> Iterator[Figure]:
    yield Figure(SHOWN, COLUMNS, list(_rows(table)), draw)


def name_of(look_up: str, groups: int) -> str:
    return look_up if groups == 1 else f"{look_up} {groups}"


def draw(records: Records) -> Drawing:
    without = where(records, look_up=FREE)[0]
    timed = [record for record in records if record["look_up"] != FREE]
    cores, clocks = distinct(timed, "cores"), sorted(distinct(timed, "mhz"))
    figure = titled(
        6.4, "Look-ups on a whole drive", "by clock; number: groups; dotted: no processor"
    )
    grid = figure.subplots(len(MEASURES), len(cores), sharex=True, sharey="row", squeeze=False)
    for (measure, name), line in zip(MEASURES.items(), grid, strict=True):
        scale = 1e-3 if measure == "iops" else 1
        for number, axes in zip(cores, line, strict=True):
            for look_up, groups in dict.fromkeys((r["look_up"], r["groups"]) for r in timed):
                some = where(timed, look_up=look_up, groups=groups, cores=number)
                color, marker = STYLES[look_up]
                curve(
                    axes,
                    [{**record, measure: record[measure] * scale} for record in some],
                    "mhz",
                    measure,
                    color=color,
                    marker=marker,
                    ms=3.5,
                    lw=1.2,
                    ls="-" if groups == 1 else (0, (4, 1.2)),
                    mfc=color if groups == 1 else "white",
                    label=name_of(look_up, groups),
                )
            axes.axhline(without[measure] * scale, color=MUTED, lw=0.9, ls=":")
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xticks(clocks, [f"{mhz}" for mhz in clocks])
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axes.yaxis.set_minor_formatter(NullFormatter())
        line[0].set_ylabel(name)
    for number, axes in zip(cores, grid[0], strict=True):
        axes.set_title(f"{number} processor{'s' if number > 1 else ''}")
    grid[-1][len(cores) // 2].set_xlabel("clock, MHz")
    legend(figure, [grid[0][0]], 5)
    return figure


def iops(table: Table) -> dict[Point, float]:
    return {point(row): row["host.iops"] for row in table}


def claims(table: Table) -> Iterator[Claim]:
    found = iops(table)
    shapes = sorted({key[2:] for key in found if key[0] != FREE})

    def faster(
        where: str, claim: str, one: tuple[str, int], other: tuple[str, int], least: float = 1.0
    ) -> Claim:
        """By IOPS, for each number of processors and clock."""
        ratios = {shape: found[(*one, *shape)] / found[(*other, *shape)] for shape in shapes}
        cases = {
            f"{cores} × {mhz} MHz": (ratio > least, f"{ratio:.3f} times")
            for (cores, mhz), ratio in ratios.items()
        }
        low, high = min(ratios.values()), max(ratios.values())
        note = f"{low:.2f} to {high:.2f} times the IOPS"
        # The paper timed the search alone: what it comes to on a drive is our question.
        paper = "faster, the search alone" if least == 1 else "not looked at"
        return JUDGE.everywhere(where, claim, paper, cases, note, kind="addition", decided_by=SHOWN)

    yield faster("IV.1, Table 2", "a drive with ML is faster than with LM", ("ML", 1), ("LM", 1))
    yield faster("IV.1, Table 3", "a drive with SQ is faster than with ML", ("SQ", 1), ("ML", 1))
    yield faster("IV.2, Table 4", "a drive with SG is faster than with SQ", ("SG", 1), ("SQ", 1))
    yield faster("IV.3, Table 5", "a drive with BT is faster than with SG", ("BT", 1), ("SG", 1))
    yield faster(
        "IV.3, Table 5",
        "a drive with SG of 127 groups is faster than with BT",
        ("SG", 127),
        ("BT", 1),
    )
    yield faster(
        "beyond the paper",
        "a drive with DX is at least as fast as with SG of 127 groups",
        ("DX", 1),
        ("SG", 127),
        AS_FAST,
    )
    yield from _full_speed(table, found, shapes)


def _full_speed(
    table: Table, found: dict[Point, float], shapes: list[tuple[int, int]]
) -> Iterator[Claim]:
    """Which look-ups one processor can do for the drive."""
    fastest = free(table)["host.iops"]

    def reached(look_up: str, groups: int) -> list[tuple[int, int]]:
        return [s for s in shapes if found[(look_up, groups, *s)] >= FULL_SPEED * fastest]

    looked_up = dict.fromkeys(key[:2] for key in found if key[0] != FREE)
    whole: dict[str, Any] = {name_of(*each): reached(*each) for each in looked_up}
    text = "; ".join(
        f"{name}: " + ("never" if not some else ", ".join(f"{c} × {m} MHz" for c, m in some))
        for name, some in whole.items()
    )
    yield JUDGE.claim(
        "beyond the paper",
        "with DX the drive is as fast as without a processor wherever any look-up is",
        "not looked at",
        f"{len(whole['DX'])} of {len(shapes)} shapes at {100 * FULL_SPEED:.0f} % of the IOPS",
        all(set(some) <= set(whole["DX"]) for some in whole.values()) and bool(whole["DX"]),
        text,
        kind="addition",
        decided_by=SHOWN,
    )
