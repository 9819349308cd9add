"""What the figures of a sweep share. Each is a figure and the texts of its marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cavern.plots.hover import Tips
from cavern.plots.metrics import Metric
from cavern.plots.sweep.measured import fewest
from cavern.plots.sweep.table import Axis, SweepTable, together
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

#: Of a viridis cut short: its last yellow is too light for lines on paper.
BRIGHTEST = 0.88
MOST_TICK_LETTERS = 18
MOST_TICKS = 24
#: Lines, or rows of a heat map, that show each run of all axes.
MOST_BESIDE = 8
#: Above the highest mark, of the height from 0.
HEADROOM = 1.08


@dataclass(frozen=True)
class Picture:
    name: str
    title: str
    caption: str
    figure: Figure
    tips: Tips
    wide: bool = False
    fitted: bool = False  # shows what is expected, where no mean of runs would be fair


def cut(text: str, most: int = MOST_TICK_LETTERS) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def shades(count: int) -> list[tuple[float, ...]]:
    return [tuple(colormaps["viridis"](BRIGHTEST * i / max(1, count - 1))) for i in range(count)]


def scale_of(of: Metric, values: Sequence[float]) -> tuple[str, float]:
    return of.unit(max((abs(v) for v in values if math.isfinite(v)), default=0.0))


def label_of(of: Metric, unit: str) -> str:
    return f"{of.label} ({unit})" if unit else of.label


def from_zero(axes: Axes, values: Sequence[float]) -> None:
    """The upright axis from 0, with room for the highest mark."""
    axes.set_ylim(0, max(values, default=0.0) * HEADROOM or 1.0)


def whole(table: SweepTable, chosen: Sequence[Axis]) -> list[Axis]:
    """The first of two axes, and all others as one beside it, where all combinations were run and
    these are few: each figure is a run then, and no mean hides what differs."""
    rest = [axis for axis in table.parameters if axis not in chosen[:1]]
    beside = math.prod(len(axis.values) for axis in rest)
    count = len(set(table.places(table.parameters)))
    if len(rest) < 2 or beside > MOST_BESIDE or count < beside * len(chosen[0].values):
        return list(chosen)
    return [chosen[0], together(rest)]


def ticks(axes: Axes, which: str, axis: Axis) -> None:
    """The values as the description has them; some where there are too many."""
    step = math.ceil(len(axis.texts) / MOST_TICKS)
    chosen = range(0, len(axis.texts), step)
    texts = [cut(axis.texts[i]) for i in chosen]
    if which == "x":
        long = sum(map(len, texts)) > 44
        axes.set_xticks(
            list(chosen), texts, rotation=40 if long else 0, ha="right" if long else "center"
        )
        axes.set_xlabel(axis.label)
    else:
        axes.set_yticks(list(chosen), texts)
        axes.set_ylabel(axis.label)


def beyond_text(table: SweepTable, of: Metric) -> str:
    """How many samples a percentile rests on at least; empty for what is none."""
    count = fewest(table, of)
    if count is None:
        return ""
    kind = of.field.split(".")[1]
    return f" At least {count:,} {kind}{'s' if count != 1 else ''} of a run lie beyond it."
