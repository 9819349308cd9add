"""Draws the figures of runs and writes them as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

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
from cavern.plots.style import as_pdf, as_png, as_svg, settle, style
from matplotlib.figure import Figure


@dataclass(frozen=True)
class Output:
    """What becomes of a figure. Dots per inch are those of PNG; None leaves them to the style."""

    formats: tuple[str, ...] = ("png", "svg")
    titles: bool = True
    dots_per_inch: int | None = None


#: A page says the title itself.
FOR_PAGE = Output(("svg",), titles=False)


@dataclass(frozen=True)
class Drawn:
    """A figure's files by their format, or the reason why there are none."""

    spec: RunFigure | ComparisonFigure
    files: dict[str, bytes]
    missing: str = ""

    @property
    def svg(self) -> str:
        return self.files["svg"].decode()


def run_figures(
    run: Run, options: Options, output: Output, specs: Sequence[RunFigure] = RUN_FIGURES
) -> Iterator[Drawn]:
    for spec in specs:
        yield _drawn(spec, partial(spec.draw, run, options), output, [run])


def bus_figure(run: Run, options: Options, output: Output) -> Drawn:
    return _drawn(BUS_FIGURE, partial(BUS_FIGURE.draw, run, options), output, [run])


def comparison_figures(runs: Sequence[Run], output: Output) -> Iterator[Drawn]:
    for spec in COMPARISON_FIGURES:
        yield _drawn(spec, partial(spec.draw, runs), output, runs)


def _drawn(
    spec: RunFigure | ComparisonFigure,
    draw: Callable[[], Figure],
    output: Output,
    runs: Sequence[Run],
) -> Drawn:
    of = [run.identity for run in runs]
    with style(output.titles):
        try:
            figure = draw()
        except NotAvailableError as reason:
            return Drawn(spec, {}, str(reason))
        settle(figure)
        made: dict[str, Callable[[], bytes]] = {
            "svg": lambda: as_svg(figure, of).encode(),
            "png": lambda: as_png(figure, of, output.dots_per_inch),
            "pdf": lambda: as_pdf(figure, of),
        }
        return Drawn(spec, {name: made[name]() for name in output.formats})
