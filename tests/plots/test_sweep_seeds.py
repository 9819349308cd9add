"""Pages of sweeps with several seeds: what chance makes is an interval, and no verdict."""

from __future__ import annotations

import itertools
import random
from statistics import fmean

import pytest
from cavern.plots.style import style
from cavern.plots.sweep import tables
from cavern.plots.sweep.about import About
from cavern.plots.sweep.analysis import Influence, front, points
from cavern.plots.sweep.cells import cells_of
from cavern.plots.sweep.lines import lines
from cavern.plots.sweep.page import build_page
from cavern.plots.sweep.pareto import pareto
from cavern.plots.sweep.table import SweepTable
from cavern.verdicts.intervals import mean_of

from tests.plots.made_tables import ERASES, SIZES, TIME, Row, row
from tests.plots.test_report import rows_of

POLICIES = ("lru-page", "fifo")
SEEDS = 5


def seeded(noise: float, gain: float = 0.03, seeds: int = SEEDS) -> SweepTable:
    """Sizes and policies with so many seeds each: a larger size takes less time by the gain, and
    each run differs by a normal share."""
    chance = random.Random(7)
    rows: list[Row] = []
    for (place, size), policy, seed in itertools.product(
        enumerate(SIZES), POLICIES, range(1, seeds + 1)
    ):
        made = row(
            len(rows),
            ftl__execution_time_ns=1e9 * (1 - gain * place) * (1 + chance.gauss(0, noise)),
            ftl__erases=100.0 * (1 + chance.gauss(0, noise)),
        )
        labels = {"vary.buffer.size": size, "vary.buffer.policy": policy}
        rows.append({**made, **labels, **({"seed": seed} if seeds > 1 else {})})
    return SweepTable(rows)


def test_lines_have_the_interval_of_the_mean_over_the_seeds() -> None:
    table = seeded(noise=0.02)
    size = table.axes[0]
    found = cells_of(table, [size], TIME)
    assert found and not found.guess
    of_seed = [
        fmean(
            one["ftl.execution_time_ns"]
            for one in table.good
            if (one["vary.buffer.size"], one["seed"]) == ("4MiB", seed)
        )
        for seed in range(1, SEEDS + 1)
    ]
    expected = mean_of(of_seed)
    low, high = found.span((1,))
    assert (low, high) == pytest.approx(
        (expected.mean - expected.half_width, expected.mean + expected.half_width)
    )
    assert "(95 %, 5 seeds)" in found.told((1,), TIME)
    with style():
        picture = lines(table, [size], TIME, 0)
    assert picture and "The band is the interval of 95 % of the mean over the seeds." in (
        picture.caption
    )
    # The control: without seeds it is from the least to the greatest.
    plain = seeded(noise=0.02, seeds=1)
    with style():
        picture = lines(plain, [plain.axes[0]], TIME, 0)
    assert picture and "from the least to the greatest" in picture.caption


def on_front(table: SweepTable) -> set[str]:
    members = front(points(table, [TIME, ERASES]), [TIME, ERASES])
    return {str(one.point.row["vary.buffer.size"]) for one in members}


def test_a_gain_within_the_intervals_beats_nobody() -> None:
    # 3 % and 6 % are more than fronts.LEAST_GAIN, and less than five runs of 20 % tell.
    assert on_front(seeded(noise=0.2)) == set(SIZES)
    # The control: the same gains, of runs that hardly differ by chance.
    assert on_front(seeded(noise=0.0005)) == {"16MiB"}


def test_best_is_more_than_chance_makes() -> None:
    def marked(noise: float) -> list[list[bool]]:
        table = seeded(noise)
        found = points(table, [TIME])
        members = front(found, [TIME])
        made = tables.front_table(table.named, members, [TIME])
        runs = tables.runs_table(table, [TIME])
        return [[cell.best for line in one.rows for cell in line] for one in (made, runs)]

    assert not any(marked(0.2)[0])
    # A single run is no verdict on its combination.
    assert not any(marked(0.0005)[1])
    table = seeded(noise=0.02)
    members = front(points(table, [TIME, ERASES]), [TIME, ERASES])
    assert any(
        cell.note.startswith("± ")
        for line in tables.front_table(table.named, members, [TIME, ERASES]).rows
        for cell in line
    )


def moved(table: SweepTable) -> dict[str, tuple[str, bool]]:
    made = tables.effects_table(Influence(table, [TIME]), [TIME])
    assert made
    return {
        one["label"]: (one["cells"][0]["below"], one["cells"][0]["strong"]) for one in made["rows"]
    }


def test_an_axis_that_moves_no_more_than_chance_moves_nothing() -> None:
    assert moved(seeded(noise=0.2, gain=0.001))["buffer.size"] == ("", False)
    told = moved(seeded(noise=0.0005, gain=0.03))
    assert told["buffer.size"] == ("16MiB → 1MiB: +6.38\u00a0%", True)
    assert told["seed"] == ("", False)


def test_the_page_says_so_and_draws_it() -> None:
    page = build_page(seeded(noise=0.05), About(aims=[TIME, ERASES]))
    assert "nor one within the 95 % intervals of the means over 5 seeds." in page
    assert "of the mean over the seeds" in page and " seeds)" in page
    assert next(rows_of(page, "seed"))
    assert "intervals of the means" not in build_page(seeded(0.05, seeds=1), About(aims=[TIME]))
    table = seeded(noise=0.05)
    found = points(table, [TIME, ERASES])
    with style():
        picture = pareto(table.named, found, front(found, [TIME, ERASES]), [TIME, ERASES], "pareto")
    assert picture and len(picture.figure.axes[0].containers) == 1
