"""The periods of simulated time that a summary has of a run, whatever files it wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cavern.errors import NotAvailableError

if TYPE_CHECKING:
    from cavern.plots.results import Summary

#: Of each kind of request; those of latency in ns.
ROWS = ("count", "bytes", "lat_ns.p50", "lat_ns.p99", "lat_ns.max")


@dataclass(frozen=True)
class Periods:
    """`count` whole periods of equal length, and a value for each in every row; times in ns."""

    begin: float
    length: float
    count: int
    kinds: dict[str, dict[str, list[float]]]
    programmed_bytes: list[float]
    #: Since when the drive was steady; NaN: it was not; None: nothing is said.
    steady_since: float | None


def read_periods(summary: Summary) -> Periods:
    """Raises NotAvailableError where there are none. A short run is one period; else what follows
    the last whole one is left out."""
    if summary.get("periods") is None:
        raise NotAvailableError("the summary has no periods")
    programmed = summary.numbers("periods.programmed_bytes")
    if not programmed:
        raise NotAvailableError("no request was answered")
    begin, end = (summary.number(f"periods.{name}") for name in ("begin_ns", "end_ns"))
    whole = len(programmed) > 1
    length = summary.number("periods.length_ns") if whole else end - begin
    count = max(len(programmed) - 1, 1)
    kinds = {}
    for kind in ("read", "write"):
        if summary.get(f"periods.{kind}") is not None:
            rows = {
                row: summary.numbers(f"periods.{kind}.{row}", len(programmed))[:count]
                for row in ROWS
            }
            kinds[kind] = rows
    steady = summary.number("steady.since_ns") if summary.get("steady") is not None else None
    return Periods(begin, max(length, 1.0), count, kinds, programmed[:count], steady)
