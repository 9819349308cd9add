"""`./cavern demo`: the conventional drive against CAVE on a real trace, on a full drive.

What CAVE gains stands beside its price. RTL arbiters run in lockstep with the model, and in one
more run of CAVE the decisions of compiled firmware with those of the core.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from cavern.plots.files import make_directory
from cavern.simulator import ROOT, Run, simulate
from cavern.verdicts.warnings import told_once

TRACE = ROOT / "traces" / "oltp-mysql-1h.csv.xz"
#: By the name of the run: the configuration, and what differs from it.
DRIVES: dict[str, tuple[str, dict[str, object]]] = {
    "conventional": ("conventional", {}),
    "cave": ("cave", {}),
    "cave-firmware": ("cave", {"cpu.model": "iss", "cpu.decides": "lockstep"}),
}
# An eighth of the paper's drive: full, and collecting from the first write of the trace on.
FULL: dict[str, object] = {
    "nand.blocks_per_plane": 1024,
    "precondition.fill": 1.0,
    "precondition.overwrite": 0.1,
    "workload.out_of_range": "wrap",
}
TIMED: dict[str, object] = {**FULL, "channel.arbiter": "lockstep"}
# Execution time needs no simulated time: the same drives when they are worn in, in a second.
WORN: dict[str, object] = {**FULL, "precondition.overwrite": 1.0, "fidelity": "untimed"}
# A part of the busiest second of the trace, for the Gantt picture.
WINDOW = ("1507.2s", "1507.3s")

#: In the box of the terminal and on the page.
NOTES = (
    "The trace comes from a larger disk: addresses beyond this drive wrap.",
    "Execution time is the paper's measure: batches of victims one after the other, dies in "
    "parallel within one. Latencies are simulated: batches overlap, and a write that finds the "
    "buffer full waits for a whole batch, which is why CAVE's writes take longer on average.",
    "How much CAVE gains depends on the state of the drive: a tenth of the pages was "
    "overwritten at random before the trace, or every page once (worn in).",
    "The first mismatch of arbiters or decisions would have ended its run with status 1.",
)

Summary = dict[str, Any]
Result = TypeVar("Result")


def play(name: str, out: Path, settings: dict[str, object], *files: str) -> Run:
    config, overrides = DRIVES[name]
    out.mkdir(parents=True, exist_ok=True)
    return simulate(
        ROOT / "configs" / f"{config}.toml",
        out,
        overrides={**settings, **overrides},
        arguments=["--trace", os.path.relpath(TRACE), *files],
    )


def timed(name: str, out: Path) -> Run:
    return play(
        name,
        out,
        TIMED,
        "--requests",
        str(out / "requests.csv"),
        "--timeline",
        str(out / "timeline.json"),
        "--timeline-from",
        WINDOW[0],
        "--timeline-to",
        WINDOW[1],
    )


class Comparison:
    """Three columns of figures, and how the second differs from the first."""

    def __init__(self, title: str, names: list[str]) -> None:
        self.table = Table(title=title, title_justify="left", box=box.SIMPLE, title_style="bold")
        first, second, third = names
        for column in ("", first, second, "change", third):
            self.table.add_column(column, justify="right" if column else "left", no_wrap=True)

    def section(self, title: str) -> None:
        if self.table.row_count:
            self.table.add_section()
        self.table.add_row(f"[bold]{title}[/bold]")

    def row(self, label: str, values: list[float], show: Callable[[float], str]) -> None:
        change = f"{100 * (values[1] / values[0] - 1):+.0f} %"
        texts = [show(value) for value in values] + ["-"] * (3 - len(values))
        self.table.add_row(f"  {label}", *texts[:2], change, texts[2])

    def counted(self, label: str, values: list[int | None]) -> None:
        texts = ["-" if value is None else f"{value:,}" for value in values]
        self.table.add_row(f"  {label}", *texts[:2], "", texts[2])


def seconds(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e9:.1f} s"


def milliseconds(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e6:.2f} ms"


def compare(runs: dict[str, Run], worn: list[Run]) -> Table:
    summaries = [run.summary for run in runs.values()]
    shown = Comparison(f"{TRACE.name} on 8 channels x 4 dies of 128 MiB, full", [*runs])

    def figures(pick: Callable[[Summary], float]) -> list[float]:
        return [pick(summary) for summary in summaries]

    shown.section("The gain")
    shown.row("execution time", figures(lambda s: s["ftl"]["execution_time_ns"]), seconds)
    shown.row(
        "the same, drive worn in", [r.summary["ftl"]["execution_time_ns"] for r in worn], seconds
    )
    shown.row("write amplification", figures(lambda s: s["ftl"]["waf"]), "{:.2f}".format)
    shown.row("blocks erased", figures(lambda s: s["ftl"]["erases"]), "{:,.0f}".format)
    shown.section("Its price: latency")
    for op, key in (
        ("write", "mean"),
        ("write", "p50"),
        ("write", "p99"),
        ("write", "p99_9"),
        ("read", "mean"),
        ("read", "p99"),
    ):
        values = [summary["host"][op]["lat_ns"][key] for summary in summaries]
        shown.row(f"{op} {key.replace('_', '.')}", values, milliseconds)
    shown.section("In lockstep")
    for label, field in (
        ("grants of RTL and model compared", "compared"),
        ("mismatches", "mismatches"),
    ):
        shown.counted(label, [sum(c["lockstep"][field] for c in s["channels"]) for s in summaries])
    cpus = [summary.get("cpu") for summary in summaries]
    for label, key in (
        ("decisions of firmware and core compared", "decisions_compared"),
        ("flash operations in them", "operations_compared"),
    ):
        shown.counted(label, [cpu and cpu[key] for cpu in cpus])
    each = [cpu and round(cpu["instructions"] / cpu["requests"]) for cpu in cpus]
    shown.counted("instructions per request", each)
    return shown.table


def box_of(runs: dict[str, Run]) -> Panel:
    """One box about all runs: what they warn of, and what the demo itself does."""
    texts = told_once([(name, run.summary["run"]["warnings"]) for name, run in runs.items()])
    lines = Table.grid(padding=(0, 1))
    for text in [*texts, *NOTES]:
        lines.add_row("-", text)
    return Panel(lines, title="Before you rely on this", title_align="left", border_style="yellow")


def cavern(*arguments: str) -> None:
    """Another command of this package, which says itself what is wrong."""
    command = [sys.executable, "-m", "cavern", *arguments]
    if status := subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode:
        sys.exit(status)


def at_once(what: str, jobs: Mapping[str, Callable[[], Result]]) -> dict[str, Result]:
    """Does all of them, as many at a time as there are processors, and says how long it took."""
    begun = time.monotonic()
    print(f"{what} ...", end="", flush=True)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        futures = {name: threads.submit(job) for name, job in jobs.items()}
        try:
            done = {name: future.result() for name, future in futures.items()}
        except BaseException:  # Ctrl-C too
            threads.shutdown(cancel_futures=True)
            raise
    print(f" {time.monotonic() - begun:.1f} s", flush=True)
    return done


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("out/demo"),
    show_default=True,
    help="folder for summaries, figures and report.html",
)
def demo(out: Path) -> None:
    """Compares a conventional drive with CAVE, both full; writes figures and report.html."""
    make_directory(out)
    console = Console(width=None if sys.stdout.isatty() else 100, highlight=False)
    # The longest first.
    jobs = {name: partial(timed, name, out / name) for name in reversed(DRIVES)}
    for name in ("conventional", "cave"):
        jobs[f"{name}-worn-in"] = partial(play, name, out / f"{name}-worn-in", WORN)
    played = at_once("simulating five drives", jobs)
    runs = {name: played[name] for name in DRIVES}
    worn = [run for name, run in played.items() if name not in DRIVES]
    with console.capture() as shown:
        console.print()
        console.print(compare(runs, worn))
        console.print(box_of(runs))
    print("\n".join(line.rstrip() for line in shown.get().splitlines()))
    folders = [str(out / name) for name in DRIVES]
    notes = [word for note in NOTES for word in ("--note", note)]
    page = ("report", *folders, "--out", str(out / "report.html"), *notes)
    at_once(
        "drawing",
        {"figures": partial(cavern, "plot", *folders), "page": partial(cavern, *page)},
    )
    print(f"figures in {out}/*/figures and {out}/figures; open {out}/report.html")
