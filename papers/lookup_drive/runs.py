"""The runs: the paper's workload on one drive, for each look-up, number of processors and clock."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from cavern import Case

from papers.experiment import Input, case

NAME = "lookup-drive"
PAPER = "FTL cache look-up (Lee & Chung 2020)"

HERE = Path(__file__).parent
CONFIG = HERE / "drive.toml"
#: `cavern-lookup trace` makes it of the workload of `reproduce lookup`: 1,000 records of a thread.
TRACE = Input(HERE / "workloads" / "twenty-threads.csv.xz", name="twenty-threads")

#: Without groups and, where it has any, with as many as a map word or the paper's table names.
LOOK_UPS = (
    ("LM", 1),
    ("LM", 128),
    ("ML", 1),
    ("ML", 128),
    ("SQ", 1),
    ("SQ", 128),
    ("SG", 1),
    ("SG", 127),
    ("BT", 1),
    ("DX", 1),
)
QUICK_LOOK_UPS = (("LM", 1), ("ML", 1), ("SQ", 1), ("SG", 1), ("SG", 127), ("BT", 1), ("DX", 1))
#: Number of processors, and their clock in MHz.
SHAPES = tuple(product((1, 2, 4), (100, 400, 1000)))
QUICK_SHAPES = ((1, 100), (4, 1000))
#: All of the trace. So many requests fill the frames, or nearly.
LIMIT, WARMUP = 24_000, 14_000
QUICK_LIMIT, QUICK_WARMUP = 17_000, 14_000
#: The drive whose decisions take no time.
FREE = "none"


def plan(quick: bool) -> list[Case]:
    return list(_cases(quick))


def _cases(quick: bool) -> Iterator[Case]:
    length = {
        "limit": QUICK_LIMIT if quick else LIMIT,
        "warmup": QUICK_WARMUP if quick else WARMUP,
    }
    labels = {"look_up": FREE, "groups": 1, "cores": 1, "mhz": 0}
    yield case(CONFIG, TRACE, {"cpu.model": "none"}, labels, **length)
    for look_up, groups in QUICK_LOOK_UPS if quick else LOOK_UPS:
        for cores, mhz in QUICK_SHAPES if quick else SHAPES:
            yield case(
                CONFIG,
                TRACE,
                {
                    "cpu.model": "cost",
                    "cpu.look_up": look_up.lower(),
                    "cpu.look_up_groups": groups,
                    "cpu.cores": cores,
                    "cpu.clock": f"{mhz}MHz",
                },
                {
                    "look_up": look_up,
                    "groups": groups,
                    "cores": cores,
                    "mhz": mhz,
                },
                **length,
            )
