"""`./cavern bench same`: whether another build of the program answers byte for byte as this one.

Every drive that comes with Cavern plays every trace and workload that does, under every arbiter and
without time; then the drives that `soak pair` draws play theirs. Compared are the exit status, the
message, and every byte of summary.json, of the decisions and of the rows of requests.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from cavern.choices import choices
from cavern.names import DRIVE, TRACE, WORKLOAD, shipped
from cavern.simulator import ENVIRONMENT, SIMULATOR
from cavern.soak import draw
from cavern.soak.command import seeds_of

#: What names the run and the machine; the rest is what it found.
OF_THE_RUN = (
    *(f"run.{name}" for name in ("id", "command", "version", "commit", "started", "files")),
    *(
        f"sim.{name}"
        for name in ("wall_s", "requests_per_wall_s", "flash_ops_per_wall_s", "peak_rss_bytes")
    ),
)
#: Of which a sampled run is made.
FIDELITIES = ("at", "untimed")
#: A run that takes longer hangs.
SECONDS = 600


@dataclass(frozen=True)
class Played:
    """A run, by the words behind `cavern run`. `rows`: its trace, if it brings one."""

    name: str
    words: tuple[str, ...]
    rows: tuple[str, ...] = ()


def shipped_runs(drives: tuple[str, ...], inputs: tuple[str, ...], limit: int) -> Iterator[Played]:
    """`drives`, `inputs`: names of some; empty: all."""
    all_inputs = [("--trace", name) for name in shipped(TRACE)]
    all_inputs += [("--workload", name) for name in shipped(WORKLOAD)]
    ways = [f"channel.arbiter={arbiter}" for arbiter in choices("channel.arbiter")]
    for drive in drives or shipped(DRIVE):
        for option, name in all_inputs:
            if inputs and name not in inputs:
                continue
            for way in (*ways, "fidelity=untimed"):
                words = (drive, option, name, "--limit", str(limit), "--set", way)
                wrapped = ("--set", "workload.out_of_range=wrap")
                yield Played(f"{drive}, {name}, {way}", words + wrapped)


def drawn_runs(seeds: range) -> Iterator[Played]:
    for seed in seeds:
        case = draw.pair(seed)
        for way in FIDELITIES:
            words = (*case.inputs(), *case.flags(), "--set", f"fidelity={way}")
            yield Played(f"pair {seed}, {way}", words, case.rows)


def answer(program: Path, run: Played, folder: Path, apart_from: tuple[str, ...]) -> dict[str, str]:
    """What the program says to a run: its parts, by what each is called."""
    folder.mkdir()
    if run.rows:
        (folder / "trace.csv").write_text("\n".join(["time_us,op,offset,size", *run.rows, ""]))
    logs = ["decisions"] if "fidelity=untimed" in run.words else ["decisions", "requests"]
    asked = [word for log in logs for word in (f"--{log}", log)]
    command = [str(program), "run", *run.words, "--out", "out", "--quiet", *asked]
    try:
        done = subprocess.run(
            command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return {"exit status": f"none after {SECONDS} s of {program}"}
    said = {"exit status": str(done.returncode), "message": done.stderr}
    for log in logs:
        file = folder / log
        said[log] = file.read_text(encoding="utf-8") if file.exists() else ""
    summary = folder / "out" / "summary.json"
    if summary.exists():
        fields = json.loads(summary.read_bytes())
        for name in (*OF_THE_RUN, *apart_from):
            _leave_out(fields, name.split("."))
        said["summary"] = json.dumps(fields, indent=0)
    return said


def _leave_out(part: Any, names: list[str]) -> None:
    for one in part if isinstance(part, list) else [part]:
        if isinstance(one, dict) and names[1:]:
            _leave_out(one.get(names[0]), names[1:])
        elif isinstance(one, dict):
            one.pop(names[0], None)


def difference(one: dict[str, str], other: dict[str, str]) -> str:
    """The first line in which two answers differ; empty: none."""
    for part in {**one, **other}:
        lines, others = (said.get(part, "").splitlines() for said in (one, other))
        for number, (line, its) in enumerate(zip(lines, others, strict=False), 1):
            if line != its:
                return f"{part}, line {number}: {line} | {its}"
        if len(lines) != len(others):
            return f"{part}: {len(lines)} | {len(others)} lines"
    return ""


@click.command()
@click.option(
    "--against",
    required=True,
    type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path),
    help="the other build of cavern-sim",
)
@click.option(
    "--drive",
    "drives",
    multiple=True,
    help="only this drive that comes with Cavern; may be given again",
)
@click.option("--input", "inputs", multiple=True, help="only this trace or workload; likewise")
@click.option("--limit", default=300, show_default=True, help="requests of each of their runs")
@click.option("--pairs", default="1-100", show_default=True, help="seeds of drives drawn; 0: none")
@click.option("--apart-from", multiple=True, help="a field of summary.json that may differ")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count(), help="runs at a time")
def same(
    against: Path,
    drives: tuple[str, ...],
    inputs: tuple[str, ...],
    limit: int,
    pairs: str,
    apart_from: tuple[str, ...],
    jobs: int,
) -> None:
    """Plays all that comes with Cavern, and drives drawn at random, on this build and on another.

    Any byte that differs in summary.json, decisions or requests is a difference; the exit status
    is 1 then."""
    runs = list(shipped_runs(drives, inputs, limit))
    if pairs != "0":
        runs += drawn_runs(seeds_of(pairs))

    def compared(run: Played) -> str:
        with tempfile.TemporaryDirectory(prefix="cavern-same-") as scratch:
            here = answer(SIMULATOR, run, Path(scratch) / "here", apart_from)
            there = answer(against, run, Path(scratch) / "there", apart_from)
        return difference(here, there)

    differ = 0
    with ThreadPoolExecutor(jobs) as pool:
        for run, found in zip(runs, pool.map(compared, runs), strict=True):
            if found:
                differ += 1
                print(f"{run.name}: {found}", flush=True)
    print(f"{len(runs)} runs, {differ} differ")
    raise SystemExit(1 if differ else 0)
