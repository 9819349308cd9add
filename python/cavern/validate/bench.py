"""What a section gets: runs of a base configuration and what is measured in them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from cavern.simulator import ROOT, Run, simulate

CONFIGS = ROOT / "configs"

# One page of SDRAM time is far below these figures; taking it out makes the formulas exact.
BASE: dict[str, object] = {
    "host.interface": "direct",
    "host.bandwidth": "4GB/s",
    "host.duplex": "full",
    "host.queue_depth": 1024,
    "dram.model": "ideal",
    "alloc.scheme": "stripe-page",
    "nand.blocks_per_plane": 64,
}


Job = dict[str, object]


def _workload(folder: Path, jobs: list[Job]) -> list[str]:
    """Writes a workload of these jobs and returns the arguments that play it."""
    path = folder / "workload.toml"
    texts = [
        "[[job]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in job.items())
        for job in jobs
    ]
    path.write_text("\n".join(texts), encoding="utf-8")
    return ["--workload", str(path)]


class Bench:
    """Runs variations of one base configuration in a scratch folder."""

    def __init__(self, scratch: Path, sabotage: dict[str, object]) -> None:
        self.scratch = scratch
        self.sabotage = sabotage
        self.runs = 0

    def run(
        self,
        config: str,
        overrides: dict[str, object],
        *,
        job: Job | list[Job] | None = None,
        arguments: list[str] | None = None,
    ) -> Run:
        self.runs += 1
        folder = self.scratch / f"run-{self.runs}"
        folder.mkdir()
        extra = list(arguments or [])
        if job:
            extra += _workload(folder, job if isinstance(job, list) else [job])
        return simulate(
            CONFIGS / config,
            folder / "out",
            overrides={**overrides, **self.sabotage},
            arguments=extra,
        )

    def steady_bandwidth(self, config: str, overrides: dict[str, object], job: Job) -> float:
        """Bytes a second between the completions at 30 % and 80 % of a run: neither the filling
        nor the draining of the queue counts."""
        log = self.scratch / "requests.csv"
        self.run(config, overrides, job=job, arguments=["--requests", str(log)])
        with open(log, encoding="utf-8") as file:
            rows = csv.DictReader(file)
            done = sorted((int(row["complete_ns"]), int(row["size"])) for row in rows)
        window = done[len(done) * 3 // 10 : len(done) * 8 // 10]
        return sum(size for _, size in window[1:]) / (window[-1][0] - window[0][0]) * 1e9
