"""What all figures share: style sheet, colours, units on axes, titles, and how files are made."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter

if TYPE_CHECKING:
    from cavern.plots.results import Run

STYLE_SHEET = Path(__file__).with_name("cavern.mplstyle")
INK, MUTED, GRID = "#1b1f24", "#5b6470", "#d5d9de"
PAPER = (
    "#fffffe"  # between bars and cells; told from white text, so that the report can recolour it
)
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY = "#E69F00", "#56B4E9"
OP_COLORS = {"read": BLUE, "write": VERMILLION}
TIME_UNITS = (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))
BANDWIDTH_UNITS = (("B/s", 1.0), ("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9))
RATE_UNITS = (("requests/s", 1.0), ("1000 requests/s", 1e3))
WIDTH = 4.6  # inches; see the style sheet
TITLE_LIMIT = 44  # letters in that width
NAME_LIMIT = 30


@contextmanager
def style() -> Iterator[None]:
    """Figures are drawn and saved inside this."""
    with matplotlib.style.context(STYLE_SHEET), warnings.catch_warnings():
        # A name in letters the font lacks shows boxes; a line on stderr helps nobody.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


Unit = tuple[str, float]


def time_unit(largest_ns: float) -> Unit:
    """The unit in which the largest value has one to three digits, and its length in ns."""
    return _unit(largest_ns, TIME_UNITS)


def bandwidth_unit(largest: float) -> Unit:
    """The same for bytes a second; MB/s up to 10 GB/s."""
    return _unit(largest / 10 if largest >= 1e9 else largest, BANDWIDTH_UNITS)


def rate_unit(largest: float) -> Unit:
    """The same for requests a second; thousands from 2000 on."""
    return _unit(largest / 2, RATE_UNITS)


def _unit(largest: float, units: tuple[Unit, ...]) -> Unit:
    fitting = [unit for unit in units if largest >= unit[1]]
    return fitting[-1] if fitting else units[0]


def digits(value: float) -> str:
    """Three significant digits, never in exponent form, thousands separated."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{places}f}"


def time_text(ns: float, unit: Unit | None = None) -> str:
    """A time with its unit: "63.4 µs"."""
    if not math.isfinite(ns):
        return "–"
    name, length = unit or time_unit(abs(ns))
    return f"{digits(ns / length)} {name}"


def share_text(share: float) -> str:
    """A share with two places: "58.17 %"."""
    return f"{share * 100:.2f} %" if math.isfinite(share) else "–"


def change_text(first: float, value: float) -> str:
    """Relative to the first run: "−47.9 %"; empty where that means nothing."""
    if not (math.isfinite(first) and math.isfinite(value)) or first == 0:
        return ""
    percent = (value / first - 1) * 100
    if abs(percent) < 0.05:
        return "±0.0 %"
    return f"{percent:+,.1f} %".replace("-", "−")


def shortened(name: str) -> str:
    """A run's name, cut so that it fits beside bars and above axes."""
    return name if len(name) <= NAME_LIMIT else name[: NAME_LIMIT - 1] + "…"


def new_figure(run: Run, what: str, height: float = 3.4) -> Figure:
    """A figure titled with the configuration's name; the drive in small letters below."""
    figure = Figure(figsize=(WIDTH, height))
    put_title(figure, f"{shortened(run.name)}: {what}", run.description)
    return figure


def put_title(figure: Figure, title: str, below: str = "") -> None:
    """Title and line below, left-aligned; room for both is kept by the constrained layout."""
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


def _minor_label(axis: Axis, ns: float) -> str:
    """Labels at 2 and 5 on an axis too short for powers of ten alone."""
    low, high = axis.get_view_interval()
    leading = f"{ns:e}"[0]
    return short_time(ns) if high / low < 40 and leading in "25" else ""


def short_time(ns: float) -> str:
    """A tick's label: "100 µs", without zeros behind the point."""
    name, length = time_unit(ns * (1 + 1e-9))
    return f"{ns / length:g} {name}"


def fraction_ticks(axis: Axis, smallest: float) -> None:
    """A logarithmic axis of shares labelled 100 %, 10 %, … down to the smallest."""
    powers = range(0, max(1, math.ceil(-math.log10(smallest))) + 1)
    axis.set_major_locator(FixedLocator([10.0**-power for power in powers]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:.9g} %"))
    axis.set_minor_formatter(NullFormatter())


def settle(figure: Figure) -> None:
    """Lays the figure out once; left to savefig that happens, with a trial drawing, per file."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        figure.set_layout_engine("none")


def mark_of(identities: Sequence[str]) -> dict[str, str]:
    """What a figure says in its metadata about the runs that it shows."""
    mark = ", ".join(f"cavern-run {one}" for one in identities if one)
    return {"Source": mark} if mark else {}


def as_png(figure: Figure, identities: Sequence[str] = ()) -> bytes:
    buffer = io.BytesIO()
    metadata = {"Software": None, **mark_of(identities)}
    figure.savefig(buffer, format="png", metadata=metadata)
    return buffer.getvalue()


def as_svg(figure: Figure, identities: Sequence[str] = ()) -> str:
    """The same bytes for the same data: no date, fixed identifiers."""
    buffer = io.StringIO()
    metadata = {"Date": None, "Creator": None, **mark_of(identities)}
    figure.savefig(buffer, format="svg", metadata=metadata)
    return buffer.getvalue()
