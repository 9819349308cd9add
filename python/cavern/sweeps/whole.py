"""A sweep from its description to its table and page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from cavern.plots.files import write_file
from cavern.sweeps.cluster_spec import ClusterSpec
from cavern.sweeps.execute import Outcome, Pool
from cavern.sweeps.plan import Run
from cavern.sweeps.spec import title_of
from cavern.sweeps.table import rows_of, write_csv, write_parquet

#: Runs the runs and gives their outcomes in the same order.
Execute = Callable[[Sequence[Run]], list[Outcome]]


@dataclass(frozen=True)
class Finished:
    """What a sweep has left in its folder."""

    outcomes: list[Outcome]
    table: Path
    page: Path

    @property
    def failed(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.status != 0]


def pool_for(
    where: str | ClusterSpec | None, program: Path, retries: int
) -> AbstractContextManager[Pool | None]:
    """What `execute` runs with: a scheduler of that address, the cluster that a description has, or
    this machine."""
    if where is None:
        return nullcontext()
    # Imported late: Dask takes a second, and need not be installed for the rest.
    from cavern.sweeps.cluster import pool_of

    return pool_of(where, program, retries)


@dataclass(frozen=True)
class Description:
    """A description as it was when its runs began: it may be changed for the next ones by now."""

    path: Path
    title: str
    text: bytes

    @classmethod
    def of(cls, path: Path) -> Description:
        return cls(path, title_of(path), path.read_bytes())

    def keep(self, out: Path) -> None:
        """A copy beside the results; it may be the file itself."""
        copy = out / "spec.toml"
        if self.path.resolve() != copy.resolve():
            write_file(copy, self.text)


def run_sweep(spec: Path, runs: Sequence[Run], out: Path, execute: Execute) -> Finished:
    """Runs them, and writes table.parquet, table.csv, spec.toml and report.html into `out`."""
    # Imported late: it takes a second, which mistakes need not wait for.
    from cavern.plots.sweep.folder import write_sweep_page

    described = Description.of(spec)
    outcomes = execute(runs)
    table = out / "table.parquet"
    rows = rows_of(outcomes)
    write_parquet(rows, table, {"title": described.title, "spec": str(spec)})
    write_csv(rows, out / "table.csv")
    described.keep(out)
    return Finished(outcomes, table, write_sweep_page(out))
