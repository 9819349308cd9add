"""Quantities as text, with the unit that suits them."""

from __future__ import annotations

import math
import re

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
TIME_UNITS = (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))
BANDWIDTH_UNITS = (("B/s", 1.0), ("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9))
SIZE_UNITS = (("B", 1.0), *((f"{power}iB", 1024.0**place) for place, power in enumerate("KMGT", 1)))
RATE_UNITS = (("requests/s", 1.0), ("1000 requests/s", 1e3))

Unit = tuple[str, float]


def printable(text: str) -> str:
    """What neither XML nor a page can hold, shown as U+FFFD."""
    return _CONTROL.sub("\ufffd", text)


def time_unit(largest_ns: float) -> Unit:
    """The unit in which the largest value has one to three digits, and its length in ns."""
    return _unit(largest_ns, TIME_UNITS)


def bandwidth_unit(largest: float) -> Unit:
    """The same for bytes per second; MB/s up to 10 GB/s."""
    return _unit(largest / 10 if largest >= 1e9 else largest, BANDWIDTH_UNITS)


def rate_unit(largest: float) -> Unit:
    """The same for requests per second; thousands from 2000 on."""
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


def count_text(value: float) -> str:
    """A count, or a rate of one: in whole numbers from 100 on."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else digits(value)


def size_text(size: float) -> str:
    """A capacity: "29.8 GiB"."""
    name, length = _unit(size, SIZE_UNITS)
    return f"{digits(size / length)} {name}"


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


def short_time(ns: float) -> str:
    """A tick's label: "100 µs", without zeros behind the point."""
    name, length = time_unit(ns * (1 + 1e-9))
    return f"{ns / length:g} {name}"


def moment_text(ns: float) -> str:
    """A moment of a run to the microsecond, in the unit that suits it: "1.507245 s"."""
    name, length = time_unit(abs(ns))
    places = {"s": 6, "ms": 3}.get(name, 1)
    return f"{ns / length:,.{places}f}".rstrip("0").rstrip(".") + f" {name}"


def round_step(span: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that divides the span into about five."""
    power = 10.0 ** math.floor(math.log10(max(span, 1e-6) / 5))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit * 5.5 >= span)
