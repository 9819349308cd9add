"""The figures, each drawn from the rows of its CSV file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from papers.experiment import Cell, Figure, Row, Table
from papers.lookup import drawing
from papers.lookup.paper import ML_SG, PRINTED, SEARCH_GROUPS, SLIPS, SQ_SG, TABLES, list_groups
from papers.lookup.runs import COLUMNS, CORES, LINE_CACHES, READINGS, TREE_ORDERS, TURNS

#: The figure of each table.
FIGURES = {"Table 2": "figure4", "Table 3": "figure6", "Table 4": "figure8", "Table 5": "figure10"}
#: The three measures of a table's cell.
MEASURES = ("compares", "cycles", "seconds")


# ---- cells ---------------------------------------------------------------------------------------


def counted(table: Table, look_up: str, groups: int, order: int = 5) -> Row:
    """The run of a table's cell."""
    return table.where(part="tables").one(look_up=look_up, groups=groups, order=order)


def compares(table: Table, look_up: str, groups: int, order: int = 5) -> float:
    return float(counted(table, look_up, groups, order)["search.compares"])


def of_whole(table: Table, look_up: str, groups: int) -> float:
    """The comparisons of a cell in the paper's whole workload: a run of a tenth, times ten."""
    return (
        compares(table, look_up, groups) * TURNS / counted(table, look_up, groups)["config.turns"]
    )


def cycles_of_whole(table: Table, look_up: str, groups: int) -> float:
    turns = counted(table, look_up, groups)["config.turns"]
    return cycles(table, look_up, groups) * TURNS / turns


def host_seconds(table: Table, look_up: str, groups: int) -> float:
    """What a cell took of the processor of the machine that played it: all of it, as the paper's
    seconds are of a whole program."""
    row = counted(table, look_up, groups)
    return float(row["sim.host_s"]) * TURNS / row["config.turns"]


@dataclass(frozen=True)
class Sample:
    """Records on the processor and, for what they count, on the host."""

    look_ups: int
    compares: int
    cycles: float  #: of all look-ups, without what reading the clock takes

    @property
    def per_compare(self) -> float | None:
        return self.cycles / self.compares if self.compares else None

    @property
    def per_look_up(self) -> float:
        return self.cycles / self.look_ups


def sample(
    table: Table, look_up: str, groups: int, order: int = 5, line_cache: str = "16 KiB"
) -> Sample:
    part = table.where(
        part="samples", look_up=look_up, groups=groups, order=order, line_cache=line_cache
    )
    host, processor = part.one(played_on="host"), part.one(played_on="iss")
    same = ("search.look_ups", "hits", "flash.reads", "flash.flushes")
    if any(host[name] != processor[name] for name in same):
        raise LookupError(f"{look_up}, {groups} groups: processor and host did not do the same")
    look_ups = host["search.look_ups"]
    clock = look_ups * processor["search.clock_cycles"]
    return Sample(look_ups, host["search.compares"], processor["search.cycles"] - clock)


def cycles(table: Table, look_up: str, groups: int, order: int = 5) -> float:
    """Cycles of all look-ups of the workload: comparisons times the cycles of one in the sample.
    A look-up that compares nothing has its cycles."""
    row, measured = counted(table, look_up, groups, order), sample(table, look_up, groups, order)
    if measured.per_compare is None:
        return row["search.look_ups"] * measured.per_look_up
    return row["search.compares"] * measured.per_compare


# ---- seconds -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fit:
    """Seconds as a fixed time and a cost of each comparison: the paper's table by our counts."""

    table: str
    fixed_s: float
    cost_s: dict[str, float]  #: by look-up, of a comparison
    residual_s: dict[str, float]  #: by look-up, the largest; slips left out

    def seconds(self, look_up: str, count: float) -> float:
        return self.fixed_s + self.cost_s[look_up] * count


def fit(table: Table, name: str) -> Fit:
    """Least squares over a table's cells but the slips: one fixed time, a cost for each look-up."""
    names = TABLES[name]
    cells = [
        (look_up, groups)
        for look_up in names
        for groups in PRINTED[look_up]
        if (look_up, groups) not in SLIPS
    ]
    counts = [of_whole(table, look_up, groups) for look_up, groups in cells]
    scale = max(counts)
    left = np.array(
        [
            [1.0, *(count / scale if look_up == each else 0.0 for each in names)]
            for (look_up, _), count in zip(cells, counts, strict=True)
        ]
    )
    right = np.array([PRINTED[look_up][groups] for look_up, groups in cells])
    found = np.linalg.lstsq(left, right, rcond=None)[0]
    off = np.abs(left @ found - right)
    costs = {each: float(cost) / scale for each, cost in zip(names, found[1:], strict=True)}
    residuals = {
        each: float(max(d for (look_up, _), d in zip(cells, off, strict=True) if look_up == each))
        for each in names
    }
    return Fit(name, float(found[0]), costs, residuals)


