"""What is compared between runs: field of summary.json, name, unit, and whether more is better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cavern.plots.texts import (
    bandwidth_unit,
    change_text,
    count_text,
    digits,
    share_text,
    time_text,
    time_unit,
)
from cavern.verdicts import noise, samples

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
#: What the smallest value of a row has at least in the unit of the largest; else each has its own.
LEAST_IN_UNIT = 0.1
#: Ratios that are 0 where the run programmed nothing. That says nothing, and the digest has "-".
NONE_AT_ZERO = ("ftl.waf", "ftl.waf_pages")


@dataclass(frozen=True)
class Metric:
    """`better` says which way is better: MORE, LESS or NEITHER. `group` and `row` are its place and
    its short name in the table of a report; `needs` is the kind of request without which it says
    nothing; an `optional` one is not measured by every run. In a table it says nothing either where
    all runs have the value `plain`, or that of the field `within`."""

    field: str
    label: str
    kind: str
    better: int
    group: str
    row: str
    needs: str = ""
    optional: bool = False
    plain: float = math.nan
    within: str = ""

    @property
    def timed(self) -> bool:
        """Whether it is of simulated time, which a run without time has not."""
        return self.field.startswith("host.") or self.field == "sim.simulated_ns"

    @property
    def interval(self) -> str:
        """The object of a sampled run's summary that has its interval, where there is one."""
        return f"sampled.{self.field.removeprefix('host.').replace('.lat_ns', '')}"

    @property
    def percentile(self) -> str:
        """The percentile that it is, such as "p99_9"; empty where it is none."""
        last = self.field.rpartition(".")[2]
        return last if last in samples.PERCENTILES else ""

    def common(self, values: Sequence[float]) -> float | None:
        """What text() takes as `largest` so that the values have one unit; None where the smallest
        would be nothing in that of the largest."""
        sizes = [abs(value) for value in values if math.isfinite(value) and value != 0]
        if not sizes:
            return 0.0
        _, length = self.unit(max(sizes))
        return max(sizes) if min(sizes) >= LEAST_IN_UNIT * length else None

    def text(self, value: float, largest: float | None = None) -> str:
        """The value with its unit, which is that of `largest` where given."""
        if not math.isfinite(value):
            return "–"
        size = abs(value) if largest is None else largest
        if self.kind == TIME:
            return time_text(value, time_unit(size))
        if self.kind == COUNT:
            return count_text(value)
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
        nothing, or is nothing."""
        if self.kind == SHARE:
            points = (value - first) * 100
            text = f"{points:+.2f} points"
            return "" if math.isnan(points) or text[1:] == "0.00 points" else text.replace("-", "−")
        text = change_text(first, value)
        return "" if text.startswith("±") else text

    def differs(self, first: float, value: float) -> bool:
        """By more than noise: what does not is neither better nor worse, and moves nothing."""
        return (noise.shares_differ if self.kind == SHARE else noise.differs)(first, value)

    def verdict(self, first: float, value: float, counts: Sequence[int] = ()) -> str:
        """ "better", "worse", or empty where there is no difference or no better. `counts` are the
        samples behind both: of too few a percentile is neither."""
        if self.better == NEITHER or not all(
            samples.enough(count, self.percentile) for count in counts
        ):
            return ""
        if not self.differs(first, value):
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
        "host.iops", "Requests per second", COUNT, MORE, "Throughput", "Requests per second (IOPS)"
    ),
    Metric("host.bandwidth_bps", "Bandwidth", RATE, MORE, "Throughput", "Bandwidth"),
    *_latencies("read"),
    *_latencies("write"),
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
    Metric(
        "ftl.waf",
        "Write amplification",
        RATIO,
        LESS,
        "Flash",
        "Write amplification (WAF)",
    ),
    Metric(
        "ftl.waf_pages",
        "Write amplification, pages",
        RATIO,
        LESS,
        "Flash",
        "… counted in pages",
        plain=1.0,
        within="ftl.waf",
    ),
    Metric(
        "ftl.gc_pages",
        "Pages copied",
        COUNT,
        LESS,
        "Flash",
        "Pages copied by collection",
        plain=0.0,
    ),
    Metric("ftl.gc_runs", "Blocks collected", COUNT, LESS, "Flash", "Blocks collected", plain=0.0),
    Metric("ftl.erases", "Erases", COUNT, LESS, "Flash", "Erases"),
    Metric(
        "ftl.execution_time_ns",
        "Execution time",
        TIME,
        LESS,
        "Flash",
        "Execution time of the flash array",
    ),
    Metric(
        "ftl.write_time_ns",
        "Time of page writes",
        TIME,
        LESS,
        "Flash",
        "… page writes",
        within="ftl.execution_time_ns",
    ),
    Metric(
        "ftl.gc_time_ns",
        "Time of collection",
        TIME,
        LESS,
        "Flash",
        "… collection",
        plain=0.0,
    ),
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
    Metric("sim.simulated_ns", "Simulated time", TIME, NEITHER, "Run", "Simulated time"),
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
