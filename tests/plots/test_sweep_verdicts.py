"""What the page of a sweep calls better, best, on the front or moved: of tables made so that a page
without the rule would say something that is not so."""

from __future__ import annotations

import itertools
import random
import re
from typing import Any

import pytest
from cavern.plots.metrics import metric
from cavern.plots.style import style
from cavern.plots.sweep import tables
from cavern.plots.sweep.about import SEARCH, About, Suggestion, about_of
from cavern.plots.sweep.analysis import Influence, best_of, front, points
from cavern.plots.sweep.cells import cells_of
from cavern.plots.sweep.heat_map import LEAST_SPAN, heat_map, scale, two_axes
from cavern.plots.sweep.lines import lines, over
from cavern.plots.sweep.measured import firm, flat, metrics, objectives
from cavern.plots.sweep.page import build_page
from cavern.plots.sweep.pareto import names_of, pareto
from cavern.plots.sweep.table import Axis, SweepTable
from cavern.plots.sweep.warned import reservations
from cavern.verdicts import additive, fronts
from cavern.verdicts.axes import alike, in_order, quantities, quantity, rising
from cavern.verdicts.shares import shares

from tests.plots.test_report import rows_of, tree_of

TIME, ERASES = metric("ftl.execution_time_ns"), metric("ftl.erases")
TAIL, IOPS, SDRAM = (metric(n) for n in ("host.write.lat_ns.p99_9", "host.iops", "dram.bytes"))
SIZES, WAYS, POLICIES = ("1MiB", "4MiB", "16MiB"), (1, 2, 4), ("lru-page", "fifo", "fab")

Row = dict[str, Any]


def row(number: int, **values: Any) -> Row:
    """A good run; "__" in names stands for a dot."""
    named = {name.replace("__", "."): value for name, value in values.items()}
    return {
        "run": f"{number:020x}",
        "trace": "oltp",
        "status": 0,
        "error": "",
        "complete": True,
        "host.read.count": 100_000,
        "host.write.count": 100_000,
        **named,
    }


def grid(**values: Any) -> list[Row]:
    """27 runs of size, ways and policy; `values` are functions of the places of these."""
    rows: list[Row] = []
    for place in itertools.product(range(3), repeat=3):
        told = {name: value(*place) if callable(value) else value for name, value in values.items()}
        labels = {
            "vary.buffer.size": SIZES[place[0]],
            "vary.nand.ways": WAYS[place[1]],
            "vary.buffer.policy": POLICIES[place[2]],
        }
        rows.append({**row(len(rows), **told), **labels})
    return rows


def time(size: int, ways: int, policy: int) -> int:
    return (30 - 4 * size - 7 * ways + policy) * 10**7


# ---- what does not differ ------------------------------------------------------------------------


def test_a_metric_that_hardly_varies_is_no_figure_objective_or_effect() -> None:
    rows = grid(
        ftl__execution_time_ns=time,
        host__iops=lambda s, w, p: 26.86268 + 0.00051 * w / 2,
        dram__bytes=lambda s, w, p: 201e6 * (1 + 0.0002 * s),
        host__write__lat_ns__p99_9=lambda s, w, p: 5_000_000 + 26_000 * w,
    )
    table = SweepTable(rows)
    assert metrics(table) == objectives(table)[:1] + [TAIL] and objectives(table)[0] == TIME
    assert flat(table) == [IOPS, SDRAM]
    page = build_page(table, About())
    text = " ".join(tree_of(page).itertext())
    assert "The same in all runs" in text and "requests a second 26.9" in text
    assert "Requests a second" not in text  # neither a figure nor a column
    assert text.count("SDRAM bytes") == 1
    # Control: one that varies by 0.6 % is there.
    rows[0]["host.iops"] = 26.86268 * 1.006
    assert IOPS in metrics(SweepTable(rows))


def test_traces_alone_do_not_make_a_metric_vary() -> None:
    rows = [
        {**one, "trace": trace, "ftl.erases": erases}
        for trace, erases in (("oltp", 10), ("web", 1000))
        for one in grid(ftl__execution_time_ns=time)
    ]
    assert metrics(SweepTable(rows)) == [TIME]
    rows[0]["ftl.erases"] = 20
    assert ERASES in metrics(SweepTable(rows))


