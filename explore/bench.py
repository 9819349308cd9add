"""`./cavern bench`: speed and memory of the simulator itself, as ratios and absolute figures."""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from explore.cost import cost_bench
from explore.instructions import MISSING, available, instructions_bench
from explore.memory import memory_bench
from explore.simulator import BUILD, simulate
from explore.traces import traces_bench
from explore.workloads import ARBITERS, CONFIG, JOBS, WHAT, play

REQUESTS = 1_000_000
RUNS = 5


def machine() -> str:
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} processors, {platform.system()}, load {load:.1f}"


def workload_bench(name: str, console: Console) -> dict[str, dict[str, float]]:
    """Runs one workload with each arbiter in turn, several times, so that a drift of the machine's
    speed hits all alike."""
    figures: dict[str, list[dict[str, float]]] = {arbiter: [] for arbiter in ARBITERS}
    with tempfile.TemporaryDirectory() as scratch:
        arguments = play(name, REQUESTS, Path(scratch))
        for _ in range(RUNS):
            for arbiter in ARBITERS:
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
    for key in medians["tlm"]:
        table.add_column(key, justify="right")
    table.add_column("run time / tlm", justify="right")
    for arbiter, row in medians.items():
        ratio = statistics.median(
            run["run time, s"] / base["run time, s"]
            for run, base in zip(figures[arbiter], figures["tlm"], strict=True)
        )
        row["run time / tlm"] = ratio
        cells = [f"{value:,.0f}" if value >= 1000 else f"{value:.2f}" for value in row.values()]
        table.add_row(arbiter, *cells)
    console.print(table)
    return medians


def arbiter_bench(console: Console) -> dict[str, dict[str, float]]:
    """The arbiter forms alone on a busy bus of eight dies."""
    table = Table(title="arbiter alone: 8 slots, busy bus, CPU time", title_justify="left")
    for heading in ("form", "policy", "ns/grant", "ns/clock edge", "ms/1 M cycles"):
        table.add_column(heading, justify="left" if heading in ("form", "policy") else "right")
    results: dict[str, dict[str, float]] = {}
    for policy in ("round-robin", "priority-age", "weighted-round-robin"):
        for form, grants in (
            ("tlm", 300_000),
            ("twin-gated", 300_000),
            ("rtl-gated", 300_000),
            ("lockstep-gated", 300_000),
            ("rtl-ungated", 3_000),
        ):
            runs = []
            edges = cycles = 0
            for _ in range(RUNS):
                text = subprocess.run(
                    [str(BUILD / "bin" / "cavern-arbiter-bench"), form, policy, str(grants)],
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
                match = re.search(r"([\d.]+) ns/grant\s+(\d+) edges\s+(\d+) cycles", text)
                assert match is not None, text
                runs.append(float(match[1]))
                edges, cycles = int(match[2]), int(match[3])
            ns = statistics.median(runs)
            per_edge = ns * grants / edges if edges else 0.0
            million = ns * grants / cycles  # ns a cycle are ms a million
            results[f"{form} {policy}"] = {
                "ns/grant": ns,
                "ns/edge": per_edge,
                "ms/1 M cycles": million,
            }
            table.add_row(
                form, policy, f"{ns:,.1f}", f"{per_edge:,.1f}" if edges else "-", f"{million:,.2f}"
            )
    console.print(table)
    return results


POLICIES = (
    "lru-page",
    "lru-block",
    "fab",
    "bplru",
    "clc",
    "ref",
    "cflru",
    "ccf-lru",
    "arc",
    "multichip",
    "fifo",
)
BUFFERS = {
    "128 KiB": 64,
    "2 MiB": 1 << 10,
    "16 MiB": 1 << 13,
    "128 MiB": 1 << 16,
    "1 GiB": 1 << 19,
    "4 GiB": 1 << 21,
}
STREAMS = {
    "hits": "hits: the same 512 pages or fewer again and again, each in a block of its own",
    "misses": "misses: new pages in ascending order, each of which makes others leave",
    "mixed": "mixed: runs of four pages anywhere in twice the buffer",
}
POLICY_ACCESSES = 300_000


def policy_run(policy: str) -> dict[str, dict[str, float]]:
    """ns per access: stream -> buffer size -> figure. `map` is the residency map alone."""
    output = subprocess.run(
        [
            str(BUILD / "bin" / "cavern-policy-bench"),
            policy,
            str(POLICY_ACCESSES),
            *map(str, BUFFERS.values()),
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = [[float(word) for word in line.split()[1:]] for line in output.splitlines()]
    return {
        stream: {size: row[i] for size, row in zip(BUFFERS, rows, strict=True)}
        for i, stream in enumerate(STREAMS)
    }


def policy_bench(console: Console) -> dict[str, dict[str, float]]:
    """What an access costs under each order policy, as the buffer grows."""
    figures = {policy: policy_run(policy) for policy in ("map", *POLICIES)}
    for stream, what in STREAMS.items():
        table = Table(
            title=f"{what}; ns of CPU time per access by buffer (pages of 2 KiB)",
            title_justify="left",
        )
        table.add_column("policy")
        for size in BUFFERS:
            table.add_column(size, justify="right")
        table.add_column("largest / smallest", justify="right")
        table.add_column("4 GiB, / lru-page", justify="right")
        for policy, streams in figures.items():
            row = list(streams[stream].values())
            cells = [f"{ns:,.1f}" for ns in row]
            against = row[-1] / figures["lru-page"][stream]["4 GiB"]
            table.add_row(policy, *cells, f"{max(row) / min(row):.2f}", f"{against:.2f}")
        console.print(table)
    console.print(
        "map: the residency map alone, first in, first out. Beyond the processor's caches (some\n"
        "128 MiB of buffer) misses and mixed wait for memory: a few cache lines for each list,\n"
        "map and frame. Hits, whose pages stay in the caches, show what the policies do."
    )
    return {
        f"{stream} {policy}": sizes
        for policy, streams in figures.items()
        for stream, sizes in streams.items()
    }


BENCHES: dict[str, Callable[[Console], dict[str, dict[str, float]]]] = {
    **{name: (lambda console, name=name: workload_bench(name, console)) for name in JOBS},
    "arbiter": arbiter_bench,
    "instructions": instructions_bench,
    "memory": memory_bench,
    "policies": policy_bench,
    "rtl-cost": cost_bench,
    "traces": traces_bench,
}


@click.command()
@click.argument("name", required=False, type=click.Choice(sorted(BENCHES)))
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="also write them here")
def bench(name: str | None, json_file: Path | None) -> None:
    """Measures speed and memory; NAME chooses one of the benches.

    random-write, mixed: requests a second of the whole simulator. instructions: what a request of
    these costs, counted by valgrind (apt-get install valgrind), which other load does not change.
    arbiter, policies, traces: these parts alone. memory: bytes a page. rtl-cost: gates."""
    console = Console(width=None if sys.stdout.isatty() else 150)
    print(machine())
    chosen = [key for key in BENCHES if name in (None, key)]
    if name is None and not available():
        chosen.remove("instructions")
        print(f"without instructions: {MISSING}")
    results = {key: BENCHES[key](console) for key in chosen}
    if json_file:
        text = json.dumps({"machine": machine(), "results": results}, indent=2)
        json_file.write_text(text + "\n", encoding="utf-8")
