"""Published models: write amplification in the steady state."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from cavern.validate import amplification
from cavern.validate.bench import Bench
from cavern.validate.row import Row

# One plane of many blocks: the models know neither the blocks kept free nor chance.
BLOCKS, PAGES = 4096, 64


def amplification_rows(bench: Bench) -> Iterator[Row]:
    """Write amplification under uniform random writes on a full drive, in the steady state."""
    models: list[tuple[str, dict[str, object], Callable[[float], float], str]] = [
        (
            "greedy",
            {},
            lambda share: amplification.greedy(share, PAGES),
            "Desnoyers 2014; Bux & Iliadis 2010",
        ),
        ("fifo", {}, amplification.fifo, "Desnoyers 2014"),
        (
            "d-choices of 2",
            {"ftl.d-choices.d": 2},
            lambda share: amplification.d_choices(share, PAGES, 2),
            "Van Houdt 2013",
        ),
        (
            "d-choices of 10",
            {"ftl.d-choices.d": 10},
            lambda share: amplification.d_choices(share, PAGES, 10),
            "Van Houdt 2013",
        ),
        (
            "random",
            {},
            lambda share: amplification.d_choices(share, PAGES, 1),
            "Van Houdt 2013: d = 1",
        ),
    ]
    for spare in (0.07, 0.15, 0.28):
        logical = math.floor(BLOCKS * PAGES * (1 - spare) + 1e-5)
        for name, overrides, model, source in models:
            run = bench.run(
                "cave-base.toml",
                {
                    "fidelity": "untimed",
                    "buffer.policy": "none",
                    "alloc.scheme": "stripe-page",
                    "nand.channels": 1,
                    "nand.ways": 1,
                    "nand.blocks_per_plane": BLOCKS,
                    "nand.pages_per_block": PAGES,
                    "ftl.overprovision": spare,
                    "ftl.gc_policy": name.split()[0],
                    "precondition.fill": 1.0,
                    "precondition.overwrite": 4.0,
                    **overrides,
                },
                job={
                    "rw": "randwrite",
                    "bs": "2KiB",
                    "size": f"{logical * 2}KiB",
                    "number_ios": 2 * logical,
                    "seed": 3,
                },
            )
            yield Row(
                f"{name}, {100 * spare:g} % spare",
                "programs/page",
                run.summary["ftl"]["waf_pages"],
                model(1 - spare),
                0.02,
                source,
            )