def test_best_is_what_prints_other_than_the_rest() -> None:
    rows = [row(i) for i in range(3)]

    def marks(*values: float) -> list[bool]:
        texts = [IOPS.text(value) for value in values]
        return best_of(rows[: len(values)], values, IOPS, texts)

    assert marks(270.8, 271.1, 270.6) == [False] * 3  # all print "271"
    assert marks(27.0, 50.0, 26.0) == [False, True, False]
    assert marks(50.1, 50.0, 26.0) == [True, True, False]
    assert marks(1000.0, 1003.0, 900.0) == [True, True, False]  # 0.3 % is no difference
    assert marks(1000.0, 1010.0, 900.0) == [False, True, False]


def test_colours_of_nearly_the_same_are_nearly_the_same() -> None:
    low, high = scale(99.0, 100.0)
    assert high - low == pytest.approx(LEAST_SPAN * 100)
    assert (low + high) / 2 == pytest.approx(99.5)
    assert scale(10.0, 100.0) == (10.0, 100.0)


# ---- percentiles of few samples ------------------------------------------------------------------


def test_a_percentile_of_few_samples_says_so_and_is_never_best() -> None:
    values: Row = {
        "host__write__lat_ns__p99_9": lambda s, w, p: 10**7 * (1 + s),
        "host__write__lat_ns__p99": lambda s, w, p: 10**6 * (1 + w),
    }
    few = SweepTable(grid(**values, host__write__count=7187))
    many = SweepTable(grid(**values, host__write__count=10_000))
    assert firm(few, TAIL).field.endswith(".p99") and firm(many, TAIL) is TAIL
    assert [o.field[-3:] for o in objectives(few)] == ["p99"]
    shown = [tables.runs_table(one, metrics(one)) for one in (few, many)]
    columns = [[line[made.heads.index(TAIL.label)] for line in made.rows] for made in shown]
    assert {cell.note for cell in columns[0]} == {"n=7"}
    assert not any(cell.best for cell in columns[0])
    assert {cell.note for cell in columns[1]} == {""} and any(cell.best for cell in columns[1])
    # An objective that was asked for stays one, with a warning and without a figure.
    page = build_page(few, About(aims=[TAIL]))
    assert "is an objective, and in some runs 7 requests lie beyond it" in page
    assert f"<strong>{TAIL.label}.</strong>" not in page
    page = build_page(many, About(aims=[TAIL]))
    assert f"<strong>{TAIL.label}.</strong>" in page
    assert "At least 10 writes of a run lie beyond it." in page


# ---- fronts --------------------------------------------------------------------------------------


def test_a_point_is_on_the_front_by_one_per_cent_or_not_at_all() -> None:
    big = {"ftl.execution_time_ns": 8.62e9, "host.write.lat_ns.p99_9": 67e6, "dram.bytes": 201.0e6}
    good = {"ftl.execution_time_ns": 7.02e9, "host.write.lat_ns.p99_9": 27.8e6}
    rows = [
        row(0) | {"vary.nand.channels": 2} | big,
        row(1) | {"vary.nand.channels": 8} | good | {"dram.bytes": 201.04e6},
        row(2) | {"vary.nand.channels": 16} | big | {TIME.field: 9.5e9, "dram.bytes": 150.0e6},
    ]
    aims = [TIME, TAIL, SDRAM]
    found = front(points(SweepTable(rows), aims), aims)
    assert [(m.point.row["vary.nand.channels"], m.why) for m in found] == [
        (8, "execution time or write latency, p99.9"),
        (16, "SDRAM bytes"),
    ]
    # Control: 1 % of the SDRAM's bytes are enough.
    rows[1]["dram.bytes"] = 203.1e6
    found = front(points(SweepTable(rows[:2]), aims), aims)
    assert [m.point.row["vary.nand.channels"] for m in found] == [2, 8]


