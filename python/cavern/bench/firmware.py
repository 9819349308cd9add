"""Speed of the interpreter that executes firmware."""

from __future__ import annotations

import subprocess

from rich.console import Console
from rich.table import Table

from cavern.simulator import BUILD

#: firmware/bench/requests.c, with its table in either memory.
IMAGES = {"data memory": "bench_requests.elf", "SDRAM": "bench_requests_sdram.elf"}
#: What the interpreter must reach, in millions of instructions per second.
LEAST = 100.0


def figures(output: str) -> dict[str, dict[str, float]]:
    """Rows of cavern-firmware-bench: way, instructions, cycles, seconds."""
    result = {}
    for line in output.splitlines():
        way, instructions, cycles, seconds = line.split()
        result[way] = {
            "instructions": float(instructions),
            "cycles_per_instruction": float(cycles) / float(instructions),
            "million_instructions_per_second": float(instructions) / float(seconds) / 1e6,
        }
    return result


def firmware_bench(console: Console) -> dict[str, dict[str, float]]:
    """Instructions per second of a program that does what firmware does for a request."""
    program = BUILD / "bin" / "cavern-firmware-bench"
    measured: dict[str, dict[str, float]] = {}
    for memory, image in IMAGES.items():
        command = [str(program), str(BUILD / "firmware" / image)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        measured |= {f"{memory}, {way}": row for way, row in figures(output).items()}
    table = Table(
        title="firmware/bench/requests.c: hash look-ups, LRU lists, two register accesses",
        title_justify="left",
    )
    for head in ("table in, run", "instructions", "cycles / instruction", "M instructions/s"):
        table.add_column(head, justify="left" if head == "table in, run" else "right")
    for way, row in measured.items():
        table.add_row(
            way,
            f"{row['instructions']:,.0f}",
            f"{row['cycles_per_instruction']:.2f}",
            f"{row['million_instructions_per_second']:.1f}",
        )
    console.print(table)
    console.print(
        "observed: instruction by instruction, each reported with its effects, for traces and\n"
        f"lockstep. The aim for plain is {LEAST:.0f} M instructions/s."
    )
    return measured
