"""`./cavern validate`: the model against closed formulas and against independent simulators."""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from explore import amplification
from explore.simulator import BUILD, ROOT, Run, SimulatorError, simulate

US = 1e-6
CONFIGS = ROOT / "configs"
STREAMS = ROOT / "tests" / "reference" / "ssd"


@dataclass(frozen=True)
class Row:
    """One comparison. `bound` is the largest relative difference that still holds."""

    what: str
    unit: str
    ours: float
    expected: float
    bound: float
    source: str  # the formula, or who measured `expected`

    @property
    def error(self) -> float:
        if self.ours == self.expected:
            return 0.0
        return self.ours / self.expected - 1 if self.expected else float("inf")

    @property
    def holds(self) -> bool:
        return abs(self.error) <= self.bound


# The part of CAVE's tables, as configs/nand/slc-k9xxg08uxa.toml has it.
PAGE = 2048
COMMAND = 7 * 30e-9
TRANSFER = 2112 * 30e-9
T_R, T_PROG = 25 * US, 200 * US
CHANNELS, WAYS = 8, 4
DIRECT = 4e9


def _workload(folder: Path, **job: object) -> list[str]:
    """Writes a workload of one job and returns the arguments that play it."""
    path = folder / "workload.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in job.items()]
    path.write_text("[[job]]\n" + "\n".join(lines) + "\n", encoding="utf-8")
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
        job: dict[str, object] | None = None,
        arguments: list[str] | None = None,
    ) -> Run:
        self.runs += 1
        folder = self.scratch / f"run-{self.runs}"
        folder.mkdir()
        extra = list(arguments or [])
        if job:
            extra += _workload(folder, **job)
        return simulate(
            CONFIGS / config,
            folder / "out",
            overrides={**overrides, **self.sabotage},
            arguments=extra,
        )

    def steady_bandwidth(
        self, config: str, overrides: dict[str, object], job: dict[str, object]
    ) -> float:
        """Bytes a second between the completions at 30 % and 80 % of a run: neither the filling
        nor the draining of the queue counts."""
        log = self.scratch / "requests.csv"
        self.run(config, overrides, job=job, arguments=["--requests", str(log)])
        with open(log, encoding="utf-8") as file:
            rows = csv.DictReader(file)
            done = sorted((int(row["complete_ns"]), int(row["size"])) for row in rows)
        window = done[len(done) * 3 // 10 : len(done) * 8 // 10]
        return sum(size for _, size in window[1:]) / (window[-1][0] - window[0][0]) * 1e9


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


def latency_rows(bench: Bench) -> Iterator[Row]:
    """Unloaded latency of one request, nothing else in the drive."""
    sizes = {"2 KiB": 2048, "128 KiB": 131072}
    filled = {**BASE, "precondition.fill": 1.0}
    link = {label: size / DIRECT for label, size in sizes.items()}
    page_link = PAGE / DIRECT
    program = COMMAND + TRANSFER + T_PROG
    read = COMMAND + T_R + TRANSFER
    # 64 pages on 32 dies: two rounds of four ways on each bus. A round of reads is bound by its
    # four read-outs, and the pages of the last way of all channels share the link. In a round of
    # writes a die takes its second page when its first is programmed; the bus staggers the ways.
    two_read_rounds = 2 * (COMMAND + T_R + WAYS * TRANSFER) + CHANNELS * page_link
    two_write_rounds = CHANNELS * page_link + (WAYS - 1) * (COMMAND + TRANSFER) + 2 * program
    through = {**BASE, "buffer.policy": "none"}
    cases: list[tuple[str, str, str, dict[str, object], float, str]] = [
        (
            "2 KiB",
            "read",
            "read",
            filled,
            read + page_link,
            "7 cycles + tR + 2112 B on the bus + link",
        ),
        (
            "128 KiB",
            "read",
            "read",
            filled,
            two_read_rounds,
            "2 x (7 cycles + tR + 4 x 2112 B on the bus) + 8 pages on the link",
        ),
        ("2 KiB", "buffered write", "write", BASE, link["2 KiB"], "bytes / link"),
        ("128 KiB", "buffered write", "write", BASE, link["128 KiB"], "bytes / link"),
        (
            "2 KiB",
            "write-through",
            "write",
            through,
            program + page_link,
            "link + 7 cycles + 2112 B on the bus + tPROG",
        ),
        (
            "128 KiB",
            "write-through",
            "write",
            through,
            two_write_rounds,
            "8 pages on the link + 3 x (7 cycles + 2112 B) + 2 x (7 cycles + 2112 B + tPROG)",
        ),
    ]
    for label, what, op, overrides, expected, formula in cases:
        size = sizes[label]
        run = bench.run(
            "cave-base.toml",
            overrides,
            job={
                "rw": op,
                "bs": f"{size // 1024}KiB",
                "size": "16MiB",
                "number_ios": 100,
                "iodepth": 1,
            },
        )
        yield Row(
            f"unloaded {label} {what}",
            "us",
            run.summary["host"][op]["lat_ns"]["mean"] / 1e3,
            expected / US,
            0.01,
            formula,
        )


def bandwidth_rows(bench: Bench) -> Iterator[Row]:
    """Saturated bandwidth with the host link, the buses and the dies as the limit in turn."""
    depth = 4096
    # Enough blocks that no run reaches collection.
    deep = {
        **BASE,
        "host.queue_depth": depth,
        "buffer.policy": "none",
        "buffer.size": "32MiB",
        "nand.blocks_per_plane": 512,
    }
    filled = {**deep, "precondition.fill": 1.0}
    slow_link = {"host.bandwidth": "50MB/s"}
    bus_page = COMMAND + TRANSFER
    # Round robin serves a read-out and a command of each way in turn, so the ways march together:
    # when the last has been read out, all commands go, and tR passes with the bus idle.
    read_round = WAYS * TRANSFER + COMMAND + T_R
    few, many = 2, 8
    # A closed network of `depth` customers, thrown at random on n equal servers, keeps
    # depth / (depth + n - 1) of them busy.
    cases: list[tuple[str, str, str, dict[str, object], float, int, str]] = [
        ("host link", "", "read", {**filled, **slow_link}, 50e6, 1, "link rate"),
        ("host link", "rand", "read", {**filled, **slow_link}, 50e6, 1, "link rate"),
        ("host link", "", "write", {**deep, **slow_link}, 50e6, 1, "link rate"),
        ("host link", "rand", "write", {**deep, **slow_link}, 50e6, 1, "link rate"),
        (
            "bus",
            "",
            "read",
            filled,
            CHANNELS * WAYS * PAGE / read_round,
            1,
            "8 x 4 x 2048 B / (4 x 2112 B on the bus + 7 cycles + tR)",
        ),
        (
            "bus",
            "",
            "write",
            {**deep, "nand.ways": many},
            CHANNELS * PAGE / bus_page,
            1,
            "8 x 2048 B / (7 cycles + 2112 B on the bus), 8 ways",
        ),
        (
            "bus",
            "rand",
            "write",
            {**deep, "nand.ways": many},
            CHANNELS * PAGE / bus_page,
            CHANNELS,
            "the same",
        ),
        (
            "dies",
            "",
            "write",
            {**deep, "nand.ways": few},
            CHANNELS * few * PAGE / (bus_page + T_PROG),
            1,
            "16 x 2048 B / (7 cycles + 2112 B + tPROG), 2 ways",
        ),
        (
            "dies",
            "rand",
            "write",
            {**deep, "nand.ways": few},
            CHANNELS * few * PAGE / (bus_page + T_PROG),
            CHANNELS * few,
            "the same",
        ),
    ]
    for limit, order, op, overrides, expected, servers, formula in cases:
        share = depth / (depth + servers - 1)
        job = {
            "rw": order + op,
            "bs": "2KiB",
            "size": "32MiB",
            "number_ios": 150_000,
            "iodepth": depth,
            "seed": 7,
        }
        ours = bench.steady_bandwidth("cave-base.toml", overrides, job)
        what = f"saturated {'random' if order else 'sequential'} {op}, limit: {limit}"
        if servers > 1:
            formula += f" x {depth} / {depth + servers - 1}"
        yield Row(what, "MB/s", ours / 1e6, expected * share / 1e6, 0.01, formula)


# Nothing but the link in the way: pages never written are read, and all writes find room.
LINK: dict[str, object] = {
    **BASE,
    "dram.size": "128MiB",
    "buffer.size": "64MiB",
    "nand.blocks_per_plane": 512,
}


def sata_formula(generation: int, op: str, size: int) -> tuple[float, str]:
    """Seconds that a queued command of `size` bytes keeps the link, from register FIS to Set Device
    Bits, and the same in words: data, frames of data, what else there is."""
    around = 3 + 6  # SOF, CRC, EOF; six handshake primitives
    frames = size // 8192
    others = 2 * (5 + around) + (7 + around) + (2 + around)  # registers, DMA Setup, Set Device Bits
    if op == "write":
        others += (frames - 1) * (1 + around)  # DMA Activate
    rate = 75e6 * 2**generation
    dwords = size // 4 + frames * (1 + around) + others
    text = (
        f"128 KiB in ({size // 4} + {frames} x {1 + around} + {others}) dwords at "
        f"{rate / 1e6:g} MB/s x 254/256"
    )
    return dwords * 4 / rate * 256 / 254, text


def nvme_formula(generation: int, op: str, size: int) -> tuple[float, str]:
    """Seconds that a command of `size` bytes takes of the direction of the link that carries its
    data, and the same in words: data, packets of data, what else goes that way."""
    packet = 24
    gigatransfers = {3: 8, 4: 16, 5: 32}[generation]
    rate = gigatransfers * 1e9 * 4 / 8 * 128 / 130 * 0.98
    entries = 8 * (size // 4096 - 1)  # of the PRP list
    if op == "read":
        others = 2 * packet + (16 + packet) + (4 + packet)  # two fetches, entry, interrupt
    else:
        others = (64 + packet) + (entries + packet) + 2 * (4 + packet)  # fetched; doorbells
    text = (
        f"128 KiB in (128 KiB + {size // 256} x {packet} + {others}) B at "
        f"4 x {gigatransfers} GT/s / 8 x 128/130 x 0.98"
    )
    return (size + size // 256 * packet + others) / rate, text


def link_rows(bench: Bench) -> Iterator[Row]:
    """Saturated 128 KiB requests against what the protocols leave, and shares by weight."""
    size = 131072
    cases = [
        *(("sata", g, 32, sata_formula, f"SATA {g}") for g in (1, 2, 3)),
        *(("nvme", g, 64, nvme_formula, f"PCIe {g} x4") for g in (3, 4, 5)),
    ]
    for interface, generation, depth, formula, name in cases:
        for op in ("read", "write"):
            seconds, text = formula(generation, op, size)
            ours = bench.steady_bandwidth(
                "cave-base.toml",
                {
                    **LINK,
                    "host.interface": interface,
                    "host.generation": generation,
                    "host.queue_depth": depth,
                },
                {
                    "rw": op,
                    "bs": "128KiB",
                    "size": "32MiB",
                    "number_ios": 2000,
                    "iodepth": depth,
                },
            )
            yield Row(
                f"saturated 128 KiB {op}, {name}",
                "MB/s",
                ours / 1e6,
                size / seconds / 1e6,
                0.01,
                text,
            )
    weights = {"high": 6, "medium": 3, "low": 1}
    run = bench.run(
        "cave-base.toml",
        {
            **LINK,
            "host.interface": "nvme",
            "host.generation": 3,
            "host.queues": 3,
            "host.queue_depth": 32,
            "host.nvme.slots": 8,
            "host.nvme.arbitration": "weighted",
            "host.nvme.priorities": '["high", "medium", "low"]',
            **{f"host.nvme.{name}_weight": weight for name, weight in weights.items()},
        },
        job={
            "rw": "randread",
            "bs": "4KiB",
            "size": "32MiB",
            "number_ios": 40_000,
            "iodepth": 96,
        },
    )
    queues = run.summary["host"]["queues"]
    total = sum(queue["bytes"] for queue in queues)
    for queue in queues:
        weight = weights[queue["priority"]]
        yield Row(
            f"share of a weighted queue, class {queue['priority']}",
            "%",
            100 * queue["bytes"] / total,
            100 * weight / sum(weights.values()),
            0.02,
            f"weight {weight} of {sum(weights.values())}",
        )


def simulator_rows(bench: Bench) -> Iterator[Row]:
    """The whole drive against independent simulators, same request streams."""

    def closed(depth: int) -> dict[str, object]:
        return {"workload.arrival": "closed", "workload.depth": depth}

    def mean(op: str, key: str = "mean") -> Callable[[Run], float]:
        return lambda run: run.summary["host"][op]["lat_ns"][key] / 1e3

    cases: list[tuple[str, str, dict[str, object], str, Callable[[Run], float], float, float, str]]
    cases = [
        (
            "x1 random write 4 KiB, depth 1, mean",
            "x1_rw_qd1",
            closed(1),
            "us",
            mean("write"),
            222.1,
            0.01,
            "MQSim 222.1, SimpleSSD 223.0",
        ),
        (
            "x2 random read 4 KiB, depth 1, mean",
            "x2_rr_qd1",
            {**closed(1), "precondition.fill": 1.0},
            "us",
            mean("read"),
            47.1,
            0.01,
            "MQSim 47.1, SimpleSSD 46.6",
        ),
        (
            "x3 random write 4 KiB, depth 32",
            "x3_rw_qd32",
            closed(32),
            "IOPS",
            lambda run: run.summary["host"]["iops"],
            84_964,
            0.03,
            "MQSim 84,964, SimpleSSD 85,066",
        ),
        (
            "x8 random write, Poisson 50 k/s, mean",
            "x8_rw_ol50k",
            {},
            "us",
            mean("write"),
            281.3,
            0.03,
            "MQSim 281.3, SimpleSSD 282.1, DiskSim 286.1",
        ),
        (
            "x8 random write, Poisson 50 k/s, p99",
            "x8_rw_ol50k",
            {},
            "us",
            mean("write", "p99"),
            704.0,
            0.03,
            "MQSim 704, SimpleSSD 698",
        ),
    ]
    for what, stream, overrides, unit, measure, expected, bound, source in cases:
        run = bench.run(
            "reference-4k.toml", overrides, arguments=["--trace", str(STREAMS / f"{stream}.csv.xz")]
        )
        yield Row(what, unit, measure(run), expected, bound, source)


def dram_rows() -> Iterator[Row]:
    """The SDRAM alone, as its own program measures and compares it."""
    program = BUILD / "bin" / "cavern-dram-reference"
    finished = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    if finished.returncode not in (0, 1):
        raise SimulatorError(finished.returncode, finished.stderr.strip())
    for row in json.loads(finished.stdout)["rows"]:
        yield Row(
            f"{row['stream']}, {row['variant']}: {row['quantity']}",
            row["unit"],
            row["ours"],
            row["reference"],
            row["bound"],
            row["source"],
        )


# One plane of many blocks: the models know neither the blocks kept free nor chance.
BLOCKS, PAGES = 4096, 64


def amplification_rows(bench: Bench) -> Iterator[Row]:
    """Write amplification under uniform random writes on a full drive, in the steady state."""
    models: list[tuple[str, dict[str, object], Callable[[float], float], str]] = [
        (
            "greedy",
            {},
            lambda share: amplification.greedy(share, PAGES),
            "Desnoyers 2014; Bux & Iliadis 2010",
        ),
        ("fifo", {}, amplification.fifo, "Desnoyers 2014"),
        (
            "d-choices of 2",
            {"ftl.d-choices.d": 2},
            lambda share: amplification.d_choices(share, PAGES, 2),
            "Van Houdt 2013",
        ),
        (
            "d-choices of 10",
            {"ftl.d-choices.d": 10},
            lambda share: amplification.d_choices(share, PAGES, 10),
            "Van Houdt 2013",
        ),
        (
            "random",
            {},
            lambda share: amplification.d_choices(share, PAGES, 1),
            "Van Houdt 2013: d = 1",
        ),
    ]
    for spare in (0.07, 0.15, 0.28):
        logical = math.floor(BLOCKS * PAGES * (1 - spare) + 1e-5)
        for name, overrides, model, source in models:
            run = bench.run(
                "cave-base.toml",
                {
                    "fidelity": "untimed",
                    "buffer.policy": "none",
                    "alloc.scheme": "stripe-page",
                    "nand.channels": 1,
                    "nand.ways": 1,
                    "nand.blocks_per_plane": BLOCKS,
                    "nand.pages_per_block": PAGES,
                    "ftl.overprovision": spare,
                    "ftl.gc_policy": name.split()[0],
                    "precondition.fill": 1.0,
                    "precondition.overwrite": 4.0,
                    **overrides,
                },
                job={
                    "rw": "randwrite",
                    "bs": "2KiB",
                    "size": f"{logical * 2}KiB",
                    "number_ios": 2 * logical,
                    "seed": 3,
                },
            )
            yield Row(
                f"{name}, {100 * spare:g} % spare",
                "programs/page",
                run.summary["ftl"]["waf"],
                model(1 - spare),
                0.02,
                source,
            )


def show(title: str, rows: list[Row], console: Console) -> None:
    table = Table(title=title, title_justify="left")
    for heading, justify in (
        ("what", "left"),
        ("ours", "right"),
        ("expected", "right"),
        ("unit", "left"),
        ("difference", "right"),
        ("bound", "right"),
        ("", "left"),
        ("from", "left"),
    ):
        table.add_column(heading, justify=justify)
    for row in rows:
        table.add_row(
            row.what,
            f"{row.ours:,.2f}",
            f"{row.expected:,.2f}",
            row.unit,
            f"{100 * row.error:+.2f} %",
            f"{100 * row.bound:g} %",
            "holds" if row.holds else "BROKEN",
            row.source,
        )
    console.print(table)


#: Name: title and what makes the rows.
SECTIONS: dict[str, tuple[str, Callable[[Bench], Iterable[Row]]]] = {
    "drive": (
        "Closed formulas: the drive",
        lambda bench: [*latency_rows(bench), *bandwidth_rows(bench)],
    ),
    "links": ("Closed formulas: the host links", link_rows),
    "sdram": (
        "The SDRAM: closed formulas and independent simulators",
        lambda _: dram_rows(),
    ),
    "simulators": ("Independent simulators: the drive", simulator_rows),
    "amplification": (
        "Published models: write amplification, full drive, uniform random writes",
        amplification_rows,
    ),
}


@click.command()
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="change the model under test (to see the comparison fail)",
)
@click.option(
    "--only", "only", type=click.Choice(list(SECTIONS)), help="one section instead of all"
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="also write rows here")
def validate(overrides: tuple[str, ...], only: str | None, json_file: Path | None) -> None:
    """Compares the model with closed formulas and reference data; fails where a bound is broken."""
    sabotage: dict[str, object] = dict(item.split("=", 1) for item in overrides)
    console = Console(width=None if sys.stdout.isatty() else 180)
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(Path(scratch), sabotage)
        tables = {
            title: list(rows_of(bench))
            for name, (title, rows_of) in SECTIONS.items()
            if only in (None, name)
        }
    rows = [row for table in tables.values() for row in table]
    for title, table_rows in tables.items():
        show(title, table_rows, console)
    if json_file:
        json_file.write_text(
            json.dumps(
                [{**row.__dict__, "error": row.error, "holds": row.holds} for row in rows], indent=2
            )
            + "\n",
            encoding="utf-8",
        )
    broken = sum(not row.holds for row in rows)
    print(f"{len(rows) - broken} of {len(rows)} comparisons hold")
    sys.exit(1 if broken else 0)
