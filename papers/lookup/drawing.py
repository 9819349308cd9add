"""How the figures look. Each function draws the records of one CSV file and knows nothing else."""

from __future__ import annotations

from collections.abc import Callable

from cavern.figures import BLUE, GREEN, MUTED, ORANGE, PURPLE, SKY, VERMILLION, titled
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from papers.drawing import Records, curve, distinct, legend, powers_of_two, two_columns, where

Draw = Callable[[Records], Figure]
STYLES = {
    "LM": (VERMILLION, "o"),
    "ML": (ORANGE, "s"),
    "SQ": (BLUE, "^"),
    "SG": (GREEN, "D"),
    "BT": (PURPLE, "v"),
    "DX": (SKY, "*"),
}
MEASURES = {
    "compares": "frames or keys compared",
    "cycles": "cycles of the processor in look-ups",
    "seconds": "seconds; grey: the paper's",
}


def _groups(axes: Axes, records: Records) -> None:
    ticks = [groups for groups in sorted(distinct(records, "groups")) if groups != 127]
    powers_of_two(axes, ticks, [f"{tick}" for tick in ticks])


def _log(axes: Axes) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def table(title: str) -> Draw:
    """A table in three measures, one below the other; slips of the paper are crossed out."""

    def draw(records: Records) -> Figure:
        figure = titled(6.2, title, "20 threads, 16,384 frames of 8 KB, by number of groups")
        panels = figure.subplots(3, 1, sharex=True)
        for axes, (name, what) in zip(panels, MEASURES.items(), strict=True):
            for look_up in distinct(records, "look_up"):
                some = where(records, look_up=look_up)
                color, marker = STYLES[look_up]
                curve(
                    axes,
                    some,
                    "groups",
                    name,
                    color=color,
                    marker=marker,
                    ms=4,
                    lw=1.3,
                    label=look_up,
                )
                if name == "seconds":
                    right = where(some, slip=0)
                    curve(
                        axes, right, "groups", "paper_s", marker, color=MUTED, ms=3, ls=":", lw=0.9
                    )
                    curve(axes, where(some, slip=1), "groups", "paper_s", "x", color=MUTED, ms=5)
            axes.set_title(what)
            _log(axes)
        _groups(panels[2], records)
        panels[2].set_xlabel("groups")
        legend(figure, [panels[0]], 4)
        return figure

    return draw


def ratios(records: Records) -> Figure:
    records = [record for record in records if record["groups"] is not None]
    pairs = distinct(records, "pair")
    figure, panels = two_columns("Table 6: how much slower than SG", "by groups", len(pairs), 2.6)
    names = {"compares": (BLUE, "o"), "cycles": (VERMILLION, "s"), "seconds": (GREEN, "^")}
    for axes, pair in zip(panels, pairs, strict=False):
        some = where(records, pair=pair)
        for name, (color, marker) in names.items():
            curve(axes, some, "groups", name, color=color, marker=marker, ms=4, lw=1.3, label=name)
        curve(axes, some, "groups", "paper", "x:", color=MUTED, ms=5, lw=0.9, label="paper")
        axes.set_title(pair)
        _log(axes)
        ticks = (1, 8, 64)
        powers_of_two(axes, ticks, [f"{tick}" for tick in ticks])
        axes.set_xlabel("groups")
    legend(figure, panels[:1], 4)
    return figure


def _bars(title: str, below: str, label: str, panels: dict[str, str]) -> Draw:
    """A row for each record, named by its columns; a panel for each key of `panels`."""

    def draw(records: Records) -> Figure:
        figure = titled(1.5 + 0.3 * len(records), title, below)
        grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (name, what) in zip(grid, panels.items(), strict=True):
            values = [record[name] or 0 for record in records]
            colors = [STYLES.get(record.get("look_up", ""), (BLUE, ""))[0] for record in records]
            axes.barh(range(len(records)), values, 0.7, color=colors)
            for place, value in enumerate(values):
                shown = f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
                axes.annotate(f" {shown}", (value, place), va="center", size=6)
            axes.set_title(what)
            axes.margins(x=0.5)
            axes.set_xticks([])
            axes.grid(axis="y", visible=False)
        grid[0].set_yticks(range(len(records)), [label.format(**record) for record in records])
        grid[0].set_ylim(len(records) - 0.5, -0.5)
        return figure

    return draw


fits = _bars(
    "The paper's seconds by our counts",
    "a fixed time for each table, a cost for each comparison",
    "{table}, {look_up}",
    {"fixed_s": "fixed, s", "ns_per_compare": "ns", "largest_residual_s": "residual, s"},
)
orders = _bars(
    "B-trees of order 5 to 10",
    "nodes and keys of a look-up, its cycles, memory",
    "order {order}",
    {"nodes": "nodes", "compares": "keys", "cycles_per_look_up": "cycles", "tree_bytes": "B"},
)
readings = _bars(
    "What the paper leaves open",
    "comparisons with one group; the paper's seconds less 27: LM/ML 2.13",
    "{reading}",
    {"lm_to_ml": "LM/ML", "sq_to_ml": "SQ/ML", "sq_to_sg": "SQ/SG"},
)
collection = _bars(
    "Collection",
    "the paper's device, and one that is full",
    "{device}, {look_up}",
    {"collections": "blocks collected", "copies": "pages copied"},
)
cores = _bars(
    "Cycles of interpreter and Ibex",
    "a short run; search: of look-ups alone",
    "{look_up}",
    {"search_iss": "search, ISS", "search_ibex": "search, Ibex", "all_ibex": "all, Ibex"},
)


def costs(records: Records) -> Figure:
    figure, panels = two_columns(
        "Cycles on the processor", "slots in SDRAM behind a line cache", 2, 3.0
    )
    small = where(records, line_cache=distinct(records, "line_cache")[0])
    for axes, name in zip(panels, ("cycles_per_compare", "cycles_per_look_up"), strict=True):
        for look_up in distinct(small, "look_up"):
            color, marker = STYLES[look_up]
            some = where(small, look_up=look_up)
            curve(axes, some, "groups", name, color=color, marker=marker, ms=4, label=look_up)
        axes.set_title(name.replace("_", " "))
        ticks = (1, 8, 64)
        powers_of_two(axes, ticks, [f"{tick}" for tick in ticks])
        axes.set_xlabel("groups")
    _log(panels[1])
    legend(figure, panels[1:], 6)
    return figure
