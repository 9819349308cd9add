"""The picture of `./cavern trace info`: six views of one trace, from its cavern.trace/1 object."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from cavern.plots.colours import INK, MUTED, OP_COLORS
from cavern.plots.style import put_title, shortened
from cavern.plots.texts import round_step
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MultipleLocator, NullFormatter

BYTE_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
COLOR_MAPS = {"read": "Blues", "write": "Oranges"}


def bytes_text(value: float, _position: int | None = None) -> str:
    unit = 0
    while value >= 1024 and unit + 1 < len(BYTE_UNITS):
        value /= 1024
        unit += 1
    return f"{value:.3g} {BYTE_UNITS[unit]}"


def _map(axes: Axes, info: dict[str, Any], op: str) -> None:
    """Bytes moved by time and place."""
    data = np.array(info["map"][op], dtype=float)
    axes.set_title(f"{op}s: bytes by time and place")
    if not data.any():
        axes.text(0.5, 0.5, f"no {op}s", ha="center", va="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    seconds = max(info["duration_ns"] / 1e9, 1e-9)
    axes.imshow(
        np.ma.masked_equal(data, 0),
        aspect="auto",
        origin="lower",
        extent=(0, seconds, 0, info["end"]),
        cmap=COLOR_MAPS[op],
        norm=LogNorm(vmin=max(data[data > 0].min() / 4, 1), vmax=max(data.max(), 2)),
        interpolation="nearest",
        rasterized=True,
    )
    axes.grid(False)
    unit = 1024 ** min(int(math.log(max(info["end"], 1024), 1024)), len(BYTE_UNITS) - 1)
    axes.yaxis.set_major_locator(MultipleLocator(round_step(info["end"] / unit) * unit))
    axes.yaxis.set_major_formatter(FuncFormatter(bytes_text))
    axes.set_xlabel("time (s)")
    axes.set_ylabel("offset")


def _sizes(axes: Axes, info: dict[str, Any]) -> None:
    """Requests by power of two of their size."""
    shown = [op for op in ("read", "write") if info[op]["count"]]
    width = 0.8 / max(len(shown), 1)
    used = [k for op in shown for k, count in enumerate(info[op]["size_bins"]) if count]
    for i, op in enumerate(shown):
        # Bin k holds sizes with k binary digits: 2^(k-1) up to 2^k - 1.
        share = np.array(info[op]["size_bins"]) / max(info["requests"], 1) * 100
        axes.bar(
            np.arange(len(share)) + (i + 0.5) * width - 0.4,
            share,
            width,
            color=OP_COLORS[op],
            label=op,
        )
    if used:
        first, last = min(used), max(used)
        ticks = range(first, last + 1, max(1, (last - first) // 6 + 1))
        axes.set_xlim(first - 0.6, last + 0.6)
        axes.set_xticks(list(ticks), [bytes_text(2 ** (k - 1)) for k in ticks])
        axes.legend()
    axes.set_title("size")
    axes.set_xlabel("from this size to less than twice it")
    axes.set_ylabel("requests (%)")


def _gaps(axes: Axes, info: dict[str, Any]) -> None:
    quantiles = np.array(info["gap_ns"]["quantiles"], dtype=float) / 1e3
    axes.set_title("time between requests")
    if quantiles.size == 0 or quantiles.max() <= 0:
        axes.text(0.5, 0.5, "all at once", ha="center", va="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    shares = np.arange(1, quantiles.size + 1) / quantiles.size * 100
    axes.plot(np.maximum(quantiles, quantiles[quantiles > 0].min() / 2), shares, color=INK)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(0, 101)
    axes.set_xlabel("µs")
    axes.set_ylabel("shorter or equal (%)")


def _reuse(axes: Axes, info: dict[str, Any]) -> None:
    """Hits of an LRU cache by its size: the distribution of reuse distances."""
    for key, label, style in (("reuse", "reads and writes", "-"), ("write_reuse", "writes", "--")):
        curve = info[key]["lru"]
        if info[key]["page_accesses"]:
            axes.plot(
                [p["bytes"] for p in curve],
                [100 * p["hit_ratio"] for p in curve],
                style,
                color=INK if key == "reuse" else OP_COLORS["write"],
                label=label,
            )
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator([2**k for k in range(20, 40, 4)]))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(bytes_text))
    axes.set_ylim(0, 101)
    axes.set_title("reuse: what an LRU cache finds")
    axes.set_xlabel("size of the cache")
    axes.set_ylabel("page accesses (%)")
    if axes.get_lines():
        axes.legend()


def _footprint(axes: Axes, info: dict[str, Any]) -> None:
    names = ("read", "written", "any")
    values = [info["footprint"][f"{name}_bytes"] for name in names]
    colors = (OP_COLORS["read"], OP_COLORS["write"], MUTED)
    bars = axes.barh(names, values, color=colors)
    axes.bar_label(bars, [bytes_text(value) for value in values], padding=3)
    axes.set_xlim(0, max(*values, 1) * 1.35)
    axes.invert_yaxis()
    axes.grid(False)
    axes.set_xticks([])
    writes = info["footprint"]["page_writes"]
    pages = values[1] / info["footprint"]["page_bytes"]
    once = f"; written {writes / pages:.2f} times each" if pages else ""
    axes.set_title(f"pages of 4 KiB touched{once}")


def draw(info: dict[str, Any]) -> Figure:
    """One figure, to be drawn inside plots.style.style()."""
    figure = Figure(figsize=(9.2, 8.4), layout="constrained")
    axes = figure.subplots(3, 2)
    _map(axes[0][0], info, "read")
    _map(axes[0][1], info, "write")
    _sizes(axes[1][0], info)
    _gaps(axes[1][1], info)
    _reuse(axes[2][0], info)
    _footprint(axes[2][1], info)
    seconds = info["duration_ns"] / 1e9
    rate = info["requests"] / seconds if seconds > 0 else math.nan
    below = (
        f"{info['requests']:,} requests in {seconds:,.3f} s"
        + (f" ({rate:,.1f} a second)" if not math.isnan(rate) else "")
        + f", {100 * info['random_share']:.1f} % random"
    )
    put_title(figure, shortened(info["trace"].rsplit("/", 1)[-1]), below)
    return figure
