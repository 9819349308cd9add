"""What all figures share: style sheet, units on axes, titles, and how files are made."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
from cavern.errors import InputError
from cavern.plots.colours import MUTED
from cavern.plots.files import write_file
from cavern.plots.texts import moment_text, printable, round_step, short_time, time_unit
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    LogLocator,
    MultipleLocator,
    NullFormatter,
)

if TYPE_CHECKING:
    from cavern.plots.results import Run

STYLE_SHEET = Path(__file__).with_name("cavern.mplstyle")
WIDTH = 4.6  # inches; see the style sheet
TITLE_LIMIT = 44  # letters in that width
NAME_LIMIT = 30
LEAST_SHARE_AXIS = 0.01


#: What the title takes of a figure's height, and the line below it, in inches.
TITLE_INCHES, BELOW_INCHES = 0.32, 0.17
_titled = ContextVar("titled", default=True)


@contextmanager
def style(titles: bool = True) -> Iterator[None]:
    """Figures are drawn and saved inside this; without titles where something else says them."""
    token = _titled.set(titles)
    try:
        with _styled():
            yield
    finally:
        _titled.reset(token)


@cache
def _sheet() -> matplotlib.RcParams:
    return matplotlib.rc_params_from_file(STYLE_SHEET, use_default_template=False)


@contextmanager
def _styled() -> Iterator[None]:
    with matplotlib.rc_context(_sheet()), warnings.catch_warnings():
        # A name in letters the font lacks shows boxes; a line on stderr helps nobody.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def shortened(name: str) -> str:
    """A run's name, cut so that it fits beside bars and above axes."""
    return name if len(name) <= NAME_LIMIT else name[: NAME_LIMIT - 1] + "…"


def titled(height: float, title: str, below: str = "") -> Figure:
    """A figure of a height in inches with its title, and a line in small letters below it."""
    figure = Figure(figsize=(WIDTH, height))
    put_title(figure, title, below)
    return figure


def new_figure(run: Run, what: str, height: float = 3.4) -> Figure:
    """A figure titled with the configuration's name; the drive in small letters below."""
    return titled(height, f"{shortened(run.name)}: {what}", run.description)


def put_title(figure: Figure, title: str, below: str = "") -> None:
    """Title and line below, left-aligned; room for both is kept by the constrained layout. Of a
    figure without titles the height loses that room."""
    if not _titled.get():
        room = TITLE_INCHES + (BELOW_INCHES if below else 0.0)
        figure.set_figheight(figure.get_figheight() - room)
        return
    if len(title) > TITLE_LIMIT:
        title = ":\n".join(title.rsplit(": ", 1))
    lines = title.count("\n") + 1
    figure.suptitle(title + ("\n" if below else ""), x=0.015, ha="left", linespacing=1.2)
    if below:
        top = 1 - (0.08 + 0.19 * lines) / figure.get_figheight()
        figure.text(0.015, top, below, fontsize=8, color=MUTED, va="top")


def legend_above(axes: Axes, columns: int = 4, **options: object) -> None:
    """A legend over the right half of the axes' upper edge, where no data can be."""
    options = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": columns} | options
    axes.legend(**options)


def log_time_axis(axis: Axis) -> None:
    """A logarithmic axis of nanoseconds whose ticks carry their unit: 1 µs, 10 µs, …"""
    axis.set_major_locator(LogLocator(10, numticks=8))
    axis.set_minor_locator(LogLocator(10, subs=tuple(range(2, 10)), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: short_time(value)))
    axis.set_minor_formatter(FuncFormatter(lambda value, _: _minor_label(axis, value)))


def time_in_window(axis: Axis, begin_us: float, end_us: float) -> None:
    """An axis of us since the begin of a window, in the unit that suits the window; its label says
    when that begins."""
    unit = time_since(axis, end_us - begin_us)
    axis.set_label_text(
        f"time in the window ({unit}), which begins at {moment_text(begin_us * 1e3)}"
    )


def time_since(axis: Axis, width_us: float) -> str:
    """Ticks of an axis of us in the unit that suits its width; returns the unit."""
    unit, length_ns = time_unit(width_us * 1e3)
    scale = length_ns / 1e3
    axis.set_major_locator(MultipleLocator(round_step(width_us / scale) * scale))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale:g}"))
    return unit


