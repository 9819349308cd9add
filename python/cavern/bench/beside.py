"""`./cavern bench beside`: what a request costs beside another build, and beside MQSim.

Each cell is a drive and a stream of requests, of which all simulators read the same file. A cell is
played at two lengths, whose difference leaves out what a start costs; the simulators take turns, so
that a drift of the machine's speed hits all alike. Figures are microseconds of processor time a
request: the median of the rounds, the smallest and the largest.
"""

from __future__ import annotations

import json
import random
import re
import resource
import statistics
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from cavern.errors import InputError
from cavern.simulator import ENVIRONMENT, ROOT, SIMULATOR

SECTOR = 512
ROUNDS = 3
#: What MQSim's part says of the drives of 4 KiB pages: 8 channels of 4 dies, ONFI at 200 MT/s.
PLAIN: dict[str, object] = {
    "Flash_Channel_Count": 8,
    "Chip_No_Per_Channel": 4,
    "Die_No_Per_Chip": 1,
    "Plane_No_Per_Die": 1,
    "Block_No_Per_Plane": 512,
    "Page_No_Per_Block": 256,
    "Page_Capacity": 4096,
    "Channel_Transfer_Rate": 200,
    "Flash_Technology": "SLC",
    "Page_Read_Latency_LSB": 25_000,
    "Page_Read_Latency_CSB": 25_000,
    "Page_Read_Latency_MSB": 25_000,
    "Page_Program_Latency_LSB": 200_000,
    "Page_Program_Latency_CSB": 200_000,
    "Page_Program_Latency_MSB": 200_000,
    "Block_Erase_Latency": 1_500_000,
    "Data_Cache_Capacity": 16 << 20,
    "Overprovisioning_Ratio": 0.2,
}
TLC: dict[str, object] = PLAIN | {
    "Chip_No_Per_Channel": 2,
    "Plane_No_Per_Die": 4,
    "Block_No_Per_Plane": 128,
    "Page_No_Per_Block": 384,
    "Page_Capacity": 16384,
    "Channel_Transfer_Rate": 1200,
    "Flash_Technology": "TLC",
    "Page_Read_Latency_LSB": 50_000,
    "Page_Read_Latency_CSB": 60_000,
    "Page_Read_Latency_MSB": 75_000,
    "Page_Program_Latency_LSB": 500_000,
    "Page_Program_Latency_CSB": 700_000,
    "Page_Program_Latency_MSB": 1_000_000,
    "Block_Erase_Latency": 5_000_000,
    "Data_Cache_Capacity": 64 << 20,
    "Overprovisioning_Ratio": 0.07,
}
#: Of every drive: no wear leveling, no suspend, an ideal map, commands in the order of channels.
ALWAYS: dict[str, object] = {
    "Data_Cache_DRAM_Data_Rate": 1600,
    "Ideal_Mapping_Table": "true",
    "Plane_Allocation_Scheme": "CWDP",
    "Enabled_Preconditioning": "false",
    "Dynamic_Wearleveling_Enabled": "false",
    "Static_Wearleveling_Enabled": "false",
    "Page_Metadat_Capacity": 0,
    "CMD_Suspension_Support": "NONE",
}
SMALL = {"nand.blocks_per_plane": "512", "ftl.overprovision": "0.2"}
LARGE_TLC = {
    "nand.blocks_per_plane": "128",
    "nand.pages_per_block": "384",
    "precondition.fill": "0.8",
    "host.queues": "2",
}


@dataclass(frozen=True)
class Cell:
    """`lengths`: requests of the short and of the long run. `cache`: of MQSim."""

    drive: str
    settings: Mapping[str, str]
    span: int  #: bytes that the requests lie in
    size: int  #: bytes of each
    depth: int
    lengths: tuple[int, int]
    reads: float = 0.0
    sequential: bool = False
    cache: str = "TURNED_OFF"
    part: Mapping[str, object] = field(default_factory=lambda: PLAIN)


