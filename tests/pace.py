"""Bounds of time that hold on a slow machine too, and where other work runs beside."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from math import inf

from cavern.devtools.steps import slowness


def within(spent: float, seconds: float) -> bool:
    """Whether the machine that the bounds are of would have done it in that many seconds."""
    return spent < seconds or spent < seconds * slowness()


def time_is_linear(work: Callable[[int], object], size: int) -> None:
    """Work of a size takes a fourth of the time for a fourth of the size; a sixteenth would be of
    something that grows with the square. Time of the processor, of what it starts, too. The least
    of up to five tries counts, for the noise of others; Python's collector is off, which would look
    at all objects of earlier tests in one part and not in the other."""
    parts = (size // 4, size)
    least = {part: inf for part in parts}
    for _ in range(5):
        for part in parts:
            least[part] = min(least[part], processor_time(work, part))
        if least[parts[1]] < 8 * least[parts[0]]:
            return
    raise AssertionError(
        f"{least[parts[0]]:.2f} s for a fourth, {least[parts[1]]:.2f} s for the whole"
    )


def processor_time(work: Callable[[int], object], size: int) -> float:
    """Seconds of the processor that the work of a size takes, what it starts included."""
    gc.collect()
    gc.disable()
    try:
        begun = sum(os.times()[:4])
        work(size)
        return sum(os.times()[:4]) - begun
    finally:
        gc.enable()
