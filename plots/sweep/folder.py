"""The page in a folder that `./cavern sweep` or `./cavern search` wrote."""

from __future__ import annotations

import shlex
from pathlib import Path

from cavern.plots.files import make_directory, write_file
from cavern.plots.sweep.about import about_of
from cavern.plots.sweep.table import read_table

PAGE = "report.html"


def write_sweep_page(folder: Path, out: Path | None = None) -> Path:
    """Writes the page of the sweep in `folder`. Raises InputError where its table is none."""
    # Imported late: it draws.
    from cavern.plots.sweep.page import build_page

    table = read_table(folder)
    spec = folder / "spec.toml"
    text = spec.read_text(encoding="utf-8", errors="replace") if spec.is_file() else ""
    commands = [f"./cavern sweep {shlex.quote(table.spec)}"] if table.spec else []
    about = about_of(table.about, commands, text)
    again = [*about.commands, f"./cavern report {shlex.quote(str(folder))}"]
    place = out or folder / PAGE
    make_directory(place.parent)
    write_file(place, build_page(table, about, again).encode())
    return place
