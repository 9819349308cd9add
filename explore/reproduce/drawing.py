"""What the experiments' figures have in common."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from plots.style import GREEN, MUTED, WIDTH, put_title

Records = list[dict[str, Any]]


def distinct(records: Records, column: str) -> list[Any]:
    """The different values of a column, in the order of the records."""
    return list(dict.fromkeys(record[column] for record in records))


def where(records: Records, **wanted: object) -> Records:
    return [r for r in records if all(r[name] == value for name, value in wanted.items())]


def percent(axis: Any, decimals: int = 0) -> None:
    """Labels the ticks of shares."""
    axis.set_major_formatter(PercentFormatter(1.0, decimals=decimals, symbol=" %"))


def fitted(
    records: Records,
    table: str,
    paper: str,
    names: Mapping[str, str],
    shares: Collection[str] = (),
) -> Figure:
    """The characteristics of fitted workloads beside those of the paper's `table`: a panel for each
    key of `names`, a row for each workload. Column `paper` has the paper's figure, `played` that of
    what is played. `shares` are characteristics from 0 to 1."""
    workloads = distinct(records, "workload")
    figure = Figure(figsize=(WIDTH, 1.5 + 0.4 * len(workloads)))
    put_title(
        figure, f"{table} and the fitted workloads", "grey: the paper; colour: what is played"
    )
    panels = figure.subplots(1, len(names), sharey=True)
    for axes, (characteristic, name) in zip(panels, names.items(), strict=True):
        for record in where(records, characteristic=characteristic):
            row = workloads.index(record["workload"])
            axes.barh(row - 0.2, record[paper], 0.36, color=MUTED)
            axes.barh(row + 0.2, record["played"], 0.36, color=GREEN)
        if characteristic in shares:
            axes.set_xlim(0, 1)
            percent(axes.xaxis)
        axes.set_title(name)
        axes.grid(axis="y", visible=False)
    panels[0].set_yticks(range(len(workloads)), workloads)
    panels[0].set_ylim(len(workloads) - 0.5, -0.5)
    return figure
