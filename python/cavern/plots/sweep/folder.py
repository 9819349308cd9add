"""The page in a folder that `./cavern sweep` wrote."""

from __future__ import annotations

import shlex
from pathlib import Path

from cavern.plots.files import write_file
from cavern.plots.sweep.table import read_table

PAGE = "report.html"


def write_sweep_page(folder: Path, out: Path | None = None) -> Path:
    """Writes the page of the sweep in `folder`. Raises InputError where its table is none."""
    # Imported late: it draws.
    from cavern.plots.sweep.page import About, build_page

    table = read_table(folder)
    spec = folder / "spec.toml"
    text = spec.read_text(encoding="utf-8", errors="replace") if spec.is_file() else ""
    commands = [f"./cavern report {shlex.quote(str(folder))}"]
    if table.spec:
        commands.insert(0, f"./cavern sweep {shlex.quote(table.spec)}")
    place = out or folder / PAGE
    write_file(place, build_page(table, About(commands=commands, spec=text)).encode())
    return place
