"""Pages of sweeps of sampled runs: what lies within their intervals is no difference."""

from __future__ import annotations

import pytest
from cavern.plots.metrics import metric
from cavern.plots.style import style
from cavern.plots.sweep.analysis import front, points
from cavern.plots.sweep.cells import cells_of
from cavern.plots.sweep.lines import lines
from cavern.plots.sweep.table import SweepTable
from cavern.plots.sweep.tables import runs_sentence, runs_table

from tests.plots.made_tables import SIZES, row

IOPS = metric("host.iops")


def sampled(half: float) -> SweepTable:
    """A drive per size of its buffer; each a little faster, with intervals of that share."""
    rows = []
    for place, size in enumerate(SIZES):
        iops, mean = 10_000.0 * (1 + 0.06 * place), 1e5 * (1 - 0.06 * place)
        made = row(
            place,
            host__iops=iops,
            host__write__count=50_000,
            host__write__lat_ns__mean=mean,
            sampled__write__count=50_000,
        )
        for name, value in (("iops", iops), ("write.mean", mean)):
            if half:
                made[f"sampled.{name}.low"] = value * (1 - half)
                made[f"sampled.{name}.high"] = value * (1 + half)
        made["vary.buffer.size"] = size
        rows.append(made)
    return SweepTable(rows)


@pytest.mark.parametrize("half", [0.001, 0.1])
def test_lines_and_texts_have_the_intervals_of_samples(half: float) -> None:
    table = sampled(half)
    size = table.axes[0]
    found = cells_of(table, [size], IOPS)
    assert found
    assert found.span((0,)) == pytest.approx((10_000 * (1 - half), 10_000 * (1 + half)))
    assert found.told((0,), IOPS).endswith("(sampled)") and " ± " in found.told((0,), IOPS)
    with style():
        picture = lines(table, [size], IOPS, 0)
    assert picture and "The band is the interval of the sampled run." in picture.caption


def test_runs_that_have_time_have_no_interval() -> None:
    table = sampled(0.0)
    found = cells_of(table, [table.axes[0]], IOPS)
    assert found and found.known == {} and "±" not in found.told((0,), IOPS)
    with style():
        picture = lines(table, [table.axes[0]], IOPS, 0)
    assert picture and "band" not in picture.caption
    assert all("±" not in cell.note for row in runs_table(table, [IOPS]).rows for cell in row)


def test_what_lies_within_the_intervals_is_no_difference() -> None:
    sure, unsure = (
        {one.point.row["vary.buffer.size"] for one in front(points(table, [IOPS]), [IOPS])}
        for table in (sampled(0.001), sampled(0.1))
    )
    assert sure == {SIZES[-1]}
    assert len(unsure) > 1 and SIZES[-1] in unsure


def test_the_table_of_runs_marks_what_is_surely_best() -> None:
    for half, marked in ((0.001, 1), (0.05, 2)):
        table = sampled(half)
        made = runs_table(table, [IOPS])
        iops = [row[made.heads.index(IOPS.label)] for row in made.rows]
        assert sum(cell.best for cell in iops) == marked
        assert all(cell.note.startswith("± ") for cell in iops)
        said = runs_sentence(table, made, [])
        assert "±: half of the interval in which the figure of the whole run lies." in said
        assert "n: so few requests" not in said
