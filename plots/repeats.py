"""Runs that differ in their seed alone, taken together: of `run --repeat`, or of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cavern.errors import InputError
from cavern.plots.metrics import Metric
from cavern.plots.results import Run, Summary, baseline_of, deeper_runs, load_runs, unique_names
from cavern.plots.tables import value_of
from cavern.plots.texts import printable
from cavern.reading.json_file import read_json

SCHEMA = "cavern.repeat/1"
REPEAT = "repeat.json"
SEED = ("seed",)


@dataclass(frozen=True)
class Group:
    """One run, or several with a seed each. `run` stands for them: name and folder are those of
    the group, the summary is that of the first."""

    run: Run
    runs: tuple[Run, ...]

    def values(self, of: Metric) -> list[float]:
        return [value_of(run, of) for run in self.runs]


@dataclass(frozen=True)
class _Found:
    folder: Path
    runs: list[Path]
    name: str = ""  # empty where the summary says it


def is_repeat(folder: Path) -> bool:
    """Whether `run --repeat` wrote into the folder, and no single run has since."""
    return (folder / REPEAT).is_file() and not (folder / "summary.json").is_file()


def folders_of(folder: Path) -> list[Path]:
    """The runs of a repeat, in the order of their seeds. Raises InputError."""
    path = folder / REPEAT
    told, _ = read_json(path, f"the {SCHEMA} object that run --repeat writes")
    right = f"expected one {SCHEMA} object, as run --repeat writes"
    if not isinstance(told, dict) or told.get("schema") != SCHEMA:
        raise InputError(path, 1, f'schema is not "{SCHEMA}"', right)
    seeds = told.get("seeds")
    if not isinstance(seeds, list) or not seeds or not all(type(seed) is int for seed in seeds):
        raise InputError(path, 1, '"seeds" is no list of seeds', right)
    return [folder / f"seed-{seed}" for seed in seeds]


def load_group(folder: Path, runs: Sequence[Path], name: str = "") -> Group:
    """Those runs as one, called after their configuration unless they have a name."""
    summaries = [Summary(run / "summary.json") for run in runs]
    name = name or unique_names([folder], summaries[:1])[0]
    made = [Run(*parts) for parts in zip(runs, (run.name for run in runs), summaries, strict=True)]
    return Group(Run(folder, name, summaries[0]), tuple(made))


def load_groups(directories: Sequence[Path], baseline: str | None = None) -> list[Group]:
    """What stands side by side, in the order of the arguments; `baseline`, a folder or a name,
    comes first. Where nothing is repeated, each run is a group of its own."""
    found = [one for directory in directories for one in _found(directory)]
    if all(len(one.runs) == 1 for one in found):
        return [Group(run, (run,)) for run in load_runs(list(directories), baseline)]
    groups = [load_group(one.folder, one.runs, printable(one.name)) for one in found]
    made = unique_names(
        [group.run.directory for group in groups], [group.run.summary for group in groups]
    )
    for place, (one, name) in enumerate(zip(found, made, strict=True)):
        if not one.name:
            groups[place] = replace(groups[place], run=replace(groups[place].run, name=name))
    if baseline is not None:
        first = baseline_of([group.run for group in groups], baseline)
        groups.sort(key=lambda group: group.run is not first)
    return groups


def left_out_of(directories: Sequence[Path]) -> list[str]:
    """A sentence for each directory that has runs in deeper folders, but for the seeds of a
    repeat."""
    return deeper_runs(
        [one for one in directories if not (is_repeat(one) or any(one.glob(f"*/{REPEAT}")))]
    )


def _found(directory: Path) -> list[_Found]:
    if is_repeat(directory):
        return [_Found(directory, folders_of(directory))]
    if (directory / "summary.json").is_file() or not directory.is_dir():
        return [_Found(directory, [directory])]
    below = _of_a_sweep(directory)
    if not below:
        for path in sorted(directory.iterdir()):
            if is_repeat(path):
                below.append(_Found(path, folders_of(path)))
            elif (path / "summary.json").is_file():
                below.append(_Found(path, [path]))
        if any(is_repeat(one.folder) for one in below):
            below.sort(key=_started)
    return below or [_Found(directory, [directory])]


def _started(one: _Found) -> tuple[str, int]:
    """When the first was run: an alphabet would choose the baseline by its name."""
    summary = Summary(one.runs[0] / "summary.json")
    return str(summary.get("run.started") or ""), summary.path.stat().st_mtime_ns


def _of_a_sweep(folder: Path) -> list[_Found]:
    """The runs of a sweep with an axis of seeds, by all that varies but the seed."""
    # Imported here: a table needs what takes a moment to load.
    from cavern.plots.sweep.table import described, is_sweep, read_table

    if not is_sweep(folder):
        return []
    table = read_table(folder)
    if table.axis("seed") is None:
        return []
    axes = [axis for axis in table.axes if axis.columns != SEED]
    groups: dict[tuple[int, ...], _Found] = {}
    for row in table.good:
        run = folder / "runs" / str(row["run"])
        if (run / "summary.json").is_file():
            place = tuple(axis.place(row) for axis in axes)
            first = groups.setdefault(place, _Found(run, [], described(axes, row) or table.title))
            first.runs.append(run)
    return list(groups.values())
