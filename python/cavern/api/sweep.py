"""Many simulations from Python: what `./cavern sweep` does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cavern.api.inputs import place, settings
from cavern.api.run import Result
from cavern.errors import InputError
from cavern.names import DRIVE, TRACE, WORKLOAD, Kind, find, suggestion
from cavern.plots.files import write_file
from cavern.simulator import program
from cavern.toml_text import toml

if TYPE_CHECKING:
    import pandas as pd

    from cavern.sweeps.case import Case, Label
    from cavern.sweeps.execute import Outcome


class Sweep:
    """A finished sweep: its folder, its table, and each of its runs."""

    def __init__(self, folder: Path, kept_by: object = None, reused: int = 0) -> None:
        self.folder = folder
        self.reused = reused  #: how many of its runs were there already
        self._kept_by = kept_by  # goes with the sweep and its results

    def __repr__(self) -> str:
        return f"<cavern.Sweep: {len(self.table)} runs, {len(self.failed)} failed>"

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per run (docs/sweep.md): what varies, "status" and "error", and every field of the
        summary by its dotted name. Sizes that vary, such as "4MiB", are bytes."""
        import pandas as pd

        table = pd.read_parquet(self.folder / "table.parquet")
        return in_bytes(table, self._varied(table))

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The table without pandas: what a run has no value of is None, a size is a text."""
        import pyarrow.parquet as pq

        rows: list[dict[str, Any]] = pq.read_table(self.folder / "table.parquet").to_pylist()
        return rows

    @staticmethod
    def _varied(table: pd.DataFrame) -> list[str]:
        return [name for name in table.columns if name.startswith("vary.")]

    def _repr_html_(self) -> str:
        from cavern.plots.metrics import MAIN

        table = self.table
        shown = [name for name in ("trace", "config", "seed") if name in table]
        shown = [name for name in shown if table[name].nunique() > 1] + self._varied(table)
        shown += ["status"] if len(self.failed) else []
        shown += [name for name in MAIN if name in table and table[name].nunique() > 1]
        told: str = table[shown].to_html(max_rows=60, index=False)
        return f"<p>{len(table)} runs, {len(self.failed)} failed</p>{told}"

    @property
    def failed(self) -> pd.DataFrame:
        """The rows of the runs that failed."""
        return self.table[self.table["status"] != 0]

    @property
    def page(self) -> Path:
        """The page of the sweep. That of cases is there once `report` has written it."""
        return self.folder / "report.html"

    def report(self, out: str | Path | None = None) -> Path:
        """Writes the page anew, to `out` where given, and returns its path."""
        from cavern.plots.sweep.folder import write_sweep_page

        return write_sweep_page(self.folder, None if out is None else Path(out))

    def result(self, run: str) -> Result:
        """One run, by its id in the column "run". A sweep keeps no requests."""
        return Result(self.folder / "runs" / run, self._kept_by)


def in_bytes(table: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """The table, with bytes in the columns of those names that have sizes alone."""
    from cavern.verdicts.axes import quantity

    for name in names:
        found = [quantity(value) for value in table[name]]
        sizes = [int(one[1]) for one in found if one and one[0] == "size"]
        if len(sizes) == len(table):
            table[name] = sizes
    return table


def case(
    config: str | Path,
    workload: str | Path | None = None,
    *,
    trace: str | Path | None = None,
    labels: Mapping[str, Label] | None = None,
    seed: int | None = None,
    limit: int | None = None,
    warmup: int | None = None,
    **overrides: Any,
) -> Case:
    """A run that `sweep` is to do, told as to `run`. The table has `labels` in columns "vary.NAME";
    "trace" is one of its own, the name of what is played unless they have it.

    Raises InputError where there is no such file."""
    from cavern.sweeps.case import Case, Input, Setting

    given = [(kind, name) for kind, name in ((WORKLOAD, workload), (TRACE, trace)) if name]
    if len(given) != 1:
        right = "expected a workload or a trace"
        raise InputError("<arguments>", 1, f"{len(given)} inputs", right)
    ((kind, name),) = given
    played = Input(_found(kind, name), kind.what)
    made = tuple(Setting(key, value) for key, value in settings(overrides).items())
    told = {"trace": played.label, **(labels or {})}
    return Case(_found(DRIVE, config), played, made, told, seed, limit, warmup)


def _found(kind: Kind, name: str | Path) -> Path:
    file = find(kind, name)
    if file is None:
        raise InputError(name, 1, "no such file", f"{suggestion(kind, name)}expected a {kind.what}")
    return file


def sweep(
    spec: str | Path | Mapping[str, Any] | Sequence[Case],
    *,
    out: str | Path | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    retries: int = 1,
    resume: bool = True,
    simulator: str | Path | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Sweep:
    """Runs what `spec` describes (docs/sweep.md: a TOML file, what would stand in one as a mapping,
    or a list of what `case` gives) and waits for it. `jobs` is the number of runs at a time;
    `scheduler` is the address of a Dask cluster that runs them instead of this machine, as does
    [cluster] in `spec`. `simulator` is another program than Cavern's own.

    `out` is the folder of the results, where runs that are there already are not run again unless
    `resume` is False; without it they are kept as long as the Sweep. A failed run is a row.
    `progress` is told how many of how many runs have ended; without it a terminal shows a bar, and
    a notebook a line.

    Raises InputError where the description is wrong."""
    from cavern.sweeps import execute, plan, read_spec, rows_of, write_parquet
    from cavern.sweeps.cluster_spec import read_cluster
    from cavern.sweeps.whole import pool_for, run_sweep

    folder, kept_by = place(out)
    player = program() if simulator is None else Path(simulator)
    described_by, where = None, None
    if isinstance(spec, str | Path | Mapping):
        described_by, beside = described(spec, folder)
        spec, where = read_spec(described_by, beside), read_cluster(described_by)
    runs = plan(spec, player, described_by)
    reused = 0
    with (
        pool_for(scheduler or where, player, retries) as pool,
        _shown(len({run.id for run in runs}), progress) as shown,
    ):

        def on_done(outcome: Outcome, was_there: bool) -> None:
            nonlocal reused
            reused += was_there
            shown(outcome, was_there)

        run_all = partial(
            execute,
            out=folder,
            jobs=jobs,
            resume=resume,
            program=player,
            retries=retries,
            pool=pool,
            on_done=on_done,
        )
        if described_by is None:
            write_parquet(rows_of(run_all(runs)), folder / "table.parquet")
        else:
            run_sweep(described_by, runs, folder, run_all)
    return Sweep(folder, kept_by, reused)


def described(spec: str | Path | Mapping[str, Any], folder: Path) -> tuple[Path, Path | None]:
    """The file of a description, and the folder that its names are seen from where that is not the
    file's own. A mapping is written into `folder`, and sees what the program sees."""
    if not isinstance(spec, Mapping):
        return Path(spec), None
    file = folder / "spec.toml"
    write_file(file, toml(dict(spec)).encode())
    return file, Path.cwd()


@contextmanager
def _shown(
    total: int, told: Callable[[int, int], object] | None
) -> Iterator[Callable[[Outcome, bool], None]]:
    """Tells of the runs that have ended: `told`, else a terminal or a notebook."""
    if told is None and not _in_a_notebook():
        from cavern.sweeps.command import progress

        with progress(total) as bar:
            yield bar.on_done
        return
    done = 0

    def on_done(_: Outcome, __: bool) -> None:
        nonlocal done
        done += 1
        if told is not None:
            told(done, total)
        else:
            print(f"\r{done} of {total} runs", end="", file=sys.stderr)

    yield on_done
    if told is None:
        print(file=sys.stderr)


def _in_a_notebook() -> bool:
    return type(sys.stderr).__module__.startswith("ipykernel.")
