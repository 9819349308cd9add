"""Many simulations from Python: what `./cavern sweep` does."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cavern.api.inputs import place
from cavern.api.run import Result
from cavern.toml_text import toml

if TYPE_CHECKING:
    import pandas as pd

    from cavern.sweeps.cluster_spec import ClusterSpec
    from cavern.sweeps.execute import Pool


class Sweep:
    """A finished sweep: its folder, its table, and each of its runs."""

    def __init__(self, folder: Path, kept_by: object = None) -> None:
        self.folder = folder
        self._kept_by = kept_by  # goes with the sweep and its results

    def __repr__(self) -> str:
        return f"<cavern.Sweep: {len(self.table)} runs, {len(self.failed)} failed>"

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per run (docs/sweep.md): what varies, "status" and "error", and every field of the
        summary by its dotted name."""
        import pandas as pd

        return pd.read_parquet(self.folder / "table.parquet")

    @property
    def failed(self) -> pd.DataFrame:
        """The rows of the runs that failed."""
        return self.table[self.table["status"] != 0]

    @property
    def page(self) -> Path:
        """The page of the sweep."""
        return self.folder / "report.html"

    def result(self, run: str) -> Result:
        """One run, by its id in the column "run". A sweep keeps no requests."""
        return Result(self.folder / "runs" / run, self._kept_by)


def _pool(where: str | ClusterSpec | None, retries: int) -> AbstractContextManager[Pool | None]:
    if where is None:
        return nullcontext()
    # Imported here: Dask takes a second, and need not be installed for the rest.
    from cavern.sweeps.cluster import pool_of

    return pool_of(where, retries=retries)


def sweep(
    spec: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    retries: int = 1,
    resume: bool = True,
) -> Sweep:
    """Runs what `spec` describes (docs/sweep.md: a TOML file, or what would stand in one as a
    mapping) and waits for it. `jobs` is the number of runs at a time; `scheduler` is the address
    of a Dask cluster that runs them instead of this machine, as does [cluster] in `spec`.

    `out` is the folder of the results, where runs that are there already are not run again unless
    `resume` is False; without it they are kept as long as the Sweep. A failed run is a row.

    Raises InputError where the description is wrong."""
    from cavern.sweeps import execute, plan, read_spec
    from cavern.sweeps.cluster_spec import read_cluster
    from cavern.sweeps.whole import run_sweep

    folder, kept_by = place(out)
    beside = None
    if isinstance(spec, Mapping):
        text, spec, beside = toml(dict(spec)), folder / "spec.toml", Path.cwd()
        spec.write_text(text, encoding="utf-8")
    spec = Path(spec)
    runs = plan(read_spec(spec, beside), spec=spec)
    with _pool(scheduler or read_cluster(spec), retries) as pool:
        run_all = partial(execute, out=folder, jobs=jobs, resume=resume, retries=retries, pool=pool)
        run_sweep(spec, runs, folder, run_all)
    return Sweep(folder, kept_by)
