"""Many simulations over a parameter space: described (spec), worked out (plan), run (execute) and
gathered (table). `./cavern sweep` is built on these four steps."""

from __future__ import annotations

from cavern.sweeps.case import Case, Input, Setting
from cavern.sweeps.execute import Outcome, execute
from cavern.sweeps.plan import Run, plan
from cavern.sweeps.spec import read_spec, title_of
from cavern.sweeps.table import flat_row, rows_of, write_csv, write_parquet

__all__ = [
    "Case",
    "Input",
    "Outcome",
    "Run",
    "Setting",
    "execute",
    "flat_row",
    "plan",
    "read_spec",
    "rows_of",
    "title_of",
    "write_csv",
    "write_parquet",
]
