"""Sizes and times as the resolved configuration and the settings of a run have them."""

from __future__ import annotations

KIB = {"KiB": 1, "MiB": 1024, "GiB": 1024**2}
NS = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "ms": 1e6}
US = {"ps": 1e-6, "ns": 1e-3, "us": 1.0, "ms": 1e3}


def kibibytes(size: str) -> int:
    return int(size[:-3]) * KIB[size[-3:]]


def size_bytes(size: str) -> int:
    return kibibytes(size) * 1024 if size.endswith("iB") else int(size.removesuffix("B"))


def time_ns(text: str | list[str]) -> float:
    """A time such as "200us"; the first of several."""
    return _time(text, NS)


def time_us(text: str | list[str]) -> float:
    return _time(text, US)


def _time(text: str | list[str], units: dict[str, float]) -> float:
    word = text if isinstance(text, str) else text[0]
    for unit, length in units.items():
        if word.endswith(unit):
            return float(word.removesuffix(unit)) * length
    raise ValueError(word)
