"""What the experiments' figures have in common."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from cavern.figures import GREEN, MUTED, titled
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, PercentFormatter

Records = list[dict[str, Any]]


def distinct(records: Records, column: str) -> list[Any]:
    """The different values of a column, in the order of the records."""
    return list(dict.fromkeys(record[column] for record in records))


def where(records: Records, **wanted: object) -> Records:
    return [r for r in records if all(r[name] == value for name, value in wanted.items())]


def percent(axis: Any, decimals: int = 0) -> None:
    """Labels the ticks of shares."""
    axis.set_major_formatter(PercentFormatter(1.0, decimals=decimals, symbol=" %"))


def two_columns(
    title: str, below: str, count: int, height: float, *, head: float = 1.1, share: bool = False
) -> tuple[Figure, list[Axes]]:
    """`count` panels of a height in inches, below a head; the one that is left over is hidden."""
    rows = max(1, (count + 1) // 2)
    figure = titled(head + height * rows, title, below)
    panels: list[Axes] = list(figure.subplots(rows, 2, sharex=share, squeeze=False).flat)
    for axes in panels[count:]:
        axes.set_visible(False)
    return figure, panels


def curve(axes: Axes, records: Records, x: str, y: str, *form: str, **style: Any) -> None:
    """A line over the records by two of their columns; it is broken where y is unknown."""
    heights = [np.nan if record[y] is None else record[y] for record in records]
    axes.plot([record[x] for record in records], heights, *form, **style)


def legend(figure: Figure, panels: Iterable[Axes], columns: int) -> None:
    """Below the figure, each label of the panels once."""
    named: dict[str, Any] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        named |= dict(zip(labels, handles, strict=True))
    figure.legend(named.values(), named.keys(), loc="outside lower center", ncols=columns)


def powers_of_two(axes: Axes, ticks: Sequence[float], labels: Sequence[str]) -> None:
    """The x axis of sizes and counts."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, labels)
    axes.xaxis.set_minor_formatter(NullFormatter())


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
    figure = titled(
        1.5 + 0.4 * len(workloads),
        f"{table} and the fitted workloads",
        "grey: the paper; colour: what is played",
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
