"""The figures of the table of results as CSV, in the units of their fields."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from urllib.parse import quote

from cavern.plots.metrics import BYTES, JOULES, METRICS, RATE, TIME
from cavern.plots.results import Run
from cavern.plots.tables import value_of

UNITS = {TIME: "ns", RATE: "B/s", BYTES: "B", JOULES: "J"}
#: What a reader needs to judge a percentile.
COUNTS = ("host.read.count", "host.write.count")


def numbers_csv(runs: Sequence[Run]) -> str:
    """A row a field of summary.json: its name, its unit, and its value in each run; empty where the
    run has none."""
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    write(["field", "unit", *(run.name for run in runs)])
    for field in COUNTS:
        write([field, "", *(_number(run.summary.number(field)) for run in runs)])
    for one in METRICS:
        values = [_number(value_of(run, one)) for run in runs]
        if any(values):
            write([one.field, UNITS.get(one.kind, ""), *values])
    return text.getvalue()


def as_address(text: str) -> str:
    """The text as an address that a page links to, for a file to be saved."""
    return f"data:text/csv;charset=utf-8,{quote(text)}"


def _number(value: float) -> str:
    if not math.isfinite(value):
        return ""
    return str(int(value)) if value == int(value) else repr(float(value))