def _minor_label(axis: Axis, ns: float) -> str:
    """Labels at 2 and 5 on an axis too short for powers of ten alone."""
    low, high = axis.get_view_interval()
    leading = f"{ns:e}"[0]
    return short_time(ns) if high / low < 40 and leading in "25" else ""


def fraction_ticks(axis: Axis, smallest: float) -> None:
    """A logarithmic axis of shares labelled 100 %, 10 %, … down to the smallest."""
    powers = range(0, max(1, math.ceil(-math.log10(smallest))) + 1)
    axis.set_major_locator(FixedLocator([10.0**-power for power in powers]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:.9g} %"))
    axis.set_minor_formatter(NullFormatter())


def round_up(share: float) -> float:
    """The end of a scale: the next of 1, 2, 3, 5 or 10 times a power of ten, at most 1."""
    power = 10.0 ** math.floor(math.log10(max(share, 1e-4)))
    fitting = [step * power for step in (1, 2, 3, 5, 10) if step * power >= share * (1 - 1e-9)]
    return min(fitting[0], 1.0)


def share_axis(axis: Axis, largest: float) -> None:
    """An axis of shares from 0 to a round one beyond the largest, in per cent."""
    top = max(round_up(largest), LEAST_SHARE_AXIS)
    set_limits = axis.axes.set_xlim if axis is axis.axes.xaxis else axis.axes.set_ylim
    set_limits(0, top * 1.02)
    axis.set_major_locator(FixedLocator([top * step / 5 for step in range(6)]))
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{share * 100:.6g} %"))


def settle(figure: Figure) -> None:
    """Lays the figure out, once for all its files."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        figure.set_layout_engine("none")


def mark_of(identities: Sequence[str]) -> dict[str, str]:
    """What a figure says in its metadata about the runs that it shows."""
    mark = ", ".join(f"cavern-run {one}" for one in identities if one)
    return {"Source": mark} if mark else {}


def as_png(
    figure: Figure, identities: Sequence[str] = (), dots_per_inch: int | None = None
) -> bytes:
    """Of a settled figure: its canvas draws once, where savefig would draw on trial as well."""
    buffer = io.BytesIO()
    metadata = {"Software": None, **mark_of(identities)}
    figure.set_dpi(dots_per_inch or matplotlib.rcParams["savefig.dpi"])
    FigureCanvasAgg(figure).print_png(buffer, metadata=metadata)
    return buffer.getvalue()


def as_pdf(figure: Figure, identities: Sequence[str] = ()) -> bytes:
    """The same bytes for the same data, drawn once: lines, and text as text."""
    # Imported here: few ask for it.
    from matplotlib.backends.backend_pdf import FigureCanvasPdf

    buffer = io.BytesIO()
    mark = mark_of(identities).get("Source")
    metadata = {"CreationDate": None, "Creator": None, "Producer": None, "Subject": mark}
    FigureCanvasPdf(figure).print_pdf(buffer, metadata=metadata)
    return buffer.getvalue()


def as_svg(figure: Figure, identities: Sequence[str] = ()) -> str:
    """The same bytes for the same data: no date, fixed identifiers. Drawn once, as as_png is."""
    buffer = io.StringIO()
    metadata = {"Date": None, "Creator": None, **mark_of(identities)}
    figure.set_dpi(matplotlib.rcParams["savefig.dpi"])
    FigureCanvasSVG(figure).print_svg(buffer, metadata=metadata)
    return printable(buffer.getvalue())


def save(figure: Figure, *paths: str | Path) -> None:
    """Writes a figure, inside style(): as PNG, SVG or PDF, which the ending of each name says."""
    settle(figure)
    for path in map(Path, paths):
        if path.suffix == ".png":
            content = as_png(figure)
        elif path.suffix == ".svg":
            content = as_svg(figure).encode()
        elif path.suffix == ".pdf":
            content = as_pdf(figure)
        else:
            right = "expected a name that ends in .png, .svg or .pdf"
            raise InputError(path, 1, "is no name of a picture", right)
        write_file(path, content)
