"""The figures of a line chart or heat map: none compares runs that differ in other things too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from cavern.plots.metrics import Metric
from cavern.plots.sweep.measured import half_of
from cavern.plots.sweep.table import Axis, SweepTable, number
from cavern.verdicts.additive import Fit, fit, typical
from cavern.verdicts.axes import alike
from cavern.verdicts.intervals import LEVEL, Mean, mean_of

#: A fit that says runs it has not seen less well than this, between their mean (0) and the truth
#: (1), is not shown.
LEAST_SKILL = 0.3

Cell = tuple[int, ...]


@dataclass(frozen=True)
class Cells:
    """`values` are the figures of each cell, whose mean is shown: of runs that are alike in all but
    the cell, or of one figure that is expected (`guess`). `runs` is how many were run there. With
    several seeds, `known` has the means over them, each of all runs of a seed; of single runs that
    are sampled their figures, with n = 1."""

    values: dict[Cell, list[float]]
    runs: dict[Cell, int]
    caption: str
    guess: Fit | None = None
    known: dict[Cell, Mean] = field(default_factory=dict)

    @property
    def means(self) -> dict[Cell, float]:
        return {cell: sum(values) / len(values) for cell, values in self.values.items()}

    @property
    def spread(self) -> str:
        """What span() is."""
        if not self.known:
            return "from the least to the greatest"
        if all(one.n == 1 for one in self.known.values()):
            return "the interval of the sampled run"
        return f"the interval of {LEVEL * 100:g} % of the mean over the seeds"

    def span(self, cell: Cell) -> tuple[float, float]:
        """The interval of the mean where there is one, else the least and the greatest figure."""
        known = self.known.get(cell)
        if known is not None and math.isfinite(known.half_width):
            return known.mean - known.half_width, known.mean + known.half_width
        return min(self.values[cell]), max(self.values[cell])

    def told(self, cell: Cell, of: Metric) -> str:
        """The figure of a cell, and what it rests on."""
        values, count = self.values[cell], self.runs[cell]
        text = of.text(sum(values) / len(values))
        runs = f"{count} run{'s' if count != 1 else ''}"
        if self.guess is not None:
            return f"about {text} expected; {runs} there"
        if cell in self.known:
            half, seeds = of.text(self.known[cell].half_width), self.known[cell].n
            rests_on = f"{LEVEL * 100:g} %, {seeds} seeds" if seeds > 1 else "sampled"
            return f"{text} ± {half} ({rests_on})"
        if len(values) == 1:
            return text
        return (
            f"{text} (mean of {len(values)} runs, {of.text(min(values))} to {of.text(max(values))})"
        )


def cells_of(
    table: SweepTable, chosen: Sequence[Axis], of: Metric, figures: Sequence[float] | None = None
) -> Cells | None:
    """The cells over the chosen axes, of the metric or of other figures of the good runs. None
    where nothing can be said of them."""
    shown = {column for axis in chosen for column in axis.columns}
    rest = [axis for axis in table.axes if not shown.issuperset(axis.columns)]
    values = figures or [number(row, of.field) for row in table.good]
    found: dict[Cell, dict[Cell, list[float]]] = {}
    for cell, partner, value in zip(table.places(chosen), table.places(rest), values, strict=True):
        if math.isfinite(value):
            found.setdefault(cell, {}).setdefault(partner, []).append(value)
    runs = {cell: sum(map(len, partners.values())) for cell, partners in found.items()}
    fair = alike(found)
    if fair:
        alone = {cell: [v for some in own.values() for v in some] for cell, own in fair.items()}
        caption = _caption(rest, alone, sum(runs.values()))
        known = {}
        if table.seeds in rest:
            place = rest.index(table.seeds)
            known = {cell: _over_seeds(own, place) for cell, own in fair.items()}
        elif figures is None and max(map(len, alone.values())) == 1:
            known = _of_samples(table, chosen, of)
        return Cells(alone, runs, caption, known=known)
    return _expected(table, chosen, values, runs)


def _of_samples(table: SweepTable, chosen: Sequence[Axis], of: Metric) -> dict[Cell, Mean]:
    """The figure of each cell with the interval of its sampled run; empty where none is sampled."""
    rows = zip(table.places(chosen), table.good, strict=True)
    found = {cell: Mean(number(row, of.field), half_of(row, of), 1) for cell, row in rows}
    return found if any(one.half_width for one in found.values()) else {}


def _over_seeds(partners: dict[Cell, list[float]], place: int) -> Mean:
    """The mean of the figures of a cell, of which each seed has one of all its runs."""
    of_seed: dict[int, list[float]] = {}
    for partner, values in partners.items():
        of_seed.setdefault(partner[place], []).extend(values)
    return mean_of([sum(values) / len(values) for values in of_seed.values()])


def _caption(rest: Sequence[Axis], values: dict[Cell, list[float]], count: int) -> str:
    each = max(map(len, values.values()))
    over = ", ".join(axis.label for axis in rest)
    if not over:
        return "Each figure is a run."
    text = f"Each figure is the mean of {each} runs, over the same values of {over}."
    if each == 1:
        text = f"Each figure is a run, all of the same {over}."
    left = count - sum(map(len, values.values()))
    if left:
        text += f" Left out: {left:,} without a like in each other cell."
    return text


def _expected(
    table: SweepTable,
    chosen: Sequence[Axis],
    measured: Sequence[float],
    runs: dict[Cell, int],
) -> Cells | None:
    axes = table.named
    guess = fit(axes, table.places(axes), measured)
    if guess is None or guess.skill < LEAST_SKILL or any(axis not in axes for axis in chosen):
        return None
    at = [axes.index(axis) for axis in chosen]
    values = {
        cell: [max(0.0, float(guess.at(typical(axes, dict(zip(at, cell, strict=True))))))]
        for cell in runs
    }
    return Cells(values, runs, _fitted(sum(runs.values()), guess), guess)


def _fitted(count: int, guess: Fit) -> str:
    text = f"Expected by a sum over the axes, fitted to {count:,} runs"
    if math.isfinite(guess.missed):
        text += f"; it misses half of those it has not seen by over {guess.missed * 100:.2g} %"
    return f"{text}."
