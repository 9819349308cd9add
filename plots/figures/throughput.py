"""Bytes and requests a second, in windows of simulated time."""

from __future__ import annotations

from matplotlib.figure import Figure

from plots.errors import NotAvailableError
from plots.figures.options import Options
from plots.requests_csv import OP_NAMES
from plots.results import Run
from plots.style import OP_COLORS, legend_above, new_figure, time_text, time_unit
from plots.windows import windows_over


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
    for op in requests.kinds:
        chosen, color, name = requests.of(op), OP_COLORS[OP_NAMES[op]], OP_NAMES[op]
        megabytes = windows.sums(chosen, "size") / 1e6 / seconds
        bandwidth.stairs(megabytes, edges, color=color, lw=1.5, label=name)
        bandwidth.stairs(megabytes, edges, color=color, fill=True, alpha=0.12)
        rate.stairs(windows.counts(chosen) / seconds / 1e3, edges, color=color, lw=1.5)
    bandwidth.set_ylabel("bandwidth (MB/s)")
    bandwidth.set_title(f"windows of {time_text(windows.width)}")
    legend_above(bandwidth)
    rate.set_ylabel("requests (1000/s)")
    rate.set_xlabel(f"simulated time ({unit})")
    for axes in (bandwidth, rate):
        axes.set_ylim(bottom=0)
    return figure
