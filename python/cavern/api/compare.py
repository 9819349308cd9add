"""Results side by side, as a frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from cavern.api.repeat import Repeat
from cavern.api.run import Result
from cavern.api.sweep import Sweep
from cavern.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from cavern.plots.finding import Group

One: TypeAlias = Result | Repeat | Sweep | str | Path
#: A name of a run that only tells what it differs in has no more settings than these.
MOST_SETTINGS = 3


def compare(
    *runs: One | Iterable[One] | Mapping[str, One], baseline: str | None = None
) -> pd.DataFrame:
    """The measures of `./cavern compare`: a row per field of the summary.

    `runs` are results or their folders, lists of them, or mappings that name them. A sweep stands
    for its runs, those of several seeds taken as one. A run without a name is called after its
    configuration, and by the settings in which it differs from others that are called so.

    The columns are pairs: the name of a run, and "value", or (but for the first, or the `baseline`)
    "change", which is the value over that of the first run less one, and "verdict": "better",
    "worse" or empty. A run that did not play what the first one did has none, nor has a percentile
    that fewer than ten requests lie beyond. Where runs are repeated, the value is the mean, and the
    columns "half_width" and "n" say how well it is known (docs/read-a-report.md)."""
    import pandas as pd

    from cavern.plots.compared import compared
    from cavern.plots.finding import load_groups

    given: dict[Path, str] = {}
    for folder, name in _flat(runs):
        before = given.get(folder, "")
        if before and name and name != before:
            right = "expected one name per run"
            raise InputError(folder, 1, f'is both "{before}" and "{name}"', right)
        given[folder] = name or before
    names = {name: str(folder) for folder, name in given.items() if name}
    groups = load_groups(list(given), names.get(baseline, baseline) if baseline else None)
    called = _names(groups, given)
    lines = compared(groups)
    index = pd.Index([line.metric.field for line in lines], name="field")
    columns: dict[tuple[str, str], list[float] | list[int] | list[str]] = {}
    for place, name in enumerate(called):
        figures = [line.figures[place] for line in lines]
        columns[name, "value"] = [one.mean for one in figures]
        if any(len(group.runs) > 1 for group in groups):
            columns[name, "half_width"] = [one.half_width for one in figures]
            columns[name, "n"] = [one.n for one in figures]
        if place:
            columns[name, "change"] = [one.change for one in figures]
            columns[name, "verdict"] = [one.verdict for one in figures]
    return pd.DataFrame(columns, index=index)


def _flat(runs: Iterable[One | Iterable[One] | Mapping[str, One]]) -> Iterable[tuple[Path, str]]:
    """Folders with the names that they were given, or none."""
    for given in runs:
        if isinstance(given, Mapping):
            yield from ((_folder(one), name) for name, one in given.items())
        elif isinstance(given, Result | Repeat | Sweep | str | Path):
            yield _folder(given), ""
        else:
            yield from _flat(given)


def _folder(given: One) -> Path:
    return Path(given) if isinstance(given, str | Path) else given.folder


def _names(groups: list[Group], given: Mapping[Path, str]) -> list[str]:
    """The name of each group; no two are the same."""
    from cavern.plots.tables import configuration

    settings = [row for row in configuration([group.run for group in groups]) if row.differs]
    plain = [
        str(group.run.directory in given and group.run.config.get("name") or group.run.name)
        for group in groups
    ]
    names = []
    for place, group in enumerate(groups):
        name = given.get(group.run.directory) or plain[place]
        if name == plain[place] and plain.count(name) > 1:
            told = [f"{row.label} {row.cells[place].text}" for row in settings][:MOST_SETTINGS]
            name = ", ".join([name, *(text for text in told if not text.startswith("name "))])
        names.append(name)
    again = Counter(names)
    return [
        name if again[name] == 1 else f"{name} ({1 + names[:place].count(name)})"
        for place, name in enumerate(names)
    ]