@dataclass(frozen=True)
class Clock:
    """Seconds of all tables as a fixed time and the cycles of our processor, each equally long: two
    values for all cells, which know no look-up."""

    fixed_s: float
    cycle_s: float


def clock(table: Table, share: float = 1.0) -> Clock:
    """Least squares over the cells of Tables 2 to 5 but the slips; with a share of the fixed time
    that is found so, the cycle is fitted again."""
    cells = [
        (look_up, groups)
        for look_up, row in PRINTED.items()
        for groups in row
        if (look_up, groups) not in SLIPS
    ]
    taken = np.array([cycles_of_whole(table, *cell) for cell in cells])
    printed = np.array([PRINTED[look_up][groups] for look_up, groups in cells])
    scale = float(taken.max())
    left = np.stack([np.ones_like(taken), taken / scale], axis=1)
    fixed, cycle = np.linalg.lstsq(left, printed, rcond=None)[0]
    if share != 1:
        fixed *= share
        scaled = taken / scale
        cycle = (printed - fixed) @ scaled / (scaled @ scaled)
    return Clock(float(fixed), float(cycle) / scale)


def measure(table: Table, fitted: Fit, look_up: str, groups: int) -> dict[str, float]:
    count = compares(table, look_up, groups)
    return {
        "compares": count,
        "cycles": cycles(table, look_up, groups),
        "seconds": fitted.seconds(look_up, of_whole(table, look_up, groups)),
    }


# ---- figures -------------------------------------------------------------------------------------


def figures(table: Table) -> Iterator[Figure]:
    for name, figure in FIGURES.items():
        yield _table(table, name, figure)
    yield _ratios(table)
    yield _fits(table)
    yield _costs(table)
    yield _orders(table)
    yield _readings(table)
    yield _collection(table)
    yield _cores(table)


def _table(table: Table, name: str, figure: str) -> Figure:
    rows: list[tuple[Cell, ...]] = []
    fitted = fit(table, name)
    for look_up in TABLES[name]:
        for groups, paper in PRINTED[look_up].items():
            cell = measure(table, fitted, look_up, groups)
            slip = int((look_up, groups) in SLIPS)
            rows.append((look_up, groups, *(cell[each] for each in MEASURES), paper, slip))
    columns = ("look_up", "groups", *MEASURES, "paper_s", "slip")
    return Figure(figure, columns, rows, drawing.table(f"Figure {figure[6:]}, {name}"))


def ratio(table: Table, above: str, below: str, groups: int) -> dict[str, float]:
    """The ratio of two look-ups in Table 6, by each measure. Seconds are those of Table 4's fit
    for SQ and SG, and of Table 2's for ML."""
    fits = {"ML": fit(table, "Table 2"), "SQ": fit(table, "Table 4"), "SG": fit(table, "Table 4")}
    top = measure(table, fits[above], above, list_groups(groups))
    bottom = measure(table, fits[below], below, groups)
    return {each: top[each] / bottom[each] for each in MEASURES}


def _ratios(table: Table) -> Figure:
    rows: list[tuple[Cell, ...]] = []
    for above, printed in (("ML", ML_SG), ("SQ", SQ_SG)):
        found = {groups: ratio(table, above, "SG", groups) for groups in SEARCH_GROUPS}
        for groups, paper in printed.items():
            rows.append((f"{above}/SG", groups, *found[groups].values(), paper))
        means = (fmean(one[each] for one in found.values()) for each in MEASURES)
        rows.append((f"{above}/SG", None, *means, fmean(printed.values())))
    return Figure("table6", ("pair", "groups", *MEASURES, "paper"), rows, drawing.ratios)


