"""`./cavern bench`: speed and memory of the simulator itself, as ratios and absolute figures."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
from rich.console import Console

from cavern.bench.arbiter import arbiter_bench
from cavern.bench.beside import beside
from cavern.bench.firmware import firmware_bench
from cavern.bench.instructions import MISSING, available, instructions_bench
from cavern.bench.jobs import JOBS
from cavern.bench.memory import memory_bench
from cavern.bench.policies import policy_bench
from cavern.bench.requests import workload_bench
from cavern.bench.rtl_cost import cost_bench
from cavern.bench.same import same
from cavern.bench.setup import setup
from cavern.bench.traces import traces_bench


def machine() -> str:
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} processors, {platform.system()}, load {load:.1f}"


BENCHES: dict[str, Callable[[Console], dict[str, dict[str, float]]]] = {
    **{name: partial(workload_bench, name) for name in JOBS},
    "arbiter": arbiter_bench,
    "firmware": firmware_bench,
    "instructions": instructions_bench,
    "memory": memory_bench,
    "policies": policy_bench,
    "rtl-cost": cost_bench,
    "traces": traces_bench,
}


JSON = click.option(
    "--json", "json_file", type=click.Path(path_type=Path), help="also write them here"
)


def measure(names: list[str], json_file: Path | None) -> None:
    console = Console(width=None if sys.stdout.isatty() else 150)
    print(machine())
    results = {key: BENCHES[key](console) for key in names}
    if json_file:
        text = json.dumps({"machine": machine(), "results": results}, indent=2)
        json_file.write_text(text + "\n", encoding="utf-8")


@click.group(invoke_without_command=True)
@JSON
@click.pass_context
def bench(context: click.Context, json_file: Path | None) -> None:
    """Measures speed and memory; NAME chooses one of the benches.

    random-write and mixed measure requests per second of the whole simulator. instructions counts
    what a request of these costs (needs valgrind), which other load does not change. arbiter,
    firmware, policies and traces measure these parts alone, memory the bytes per page,
    rtl-cost the gates. same compares the answers of two builds, beside their speed, or that of
    MQSim; setup measures builds and tests. Without a NAME, all but these three."""
    if context.invoked_subcommand:
        return
    names = list(BENCHES)
    if not available():
        names.remove("instructions")
        print(f"without instructions: {MISSING}")
    measure(names, json_file)


for name in BENCHES:
    one = click.Command(name, callback=partial(measure, [name]), help=f"Measures {name} alone.")
    bench.add_command(JSON(one))
bench.add_command(beside)
bench.add_command(same)
bench.add_command(setup)
