"""Small drives of every layer whose power is cut, and what their recovery says."""

from __future__ import annotations

import json

import pytest

from tests.cli.programs import CONFIGS, ROOT, Json, Program, sets

LAYERS = (
    "page",
    "dftl",
    "bast",
    "fast",
    "last",
    "mcsplit",
    "superblock",
    "subgroup",
    "slc-cache",
)
#: 2 x 2 dies of 16 blocks of 64 pages of 2 KiB: small enough to collect all the time.
DRIVE: dict[str, object] = {
    "nand__channels": 2,
    "nand__ways": 2,
    "nand__blocks_per_plane": 16,
    "ftl__overprovision": 0.6,
    "ftl__log_blocks": 8,
    "ftl__map_cache": "1KiB",
    "ftl__unit": "2KiB",
    "buffer__policy": "lru-page",
    "buffer__size": "64KiB",
    "workload__out_of_range": "wrap",
    "precondition__fill": 0.9,
    "precondition__overwrite": 1.0,
}
#: Milliseconds in which a drive is at work on 4,000 requests.
BUSY = {
    "page": 200,
    "dftl": 300,
    "bast": 2500,
    "fast": 240,
    "last": 240,
    "mcsplit": 2200,
    "superblock": 1400,
    "subgroup": 5000,
    "slc-cache": 200,
}
ALLOCATORS = {
    "page": "cwdp",
    "dftl": "stripe-page",
    "bast": "block-round-robin",
    "mcsplit": "stripe-page",
    "subgroup": "stripe-page",
    "slc-cache": "cwdp",
}
#: Two bits in a cell, which are programmed alike.
SLC: dict[str, object] = {
    "nand__blocks_per_plane": 20,
    "nand__slc_blocks": 4,
    "nand__t_read": '["25us","35us"]',
    "nand__slc_t_read": "20us",
    "nand__slc_t_program": "90us",
}
#: What dies can do, and how commands reach them.
WAYS: dict[str, dict[str, object]] = {
    "suspended": {
        "nand__program_suspend": "true",
        "nand__erase_suspend": "true",
        "nand__t_suspend": "10us",
        "nand__t_resume": "10us",
    },
    "multi-plane": {
        "nand__planes": 2,
        "nand__blocks_per_plane": 12,
        "nand__multi_plane_read": "true",
        "nand__multi_plane_erase": "true",
    },
    "cache": {"nand__cache_read": "true", "nand__cache_program": "true"},
    "copy-back": {"nand__copy_back": "true"},
    "units": {"nand__page_size": "8KiB", "nand__pages_per_block": 32},
    "nvme": {"host__interface": "nvme", "host__queues": 4},
    "no buffer": {"buffer__policy": "none"},
    "kept": {"buffer__flush_keep": "true", "buffer__cache_reads": "true"},
    "paced": {"ftl__gc_pace": "paced"},
    "bad blocks": {"nand__bad_blocks": 0.06},
    "planes in step": {
        "ftl__gc_placement": "die",
        "nand__planes": 2,
        "nand__blocks_per_plane": 16,
        "nand__pages_per_block": 32,
    },
    "dies in step": {"ftl__gc_placement": "drive", "nand__blocks_per_plane": 32},
}
#: In how many runs with time the power is cut: by day and at night.
CUTS = [20, pytest.param(50, marks=pytest.mark.nightly)]
LOAD = ["--workload", ROOT / "traces" / "workloads" / "durable.toml"]


def drive(layer: str, **more: object) -> list[str]:
    settings = DRIVE | {
        "ftl__scheme": layer,
        "alloc__scheme": ALLOCATORS.get(layer, "stripe-block"),
    }
    if layer == "bast":
        settings["alloc__block-round-robin__mode"] = "move"
    if layer == "slc-cache":
        settings |= SLC
    return sets(**(settings | more))


def loses(simulator: Program, *arguments: object) -> tuple[int, Json]:
    """Exit status, and what the summary says of the recovery."""
    finished = simulator(
        "run", CONFIGS / "conventional.toml", "--out", "cut", "--quiet", *LOAD, *arguments
    )
    assert finished.returncode in (0, 1), finished.stderr
    summary = json.loads((simulator.folder / "cut" / "summary.json").read_text())
    recovery: Json = summary["recovery"]
    faults = recovery["lost_flushed"] + recovery["corrupt"] + recovery["wrong_data"]
    assert (finished.returncode == 1) == (faults != 0), finished.stderr
    assert finished.stderr.startswith("error: power loss: ") == (faults != 0)
    assert finished.stderr.count("\n") == (1 if faults else 0)
    return finished.returncode, recovery


def loses_again_and_again(simulator: Program, layer: str, **settings: object) -> Json:
    """What the summary says of the recovery of a drive without time after a hundred cuts."""
    often = {"fidelity": "untimed", "power_loss__cuts": 100, "power_loss__gap": 100}
    status, found = loses(simulator, "--limit", 20000, *drive(layer, **often, **settings))
    assert status == 0
    assert found["cuts"] == 100
    return found
