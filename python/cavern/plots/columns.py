"""The columns of requests.csv."""

from __future__ import annotations

COLUMNS = (
    "id op offset size arrival_ns start_ns complete_ns latency_ns queue_ns frame_wait_ns "
    "flash_ns transfer_ns pages hits cpu_ns"
).split()
#: They add up to latency_ns.
PARTS = ("queue_ns", "cpu_ns", "frame_wait_ns", "flash_ns", "transfer_ns")