def test_front_has_none_that_another_of_it_beats_and_leaves_out_none_that_is_not_beaten() -> None:
    chance = random.Random(3)
    for _ in range(20):
        costs = [[chance.choice((100, 100.4, 101.5, 130)) for _ in range(3)] for _ in range(12)]
        kept = fronts.front(costs)
        by = fronts.beaten(fronts.np.array(costs))
        assert not by[kept][:, kept].any()
        assert all(by[i][kept].any() for i in range(12) if i not in kept)
    # Where gains too small to count make a ring, one of it stays.
    ring = [[1.0, 1.009, 1.018], [1.0185, 1.0, 1.009], [1.009, 1.0185, 1.0]]
    assert len(fronts.front(ring)) == 1
    assert fronts.front([]) == [] and fronts.front([[0.0], [0.0]]) == [0, 1]


def test_front_names_its_points_and_says_by_what_they_are_there() -> None:
    rows = grid(ftl__execution_time_ns=time, ftl__erases=lambda s, w, p: 100 + 40 * w + 70 * s)
    table = SweepTable(rows)
    found = points(table, [TIME, ERASES])
    members = front(found, [TIME, ERASES])
    with style():
        picture = pareto(table.axes, found, members, [TIME, ERASES], "pareto", "Front")
    assert picture
    names = sorted(text.get_text() for text in picture.figure.axes[0].texts)
    # What all of the front have is left out.
    assert names == [
        f"{place} {name}" for place, name in enumerate(names_of(table.axes, members), 1)
    ]
    assert not any("lru-page" in name for name in names) and "MiB" in names[0]
    # Control: of many points each has its number alone.
    with style():
        picture = pareto(table.axes, found, members * 4, [TIME, ERASES], "pareto", "Front")
    assert picture and {text.get_text() for text in picture.figure.axes[0].texts} >= {"1", "9"}
    page = build_page(table, About())
    heads, first = next(rows_of(page, "No.")), next(rows_of(page, "1"))
    assert heads[-1] == "On the front by" and first[-1] == "execution time"


# ---- axes ----------------------------------------------------------------------------------------


def test_quantities_have_an_order_and_names_have_none() -> None:
    assert quantity("1MiB") == ("size", 2.0**20) and quantity("2 ms") == ("time", 2e-3)
    assert quantity("25µs") == quantity("25us") and quantity("200MB/s") == (
        "rate",
        2e8,
    )
    assert quantity("8channels") is None and quantity(True) is None and quantity("") is None
    assert quantities(["1KiB", "1ms"]) is None
    assert quantities(["512B", "1KiB"]) == [512.0, 1024.0]
    assert rising(["4MiB", "1MiB"]) and rising([1, 2, 4])
    assert not rising(["1MiB", "16MiB", "4MiB"]) and not rising(["lru", "fifo"])
    assert in_order([3, 1, 9], [1, 2, 3]) == [1, 3, 9]


def shuffled(rows: list[Row], count: int) -> list[Row]:
    return random.Random(5).sample(rows, count)


TOLD = [
    Axis(("vary.buffer.size",), tuple((one,) for one in SIZES)),
    Axis(("vary.buffer.policy",), tuple((one,) for one in POLICIES)),
    Axis(("vary.nand.ways",), tuple((one,) for one in WAYS)),
]


def test_axes_of_a_search_are_in_the_order_of_its_description() -> None:
    rows = shuffled(grid(ftl__execution_time_ns=time), 14)
    seen = SweepTable(rows).axes
    assert any(axis.texts not in (list(SIZES), list(POLICIES)) for axis in seen)  # of appearance
    table = SweepTable(rows, told=TOLD)
    assert [axis.label for axis in table.axes] == ["buffer.size", "buffer.policy", "nand.ways"]
    assert [axis.texts for axis in table.axes] == [list(SIZES), list(POLICIES), ["1", "2", "4"]]
    # In few runs two axes may go in pairs by chance.
    pairs = [
        rows[0] | {"vary.buffer.size": s, "vary.nand.ways": w}
        for s, w in zip(SIZES, WAYS, strict=True)
    ]
    assert len(SweepTable(pairs).axes) == 1 and len(SweepTable(pairs, told=TOLD).axes) == 2


