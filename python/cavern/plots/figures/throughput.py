"""Bytes and requests a second, in windows of simulated time."""

from __future__ import annotations

from matplotlib.figure import Figure

from cavern.errors import NotAvailableError
from cavern.plots.colours import OP_COLORS
from cavern.plots.figures.options import Options
from cavern.plots.requests_csv import OP_NAMES
from cavern.plots.results import Run
from cavern.plots.style import legend_above, new_figure
from cavern.plots.texts import bandwidth_unit, rate_unit, time_text, time_unit
from cavern.plots.windows import windows_over


def draw(run: Run, options: Options) -> Figure:
    requests = run.requests
    if not requests.kinds:
        raise NotAvailableError("requests.csv holds neither reads nor writes")
    windows = windows_over(requests, options.window_ns)
    unit, length = time_unit(windows.edges[-1])
    seconds = windows.width / 1e9
    edges = windows.edges / length
    figure = new_figure(run, "throughput over time", 4.3)
    bandwidth, rate = figure.subplots(2, 1, sharex=True)
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
    bandwidth.set_title(f"windows of {time_text(windows.width)}")
    legend_above(bandwidth)
    rate.set_ylabel(requests_per_second)
    rate.set_xlabel(f"simulated time ({unit})")
    for axes in (bandwidth, rate):
        axes.set_ylim(bottom=0)
    return figure
