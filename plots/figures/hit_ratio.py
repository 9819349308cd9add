"""Share of pages found in the buffer, in windows of simulated time."""

from __future__ import annotations

import numpy as np
from cavern.errors import NotAvailableError
from cavern.plots.colours import ALL, OP_COLORS
from cavern.plots.digest import AnyRequests
from cavern.plots.figures.options import Options
from cavern.plots.requests_csv import OP_NAMES
from cavern.plots.results import Run
from cavern.plots.style import legend_above, new_figure, share_axis
from cavern.plots.texts import time_text, time_unit
from cavern.plots.windows import Windows, windows_over
from matplotlib.figure import Figure
from numpy.typing import NDArray


def ratio(windows: Windows, requests: AnyRequests) -> NDArray[np.float64]:
    """Hits per page asked for in each window; NaN where none was."""
    pages, hits = windows.sums(requests, "pages"), windows.sums(requests, "hits")
    return np.divide(hits, pages, out=np.full(windows.count, np.nan), where=pages > 0)


def draw(run: Run, options: Options) -> Figure:
    requests = run.requests
    windows = windows_over(requests, options.window_ns)
    if not requests.kinds or windows.sums(requests, "pages").sum() == 0:
        raise NotAvailableError("requests.csv counts no pages")
    unit, length = time_unit(windows.edges[-1])
    times = windows.centres / length
    figure = new_figure(run, "buffer hit ratio over time", 3.1)
    axes = figure.subplots()
    marker = "." if windows.count <= 20 else None
    for op in requests.kinds:
        name = OP_NAMES[op]
        row = ratio(windows, requests.of(op))
        axes.plot(times, row, color=OP_COLORS[name], lw=1.2, marker=marker, label=name)
    if len(requests.kinds) > 1:
        both = ratio(windows, requests)
        axes.plot(times, both, color=ALL, lw=1.6, ls=(0, (3, 1.2)), marker=marker, label="both")
    share_axis(axes.yaxis, float(np.nanmax([line.get_ydata() for line in axes.get_lines()])))
    axes.set_ylabel("hit ratio")
    axes.set_xlabel(f"simulated time ({unit})")
    axes.set_title(f"windows of {time_text(windows.width)}")
    legend_above(axes)
    return figure