def test_sizes_sort_by_quantity_on_the_page() -> None:
    rows = grid(ftl__execution_time_ns=time)
    for one in rows:
        one["vary.buffer.size"] = {"1MiB": "1MiB", "4MiB": "512KiB", "16MiB": "2MiB"}[
            one["vary.buffer.size"]
        ]
    made = tables.runs_table(SweepTable(rows), [TIME])
    sizes = {line[0].text: line[0].raw for line in made.rows}
    assert sorted(sizes, key=lambda text: sizes[text] or 0) == ["512KiB", "1MiB", "2MiB"]


def test_lines_join_quantities_alone_and_say_which_are_the_same() -> None:
    table = SweepTable(
        grid(
            ftl__execution_time_ns=lambda s, w, p: time(s, w, 0), ftl__erases=lambda s, w, p: p + 5
        )
    )
    size, ways, policy = table.axes
    with style():
        along = lines(table, [ways, policy], TIME, 0)
        names = lines(table, [policy, ways], TIME, 1)
    assert along and names
    assert len(along.figure.axes[0].lines) == 1  # three that are the same
    assert "The lines of lru-page · fifo · fab are the same." in along.caption
    assert len(names.figure.axes[0].lines) == 0  # nothing lies between two names
    # A quantity goes along, whichever moves more.
    assert over(table, [policy, ways, size]) == [ways, policy]


def test_no_mark_is_cut_by_the_top_of_its_figure() -> None:
    table = SweepTable(grid(ftl__execution_time_ns=lambda s, w, p: 10**9 + 10**7 * w))
    with style():
        picture = lines(table, table.axes[1:], TIME, 0)
    assert picture
    axes = picture.figure.axes[0]
    highest = max(one["ftl.execution_time_ns"] for one in table.good) / 1e9
    assert axes.get_ylim()[1] >= 1.05 * highest


# ---- what is compared with what ------------------------------------------------------------------


def uneven() -> list[Row]:
    """A search that ran few ways with large buffers, many with small ones: by their means, more
    ways look slower."""
    kept = {(2, 0), (2, 1), (1, 1), (1, 2), (0, 2)}
    rows = grid(ftl__execution_time_ns=lambda s, w, p: int(1e10 * 0.4**s * 0.9**w * 1.02**p))
    return [
        one
        for one, (s, w, _) in zip(rows, itertools.product(range(3), repeat=3), strict=True)
        if (s, w) in kept
    ]


def test_no_mean_over_unlike_runs() -> None:
    table = SweepTable(uneven(), told=TOLD)
    ways = next(axis for axis in table.axes if axis.label == "nand.ways")
    by_way = [
        [r["ftl.execution_time_ns"] for r in table.good if ways.place(r) == place]
        for place in range(3)
    ]
    plain = [sum(values) / len(values) for values in by_way]
    assert plain == sorted(plain)  # as if more ways were slower
    found = cells_of(table, [ways], TIME)
    assert found and found.guess is not None
    expected = [found.means[(place,)] for place in range(3)]
    assert expected == sorted(expected, reverse=True)
    assert [found.runs[(place,)] for place in range(3)] == [3, 6, 6]
    with style():
        picture = lines(table, [ways], TIME, 0)
    assert picture and "Expected by a sum over the axes" in picture.caption
    # A heat map says how many runs are in each cell, and has none where there are none.
    table = SweepTable(shuffled(grid(ftl__execution_time_ns=time), 14), told=TOLD)
    with style():
        heat = heat_map(table, table.axes[:2], TIME, 0)
    assert heat and "In brackets: how many runs are in the cell." in heat.caption
    counts = [int(re.findall(r"\((\d+)\)", t.get_text())[0]) for t in heat.figure.axes[0].texts]
    assert sum(counts) == 14 and min(counts) >= 1
    # Control: cells with the same partners are means of what was run.
    whole = cells_of(SweepTable(uneven()), SweepTable(uneven()).axes[:2], TIME)
    assert whole and whole.guess is None and {len(v) for v in whole.values.values()} == {3}


