"""Which figures of a sweep's runs may be told apart at all, and which of them carry a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cavern.plots.metrics import MAIN, NEITHER, OBJECTIVES, Metric, metric
from cavern.plots.sweep.table import Row, SweepTable, number
from cavern.verdicts.samples import beyond, enough

#: What stands for a percentile of too few samples, the first that has enough.
INSTEAD = ("p99", "mean")


def small(of: Metric) -> str:
    """Its name within a sentence."""
    return of.label if of.label[1].isupper() else of.label[0].lower() + of.label[1:]


def known(rows: Sequence[Row], of: Metric) -> list[float]:
    return [value for row in rows if math.isfinite(value := number(row, of.field))]


def half_of(row: Row, of: Metric) -> float:
    """Half of the interval in which the figure of the whole run lies, of a run that is sampled; 0
    where the figure is no estimate."""
    ends = [row.get(f"{of.interval}.{end}") for end in ("low", "high")]
    low, high = (value if isinstance(value, int | float) else 0.0 for value in ends)
    return (high - low) / 2 if math.isfinite(high - low) else 0.0


def varies(table: SweepTable, of: Metric) -> bool:
    """Whether it differs between runs of one trace, or between the traces where nothing else
    varies; by more than what is called a difference."""
    trace = table.axis("trace") if table.parameters or table.axis("seed") else None
    groups: dict[int, list[Row]] = {}
    for row in table.good:
        groups.setdefault(trace.place(row) if trace else 0, []).append(row)
    values = [known(rows, of) for rows in groups.values()]
    return any(of.differs(min(some), max(some)) for some in values if some)


def requests(row: Row, of: Metric) -> int:
    """How many requests of the run a latency is about; 0 of other metrics, which have no
    percentile. Of a sampled run those measured."""
    for field in (f"sampled.{of.needs}.count", f"host.{of.needs}.count"):
        if isinstance(count := row.get(field), int):
            return count
    return 0


def thin(row: Row, of: Metric) -> bool:
    """Whether a figure rests on too few requests to be better or worse than another."""
    return not enough(requests(row, of), of.percentile)


def fewest(table: SweepTable, of: Metric) -> int | None:
    """How many requests of a run lie beyond a percentile at least; None where it is none."""
    measured = [row for row in table.good if math.isfinite(number(row, of.field))]
    found = [beyond(requests(row, of), of.percentile) for row in measured]
    return min((one for one in found if one is not None), default=None)


def firm(table: SweepTable, of: Metric) -> Metric:
    """The metric, or what stands for it where it is a percentile of too few samples in a run."""
    if not any(thin(row, of) for row in table.good if math.isfinite(number(row, of.field))):
        return of
    stem, _, field = of.field.rpartition(".")
    rest = INSTEAD[1:] if field == INSTEAD[0] else INSTEAD
    found = [metric(f"{stem}.{name}") for name in rest]
    return next((one for one in found if not any(thin(row, one) for row in table.good)), of)


def firm_ones(table: SweepTable, fields: Sequence[str]) -> list[Metric]:
    """Those fields that were measured, each once."""
    measured = [one for one in map(metric, fields) if known(table.good, one)]
    return list(dict.fromkeys(firm(table, one) for one in measured))


def metrics(table: SweepTable) -> list[Metric]:
    """What figures are drawn of: those of MAIN that vary."""
    return [one for one in firm_ones(table, MAIN) if varies(table, one)]


def flat(table: SweepTable) -> list[Metric]:
    """Those of MAIN that are the same in all runs, as far as a difference counts."""
    found = [one for one in map(metric, MAIN) if known(table.good, one)]
    return [one for one in found if not varies(table, one)]


def objectives(table: SweepTable) -> list[Metric]:
    """Those of OBJECTIVES that vary; else whatever has a better and varies."""
    found = [one for one in firm_ones(table, OBJECTIVES) if varies(table, one)]
    return found or [one for one in metrics(table) if one.better != NEITHER][:2]
