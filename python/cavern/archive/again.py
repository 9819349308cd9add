"""Runs the runs of an archive again, and compares the results."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cavern.archive.files import is_below
from cavern.archive.pack import INPUTS, MANIFEST, RESULTS, SCHEMA, input_file, sha256_of
from cavern.errors import InputError
from cavern.plots.results import Summary
from cavern.plots.tables import flatten
from cavern.reading.json_file import read_json
from cavern.simulator import input_words, outputs, simulate, value_in

#: Fields of summary.json of this machine and this moment (docs/summary-fields.md).
MOMENT = {
    "run.command",
    "run.started",
    "sim.wall_s",
    "sim.requests_per_wall_s",
    "sim.flash_ops_per_wall_s",
    "sim.peak_rss_bytes",
}
#: These say which program it was, and are told apart from results.
PROGRAM = {"run.id", "run.version", "run.commit"}
#: They say where a file was.
PLACES = {"trace", "run.input.path", "run.files"}


@dataclass
class Again:
    """One run, played again: the fields in which its results differ, and the files that do."""

    folder: str
    program: tuple[str, str]
    same_program: bool
    differing: list[str] = field(default_factory=list)

    @property
    def same(self) -> bool:
        return not self.differing


def manifest_of(folder: Path) -> dict[str, Any]:
    """Raises InputError where a file of the archive is not what its manifest says."""
    path = folder / MANIFEST
    told, _ = read_json(path, f"the {SCHEMA} object of an archive")
    right = "expected an archive that ./cavern archive wrote"
    if not isinstance(told, dict) or told.get("schema") != SCHEMA:
        raise InputError(path, 1, f'schema is not "{SCHEMA}"', right)
    runs, files = told.get("runs"), told.get("sha256")
    if not isinstance(runs, list) or not isinstance(files, dict):
        raise InputError(path, 1, '"runs" or "sha256" is missing', right)
    for run in runs:
        played = run.get("input") if isinstance(run, dict) else None
        if not isinstance(played, dict) or played.get("kind") not in ("trace", "workload"):
            raise InputError(path, 1, "a run has no input of a known kind", right)
        if not isinstance(place := run.get("folder"), str) or not is_below(place):
            raise InputError(path, 1, "a run has no folder of the archive", right)
    for name, sha256 in files.items():
        place = folder / name
        if not place.is_file():
            raise InputError(place, 1, "is missing in the archive", right)
        if sha256_of(place) != sha256:
            raise InputError(place, 1, "is not what the archive held when it was written", right)
    return told


def play(folder: Path, again: Path) -> Iterator[Again]:
    """The runs of an archive unpacked into `folder`, each played into a folder below `again`."""
    for number, run in enumerate(manifest_of(folder)["runs"]):
        yield _played(folder, run, again / str(number))


def _played(folder: Path, run: dict[str, Any], out: Path) -> Again:
    before = folder / RESULTS / run["folder"]
    old = Summary(before / "summary.json")
    words = input_words(run["input"], _input(folder, run["input"]))
    out.mkdir(parents=True)
    kept = {}
    for what, path, sha256 in _files(old):
        if _is_in(before, path):
            kept[path] = sha256
            (out / path).parent.mkdir(parents=True, exist_ok=True)
        # What was written elsewhere is not there; another file may depend on it.
        words += [f"--{what}", str(out / path) if path in kept else os.devnull]
        for option in (f"--{what}-from", f"--{what}-to"):
            if value := value_in(str(old.get("run.command")), option):
                words += [option, value]
    new = Summary(simulate(before / "config.toml", out, arguments=words).folder / "summary.json")
    program = str(new.get("run.version")), str(new.get("run.commit"))
    found = Again(run["folder"], program, old.get("run.id") == new.get("run.id"))
    found.differing = differing(old.data, new.data)
    found.differing += [path for path, sha256 in kept.items() if sha256_of(out / path) != sha256]
    return found


def _files(summary: Summary) -> Iterator[tuple[str, str, str]]:
    """What a run wrote besides its summary: its option, place and SHA-256."""
    found = summary.get("run.files", [])
    for one in found if isinstance(found, list) else [found]:
        what = str(one.get("what")).removeprefix("--") if isinstance(one, dict) else ""
        if what not in outputs():
            right = f"expected some of {', '.join(outputs())}"
            raise InputError(summary.path, 1, f'run.files has a "{what}"', right)
        yield what, str(one.get("path")), str(one.get("sha256"))


def differing(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """The fields of two summaries that are results, and not the same."""
    first, second = flatten(old), flatten(new)
    names = [name for name in {**first, **second} if name not in MOMENT | PROGRAM | PLACES]
    return [name for name in names if first.get(name, ...) != second.get(name, ...)]


def _is_in(folder: Path, path: str) -> bool:
    """Whether the archive has that file: what was written elsewhere has stayed there."""
    return is_below(path) and (folder / path).is_file()


def _input(folder: Path, played: dict[str, Any]) -> Path:
    file = played.get("file")
    if isinstance(file, str) and file.startswith(f"{INPUTS}/") and is_below(file):
        return folder / file
    if place := input_file(played):
        return place
    right = f"expected it here, with the SHA-256 {played.get('sha256')}"
    name = str(played.get("path"))
    raise InputError(name, 1, "is what the run played, and the archive lacks it", right)