CELLS = {
    "random write": Cell("reference-4k", SMALL, 12 << 30, 4096, 128, (100_000, 400_000)),
    "random write, buffer": Cell(
        "bench-4k",
        SMALL | {"buffer.policy": "lru-page", "buffer.size": "16MiB"},
        12 << 30,
        4096,
        128,
        (100_000, 300_000),
        cache="WRITE_CACHE",
    ),
    "70/30, full": Cell(
        "reference-4k",
        SMALL | {"precondition.fill": "0.9"},
        8 << 30,
        4096,
        128,
        (100_000, 300_000),
        reads=0.7,
    ),
    "sequential write, 128 KiB": Cell(
        "reference-4k", SMALL, 8 << 30, 128 << 10, 32, (5_000, 20_000), sequential=True
    ),
    "TLC, 70/30 of 16 KiB, filled": Cell(
        "tlc-nvme",
        LARGE_TLC,
        16 << 30,
        16 << 10,
        512,
        (20_000, 200_000),  # what fills the drive takes longer than the short one
        reads=0.7,
        cache="WRITE_CACHE",
        part=TLC,
    ),
}
#: How this program and another build of it play a cell, beside their arbiter in C++.
WAYS = {"at": "channel.arbiter=tlm", "RTL": "channel.arbiter=rtl", "untimed": "fidelity=untimed"}


def trace(cell: Cell, requests: int, folder: Path) -> Path:
    """A trace in the format of MQSim: time, device, sector, sectors, 1 for a read."""
    path = folder / f"{requests}.trace"
    slots = cell.span // cell.size
    drawn = random.Random(1)
    rows = []
    for number in range(requests):
        place = number % slots if cell.sequential else drawn.randrange(slots)
        read = int(drawn.random() < cell.reads)
        rows.append(f"1000 0 {place * cell.size // SECTOR} {cell.size // SECTOR} {read}\n")
    path.write_text("".join(rows), encoding="ascii")
    return path


def seconds(words: Sequence[object], folder: Path, text: str = "") -> float:
    """Processor time of a program that has to succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(word) for word in words]
    done = subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, input=text, capture_output=True, text=True
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["nothing"]
        raise InputError(command[0], 1, f"it ends with {done.returncode}: {said[-1]}", "exit 0")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def play_ours(program: Path, cell: Cell, way: str, played: Path) -> float:
    words: list[object] = [program, "run", ROOT / "configs" / f"{cell.drive}.toml", "--quiet"]
    words += ["--trace", played, "--format", "mqsim", "--out", played.parent / "out"]
    settings = [f"{key}={value}" for key, value in cell.settings.items()]
    settings += ["workload.arrival=closed", f"workload.depth={cell.depth}", WAYS[way]]
    words += [word for setting in settings for word in ("--set", setting)]
    return seconds(words, played.parent)


def play_mqsim(mqsim: Path, cell: Cell, played: Path) -> float:
    folder = played.parent
    settings = ALWAYS | dict(cell.part)
    settings |= {"IO_Queue_Depth": cell.depth + 1, "Queue_Fetch_Size": cell.depth}
    (folder / "ssd.xml").write_text(with_settings(mqsim / "ssdconfig.xml", settings))
    (folder / "workload.xml").write_text(scenario(cell, played))
    words = [mqsim / "MQSim", "-i", folder / "ssd.xml", "-w", folder / "workload.xml"]
    return seconds(words, folder, "\n")  # it waits for a key at its end


def with_settings(file: Path, settings: Mapping[str, object]) -> str:
    """MQSim's own description of a drive with other values."""
    text = file.read_text(encoding="ascii")
    for name, value in settings.items():
        text, found = re.subn(rf"<{name}>[^<]*</{name}>", f"<{name}>{value}</{name}>", text)
        if found != 1:
            raise InputError(file, 1, f"it has {found} of <{name}>", "the ssdconfig.xml of MQSim")
    return text


