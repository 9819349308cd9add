"""Which runs the figures of a sweep compare, and in which order they stand."""

from __future__ import annotations

import itertools
import math
import random
import re

import pytest
from cavern.plots.style import style
from cavern.plots.sweep import tables
from cavern.plots.sweep.analysis import front, points
from cavern.plots.sweep.cells import cells_of
from cavern.plots.sweep.heat_map import heat_map
from cavern.plots.sweep.lines import lines, over
from cavern.plots.sweep.pareto import pareto
from cavern.plots.sweep.table import SweepTable, number
from cavern.verdicts import additive
from cavern.verdicts.axes import alike, in_order, quantities, quantity, rising

from tests.plots.made_tables import (
    ERASES,
    POLICIES,
    SIZES,
    TIME,
    TOLD,
    WAYS,
    grid,
    shuffled,
    time,
    uneven,
)

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
    assert "All lines are the same." in along.caption
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
    assert alike({"a": {1: [1.0], 2: [3.0]}, "b": {2: [2.0]}}) == {
        "a": {2: [3.0]},
        "b": {2: [2.0]},
    }


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
    assert heat and "of the trace's mean" in heat.title
    texts = [float(text.get_text()) for text in heat.figure.axes[0].texts]
    assert max(texts[:3]) / min(texts[:3]) < 1.1  # the ways make up for each other
    # Control: the mean of times follows the second alone.
    plain = cells_of(table, [ways], TIME)
    assert plain and plain.means[(2,)] > 1.15 * plain.means[(0,)]


def test_numbers_of_a_heat_map_are_written_as_in_the_tables() -> None:
    counts = SweepTable(grid(ftl__erases=lambda s, w, p: 1296 + 10 * s + w))
    times = SweepTable(grid(ftl__execution_time_ns=lambda s, w, p: (15 + 1000 * s + w) * 10**9))
    for table, of, first in ((counts, ERASES, "1,296"), (times, TIME, "15.0")):
        size, ways = (table.axis(f"vary.{name}") for name in ("buffer.size", "nand.ways"))
        assert size and ways
        with style():
            heat = heat_map(table, [size, ways], of, 0)
        assert heat
        texts = [text.get_text() for text in heat.figure.axes[0].texts]
        assert first in texts and not [text for text in texts if "e" in text]


def test_a_run_that_programmed_nothing_has_no_write_amplification() -> None:
    told = [
        number({field: value}, field) for field in ("ftl.waf", "ftl.erases") for value in (0, 2)
    ]
    assert math.isnan(told[0]) and told[1:] == [2, 0, 2]


def test_a_front_of_one_has_its_name_and_is_no_other_objective() -> None:
    rows = grid(ftl__execution_time_ns=time, ftl__erases=time)
    table = SweepTable(rows)
    found = points(table, [TIME, ERASES])
    members = front(found, [TIME, ERASES])
    with style():
        picture = pareto(table.axes, found, members, [TIME, ERASES], "pareto")
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
