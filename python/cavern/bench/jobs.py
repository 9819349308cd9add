"""What the benches of the whole simulator play, and on what."""

from __future__ import annotations

import json
from pathlib import Path

from cavern.choices import choices
from cavern.simulator import ROOT

CONFIG = ROOT / "configs" / "bench-4k.toml"
JOBS: dict[str, dict[str, object]] = {
    "random-write": {"rw": "randwrite"},
    "mixed": {"rw": "randrw", "rwmixread": 70},
}
#: Of drives that are too small to be timed.
COUNTED: dict[str, dict[str, object]] = {
    "tlc": {"rw": "randrw", "rwmixread": 70, "bs": "16KiB", "size": "4GiB", "iodepth": 512},
}
WHAT = "requests of 4 KiB, depth 128, fresh 64 GiB drive, banked SDRAM"


def arbiters() -> tuple[str, ...]:
    """What can grant the bus; the first one is what the others are compared with."""
    return choices("channel.arbiter")


def play(name: str, requests: int, folder: Path) -> list[str]:
    """Writes one of the jobs into the folder; returns the arguments that play it."""
    job = {"bs": "4KiB", "size": "48GiB", "iodepth": 128}
    job |= {**JOBS, **COUNTED}[name] | {"number_ios": requests}
    path = folder / "workload.toml"
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in job.items()]
    path.write_text("[[job]]\n" + "".join(lines), encoding="utf-8")
    return ["--workload", str(path)]