def test_runs_without_their_like_are_left_out_of_a_mean() -> None:
    rows = grid(ftl__execution_time_ns=time)
    del rows[0]
    table = SweepTable(rows)
    found = cells_of(table, [table.axes[0]], TIME)
    assert found and found.guess is None
    assert {len(values) for values in found.values.values()} == {8}
    assert "Left out: 2 without a like in each other cell." in found.caption
    # All of the grid: nine in each.
    whole = SweepTable(grid(ftl__execution_time_ns=time))
    every = cells_of(whole, [whole.axes[0]], TIME)
    assert every and {len(values) for values in every.values.values()} == {9}
    assert alike({"a": {1: [1.0]}, "b": {2: [2.0]}}) == {}
    assert alike({"a": {1: [1.0], 2: [3.0]}, "b": {2: [2.0]}}) == {"a": [3.0], "b": [2.0]}


def test_a_trace_of_large_figures_does_not_hide_another_one_in_a_heat_map() -> None:
    # More ways are good for the one, and bad for the other, which takes a hundred times as long.
    rows = [
        {**one, "trace": trace}
        for trace, sign, length in (("oltp", -1, 1), ("web", 1, 100))
        for one in grid(
            ftl__execution_time_ns=lambda s, w, p, k=sign, t=length: (10 + k * w - s) * t * 10**7
        )
    ]
    table = SweepTable(rows)
    size, ways = (table.axis(f"vary.{name}") for name in ("buffer.size", "nand.ways"))
    assert size and ways
    with style():
        heat = heat_map(table, [size, ways], TIME, 0)
    assert heat and "of the trace's mean" in heat.figure.get_suptitle()
    texts = [float(text.get_text()) for text in heat.figure.axes[0].texts]
    assert max(texts[:3]) / min(texts[:3]) < 1.1  # the ways make up for each other
    # Control: the mean of times follows the second alone.
    plain = cells_of(table, [ways], TIME)
    assert plain and plain.means[(2,)] > 1.15 * plain.means[(0,)]


def test_a_front_of_one_has_its_name_and_is_no_other_objective() -> None:
    rows = grid(ftl__execution_time_ns=time, ftl__erases=time)
    table = SweepTable(rows)
    found = points(table, [TIME, ERASES])
    members = front(found, [TIME, ERASES])
    with style():
        picture = pareto(table.axes, found, members, [TIME, ERASES], "pareto", "Front")
    assert picture and [t.get_text() for t in picture.figure.axes[0].texts] == [
        "1 16MiB, 4, lru-page"
    ]
    assert [text.get_text() for text in picture.figure.legends[0].get_texts()] == [
        "other runs",
        "Pareto front",
    ]
    assert tables.in_common(table.axes, found, members) == []


def test_a_fit_without_skill_is_not_shown() -> None:
    chance = random.Random(1)
    rows = uneven()
    for one in rows:
        one["ftl.execution_time_ns"] = chance.randrange(10**8, 10**10)
    table = SweepTable(rows, told=TOLD)
    assert cells_of(table, table.axes[:2], TIME) is None


def test_fit_says_by_how_much_it_misses_what_it_has_not_seen() -> None:
    points = list(itertools.product(range(3), range(3)))
    values = [2.0 ** (a + b) for a, b in points]
    found = additive.fit(TOLD[:2], points, values)
    assert found and found.skill > 0.9 and 0 < found.missed < 0.2

    def without(place: int) -> float:
        rest = [i for i in range(9) if i != place]
        told = additive.fit(TOLD[:2], [points[i] for i in rest], [values[i] for i in rest])
        assert told
        (guess,) = told.at(additive.one_hot(TOLD[:2], [points[place]]))
        return max(guess / values[place], values[place] / guess) - 1

    misses = sorted(float(without(i)) for i in range(9))
    assert found.missed == pytest.approx(misses[4])


# ---- which axis moves what -----------------------------------------------------------------------


def test_shares_of_a_whole_grid_are_those_of_the_formula() -> None:
    places = list(itertools.product(range(2), range(3)))
    found = shares(places, [3.0 * a + b for a, b in places])
    # The variance of 0/3 is 2.25, that of 0/1/2 is 2/3.
    assert found and [one.share for one in found] == pytest.approx(
        [2.25 / 2.91667, 0.66667 / 2.91667], rel=1e-4
    )
    assert [one.error for one in found] == [0.0, 0.0]
    # What two axes do together is of neither.
    found = shares(places[:2] + places[3:5], [0.0, 1.0, 1.0, 0.0])
    assert found and [one.share for one in found] == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize("seed", range(6))
