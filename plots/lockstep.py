"""What the arbiters of a run said in lockstep."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cavern.plots.results import Run
from cavern.plots.texts import share_text, time_text


def count_text(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:,.0f}"


@dataclass(frozen=True)
class Channel:
    number: int
    cells: list[str]
    compared: str
    mismatches: str
    bad: bool


def measured_time(value: Any) -> str:
    return time_text(value) if isinstance(value, int | float) else "–"


def lockstep(run: Run) -> tuple[str, list[Channel]]:
    """A sentence on the co-simulation, and a row a channel; none where no arbiter ran in
    lockstep."""
    summary, rows, compared, mismatches = run.summary, [], 0, 0
    for index, channel in enumerate(summary.data["channels"]):
        wait = channel.get("wait_ns")
        wait = wait if isinstance(wait, dict) else {}
        number, identity = summary.row_number, summary.row_index("channels", index, "id")
        grants = number("channels", index, "grants")
        cells = [
            str(channel.get("arbiter", "–")),
            count_text(grants),
            share_text(number("channels", index, "utilization")),
            measured_time(wait.get("mean")),
            measured_time(wait.get("max")),
        ]
        result = channel.get("lockstep")
        steps = result.get("compared") if isinstance(result, dict) else None
        wrong = result.get("mismatches") if isinstance(result, dict) else None
        in_lockstep = channel.get("arbiter") == "lockstep"
        if isinstance(steps, int) and isinstance(wrong, int) and (steps > 0 or in_lockstep):
            compared, mismatches = compared + steps, mismatches + wrong
            # Grants of which none was compared prove nothing.
            bad = wrong > 0 or (steps == 0 and grants > 0)
            rows.append(Channel(identity, cells, count_text(steps), count_text(wrong), bad))
        else:
            rows.append(Channel(identity, cells, "–", "–", False))
    if all(row.compared == "–" for row in rows):
        return "", []
    plural = "" if mismatches == 1 else "es"
    return f"{compared:,} grants compared, {mismatches:,} mismatch{plural}.", rows
