"""Draws the figures of runs and writes them as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib.figure import Figure

from cavern.errors import NotAvailableError
from cavern.plots.figures import (
    BUS_FIGURE,
    COMPARISON_FIGURES,
    RUN_FIGURES,
    ComparisonFigure,
    RunFigure,
)
from cavern.plots.figures.options import Options
from cavern.plots.results import Run
from cavern.plots.style import as_png, as_svg, settle, style


@dataclass(frozen=True)
class Drawn:
    """A figure's two files, or the reason why there is none."""

    spec: RunFigure | ComparisonFigure
    svg: str = ""
    png: bytes = b""
    missing: str = ""


def run_figures(
    run: Run, options: Options, png: bool, specs: Sequence[RunFigure] = RUN_FIGURES
) -> Iterator[Drawn]:
    for spec in specs:
        yield _drawn(spec, partial(spec.draw, run, options), png, [run])


def bus_figure(run: Run, options: Options, png: bool) -> Drawn:
    return _drawn(BUS_FIGURE, partial(BUS_FIGURE.draw, run, options), png, [run])


def comparison_figures(runs: Sequence[Run], png: bool) -> Iterator[Drawn]:
    for spec in COMPARISON_FIGURES:
        yield _drawn(spec, partial(spec.draw, runs), png, runs)


def _drawn(
    spec: RunFigure | ComparisonFigure,
    draw: Callable[[], Figure],
    png: bool,
    runs: Sequence[Run],
) -> Drawn:
    of = [run.identity for run in runs]
    with style():
        try:
            figure = draw()
        except NotAvailableError as reason:
            return Drawn(spec, missing=str(reason))
        settle(figure)
        return Drawn(spec, as_svg(figure, of), as_png(figure, of) if png else b"")
