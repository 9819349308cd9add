"""`./cavern trace info`: what is in a trace, as text and as a picture."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import click

from cavern.reading.json_file import read_json
from cavern.simulator import ENVIRONMENT, SIMULATOR


def default_folder(trace: str) -> Path:
    name = re.sub(r"[^A-Za-z0-9._-]", "_", Path(trace).name) or "trace"
    return Path("out") / "trace" / name


@click.group()
def trace() -> None:
    """Describe, convert or make traces."""


@trace.command()
@click.argument("file")
@click.option("--format", "form", help="Format of FILE, instead of detecting it.")
@click.option("--columns", metavar="LIST", help="Columns of a table: see trace convert --help.")
@click.option("--device", help="Only this device, such as 3 or prxy_0.")
@click.option("--limit", type=click.IntRange(min=0), help="Only the first N requests.")
@click.option("--no-reuse", is_flag=True, help="Leave out reuse distances: faster.")
@click.option("--no-picture", is_flag=True, help="Print only; write nothing.")
@click.option("--json", is_flag=True, help="Print all of it as JSON; write nothing.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where info.json and trace.{png,svg} go (default: out/trace/FILE).",
)
def info(
    file: str,
    form: str | None,
    columns: str | None,
    device: str | None,
    limit: int | None,
    no_reuse: bool,
    no_picture: bool,
    json: bool,
    out: Path | None,
) -> int:
    """Counts, sizes, randomness, footprint, inter-arrival times and reuse distances of FILE, or of
    the trace of that name that comes with Cavern."""
    command = [str(SIMULATOR), "trace", "info", file]
    given = {"--format": form, "--columns": columns, "--device": device, "--limit": limit}
    for name, value in given.items():
        if value is not None:
            command += [name, str(value)]
    command += ["--no-reuse"] if no_reuse else []
    if no_picture or json:
        command += ["--json", "-"] if json else []
        return subprocess.run(command, env=ENVIRONMENT, check=False).returncode
    # Imported late: --help and wrong usage need not wait for matplotlib.
    from cavern.plots.files import make_directory
    from cavern.plots.style import save, style
    from cavern.plots.trace_picture import draw

    folder = out or default_folder(file)
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    make_directory(folder)
    data = folder / "info.json"
    command += ["--json", str(data)]
    status = subprocess.run(command, env=ENVIRONMENT, check=False).returncode
    if status != 0:
        for path in made:
            path.rmdir()
        return status
    with style():
        figure = draw(read_json(data, "what trace info has written")[0])
        save(figure, folder / "trace.png", folder / "trace.svg")
    click.echo(f"{'picture':<18}{folder / 'trace'}.{{png,svg}}")
    return 0
