"""What is compared between runs: field of summary.json, name, unit, and whether more is better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cavern.plots.texts import bandwidth_unit, change_text, digits, share_text, time_text, time_unit

TIME, COUNT, RATIO, SHARE, RATE, BYTES, JOULES = (
    "time",
    "count",
    "ratio",
    "share",
    "rate",
    "bytes",
    "joules",
)
MORE, LESS, NEITHER = 1, -1, 0
BYTE_UNITS = (("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12))
ENERGY_UNITS = (("nJ", 1e-9), ("µJ", 1e-6), ("mJ", 1e-3), ("J", 1.0), ("kJ", 1e3))
#: No figure of a run is beyond it, whatever its unit; none is below 0.
LARGEST = 2.0**63
#: A smaller change than this share is shown as none, and is neither better nor worse.
NO_CHANGE = 0.0005


@dataclass(frozen=True)
class Metric:
    """`better` says which way is better: MORE, LESS or NEITHER. `group` and `row` are its place and
    its short name in the table of a report; `needs` is the kind of request without which it says
    nothing; an `optional` one is not measured by every run."""

    field: str
    label: str
    kind: str
    better: int
    group: str
    row: str
    needs: str = ""
    optional: bool = False

    def text(self, value: float, largest: float | None = None) -> str:
        """The value with its unit, which is that of `largest` where given."""
        if not math.isfinite(value):
            return "–"
        size = abs(value) if largest is None else largest
        if self.kind == TIME:
            return time_text(value, time_unit(size))
        if self.kind == COUNT:
            return f"{value:,.0f}"
        if self.kind == RATIO:
            return f"{value:.3f}"
        if self.kind == SHARE:
            return share_text(value)
        unit, length = self.unit(size)
        return f"{digits(value / length)} {unit}"

    def unit(self, largest: float) -> tuple[str, float]:
        """The unit that suits the largest value, and its length in that of the field."""
        if self.kind == TIME:
            return time_unit(largest)
        if self.kind == RATE:
            return bandwidth_unit(largest)
        if self.kind in (BYTES, JOULES):
            units = BYTE_UNITS if self.kind == BYTES else ENERGY_UNITS
            return next((unit for unit in reversed(units) if largest >= unit[1]), units[0])
        return ("%", 0.01) if self.kind == SHARE else ("", 1.0)

    def change(self, first: float, value: float) -> str:
        """Against the first run: in per cent, shares in percentage points; empty where that means
        nothing."""
        if self.kind == SHARE:
            points = (value - first) * 100
            return "" if math.isnan(points) else f"{points:+.2f} points".replace("-", "−")
        return change_text(first, value)

    def verdict(self, first: float, value: float) -> str:
        """ "better", "worse", or empty where there is no change or no better."""
        if not (math.isfinite(first) and math.isfinite(value)) or self.better == NEITHER:
            return ""
        if abs(value - first) <= NO_CHANGE * abs(first):
            return ""
        return "better" if (value > first) == (self.better == MORE) else "worse"

    def best(self, values: Sequence[float]) -> float:
        """The best of the values, NaN left out; NaN where there is none or no better."""
        known = [value for value in values if math.isfinite(value)]
        if not known or self.better == NEITHER:
            return math.nan
        return max(known) if self.better == MORE else min(known)


def _latencies(kind: str) -> list[Metric]:
    group, name = f"{kind.capitalize()} latency", f"{kind.capitalize()} latency"
    shown = (("mean", "mean"), ("p50", "p50"), ("p99", "p99"), ("p99_9", "p99.9"), ("max", "max"))
    return [
        Metric(f"host.{kind}.lat_ns.{field}", f"{name}, {row}", TIME, LESS, group, row, kind)
        for field, row in shown
    ]


#: In the order of a report.
METRICS = (
    Metric(
        "ftl.execution_time_ns",
        "Execution time",
        TIME,
        LESS,
        "Time",
        "Execution time of the flash array",
    ),
    Metric("ftl.write_time_ns", "Time of page writes", TIME, LESS, "Time", "… page writes"),
    Metric("ftl.gc_time_ns", "Time of collection", TIME, LESS, "Time", "… garbage collection"),
    Metric("sim.simulated_ns", "Simulated time", TIME, NEITHER, "Time", "Simulated time"),
    Metric("buffer.hit_ratio", "Hit ratio", SHARE, MORE, "Buffer", "Hit ratio, all pages"),
    Metric(
        "buffer.write_hit_ratio",
        "Hit ratio of writes",
        SHARE,
        MORE,
        "Buffer",
        "Hit ratio, written pages",
    ),
    Metric("buffer.eviction_events", "Evictions", COUNT, NEITHER, "Buffer", "Evictions"),
    Metric("buffer.evicted_pages", "Evicted pages", COUNT, LESS, "Buffer", "Evicted pages"),
    *_latencies("write"),
    *_latencies("read"),
    Metric("host.iops", "Requests a second", COUNT, MORE, "Throughput", "Requests a second"),
    Metric("host.bandwidth_bps", "Bandwidth", RATE, MORE, "Throughput", "Bandwidth"),
    Metric(
        "ftl.waf",
        "Write amplification",
        RATIO,
        LESS,
        "Flash",
        "Write amplification (WAF)",
    ),
    Metric("ftl.waf_pages", "Write amplification, pages", RATIO, LESS, "Flash", "… pages"),
    Metric("ftl.gc_pages", "Pages copied", COUNT, LESS, "Flash", "Pages copied by GC"),
    Metric("ftl.gc_runs", "GC runs", COUNT, LESS, "Flash", "GC runs"),
    Metric("ftl.erases", "Erases", COUNT, LESS, "Flash", "Erases"),
    Metric(
        "dram.bytes",
        "SDRAM bytes",
        BYTES,
        LESS,
        "SDRAM and energy",
        "Bytes of the SDRAM",
        optional=True,
    ),
    Metric("energy_j.total", "Energy", JOULES, LESS, "SDRAM and energy", "Energy", optional=True),
    Metric("sim.requests", "Requests", COUNT, NEITHER, "Run", "Requests"),
)

#: Those that a sweep is about, in order of preference.
MAIN = (
    "ftl.execution_time_ns",
    "host.write.lat_ns.p99_9",
    "host.read.lat_ns.p99_9",
    "host.iops",
    "ftl.waf",
    "ftl.erases",
    "dram.bytes",
    "energy_j.total",
    "buffer.hit_ratio",
    "host.write.lat_ns.mean",
    "host.read.lat_ns.mean",
    "host.bandwidth_bps",
)

#: What a designer trades against each other.
OBJECTIVES = (
    "ftl.execution_time_ns",
    "host.write.lat_ns.p99_9",
    "host.read.lat_ns.p99_9",
    "dram.bytes",
    "ftl.erases",
    "energy_j.total",
)


def metric(field: str) -> Metric:
    """The metric of that field. Raises KeyError."""
    for one in METRICS:
        if one.field == field:
            return one
    raise KeyError(field)
