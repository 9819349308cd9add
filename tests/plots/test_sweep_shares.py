"""Which axis of a sweep moves what."""

from __future__ import annotations

import itertools
import random
import re

import pytest
from cavern.plots.sweep import tables
from cavern.plots.sweep.analysis import Influence
from cavern.plots.sweep.table import SweepTable
from cavern.verdicts.shares import shares

from tests.plots.made_tables import (
    TIME,
    TOLD,
    grid,
    time,
    uneven,
)

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
