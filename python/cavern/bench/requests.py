"""Requests a second of the whole simulator, with each arbiter."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cavern.bench.jobs import CONFIG, WHAT, arbiters, play
from cavern.simulator import simulate

REQUESTS = 1_000_000
RUNS = 5


def workload_bench(name: str, console: Console) -> dict[str, dict[str, float]]:
    """Runs one workload with each arbiter in turn, several times, so that a drift of the machine's
    speed hits all alike."""
    figures: dict[str, list[dict[str, float]]] = {arbiter: [] for arbiter in arbiters()}
    with tempfile.TemporaryDirectory() as scratch:
        arguments = play(name, REQUESTS, Path(scratch))
        for _ in range(RUNS):
            for arbiter in figures:
                sim = simulate(
                    CONFIG,
                    Path(scratch) / arbiter,
                    overrides={"channel.arbiter": arbiter},
                    arguments=arguments,
                ).summary["sim"]
                figures[arbiter].append(
                    {
                        "requests/s": sim["requests_per_wall_s"],
                        "flash ops/s": sim["flash_ops_per_wall_s"],
                        "kernel events/flash op": sim["kernel_events"] / sim["flash_ops"],
                        "peak RSS, MiB": sim["peak_rss_bytes"] / 2**20,
                        "run time, s": sim["wall_s"],
                    }
                )
    medians = {
        arbiter: {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        for arbiter, runs in figures.items()
    }
    table = Table(
        title=f"{name}: {REQUESTS:,} {WHAT}; median of {RUNS}",
        title_justify="left",
    )
    table.add_column("arbiter")
    base = arbiters()[0]
    for key in medians[base]:
        table.add_column(key, justify="right")
    against = f"run time / {base}"
    table.add_column(against, justify="right")
    for arbiter, row in medians.items():
        ratio = statistics.median(
            run["run time, s"] / other["run time, s"]
            for run, other in zip(figures[arbiter], figures[base], strict=True)
        )
        row[against] = ratio
        cells = [f"{value:,.0f}" if value >= 1000 else f"{value:.2f}" for value in row.values()]
        table.add_row(arbiter, *cells)
    console.print(table)
    return medians
