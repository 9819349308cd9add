"""Every claim of the paper that runs can judge, judged. What we add to the paper is no claim of it.

The paper timed a PC, and speaks of a controller: a claim about which look-up is faster is judged by
the cycles of the look-ups on the controller's processor. Other readings are seconds on the host,
which is a PC like the paper's, and another one wherever it is rerun; comparisons; and cycles with a
fixed time for each access beside them, as the paper's seconds have it. The note says how it comes
out in seconds with a cost of its own for each look-up, taken from the paper: that is no evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from papers.experiment import Claim, Fitted, Other, Outcome, Table
from papers.judging import Cases, Judge
from papers.lookup.figure_data import (
    Clock,
    clock,
    collected,
    counted,
    cycles_of_whole,
    fit,
    host_seconds,
    measure,
    memory_bytes,
    ratio,
    sample,
)
from papers.lookup.paper import (
    GROUPS,
    ML,
    ML_SG,
    ML_SG_MEAN,
    SEARCH_GROUPS,
    SQ_SG,
    SQ_SG_MEAN,
    list_groups,
)
from papers.lookup.runs import PAPER, TREE_ORDERS

#: A ratio is near the paper's when neither is above this multiple of the other.
NEAR = 1.25
#: What takes so much longer at most is as fast; what differs by no more is the same.
SAME = 1.02
#: Orders of the tree differ by no more than this: no meaningful difference.
ALIKE = 1.10

JUDGE = Judge(PAPER)
JUDGED = "cycles"
#: Other readings of "faster" than cycles.
READINGS = {
    "host": "seconds on the host",
    "compares": "comparisons",
    "timed": "cycles and a fixed time",
}
FITTED = "fixed time of a run"
#: Shares of the fixed time that fits best, as `fitted` has it; 1 is in use.
SHARES = (0.0, 0.5, 1.0, 1.5)
Cell = dict[str, float]


def claims(table: Table) -> Iterator[Claim]:
    yield from _claims(table, clock(table))


def fitted(table: Table) -> Iterator[Fitted]:
    clocks = {share: clock(table, share) for share in SHARES}
    named = {share: f"{found.fixed_s:.1f} s" for share, found in clocks.items()}
    outcomes = [
        Outcome(named[share], claim.claim, other.ours, other.holds)
        for share, found in clocks.items()
        for claim in _claims(table, found)
        for other in claim.others
        if other.name == READINGS["timed"]
    ]
    why = (
        "least squares over the cells of Tables 2 to 5, together with the length of a cycle "
        f"({1e9 * clocks[1.0].cycle_s:.2f} ns; fitted again for each fixed time here)"
    )
    yield Fitted(FITTED, named[1.0], why, tuple(outcomes))


def _claims(table: Table, seconds: Clock) -> Iterator[Claim]:
    yield from _lists(table, seconds)
    yield from _array(table, seconds)
    yield from _map_bits(table, seconds)
    yield from _tree(table, seconds)
    yield from _summary(table, seconds)
    yield from _collection(table)


def near(ours: float, paper: float) -> bool:
    return paper / NEAR <= ours <= paper * NEAR


def _cells(
    table: Table, seconds: Clock, name: str, look_up: str, columns: Sequence[int]
) -> dict[int, Cell]:
    """By groups: the measures of a table's figure, and time by our cycles."""
    of_table = fit(table, name)
    return {
        groups: measure(table, of_table, look_up, groups)
        | _seconds(table, seconds, look_up, groups)
        for groups in columns
    }


def _seconds(table: Table, seconds: Clock, look_up: str, groups: int) -> Cell:
    timed = seconds.fixed_s + seconds.cycle_s * cycles_of_whole(table, look_up, groups)
    return {"timed": timed, "host": host_seconds(table, look_up, groups)}


def _otherwise(judge: Callable[[str], tuple[bool, str]]) -> dict[str, Any]:
    """How a claim comes out by the readings that do not decide it."""
    others = []
    for measured, name in READINGS.items():
        holds, figure = judge(measured)
        others.append(Other("reading", name, figure, holds))
    return {"others": tuple(others), "fitted": (FITTED,)}