def _fits(table: Table) -> Figure:
    rows: list[tuple[Cell, ...]] = []
    for name in TABLES:
        found = fit(table, name)
        for look_up in TABLES[name]:
            rows.append(
                (
                    name,
                    look_up,
                    found.fixed_s,
                    1e9 * found.cost_s[look_up],
                    found.residual_s[look_up],
                )
            )
    columns = ("table", "look_up", "fixed_s", "ns_per_compare", "largest_residual_s")
    return Figure("fits", columns, rows, drawing.fits)


def memory_bytes(row: Row) -> int:
    """Bytes of frames, list heads and tree, on the processor."""
    return int(row["memory.frames"] + row["memory.heads"] + row["memory.tree"])


def _costs(table: Table) -> Figure:
    rows: list[tuple[Cell, ...]] = []
    for line_cache in LINE_CACHES:
        for look_up, columns in COLUMNS.items():
            for groups in columns:
                part = table.where(part="samples", look_up=look_up, groups=groups, order=5)
                if not part.where(line_cache=line_cache).rows:
                    continue
                one = sample(table, look_up, groups, line_cache=line_cache)
                rows.append(
                    (
                        line_cache,
                        look_up,
                        groups,
                        one.compares / one.look_ups,
                        one.per_compare,
                        one.per_look_up,
                        memory_bytes(counted(table, look_up, groups)),
                    )
                )
    names = ("compares", "cycles_per_compare", "cycles_per_look_up", "memory_bytes")
    return Figure("cycles", ("line_cache", "look_up", "groups", *names), rows, drawing.costs)


def _orders(table: Table) -> Figure:
    rows: list[tuple[Cell, ...]] = []
    for order in TREE_ORDERS:
        row = counted(table, "BT", 1, order)
        each = row["search.look_ups"]
        rows.append(
            (
                order,
                row["search.nodes"] / each,
                row["search.compares"] / each,
                sample(table, "BT", 1, order).per_look_up,
                row["tree_nodes"],
                row["memory.tree"],
            )
        )
    names = ("nodes", "compares", "cycles_per_look_up", "tree_nodes", "tree_bytes")
    return Figure("orders", ("order", *names), rows, drawing.orders)


def _readings(table: Table) -> Figure:
    rows: list[tuple[Cell, ...]] = []
    for reading in ("as played", *READINGS):
        part = table.where(part="readings", reading=reading)
        if reading not in READINGS:
            part = table.where(part="tables", order=5)
        found = {each: part.one(look_up=each, groups=1) for each in ("LM", "ML", "SQ", "SG")}
        lm, ml, sq, sg = (row["search.compares"] for row in found.values())
        row = found["ML"]
        counts = (row["accesses"], row["search.look_ups"], row["hit_ratio"])
        rows.append((reading, *counts, lm / ml, sq / ml, sq / sg))
    names = ("accesses", "look_ups", "hit_ratio", "lm_to_ml", "sq_to_ml", "sq_to_sg")
    return Figure("readings", ("reading", *names), rows, drawing.readings)


def collected(table: Table) -> dict[str, dict[str, Row]]:
    """By device and look-up: the paper's, and one that is full."""
    found = {"256 GB": {each: counted(table, each, COLUMNS[each][-1]) for each in ("SG", "DX")}}
    for row in table.where(part="collection"):
        found.setdefault(row["vary.device"], {})[row["vary.look_up"]] = row
    return found


def _collection(table: Table) -> Figure:
    rows: list[tuple[Cell, ...]] = []
    for device, each in collected(table).items():
        for look_up, row in each.items():
            rows.append(
                (
                    device,
                    look_up,
                    row["flash.flushes"],
                    row["flash.least_free"],
                    row["flash.collections"],
                    row["flash.copies"],
                    row["search.look_ups"],
                    row["search.compares"],
                )
            )
    names = ("flushes", "least_free", "collections", "copies", "look_ups", "compares")
    return Figure("collection", ("device", "look_up", *names), rows, drawing.collection)


def _cores(table: Table) -> Figure:
    rows: list[tuple[Cell, ...]] = []
    for look_up in COLUMNS:
        part = table.where(part="cores", look_up=look_up)
        iss, rtl = (part.one(played_on=core) for core in CORES)
        found = [row[name] for name in ("search.cycles", "cycles") for row in (iss, rtl)]
        rows.append((look_up, *found, found[0] / found[1] - 1, found[2] / found[3] - 1))
    names = ("search_iss", "search_ibex", "all_iss", "all_ibex", "search_error", "all_error")
    return Figure("cores", ("look_up", *names), rows, drawing.cores)
