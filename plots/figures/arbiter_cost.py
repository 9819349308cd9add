"""Area and logic depth of the arbiter against the number of ways, by policy."""

from __future__ import annotations

from collections.abc import Mapping

from cavern.plots.colours import BLUE, GREEN, VERMILLION
from cavern.plots.style import titled
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

COLORS = (BLUE, VERMILLION, GREEN)
MARKERS = ("o", "s", "^")
PANELS = (
    ("gates", "gates", True),
    ("flip_flops", "flip-flops", True),
    ("depth", "longest path (gates)", False),
)


def draw(costs: Mapping[str, Mapping[int, Mapping[str, int]]]) -> Figure:
    """`costs`: by policy, by ways, the keys of PANELS."""
    figure = titled(5.4, "Channel arbiter: area and depth", "Yosys, generic cells, no cell library")
    axes = figure.subplots(3, 1, sharex=True)
    ways = sorted({number for by_ways in costs.values() for number in by_ways})
    for panel, (key, label, logarithmic) in zip(axes, PANELS, strict=True):
        for (policy, by_ways), color, marker in zip(costs.items(), COLORS, MARKERS, strict=False):
            numbers = sorted(by_ways)
            panel.plot(
                numbers,
                [by_ways[number][key] for number in numbers],
                color=color,
                marker=marker,
                ms=4,
                lw=1.2,
                label=policy,
            )
        panel.set_xscale("log", base=2)
        if logarithmic:
            panel.set_yscale("log")
            panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        else:
            panel.set_ylim(bottom=0)
        panel.set_ylabel(label)
    axes[-1].xaxis.set_major_locator(FixedLocator(ways))
    axes[-1].xaxis.set_minor_locator(NullLocator())
    axes[-1].xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    axes[-1].set_xlabel("ways")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
