"""The columns of requests.csv, and what their fields are."""

from __future__ import annotations

COLUMNS = (
    "id op offset size arrival_ns start_ns complete_ns latency_ns queue_ns frame_wait_ns "
    "flash_ns transfer_ns pages hits cpu_ns"
).split()
#: They add up to latency_ns.
PARTS = ("queue_ns", "cpu_ns", "frame_wait_ns", "flash_ns", "transfer_ns")

MAX_DIGITS = 18


def whole(text: str) -> int | None:
    """The number of a field; None where it is none, or too large for what is calculated of it."""
    fits = text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
    return int(text) if fits else None
