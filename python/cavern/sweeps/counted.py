"""How far something is, in a line of a terminal that goes in the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: What is done within it says nothing.
SILENT_S = 1.0
#: From one line to the next.
EACH_S = 0.1


@contextmanager
def counted(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """Tells a terminal how many of the total are done, and how long the others take: as long as
    those that were done since the first line was due."""
    shown = sys.stderr.isatty()
    begun = last = time.monotonic()
    first: tuple[int, float] | None = None

    def on_done(done: int) -> None:
        nonlocal first, last
        now = time.monotonic()
        first = first or (done, now)
        if not shown or now - begun < SILENT_S or now - last < EACH_S:
            return
        last, left = now, ""
        if done > first[0]:
            seconds = round((now - first[1]) / (done - first[0]) * (total - done))
            left = f", {seconds // 60}:{seconds % 60:02} left"
        print(f"\r{done:,} of {total:,} {what}{left}\033[K", end="", file=sys.stderr, flush=True)

    try:
        yield on_done
    finally:
        if last > begun:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
