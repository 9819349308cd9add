"""What the page of a sweep calls better, best or on the front."""

from __future__ import annotations

import random
import re

import pytest
from cavern.plots.style import style
from cavern.plots.sweep import tables
from cavern.plots.sweep.about import SEARCH, About, Suggestion, about_of
from cavern.plots.sweep.analysis import best_of, front, points
from cavern.plots.sweep.heat_map import LEAST_SPAN, scale, two_axes
from cavern.plots.sweep.measured import firm, flat, metrics, objectives
from cavern.plots.sweep.page import build_page
from cavern.plots.sweep.pareto import names_of, pareto
from cavern.plots.sweep.table import SweepTable
from cavern.plots.sweep.warned import reservations
from cavern.verdicts import fronts

from tests.plots.made_tables import (
    ERASES,
    IOPS,
    SDRAM,
    TAIL,
    TIME,
    TOLD,
    Row,
    grid,
    row,
    time,
    uneven,
)
from tests.plots.test_report import rows_of, tree_of

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
    assert "The same in all runs" in text and "requests per second 26.9" in text
    assert "Requests per second" not in text  # neither a figure nor a column
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
    assert f'<p class="title">{TAIL.label}</p>' not in page
    page = build_page(many, About(aims=[TAIL]))
    assert f'<p class="title">{TAIL.label}</p>' in page
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
        picture = pareto(table.axes, found, members, [TIME, ERASES], "pareto")
    assert picture
    names = sorted(text.get_text() for text in picture.figure.axes[0].texts)
    # What all of the front have is left out.
    assert names == [
        f"{place} {name}" for place, name in enumerate(names_of(table.axes, members), 1)
    ]
    assert not any("lru-page" in name for name in names) and "MiB" in names[0]
    # Control: of many points each has its number alone.
    with style():
        picture = pareto(table.axes, found, members * 4, [TIME, ERASES], "pareto")
    assert picture and {text.get_text() for text in picture.figure.axes[0].texts} >= {"1", "9"}
    page = build_page(table, About())
    heads, first = next(rows_of(page, "No.")), next(rows_of(page, "1"))
    assert heads[-1] == "On the front by" and first[-1] == "execution time"


# ---- warnings, and what a search says ------------------------------------------------------------


def test_warnings_of_runs_are_told_once_amber_and_folded() -> None:
    rows = grid(ftl__execution_time_ns=time)
    for place, one in enumerate(rows):
        one["run.warnings"] = f"{place} pages were never written. | The drive is not steady."
    told = reservations(SweepTable(rows), [])
    assert told == [
        "all 27 runs: 0 to 26 pages were never written.",
        "all 27 runs: The drive is not steady.",
    ]
    page = build_page(SweepTable(rows), About())
    assert '<details class="reservations">' in page and 'class="warning"' not in page
    rows[3]["run.warnings"] = "Another."
    where = "buffer.size 1MiB, nand.ways 2, buffer.policy lru-page"
    assert f"{where}: Another." in reservations(SweepTable(rows), [])


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
