"""What goes into an archive: results, figures, configurations, inputs, and how to run it again."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cavern.archive.files import Content, is_below, write
from cavern.errors import InputError
from cavern.names import KINDS, find
from cavern.plots.again import FOLDER
from cavern.plots.finding import is_repeat
from cavern.plots.results import Summary

SCHEMA = "cavern.archive/1"
MANIFEST, RESULTS, INPUTS = "archive.json", "results", "inputs"
#: A larger input is told by its SHA-256 alone.
MOST_INPUT_BYTES = 32 << 20
#: More runs than these make a page that nobody reads.
MOST_DRAWN = 8

README = """# Results of Cavern

`{results}/` has {count} of Cavern {version}, commit {commit}: figures (`summary.json`), the whole
configuration (`config.toml`), and pages. `{inputs}/` has what they played{missing}. `{manifest}`
has the SHA-256 of each file.

    ./cavern archive --run {name}

This command runs all of it again, and says whether the results are the same, byte for byte but for
the time that the runs took and when they began.

## Commands

{commands}
"""


def pack(folder: Path, out: Path) -> tuple[int, list[str]]:
    """Writes the archive of a run, a repeat, a sweep, or a folder of these. Returns the number of
    its runs, and the inputs that it lacks: those that are too large, gone, or another file now."""
    files = sorted(path for path in folder.rglob("*") if _belongs(folder, path, out))
    runs = [path.parent for path in files if path.name == "summary.json"]
    if not runs:
        raise InputError(folder, 1, "holds no run", "expected the results of a run or a sweep")
    entries: dict[str, Content] = {}
    for path in files:
        name = path.relative_to(folder).as_posix()
        if not is_below(name):
            raise InputError(path, 1, "has a name that is no text", "expected one in UTF-8")
        entries[f"{RESULTS}/{name}"] = path
    inputs: dict[str, str | None] = {}
    told = []
    for run in runs:
        summary = Summary(run / "summary.json")
        told.append(_described(run.relative_to(folder), summary))
        played = told[-1]["input"]
        if (sha256 := played.get("sha256")) not in inputs:
            file = input_file(played, (run, run.parent), MOST_INPUT_BYTES)
            inputs[str(sha256)] = None
            if file:
                inputs[str(sha256)] = name = f"{INPUTS}/{str(sha256)[:12]}/{file.name}"
                entries[name] = file
        played["file"] = inputs.get(str(sha256))
    if f"{RESULTS}/report.html" not in entries:
        entries |= {f"{RESULTS}/{name}": text.encode() for name, text in _shown(folder, runs)}
    lacking = [one["input"]["path"] for one in told if one["input"]["file"] is None]
    lacking = list(dict.fromkeys(map(str, lacking)))
    entries["README.md"] = _readme(out.name, told, lacking).encode(errors="replace")
    manifest = {
        "schema": SCHEMA,
        "runs": told,
        "sha256": {name: sha256_of(entries[name]) for name in sorted(entries)},
    }
    entries[MANIFEST] = (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()
    write(out, entries)
    return len(runs), lacking


def _belongs(folder: Path, path: Path, out: Path) -> bool:
    """Neither hidden (a lock, what is half written), nor what explain made of a run, nor the
    archive itself, nor where a link leads."""
    parts = path.relative_to(folder).parts
    if any(part.startswith(".") or ".part-" in part for part in parts):
        return False
    for place, part in enumerate(parts):
        if part == FOLDER and (folder.joinpath(*parts[:place]) / "summary.json").is_file():
            return False
    return path.is_file() and not path.is_symlink() and path.resolve() != out.resolve()


def _described(place: Path, summary: Summary) -> dict[str, Any]:
    get = summary.get
    played = get("run.input")
    if not isinstance(played, dict) or not isinstance(played.get("sha256"), str):
        right = "expected the run of a file; a pipe and clients leave none"
        raise InputError(summary.path, 1, "does not say which file was played", right)
    if get("complete") is not True:
        right = "expected a run that came to its end"
        raise InputError(summary.path, 1, "is of a run that was interrupted", right)
    return {
        "folder": place.as_posix(),
        **{name: get(f"run.{name}") for name in ("id", "command", "version", "commit")},
        "input": dict(played),
    }


def input_file(
    played: Mapping[str, Any], folders: Sequence[Path] = (), most: float = math.inf
) -> Path | None:
    """The file that was played, where it is found, by its name or in one of the folders, is the
    same, and not too large."""
    kind, name = KINDS.get(str(played.get("kind"))), str(played.get("path"))
    named = [find(kind, name, beside) for beside in ((Path(),), ())] if kind else []
    for place in (*named, *(folder / Path(name).name for folder in folders)):
        if place and os.path.isfile(place) and place.stat().st_size <= most:
            if sha256_of(place) == played["sha256"]:
                return place
    return None


def sha256_of(content: Content) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _shown(folder: Path, runs: list[Path]) -> Iterator[tuple[str, str]]:
    """What a reader looks at first, where nobody has made a page: that of `./cavern report`; of
    several runs the tables of `./cavern compare`, of repeated ones its page."""
    # Imported late: it draws.
    from cavern.plots.compared import compared, csv_text, latex_text
    from cavern.plots.figures.options import Options
    from cavern.plots.finding import load_groups
    from cavern.plots.report import build_comparison, build_report

    groups = load_groups([folder] if folder in _above(runs) else runs)
    if len(runs) > 1:
        lines = compared(groups)
        yield "compared.csv", csv_text(groups, lines)
        yield "compared.tex", latex_text(groups, lines)
    if len(groups) < len(runs):
        yield "report.html", build_comparison(groups)
    elif len(runs) <= MOST_DRAWN:
        yield "report.html", build_report([one.run for one in groups], Options())


def _above(runs: list[Path]) -> set[Path]:
    """The folders that stand for the runs: their own, those above, and those above a repeat's."""
    return {
        place
        for run in runs
        for place in (run, run.parent, run.parent.parent)
        if place != run.parent.parent or is_repeat(run.parent)
    }


def _readme(name: str, runs: list[dict[str, Any]], lacking: list[str]) -> str:
    missing = f", but for {', '.join(lacking)} (see its SHA-256)" if lacking else ""
    return README.format(
        results=RESULTS,
        inputs=INPUTS,
        manifest=MANIFEST,
        name=name,
        count="a run" if len(runs) == 1 else f"{len(runs)} runs",
        version=runs[0]["version"],
        commit=runs[0]["commit"],
        missing=missing,
        commands="\n".join(f"    {run['command']}" for run in runs),
    )
