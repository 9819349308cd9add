"""Bytes and requests a second, and write amplification, in windows of simulated time."""

from __future__ import annotations

from cavern.plots.colours import OP_COLORS
from cavern.plots.figures.options import Options
from cavern.plots.requests_csv import OP_NAMES
from cavern.plots.results import Run
from cavern.plots.style import legend_above, new_figure
from cavern.plots.texts import bandwidth_unit, rate_unit, time_text, time_unit
from cavern.plots.windows import amplification, course_of, steadiness
from matplotlib.figure import Figure


def draw(run: Run, options: Options) -> Figure:
    course = course_of(run, options.window_ns)
    windows, requests = course.windows, course.requests
    waf = amplification(run)
    unit, length = time_unit(windows.edges[-1])
    seconds = windows.width / 1e9
    edges = windows.edges / length
    figure = new_figure(run, "throughput over time", 4.3 if waf is None else 5.6)
    panels = figure.subplots(2 if waf is None else 3, 1, sharex=True)
    bandwidth, rate = panels[:2]
    kinds = {OP_NAMES[op]: requests.of(op) for op in requests.kinds}
    moved = {name: windows.sums(chosen, "size") / seconds for name, chosen in kinds.items()}
    count = {name: windows.counts(chosen) / seconds for name, chosen in kinds.items()}
    per_second, bytes_length = bandwidth_unit(max(row.max() for row in moved.values()))
    requests_per_second, rate_length = rate_unit(max(row.max() for row in count.values()))
    for name in kinds:
        color, height = OP_COLORS[name], moved[name] / bytes_length
        bandwidth.stairs(height, edges, color=color, lw=1.5, label=name)
        bandwidth.stairs(height, edges, color=color, fill=True, alpha=0.12)
        rate.stairs(count[name] / rate_length, edges, color=color, lw=1.5)
    bandwidth.set_ylabel(f"bandwidth ({per_second})")
    bandwidth.set_title(f"windows of {time_text(windows.width)}{steadiness(run)}")
    legend_above(bandwidth)
    rate.set_ylabel(requests_per_second)
    if waf is not None:
        panels[2].stairs(waf[1], waf[0] / length, color=OP_COLORS["write"], lw=1.5, baseline=None)
        panels[2].set_ylabel("write amplification")
    panels[-1].set_xlabel(f"simulated time ({unit})")
    for axes in panels:
        axes.set_ylim(bottom=0)
    return figure
