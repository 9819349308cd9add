"""The runs of folders: in which order they stand, what they are called, and which are one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cavern.errors import InputError
from cavern.plots.metrics import Metric
from cavern.plots.results import Run, Summary
from cavern.plots.sweep.table import described, is_sweep, read_table
from cavern.plots.tables import value_of
from cavern.plots.texts import printable
from cavern.reading.json_file import read_json

SCHEMA = "cavern.repeat/1"
REPEAT = "repeat.json"
MOST_FOLDERS = 4  # of runs that are left out are named
MOST_LETTERS = 30  # of the name of a run, which stands beside bars


@dataclass(frozen=True)
class Group:
    """One run, or several with a seed each. `run` stands for them: name and folder are those of
    the group, the summary is that of the first."""

    run: Run
    runs: tuple[Run, ...]

    def values(self, of: Metric) -> list[float]:
        return [value_of(run, of) for run in self.runs]


def alone(runs: Sequence[Run]) -> list[Group]:
    """Each run as a group of its own."""
    return [Group(run, (run,)) for run in runs]


def repeated(groups: Sequence[Group]) -> bool:
    return any(len(group.runs) > 1 for group in groups)


def is_run(folder: Path) -> bool:
    return (folder / "summary.json").is_file()


def is_repeat(folder: Path) -> bool:
    """Whether `run --repeat` wrote into the folder, and no single run has since."""
    return (folder / REPEAT).is_file() and not is_run(folder)


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


def load_runs(directories: Sequence[Path], baseline: str | None = None) -> list[Run]:
    """The runs of the directories, each for itself; see load_groups()."""
    return [group.run for group in load_groups(directories, baseline, together=False)]


def load_groups(
    directories: Sequence[Path], baseline: str | None = None, together: bool = True
) -> list[Group]:
    """What stands side by side: each directory that holds a run, else the runs directly below it.
    With `together`, those that differ in their seed alone (`run --repeat`, seeds of a sweep) are
    one. Summaries are read, and other files once they are asked for.

    They are in the order of the arguments, those of a folder in that in which they were run, those
    of a sweep in that of its table. `baseline`, a folder or a name, comes first."""
    found: dict[Path, Group] = {}
    for directory in directories:
        for group in _found(directory, together):
            found.setdefault(group.run.directory, group)
    groups = _named([*found.values()])
    if baseline is not None:
        first = _baseline([group.run for group in groups], baseline)
        groups.sort(key=lambda group: group.run is not first)
    return groups


def load_group(folder: Path, runs: Sequence[Path]) -> Group:
    """Those runs as one, called after their configuration."""
    return _named([_group(folder, runs)])[0]


def _group(folder: Path, runs: Sequence[Path], name: str = "") -> Group:
    made = [Run(run, run.name, Summary(run / "summary.json")) for run in runs]
    return Group(Run(folder, printable(name), made[0].summary), tuple(made))


def _named(groups: Sequence[Group]) -> list[Group]:
    """With a name where they have none."""
    runs = [group.run for group in groups]
    names = unique_names([run.directory for run in runs], [run.summary for run in runs])
    return [
        group if group.run.name else replace(group, run=replace(group.run, name=name))
        for group, name in zip(groups, names, strict=True)
    ]


def _found(directory: Path, together: bool) -> list[Group]:
    if is_run(directory) or not directory.is_dir():
        return [_group(directory, [directory])]
    if together and is_repeat(directory):
        return [_group(directory, folders_of(directory))]
    found = _of_a_sweep(directory, together) if is_sweep(directory) else []
    if not found:
        for path in sorted(directory.iterdir()):
            if is_run(path):
                found.append(_group(path, [path]))
            elif together and is_repeat(path):
                found.append(_group(path, folders_of(path)))
        found.sort(key=_started)
    count, folders = (0, "") if found else _deeper(directory, together)
    if count:
        right = f"expected a folder of runs, such as {folders}"
        raise InputError(directory, 1, "holds no run", right)
    return found or [_group(directory, [directory])]


def _started(group: Group) -> tuple[str, int]:
    """When the first of it was run: an alphabet would choose the baseline by its name. Of those of
    one second the older file is first."""
    summary = group.run.summary
    started = str(summary.get("run.started") or "")
    return started, summary.path.stat().st_mtime_ns if started else 0


def _of_a_sweep(folder: Path, together: bool) -> list[Group]:
    """The good runs of a sweep by what varies, by the values alone where that would be long; with
    seeds together, by all but the seed."""
    table = read_table(folder)
    by_seed = together and table.axis("seed") is not None
    axes = table.named if by_seed else table.axes
    names = [described(axes, row) for row in table.good]
    if max(map(len, names), default=0) > MOST_LETTERS:
        names = [", ".join(axis.text(row) for axis in axes) for row in table.good]
    groups: dict[str | tuple[int, ...], tuple[str, list[Path]]] = {}
    for row, name in zip(table.good, names, strict=True):
        run = folder / "runs" / str(row["run"])
        if is_run(run):
            key = tuple(axis.place(row) for axis in axes) if by_seed else run.name
            groups.setdefault(key, (name, []))[1].append(run)
    return [
        _group(runs[0], runs, name or (table.title if by_seed else ""))
        for name, runs in groups.values()
    ]


def left_out(directories: Sequence[Path], together: bool = False) -> list[str]:
    """A sentence for each directory of runs that has others in deeper folders: how many, and
    where."""
    found = []
    for directory in directories:
        if is_run(directory) or is_sweep(directory):
            continue
        count, folders = _deeper(directory, together)
        if count:
            plural = "s" if count > 1 else ""
            found.append(f"Left out: {count} run{plural} in deeper folders, in {folders}.")
    return found


def _deeper(directory: Path, together: bool) -> tuple[int, str]:
    """How many runs a directory has in deeper folders, and the names of these; but for what a run
    has in its own folder, such as what `./cavern explain` ran again."""
    above = sorted(path.parent.parent for path in directory.glob("*/*/**/summary.json"))
    above = [one for one in above if not (is_run(one) or together and is_repeat(one))]
    folders = list(dict.fromkeys(map(str, above)))
    rest = len(folders) - MOST_FOLDERS
    more = f" and {rest} more folders" if rest > 0 else ""
    return len(above), ", ".join(folders[:MOST_FOLDERS]) + more


def _baseline(runs: Sequence[Run], wanted: str) -> Run:
    chosen = [run for run in runs if run.directory.resolve() == Path(wanted).resolve()]
    chosen = chosen or [run for run in runs if run.name == wanted or run.directory.name == wanted]
    if len(chosen) == 1:
        return chosen[0]
    what = "is none of the runs" if not chosen else "names several runs"
    names = ", ".join(str(run.directory) for run in runs[:8])
    raise InputError(
        "<command line>", 1, f'--baseline "{wanted}" {what}', f"expected one of {names}"
    )


def unique_names(directories: Sequence[Path], summaries: Sequence[Summary]) -> list[str]:
    """Configuration names; where two runs share one, as much of the path as tells them apart."""
    names = []
    for directory, summary in zip(directories, summaries, strict=True):
        name = summary.get("config.name") or summary.get("name")
        names.append(name if isinstance(name, str) else directory.resolve().name)
    parts = [directory.resolve().parts for directory in directories]
    for depth in range(1, max(map(len, parts), default=0) + 1):
        clashes = [names.count(name) > 1 for name in names]
        if not any(clashes):
            break
        for index, clash in enumerate(clashes):
            if clash:
                names[index] = "/".join(parts[index][-depth:])
    return [printable(" ".join(name.split())) for name in names]
