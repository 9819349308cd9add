"""Results side by side, as a frame."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cavern.api.run import Result

if TYPE_CHECKING:
    import pandas as pd


def compare(
    *runs: Result | str | Path | Mapping[str, Result | str | Path], baseline: str | None = None
) -> pd.DataFrame:
    """The measures of `./cavern compare`: a row per field of the summary.

    `runs` are results or their folders; a mapping names them. The columns are pairs: the name of a
    run, and "value", or (but for the first, or the `baseline`) "change", which is the value over
    that of the first run less one, and "verdict": "better", "worse" or empty."""
    import pandas as pd

    from cavern.plots.metrics import METRICS
    from cavern.plots.results import load_runs
    from cavern.plots.tables import value_of

    names: dict[Path, str] = {}
    for given in runs:
        if isinstance(given, Mapping):
            names |= {_folder(one): name for name, one in given.items()}
        else:
            names[_folder(given)] = ""
    named = {name: str(folder) for folder, name in names.items() if name}
    loaded = load_runs(list(names), named.get(baseline, baseline) if baseline else None)
    shown = [
        one
        for one in METRICS
        if any(math.isfinite(value_of(run, one)) for run in loaded) or not one.optional
    ]
    index = pd.Index([one.field for one in shown], name="field")
    first = [value_of(loaded[0], one) for one in shown]
    columns: dict[tuple[str, str], list[float] | list[str]] = {}
    for run in loaded:
        name = names.get(run.directory) or run.name
        values = [value_of(run, one) for one in shown]
        columns[name, "value"] = values
        if run is loaded[0]:
            continue
        pairs = list(zip(shown, first, values, strict=True))
        columns[name, "change"] = [new / old - 1 if old else math.nan for _, old, new in pairs]
        columns[name, "verdict"] = [one.verdict(old, new) for one, old, new in pairs]
    return pd.DataFrame(columns, index=index)


def _folder(given: Result | str | Path) -> Path:
    return given.folder if isinstance(given, Result) else Path(given)
