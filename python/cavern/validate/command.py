"""The command: its sections, its output, and its exit status."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
from rich.console import Console

from cavern.sweeps.execute import usable_cores
from cavern.validate.bench import Bench
from cavern.validate.drive import bandwidth_rows, latency_rows
from cavern.validate.links import link_rows
from cavern.validate.parts import part_rows
from cavern.validate.published import amplification_rows
from cavern.validate.row import Row, show
from cavern.validate.simulators import ahead_rows, dram_rows, simulator_rows
from cavern.validate.steady import steady_rows

#: Name: title and what makes the rows.
SECTIONS: dict[str, tuple[str, Callable[[Bench], Iterable[Row]]]] = {
    "drive": (
        "Closed formulas: the drive",
        lambda bench: [*latency_rows(bench), *bandwidth_rows(bench)],
    ),
    "links": ("Closed formulas: the host links", link_rows),
    "sdram": (
        "The SDRAM: closed formulas and independent simulators",
        lambda bench: [*dram_rows(), *ahead_rows(bench)],
    ),
    "simulators": ("Independent simulators: the drive", simulator_rows),
    "amplification": (
        "Published models: write amplification, full drive, uniform random writes",
        amplification_rows,
    ),
    "parts": ("Closed formulas: writes smaller than a page on a full drive", part_rows),
    "steady": ("Closed formulas: a drive that collects all the time", steady_rows),
}


def rows_of_sections(names: list[str], sabotage: dict[str, object]) -> dict[str, list[Row]]:
    """Sections side by side, one for each core; the rows of each in their order."""
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(usable_cores()) as pool:

        def rows(name: str) -> list[Row]:
            folder = Path(scratch) / name
            folder.mkdir()
            return list(SECTIONS[name][1](Bench(folder, sabotage)))

        return dict(zip(names, pool.map(rows, names), strict=True))


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
    sabotage: dict[str, object] = {}
    for item in overrides:
        key, value = item.split("=", 1)
        sabotage[key] = value
    console = Console(width=None if sys.stdout.isatty() else 180)
    tables = rows_of_sections([name for name in SECTIONS if only in (None, name)], sabotage)
    rows = [row for table in tables.values() for row in table]
    for name, table_rows in tables.items():
        show(SECTIONS[name][0], table_rows, console)
    if json_file:
        told = [
            {"section": name, **row.__dict__, "error": row.error, "holds": row.holds}
            for name, table in tables.items()
            for row in table
        ]
        json_file.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    broken = sum(not row.holds for row in rows)
    print(f"{len(rows) - broken} of {len(rows)} comparisons hold")
    sys.exit(1 if broken else 0)
