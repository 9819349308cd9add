"""What the RTL costs in gates: every shape of the arbiter through Yosys, into generic cells."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from cavern.simulator import ROOT

RTL = ROOT / "rtl"
WAYS = (1, 2, 4, 8, 16)
#: The design of each policy, and its parameters beside NumWays.
DESIGNS: dict[str, tuple[str, dict[str, int]]] = {
    "round-robin": ("channel_arbiter", {"Policy": 0}),
    "priority-age": ("channel_arbiter", {"Policy": 1}),
    "weighted-round-robin": ("weighted_arbiter", {}),
}
#: Channels and ways of the allocator; the first is CAVE's drive.
ALLOCATORS = ((8, 4), (16, 16))


@dataclass(frozen=True)
class Cost:
    """Generic two-input cells and multiplexers, flip-flops, and the gates on the longest path."""

    gates: int
    flip_flops: int
    depth: int


def synthesize(source: Path, top: str, parameters: dict[str, int]) -> Cost:
    """Raises ClickException without Yosys, or where it does not take the source."""
    sets = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    script = (
        f"read_verilog -sv {source.name}; chparam {sets} {top}; hierarchy -libdir . -top {top}; "
        f"synth -flatten -top {top}; " + "tee -o {0}/stat stat; tee -o {0}/path ltp -noff"
    )
    with tempfile.TemporaryDirectory() as scratch:
        command = ["yosys", "-q", "-p", script.format(scratch)]
        try:
            subprocess.run(command, cwd=source.parent, check=True, capture_output=True, text=True)
        except FileNotFoundError:
            raise click.ClickException("yosys is missing; apt-get install yosys") from None
        except subprocess.CalledProcessError as error:
            last = (error.stderr.strip() or error.stdout.strip()).splitlines()[-1:]
            raise click.ClickException(f"yosys does not take {source}: {' '.join(last)}") from None
        cells = {
            name: int(count)
            for name, count in re.findall(
                r"^\s+(\$\S+)\s+(\d+)$", Path(scratch, "stat").read_text("utf-8"), re.MULTILINE
            )
        }
        path = re.search(r"\(length=(\d+)\)", Path(scratch, "path").read_text("utf-8"))
    flip_flops = sum(count for name, count in cells.items() if "DFF" in name)
    return Cost(sum(cells.values()) - flip_flops, flip_flops, int(path[1]) if path else 0)


def arbiter_costs() -> dict[str, dict[int, Cost]]:
    """By policy, by ways."""
    with ThreadPoolExecutor(2) as pool:
        pending = {
            policy: {
                ways: pool.submit(
                    synthesize, RTL / f"{design}.sv", design, {"NumWays": ways, **parameters}
                )
                for ways in WAYS
            }
            for policy, (design, parameters) in DESIGNS.items()
        }
        return {
            policy: {ways: job.result() for ways, job in jobs.items()}
            for policy, jobs in pending.items()
        }


def cost_bench(console: Console, out: Path = ROOT / "out" / "bench") -> dict[str, dict[str, float]]:
    """Prints the table, and writes rtl-cost.json and the figure rtl-cost.{png,svg} into `out`."""
    from cavern.plots.figures.arbiter_cost import draw
    from cavern.plots.files import make_directory, write_file
    from cavern.plots.style import save, style

    costs = arbiter_costs()
    table = Table(title="RTL after yosys synth: generic cells, no library", title_justify="left")
    table.add_column("design")
    for heading in ("ways", "gates", "flip-flops", "depth, gates"):
        table.add_column(heading, justify="right")
    results: dict[str, dict[str, float]] = {}

    def add(name: str, shape: str, cost: Cost) -> None:
        table.add_row(name, shape, f"{cost.gates:,}", f"{cost.flip_flops:,}", str(cost.depth))
        results[f"{name} {shape}"] = {key: float(value) for key, value in asdict(cost).items()}

    for policy, by_ways in costs.items():
        for ways, cost in by_ways.items():
            add(policy, str(ways), cost)
    for channels, ways in ALLOCATORS:
        add(
            "channel allocator",
            f"{channels} x {ways}",
            synthesize(
                RTL / "channel_allocator.sv",
                "channel_allocator",
                {"NumChannels": channels, "NumWays": ways},
            ),
        )
    console.print(table)
    make_directory(out)
    write_file(out / "rtl-cost.json", (json.dumps(results, indent=2) + "\n").encode())
    with style():
        figure = draw(
            {
                policy: {ways: asdict(cost) for ways, cost in by_ways.items()}
                for policy, by_ways in costs.items()
            }
        )
        save(figure, out / "rtl-cost.svg", out / "rtl-cost.png")
    console.print(f"{out / 'rtl-cost'}.{{json,png,svg}}")
    return results
