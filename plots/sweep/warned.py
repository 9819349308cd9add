"""What the runs of a sweep warn of, each thing once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cavern.plots.metrics import Metric
from cavern.plots.sweep.measured import fewest
from cavern.plots.sweep.table import BETWEEN_WARNINGS, WARNINGS, SweepTable, described
from cavern.verdicts.samples import ENOUGH

_NUMBER = re.compile(r"\d[\d,.]*")


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
    """How far the numbers carry: objectives of too few samples, and what the runs say themselves,
    once for all that say the same but for its numbers."""
    found = []
    for aim in aims:
        count = fewest(table, aim)
        if count is not None and count < ENOUGH:
            found.append(
                f"{aim.label} is an objective, and in some runs {count:,} requests lie beyond it: "
                "it says more about these than about the drive."
            )
    said: dict[str, list[tuple[str, str]]] = {}
    for row in table.good:
        for text in str(row.get(WARNINGS) or "").split(BETWEEN_WARNINGS):
            if text:
                kind = _NUMBER.sub("#", text)
                said.setdefault(kind, []).append((text, described(table.axes, row)))
    total = len(table.good)
    for told in said.values():
        text, first = told[0]
        who = f"{len(told):,} of {total:,} runs" if len(told) < total else f"All {total:,} runs"
        if total == 1:
            found.append(text)
            continue
        same = all(other == text for other, _ in told)
        found.append(f"{who}: {text}" + ("" if same else f" (So says {first}; numbers differ.)"))
    return found
