"""Which runs are looked at: by which reading of the paper, on which workload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from papers.experiment import Row, Table
from papers.partition.runs import (
    CUT,
    INTERVAL,
    LOG_BYTES,
    MIB,
    POPULARITY,
    REFERENCE_ENTRY,
    REFERENCE_RULE,
    REFERENCE_SIZE,
)

#: How a claim can be judged otherwise.
SPAN = "relative to the span"
TOGETHER = "over all environments together"
#: A ratio of benefits beyond this is taken for unbounded when a trace's length is judged.
RATIO_MOST = 1000


class Runs:
    """The rows of the experiment by their labels."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.fixed: dict[tuple[object, ...], list[Row]] = {}
        self.tuned: dict[tuple[object, ...], Row] = {}
        self.spaces: dict[tuple[object, ...], list[Row]] = {}
        for row in table:
            (*of_run, divided, size) = (
                row.get("trace" if name == "trace" else f"vary.{name}") for name in _LABELS
            )
            if row.get("vary.grows") is not None:
                self.spaces.setdefault((*of_run, row["vary.grows"]), []).append(row)
                continue
            key = (*of_run, divided if row["vary.part"] == "full" else None, size)
            if row.get("vary.share") is not None:
                self.fixed.setdefault(key, []).append(row)
            else:
                self.tuned[(*key, row["vary.rule"])] = row
        for rows in self.fixed.values():
            rows.sort(key=lambda row: row["vary.share"])
        for rows in self.spaces.values():
            rows.sort(key=lambda row: row["vary.space"])


_LABELS = ("part", "popularity", "trace", "layer", "entry", "divided", "size")


@dataclass(frozen=True)
class View:
    """Rows of one reading on one workload."""

    runs: Runs
    part: str = "whole"
    entry: int = REFERENCE_ENTRY  #: bytes, of the mapping cache
    rule: str = REFERENCE_RULE  #: what becomes of the ratio of benefits
    sizes: tuple[int, ...] = ()  #: only these; none: all
    popularity: Mapping[str, str] = field(default_factory=dict)  #: by trace, other than in use
    judge: str = ""  #: one of the above that the claim knows; else as it says
    long_only: bool = True  #: traces too short to be tuned are not judged
    divided: int | None = None  #: of part "full"

    @cached_property
    def traces(self) -> list[str]:
        found = [key[2] for key in self.runs.fixed if key[0] == self.part]
        return [str(name) for name in dict.fromkeys(found)]

    def cells(self, layer: str) -> Iterator[tuple[str, int]]:
        """Trace and size of memory of Figures 4 to 10."""
        for trace in self.traces:
            for size in self._sizes():
                if self.fixed(trace, layer, size) and self._key(trace, layer, size):
                    yield trace, size

    def at(self, layer: str) -> Iterator[str]:
        """Traces with the reference size of memory."""
        yield from (trace for trace, size in self.cells(layer) if size == REFERENCE_SIZE)

    def fixed(self, trace: str, layer: str, size: int = REFERENCE_SIZE) -> list[Row]:
        """The runs with fixed shares, ascending."""
        return self.runs.fixed.get(self._key(trace, layer, size), [])

    def adapted(self, trace: str, layer: str, size: int = REFERENCE_SIZE) -> Row:
        key = self._key(trace, layer, size)
        if (*key, self.rule) not in self.runs.tuned:
            raise LookupError(f"no adaptive run of {trace}, {layer}, {size} MiB, {self.rule}")
        return self.runs.tuned[(*key, self.rule)]

    def spaces(self, trace: str, grows: str) -> list[Row]:
        key = self._key(trace, "dftl", REFERENCE_SIZE)
        return self.runs.spaces.get((*key[:5], grows), [])

    def other(self, **changed: object) -> View:
        return replace(self, **changed)  # type: ignore[arg-type]

    def _sizes(self) -> list[int]:
        found = {int(str(key[-1])) for key in self.runs.fixed if key[0] == self.part}
        return sorted((s for s in found if not self.sizes or s in self.sizes), reverse=True)

    def _key(self, trace: str, layer: str, size: int) -> tuple[object, ...]:
        popularity = self.popularity.get(trace, "")
        if popularity == POPULARITY.get(trace, ("",))[0]:
            popularity = ""
        part = "range" if popularity else self.part
        entry = REFERENCE_ENTRY if layer == "fast" else self.entry
        return (part, popularity, trace, layer, entry, self.divided, size)


def paper_trace(trace: str) -> str:
    """The trace of the paper that this one stands for; none: itself, a real one."""
    return trace.removesuffix(CUT)


def reach(row: Row) -> float:
    """The share of the memory that could have changed sides in a run so long, at the paper's pace
    and with a ratio of RATIO_MOST at every decision. What the run was told does not matter."""
    layer = row["vary.layer"]
    unit = LOG_BYTES if layer == "fast" else row["vary.entry"]
    decisions = row["sim.requests"] * row["vary.divided"] // INTERVAL[layer]
    return float(decisions * unit * RATIO_MOST / (row["vary.size"] * MIB))