def _no_evidence(judge: Callable[[str], tuple[bool, str]]) -> str:
    holds, figure = judge("seconds")
    return f"with the paper's own costs {figure}, {'holds' if holds else 'fails'}, by the fit"


def _faster(
    where: str,
    claim: str,
    paper: str,
    fast: Mapping[int, Cell],
    slow: Mapping[int, Cell],
    decided_by: str,
) -> Claim:
    """`fast` takes less than `slow` in every column."""

    def cases(name: str) -> Cases:
        return {
            f"{groups} groups": (
                fast[groups][name] < slow[groups][name],
                f"{slow[groups][name] / fast[groups][name]:.2f}",
            )
            for groups in fast
        }

    def judge(name: str) -> tuple[bool, str]:
        found = [holds for holds, _ in cases(name).values()]
        return all(found), f"in {sum(found)} of {len(found)} cases"

    note = _no_evidence(judge)
    more = _otherwise(judge)
    return JUDGE.everywhere(where, claim, paper, cases(JUDGED), note, decided_by=decided_by, **more)


def _times(
    where: str, claim: str, paper: float, ours: Cell, decided_by: str, more: str = ""
) -> Claim:
    """A ratio near the paper's."""

    def judge(name: str) -> tuple[bool, str]:
        return near(ours[name], paper), f"{ours[name]:.2f}"

    note = f"near: within a factor of {NEAR:g}; {_no_evidence(judge)}"
    return JUDGE.claim(
        where,
        claim,
        paper,
        round(ours[JUDGED], 2),
        near(ours[JUDGED], paper),
        note + (f"; {more}" if more else ""),
        decided_by=decided_by,
        **_otherwise(judge),
    )


def _divided(above: Cell, below: Cell) -> Cell:
    return {name: above[name] / below[name] for name in above}


def _falling(
    where: str, claim: str, cells: Mapping[str, Mapping[int, Cell]], decided_by: str
) -> Claim:
    """Each look-up takes less with more groups, or as much."""

    def cases(name: str) -> Cases:
        found: Cases = {}
        for look_up, row in cells.items():
            values = [cell[name] for cell in row.values()]
            falls = all(b <= a * SAME for a, b in zip(values, values[1:], strict=False))
            found[look_up] = (falls, f"{values[0]:.3g} to {values[-1]:.3g}")
        return found

    def judge(name: str) -> tuple[bool, str]:
        found = [holds for holds, _ in cases(name).values()]
        return all(found), f"for {sum(found)} of {len(found)} look-ups"

    note = _no_evidence(judge)
    more = _otherwise(judge)
    return JUDGE.everywhere(
        where, claim, "falls", cases(JUDGED), note, decided_by=decided_by, **more
    )


def _lists(table: Table, seconds: Clock) -> Iterator[Claim]:
    lm, ml = (_cells(table, seconds, "Table 2", name, GROUPS) for name in ("LM", "ML"))
    where = "III.2, Table 2, Figure 4"
    shown = "figure4"
    yield _faster(where, "ML is faster than LM with any number of groups", "faster", ml, lm, shown)
    printed = 638.43 / ML[1]
    yield _times(
        where,
        "time of LM by that of ML, one group",
        round(printed, 2),
        _divided(lm[1], ml[1]),
        shown,
        "the paper's 2.13 without its fixed time is what comparisons are to be compared with",
    )
    yield _falling(where, "time falls with the number of groups", {"LM": lm, "ML": ml}, shown)


def _array(table: Table, seconds: Clock) -> Iterator[Claim]:
    columns = [groups for groups in GROUPS if groups <= 32]
    ml, sq = (_cells(table, seconds, "Table 3", name, columns) for name in ("ML", "SQ"))
    where = "IV.1, Table 3, Figure 6"
    shown = "figure6"
    one = sample(table, "ML", 1), sample(table, "SQ", 1)
    costs = [each.per_compare or 0.0 for each in one]
    yield _faster(where, "SQ is faster than ML with up to 32 groups", "faster", sq, ml, shown)
    found = fit(table, "Table 3")
    link, next_slot = (1e9 * found.cost_s[name] for name in ("ML", "SQ"))
    yield _times(
        where,
        "time of ML by that of SQ, one group",
        2.2,
        _divided(ml[1], sq[1]),
        shown,
        f"SQ compares more; a comparison takes {costs[0]:.1f} cycles with ML and {costs[1]:.1f} "
        f"with SQ here, {link:.1f} ns and {next_slot:.1f} ns in the paper",
    )


