"""How many samples stand behind a percentile."""

from __future__ import annotations

#: A percentile with fewer samples beyond it is shown with their number, and is neither better nor
#: worse.
ENOUGH = 10
#: The percentile of each field of a latency in summary.json, in thousandths of a per cent.
PERCENTILES = {
    "p50": 50_000,
    "p90": 90_000,
    "p95": 95_000,
    "p99": 99_000,
    "p99_9": 99_900,
    "p99_99": 99_990,
    "max": 100_000,
}


def beyond(count: int, field: str) -> int | None:
    """How many of `count` samples lie beyond the percentile of that field; None where the field is
    no percentile."""
    percentile = PERCENTILES.get(field)
    return None if percentile is None else count * (100_000 - percentile) // 100_000


def enough(count: int, field: str) -> bool:
    """Whether a figure of that field, from `count` samples, may be called better or worse."""
    samples = beyond(count, field)
    return samples is None or samples >= ENOUGH


def note(count: int, field: str) -> str:
    """What stands beside a percentile that too few samples lie beyond, such as "n=7"; empty where
    there are enough, and beside the greatest, which is one sample always."""
    return "" if field == "max" or enough(count, field) else f"n={beyond(count, field)}"
