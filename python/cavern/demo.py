"""`./cavern demo`: the conventional drive against CAVE on a real trace, RTL arbiters in the loop.

CAVE runs once more, decided by compiled firmware on the controller's processor.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from cavern.simulator import ROOT, Run, simulate

TRACE = ROOT / "traces" / "oltp-mysql-1h.csv.xz"
FIRMWARE = "cave-firmware"
#: By the name of the run: the configuration, and what differs from it.
DRIVES: dict[str, tuple[str, dict[str, object]]] = {
    "conventional": ("conventional", {}),
    "cave": ("cave", {}),
    FIRMWARE: ("cave", {"cpu.model": "iss"}),
}
# The trace comes from a slightly larger disk: addresses beyond ours wrap.
COMMON: dict[str, object] = {"workload.out_of_range": "wrap", "channel.arbiter": "lockstep"}
# The busiest tenth of a second of the trace, for the Gantt picture.
WINDOW = ("1507.2s", "1507.3s")


def latency(op: str, quantile: str, summary: dict[str, Any]) -> str:
    return f"{summary['host'][op]['lat_ns'][quantile] / 1e3:,.1f} us"


def decider(summary: dict[str, Any]) -> str:
    return "firmware" if summary["config"]["cpu"]["decides"] == "firmware" else "core"


def instructions(summary: dict[str, Any]) -> str:
    cpu = summary.get("cpu")
    return f"{cpu['instructions'] / cpu['requests']:,.0f}" if cpu else "-"


def compare(runs: dict[str, Run], console: Console) -> None:
    table = Table(title=f"{TRACE.name} on 8 channels x 4 ways", title_justify="left")
    table.add_column("")
    for name in runs:
        table.add_column(name, justify="right")

    def row(label: str, pick: Callable[[dict[str, Any]], str]) -> None:
        table.add_row(label, *(pick(run.summary) for run in runs.values()))

    row(
        "allocation, victims",
        lambda s: f"{s['config']['alloc']['scheme']}, {s['buffer']['eviction']}",
    )
    row("execution time (CAVE)", lambda s: f"{s['ftl']['execution_time_ns'] / 1e9:.2f} s")
    row("write hit ratio", lambda s: f"{100 * s['buffer']['write_hit_ratio']:.2f} %")
    for op in ("write", "read"):
        for key, label in (("mean", "mean"), ("p50", "p50"), ("p99", "p99"), ("p99_9", "p99.9")):
            row(
                f"{op} latency {label}",
                partial(latency, op, key),
            )
    row("decided by", decider)
    row("its instructions, each", instructions)
    row("evictions", lambda s: f"{s['buffer']['eviction_events']:,}")
    row("pages programmed", lambda s: f"{s['ftl']['host_pages'] + s['ftl']['gc_pages']:,}")
    row("grants compared", lambda s: f"{sum(c['lockstep']['compared'] for c in s['channels']):,}")
    row("mismatches", lambda s: f"{sum(c['lockstep']['mismatches'] for c in s['channels'])}")
    row("run time", lambda s: f"{s['sim']['wall_s']:.1f} s")
    console.print(table)


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("out/demo"),
    show_default=True,
    help="folder for summaries, figures and report.html",
)
def demo(out: Path) -> None:
    """Compares the conventional drive with CAVE; writes summaries, figures and report.html."""
    console = Console(width=None if sys.stdout.isatty() else 100)
    runs: dict[str, Run] = {}
    for name, (config, overrides) in DRIVES.items():
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        print(f"running {name} ...", flush=True)
        runs[name] = simulate(
            ROOT / "configs" / f"{config}.toml",
            folder,
            overrides={**COMMON, **overrides},
            arguments=[
                "--trace",
                os.path.relpath(TRACE),
                "--requests",
                str(folder / "requests.csv"),
                "--timeline",
                str(folder / "timeline.json"),
                "--timeline-from",
                WINDOW[0],
                "--timeline-to",
                WINDOW[1],
            ],
            show_progress=sys.stderr.isatty(),
        )
    compare(runs, console)
    print(
        "Execution time is the paper's measure: batches of victims one after the other, dies\n"
        "parallel within one. Latencies are simulated: batches overlap. Nothing is collected, for\n"
        "the drives start empty. README.md compares both orders of eviction. The firmware\n"
        "decides as the core does; its cycles at 400 MHz are part of each latency."
    )
    print("drawing ...", flush=True)
    folders = [str(out / name) for name in DRIVES]
    for arguments in (["plot", *folders], ["report", *folders, "--out", str(out / "report.html")]):
        subprocess.run(
            [sys.executable, "-m", "cavern", *arguments], check=True, stdout=subprocess.DEVNULL
        )
    print(f"figures in {out}/*/figures and {out}/figures; open {out}/report.html")
