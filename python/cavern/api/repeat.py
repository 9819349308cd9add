"""One simulation with several seeds from Python: what `./cavern run --repeat` does."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cavern.api.inputs import place, settings
from cavern.api.pages import measures
from cavern.api.run import Result, input_words
from cavern.reading.json_file import read_json
from cavern.simulator import set_words

if TYPE_CHECKING:
    import pandas as pd


class Repeat:
    """Runs that differ in their seed alone. Its folder has one of each in seed-N."""

    def __init__(self, folder: Path, kept_by: object = None) -> None:
        self.folder = folder
        self._kept_by = kept_by  # goes with the repeat and its results

    def __repr__(self) -> str:
        return f"<cavern.Repeat: {self._told['name']}, {len(self.seeds)} seeds>"

    def _repr_html_(self) -> str:
        return measures([self.folder])

    @cached_property
    def _told(self) -> dict[str, Any]:
        told: dict[str, Any] = read_json(self.folder / "repeat.json", "what a repeat writes")[0]
        return told

    @property
    def seeds(self) -> list[int]:
        """The seeds in the order in which they were played."""
        return list(self._told["seeds"])

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per measure: its mean, half of its interval of 95 % (Student's t), and the number
        of runs that measured it."""
        import pandas as pd

        rows = {
            field: {name: one[name] for name in ("mean", "half_width", "n")}
            for field, one in self._told["metrics"].items()
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("field")

    def result(self, seed: int) -> Result:
        """The run with that seed."""
        return Result(self.folder / f"seed-{seed}", self._kept_by)


def repeat(
    config: str | Path,
    workload: str | Path | Mapping[str, Any] | None = None,
    *,
    n: int = 10,
    trace: str | Path | Mapping[str, str | Path] | None = None,
    out: str | Path | None = None,
    seed: int | None = None,
    limit: int | None = None,
    warmup: int | None = None,
    **overrides: Any,
) -> Repeat:
    """Runs one simulation with `n` seeds, from `seed` on (that of the configuration unless given),
    on all cores, and waits for them. Arguments are those of `run`; no run writes its requests.

    Raises SimulatorError, whose text is the simulator's one line."""
    from cavern.sweeps import repeat as repeats

    if n < 1:
        raise ValueError(f"n = {n}; expected the number of seeds, from 1 on")
    folder, kept_by = place(out)
    words = [str(config), *input_words(folder, workload, trace, limit=limit, warmup=warmup)]
    words += set_words(settings(overrides))
    repeats.repeat(repeats.Words.of(words), folder, n, seed)
    return Repeat(folder, kept_by)