def test_shares_of_a_part_of_a_grid_add_up_to_no_more_than_all(seed: int) -> None:
    chance = random.Random(seed)
    every = list(itertools.product(range(2), range(3), range(4), range(2)))
    # As a search has them: more of what is good. Sums between values over all then exceed 100 %.
    weights = [2.0 ** (a + b + c) for a, b, c, _ in every]
    places = list(dict.fromkeys(chance.choices(every, weights, k=60)))
    values = [100.0 - 20 * a - 9 * b - 6 * c + chance.random() for a, b, c, _ in places]
    found = shares(places, values)
    assert found and sum(one.share for one in found) <= 1.0
    assert all(0 < one.error < 0.5 for one in found[:1])
    assert found[3].share < 0.05


def test_an_axis_that_does_nothing_explains_nothing_of_few_runs() -> None:
    chance = random.Random(2)
    every = list(itertools.product(range(5), range(4), range(3)))
    totals = []
    for _ in range(10):
        places = chance.sample(every, 20)
        found = shares(places, [chance.random() for _ in places])
        assert found
        totals.append(sum(one.share for one in found))
    # R² alone would be 9 of 19 in the mean.
    assert sum(totals) / 10 < 0.35
    few = chance.sample(every, 12)
    assert shares(few, [chance.random() for _ in few]) is None  # too few to say
    assert shares(every, [1.0] * len(every)) is None


def test_parts_on_the_page_add_up_to_exactly_all() -> None:
    for rows in (grid(ftl__execution_time_ns=time), uneven()):
        table = SweepTable(rows, told=TOLD)
        made = tables.effects_table(Influence(table, [TIME]), [TIME])
        assert made
        parts = [float(re.split(" ", line["cells"][0]["text"])[0]) for line in made["rows"]]
        assert sum(parts) == pytest.approx(100.0, abs=1e-6)
    assert made and made["exact"] is False and "±" in made["rows"][0]["cells"][0]["text"]


# ---- warnings, and what a search says ------------------------------------------------------------


def test_warnings_of_runs_are_told_once_amber_and_folded() -> None:
    rows = grid(ftl__execution_time_ns=time)
    for place, one in enumerate(rows):
        one["run.warnings"] = f"{place} pages were never written. | The drive is not steady."
    told = reservations(SweepTable(rows), [])
    assert len(told) == 2 and told[1] == "All 27 runs: The drive is not steady."
    assert told[0].startswith("All 27 runs: 0 pages were never written. (So says buffer.size 1MiB")
    page = build_page(SweepTable(rows), About())
    assert '<details class="reservations">' in page and 'class="warning"' not in page
    rows[3]["run.warnings"] = "Another."
    assert "1 of 27 runs: Another." in reservations(SweepTable(rows), [])


def test_a_search_says_what_it_looked_at_and_that_nothing_is_worth_doing() -> None:
    table = SweepTable(uneven(), told=TOLD)
    about = About(
        kind=SEARCH, looked_at="15 of 27 combinations were looked at.", aims=[TIME], commands=["c"]
    )
    page = build_page(table, about)
    assert "15 of 27 combinations" in page and 'class="warning"' not in page
    assert "None: no combination" in page
    # The metadata of its table give the same page again; what is damaged is left out.
    more = About(**{**about.__dict__, "suggestions": [Suggestion("a", "b", "c")]})
    assert about_of(more.told(), [], "") == more
    assert about_of(
        {"kind": 3, "aims": ["x", TIME.field], "suggestions": [1, ["a"]]}, ["c"], ""
    ).aims == [TIME]


def test_two_axes_of_heat_maps_are_the_same_for_all_metrics() -> None:
    table = SweepTable(
        grid(ftl__execution_time_ns=time, ftl__erases=lambda s, w, p: 100 + 50 * p + s)
    )
    page = build_page(table, About())
    captions = re.findall(r"Over ([a-z.]+), a line per value of ([a-z.]+)", page)
    assert len(captions) >= 2 and len(set(captions)) == 1
    assert len(two_axes(table, table.axes)) == 2
