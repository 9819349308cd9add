"""Bounds of time that hold on a slow machine too, and where other work runs beside."""

from __future__ import annotations

import os
from collections.abc import Callable

from cavern.devtools.steps import slowness


def within(spent: float, seconds: float) -> bool:
    """Whether the machine that the bounds are of would have done it in that many seconds."""
    return spent < seconds or spent < seconds * slowness()


def time_is_linear(work: Callable[[int], object], size: int) -> None:
    """Work of a size takes a fourth of the time for a fourth of the size; a sixteenth would be of
    something that grows with the square. Time of the processor, of what it starts, too. Fails at
    the second try, for the noise of others."""
    for last in (False, True):
        spent = []
        for part in (size // 4, size):
            begun = sum(os.times()[:4])
            work(part)
            spent.append(sum(os.times()[:4]) - begun)
        if spent[1] < 8 * spent[0]:
            return
        assert not last, f"{spent[0]:.2f} s for a fourth, {spent[1]:.2f} s for the whole"
