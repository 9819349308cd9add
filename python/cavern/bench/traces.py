"""Reading traces: what a request costs in each format, and that memory does not grow with them."""

from __future__ import annotations

import gzip
import lzma
import re
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cavern.choices import rows
from cavern.simulator import BUILD, SIMULATOR

#: Time per request of an uncompressed csv trace, and the largest difference of the two lengths.
MOST_NS = 150.0
MOST_GROWTH_MIB = 1.0
SHORT, LONG = 100_000, 10_000_000
FORMAT_REQUESTS = 1_000_000
RUNS = 5

_LINE = re.compile(r"(\d+) requests (\d+) bytes ([\d.]+) ns (\d+) resident")
_JOB = """\
[[job]]
rw = "randrw"
rwmixread = 70
bs = "4KiB"
size = "64GiB"
number_ios = {requests}
rate_iops = 20000
arrival = "poisson"
"""


def formats() -> tuple[str, ...]:
    """What traces can be written in; the first is the project's own."""
    return rows("trace_output_formats")


def generate(folder: Path, requests: int) -> Path:
    """A csv trace of `requests` requests at random times and places."""
    workload, trace = folder / "workload.toml", folder / f"{requests}.csv"
    workload.write_text(_JOB.format(requests=requests), encoding="utf-8")
    command = [str(SIMULATOR), "trace", "generate", str(workload), str(trace)]
    subprocess.run(command, check=True)
    return trace


def convert(trace: Path, form: str) -> Path:
    out = trace.with_suffix(f".{form}")
    command = [str(SIMULATOR), "trace", "convert", str(trace), str(out), "--to", form]
    subprocess.run(command, check=True)
    return out


def packed(trace: Path, suffix: str, pack: Callable[[bytes], bytes]) -> Path:
    out = trace.with_name(trace.name + suffix)
    out.write_bytes(pack(trace.read_bytes()))
    return out


def read(trace: Path, runs: int = RUNS) -> dict[str, float]:
    """Reads a trace several times, each in a process of its own. The least time counts: whatever
    else runs on the machine can only add to it."""
    figures: dict[str, list[float]] = {"requests": [], "ns/request": [], "peak RSS, MiB": []}
    for _ in range(runs):
        command = [str(BUILD / "bin" / "cavern-trace-bench"), str(trace)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        match = _LINE.match(text)
        assert match is not None, text
        figures["requests"].append(int(match[1]))
        figures["ns/request"].append(float(match[3]))
        figures["peak RSS, MiB"].append(int(match[4]) / 2**20)
    return {
        name: min(values) if name == "ns/request" else statistics.median(values)
        for name, values in figures.items()
    }


def traces_bench(console: Console) -> dict[str, dict[str, float]]:
    """Figures with their limits; the test of this bench compares them."""
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for requests in (SHORT, LONG):
            trace = generate(folder, requests)
            figures[f"csv, {requests:,} requests"] = read(trace)
            trace.unlink()
        trace = generate(folder, FORMAT_REQUESTS)
        for form in formats()[1:]:
            figures[form] = read(convert(trace, form))
        figures["csv, gzip"] = read(packed(trace, ".gz", lambda text: gzip.compress(text, 6)))
        figures["csv, xz"] = read(packed(trace, ".xz", lambda text: lzma.compress(text, preset=1)))
    table = Table(
        title=f"reading a trace: random 4 KiB requests; least time of {RUNS}; {FORMAT_REQUESTS:,} "
        f"requests where not said otherwise",
        title_justify="left",
    )
    table.add_column("trace")
    for heading in ("ns/request, CPU", "limit", "peak RSS, MiB"):
        table.add_column(heading, justify="right")
    for name, row in figures.items():
        limit = f"{MOST_NS:g}" if name.endswith("requests") else "-"
        table.add_row(name, f"{row['ns/request']:.1f}", limit, f"{row['peak RSS, MiB']:.2f}")
    console.print(table)
    short, long = (figures[f"csv, {n:,} requests"]["peak RSS, MiB"] for n in (SHORT, LONG))
    console.print(
        f"a hundred times the requests take {long - short:+.2f} MiB of memory "
        f"(limit {MOST_GROWTH_MIB:g} MiB)"
    )
    return figures