def _map_bits(table: Table, seconds: Clock) -> Iterator[Claim]:
    where = "IV.2"
    sg_row, dx_row = (counted(table, *cell) for cell in (("SG", 127), ("DX", 1)))
    sg, dx = memory_bytes(sg_row), memory_bytes(dx_row)
    yield JUDGE.claim(
        where,
        "the map cannot have the place of a cached page, for want of memory",
        "impossible",
        f"{dx} bytes beside the map with it, {sg} with SG",
        dx > sg,
        "DX: links that are numbers leave room in the frame for the physical page, and the map "
        "word has the frame while the page is cached",
        decided_by="cycles (memory_bytes)",
    )
    yield JUDGE.claim(
        where,
        "25 bits name the pages of 256 GB, and 7 of 32 bits remain",
        "2^25 pages in 25 bits",
        "2^25 pages and 2 codes",
        2**25 + 2 <= 2**25,
        "-1 (never written) and NULL (only in the cache) are codes of the same 25 bits; holds with "
        "one block of 131,072 not used",
        decided_by="arithmetic",
    )
    frames, groups = int(sg_row["config.frames"]), 127
    each = -(-frames // groups)
    yield JUDGE.claim(
        where,
        "7 bits name up to 127 search groups",
        127,
        (frames - 1) // each + 1,
        (frames - 1) // each + 1 <= 127,
        f"with {each} frames in each; with {frames // groups} the last frames would be of group "
        f"{(frames - 1) // (frames // groups) + 1}",
        decided_by="arithmetic",
    )
    mean = sg_row["search.compares"] / sg_row["hits"]
    yield JUDGE.claim(
        where,
        "a page that is not cached is not searched for",
        "no search",
        f"{mean:.1f} comparisons for each hit",
        near(mean, (each + 1) / 2),
        f"a hit alone takes {(each + 1) / 2:.1f} on average",
        decided_by="figure8",
    )
    where = "IV.2, Table 4, Figure 8"
    columns = [groups for groups in SEARCH_GROUPS if groups <= 64]
    sq, sg_cells = (_cells(table, seconds, "Table 4", name, columns) for name in ("SQ", "SG"))
    shown = "figure8"
    yield _faster(where, "SG is faster than SQ with up to 64 groups", "faster", sg_cells, sq, shown)
    yield _times(
        where, "time of SQ by that of SG, one group", 2.4, _divided(sq[1], sg_cells[1]), shown
    )
    yield _falling(where, "time falls with the number of groups", {"SQ": sq, "SG": sg_cells}, shown)


def _tree(table: Table, seconds: Clock) -> Iterator[Claim]:
    where = "IV.3, Table 5, Figure 10"
    shown = "figure10"
    sg, bt = (_cells(table, seconds, "Table 5", name, SEARCH_GROUPS) for name in ("SG", "BT"))

    def spread(name: str) -> float:
        values = [cell[name] for cell in bt.values()]
        return max(values) / min(values)

    yield JUDGE.claim(
        where,
        "the time of BT does not depend on the number of groups: largest by smallest",
        round(27.7 / 27.4, 3),
        round(spread(JUDGED), 3),
        spread(JUDGED) <= SAME,
        decided_by=shown,
    )
    few, many = ([g for g in SEARCH_GROUPS if (g < 8) == small] for small in (True, False))
    yield _faster(
        "IV.3",
        "with fewer than 8 search groups BT is faster than SG",
        "faster",
        {groups: bt[groups] for groups in few},
        {groups: sg[groups] for groups in few},
        shown,
    )
    yield _faster(
        where,
        "with 16 search groups or more SG is faster than BT",
        "faster",
        {groups: sg[groups] for groups in many if groups >= 16},
        {groups: bt[groups] for groups in many if groups >= 16},
        shown,
    )
    lists = {
        name: _cells(table, seconds, "Table 2" if name != "SQ" else "Table 3", name, GROUPS)
        for name in ("LM", "ML", "SQ")
    }
    least = {
        groups: {
            each: min(sg[groups][each], *(row[list_groups(groups)][each] for row in lists.values()))
            for each in sg[groups]
        }
        for groups in SEARCH_GROUPS
    }
    yield _faster(
        "V",
        "BT has the best performance, whatever the grouping",
        "best",
        bt,
        least,
        "figures 4, 6, 8 and 10",
    )
    orders = {order: sample(table, "BT", 1, order).per_look_up for order in TREE_ORDERS}
    apart = max(orders.values()) / min(orders.values())
    yield JUDGE.claim(
        "IV.3",
        "orders 6 to 10 of the tree make no meaningful difference",
        "none",
        f"{100 * (apart - 1):.0f} % between the fastest and the slowest of orders 5 to 10",
        apart <= ALIKE,
        f"none: up to {100 * (ALIKE - 1):.0f} %; cycles of a look-up: "
        + ", ".join(f"{order}: {each:.0f}" for order, each in orders.items()),
        decided_by="orders",
    )
    row = counted(table, "BT", 1)
    kilobytes = row["memory.tree"] / 1000
    yield JUDGE.claim(
        "IV.3, V",
        "the tree needs about 5 KB of memory",
        5,
        round(kilobytes, 1),
        near(kilobytes, 5),
        f"KB; {row['tree_nodes']} nodes; the keys of 16,384 pages alone are 65.5 KB, so 5 K may "
        "be nodes",
        decided_by="orders (tree_bytes)",
    )
    shrinking = [2**bits - 1 for bits in (7, 6, 5, 4, 3)]
    yield JUDGE.claim(
        "IV.3",
        "search groups as the capacity doubles",
        "127, 63, 31, 15, 7",
        ", ".join(map(str, shrinking)),
        shrinking == [127, 63, 31, 15, 7],
        "a bit of the page number less for the search with each doubling",
        decided_by="arithmetic",
    )


def _summary(table: Table, seconds: Clock) -> Iterator[Claim]:
    for above, printed, mean in (("ML", ML_SG, ML_SG_MEAN), ("SQ", SQ_SG, SQ_SG_MEAN)):
        found = {
            groups: ratio(table, above, "SG", groups)
            | _divided(
                _seconds(table, seconds, above, list_groups(groups)),
                _seconds(table, seconds, "SG", groups),
            )
            for groups in SEARCH_GROUPS
        }

        def cases(
            name: str, ours: dict[int, Cell] = found, paper: dict[int, float] = printed
        ) -> Cases:
            return {
                f"{groups} groups": (
                    near(ours[groups][name], paper[groups]),
                    f"{ours[groups][name]:.2f}",
                )
                for groups in paper
            }

        def judge(name: str, of: Callable[[str], Cases] = cases) -> tuple[bool, str]:
            near_ones = [holds for holds, _ in of(name).values()]
            return all(near_ones), f"in {sum(near_ones)} of {len(near_ones)} cases"

        yield JUDGE.everywhere(
            "IV.4, Table 6",
            f"time of {above} by that of SG, by columns",
            f"{printed[1]:g} to {printed[127]:g}",
            cases(JUDGED),
            f"near: within a factor of {NEAR:g}; {_no_evidence(judge)}",
            decided_by="table6",
            **_otherwise(judge),
        )
        means = {name: fmean(one[name] for one in found.values()) for name in found[1]}
        claim = f"time of {above} by that of SG, on average"
        yield _times("IV.4, Table 6", claim, mean, means, "table6")


def _collection(table: Table) -> Iterator[Claim]:
    paper, full = (each["SG"] for each in collected(table).values())
    low = int(paper["config.low_watermark"])
    ours = paper["flash.least_free"]
    works = full["flash.collections"] > 0 and full["flash.least_free"] >= low
    device = f"a device with {full['vary.device']}"
    yield JUDGE.claim(
        "III.1",
        "collection starts at 256 free pages",
        low,
        f"never fewer than {ours} free",
        paper["flash.collections"] > 0,
        f"256 GB do not fill up; {'holds' if works else 'fails'} on {device}: "
        f"{full['flash.collections']} blocks collected, {full['flash.copies']} pages copied",
        decided_by="collection",
        others=(
            Other("workload", device, f"never fewer than {full['flash.least_free']} free", works),
        ),
    )