def scenario(cell: Cell, played: Path) -> str:
    """One flow that plays the trace on the whole drive."""
    places = {
        "Channel_IDs": "Flash_Channel_Count",
        "Chip_IDs": "Chip_No_Per_Channel",
        "Die_IDs": "Die_No_Per_Chip",
        "Plane_IDs": "Plane_No_Per_Die",
    }
    settings: dict[str, object] = {
        "Priority_Class": "HIGH",
        "Device_Level_Data_Caching_Mode": cell.cache,
        **{
            name: ",".join(str(place) for place in range(int(str(cell.part[number]))))
            for name, number in places.items()
        },
        "Initial_Occupancy_Percentage": 0,
        "File_Path": played,
        "Percentage_To_Be_Executed": 100,
        "Relay_Count": 1,
        "Time_Unit": "NANOSECOND",
    }
    rows = "\n".join(f"<{name}>{value}</{name}>" for name, value in settings.items())
    flow = "IO_Flow_Parameter_Set_Trace_Based"
    inside = f"<IO_Scenario>\n<{flow}>\n{rows}\n</{flow}>\n</IO_Scenario>"
    head = '<?xml version="1.0" encoding="us-ascii"?>'
    return f"{head}\n<MQSim_IO_Scenarios>\n{inside}\n</MQSim_IO_Scenarios>\n"


def measure(
    cell: Cell, against: Path | None, mqsim: Path | None, rounds: int
) -> dict[str, list[float]]:
    """Microseconds a request of each simulator, one for each round."""
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        traces = [trace(cell, requests, Path(scratch)) for requests in cell.lengths]
        requests = cell.lengths[1] - cell.lengths[0]
        for _ in range(rounds):
            for way in WAYS:
                for name, program in ((way, SIMULATOR), (f"{way}, other", against)):
                    if program is not None:
                        short, long = (play_ours(program, cell, way, one) for one in traces)
                        found.setdefault(name, []).append(1e6 * (long - short) / requests)
            if mqsim is not None:
                short, long = (play_mqsim(mqsim, cell, one) for one in traces)
                found.setdefault("MQSim", []).append(1e6 * (long - short) / requests)
    return found


def ratio(figures: Sequence[float], base: Sequence[float]) -> list[float]:
    """How many times as long each round of the base took: smallest, median, largest."""
    found = sorted(b / f for f, b in zip(figures, base, strict=True))
    return [found[0], statistics.median(found), found[-1]]


def rows_of(found: Mapping[str, Sequence[float]]) -> list[tuple[str, str, str]]:
    """Simulator, its figure with the spread, and how many times as long the other one takes."""
    rows = []
    for name, figures in found.items():
        spread = f"{min(figures):.2f} - {max(figures):.2f}"
        others = [
            other for other in (f"{name}, other", "MQSim") if other in found and other != name
        ]
        ratios = []
        for other in others if name in WAYS else []:
            low, middle, high = ratio(figures, found[other])
            ratios.append(f"{other} {middle:.2f} ({low:.2f} - {high:.2f})")
        rows.append((name, f"{statistics.median(figures):.2f} ({spread})", "; ".join(ratios)))
    return rows


PROGRAM = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.option("--against", type=PROGRAM, help="another build of cavern-sim")
@click.option("--mqsim", type=FOLDER, help="a folder with MQSim and its ssdconfig.xml")
@click.option("--cell", "names", multiple=True, type=click.Choice(list(CELLS)), help="this alone")
@click.option("--rounds", default=ROUNDS, type=click.IntRange(1, 100), show_default=True)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="also write them here")
def beside(
    against: Path | None,
    mqsim: Path | None,
    names: tuple[str, ...],
    rounds: int,
    json_file: Path | None,
) -> None:
    """Compares what a request costs with another build, or with MQSim.

    All read the same trace files and take turns. Figures are microseconds of processor time a
    request: the median of the rounds with the smallest and the largest, and how many times as long
    the other one takes."""
    console = Console(width=150)
    results = {}
    for name in names or CELLS:
        results[name] = measure(
            CELLS[name],
            against.resolve() if against else None,
            mqsim.resolve() if mqsim else None,
            rounds,
        )
        table = Table("", "us a request", "times as long", title=name, title_justify="left")
        for row in rows_of(results[name]):
            table.add_row(*row)
        console.print(table)
    if json_file:
        json_file.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
