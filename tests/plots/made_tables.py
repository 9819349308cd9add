"""Tables of sweeps made by the tests themselves: what would say something that is not so on a page
without the rule."""

from __future__ import annotations

import itertools
import random
from typing import Any

from cavern.plots.metrics import metric
from cavern.plots.sweep.table import Axis

TIME, ERASES = metric("ftl.execution_time_ns"), metric("ftl.erases")
TAIL, IOPS, SDRAM = (metric(n) for n in ("host.write.lat_ns.p99_9", "host.iops", "dram.bytes"))
SIZES, WAYS, POLICIES = ("1MiB", "4MiB", "16MiB"), (1, 2, 4), ("lru-page", "fifo", "fab")

Row = dict[str, Any]


def row(number: int, **values: Any) -> Row:
    """A good run; "__" in names stands for a dot."""
    named = {name.replace("__", "."): value for name, value in values.items()}
    return {
        "run": f"{number:020x}",
        "trace": "oltp",
        "status": 0,
        "error": "",
        "complete": True,
        "host.read.count": 100_000,
        "host.write.count": 100_000,
        **named,
    }


def grid(**values: Any) -> list[Row]:
    """27 runs of size, ways and policy; `values` are functions of the places of these."""
    rows: list[Row] = []
    for place in itertools.product(range(3), repeat=3):
        told = {name: value(*place) if callable(value) else value for name, value in values.items()}
        labels = {
            "vary.buffer.size": SIZES[place[0]],
            "vary.nand.ways": WAYS[place[1]],
            "vary.buffer.policy": POLICIES[place[2]],
        }
        rows.append({**row(len(rows), **told), **labels})
    return rows


def time(size: int, ways: int, policy: int) -> int:
    return (30 - 4 * size - 7 * ways + policy) * 10**7


def shuffled(rows: list[Row], count: int) -> list[Row]:
    return random.Random(5).sample(rows, count)


TOLD = [
    Axis(("vary.buffer.size",), tuple((one,) for one in SIZES)),
    Axis(("vary.buffer.policy",), tuple((one,) for one in POLICIES)),
    Axis(("vary.nand.ways",), tuple((one,) for one in WAYS)),
]


def uneven() -> list[Row]:
    """A search that ran few ways with large buffers, many with small ones: by their means, more
    ways look slower."""
    kept = {(2, 0), (2, 1), (1, 1), (1, 2), (0, 2)}
    rows = grid(ftl__execution_time_ns=lambda s, w, p: int(1e10 * 0.4**s * 0.9**w * 1.02**p))
    return [
        one
        for one, (s, w, _) in zip(rows, itertools.product(range(3), repeat=3), strict=True)
        if (s, w) in kept
    ]
