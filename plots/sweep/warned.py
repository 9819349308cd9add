"""What the runs of a sweep warn of, each thing once."""

from __future__ import annotations

from collections.abc import Sequence

from cavern.plots.metrics import Metric
from cavern.plots.sweep.measured import fewest
from cavern.plots.sweep.table import BETWEEN_WARNINGS, WARNINGS, Row, SweepTable, described
from cavern.verdicts.samples import ENOUGH
from cavern.verdicts.warnings import told_once


def broken(table: SweepTable) -> list[str]:
    """What makes numbers of the page wrong or incomplete."""
    found = []
    if table.failed:
        found.append(
            f"{len(table.failed):,} of {len(table.rows):,} runs failed. They are listed below, and "
            "left out of all figures."
        )
    cut = sum(row.get("complete") is False for row in table.good)
    if cut:
        found.append(f"{cut:,} runs were interrupted; their numbers cover what was simulated.")
    if not table.good:
        found.append("No run worked: there is nothing to draw.")
    return found


def reservations(table: SweepTable, aims: Sequence[Metric]) -> list[str]:
    """How far the numbers carry: objectives of too few samples, what the runs say themselves."""
    found = []
    for aim in aims:
        count = fewest(table, aim)
        if count is not None and count < ENOUGH:
            found.append(
                f"{aim.label} is an objective, and in some runs {count:,} requests lie beyond it: "
                "it says more about these than about the drive."
            )
    return found + told_once([(described(table.axes, row), _warnings(row)) for row in table.good])


def _warnings(row: Row) -> list[str]:
    said = str(row.get(WARNINGS) or "")
    return said.split(BETWEEN_WARNINGS) if said else []
