"""What a user may choose about the figures of a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """None leaves the choice to the figure. `begin` and `end` bound the Gantt picture."""

    window_ns: float | None = None
    begin_us: float | None = None
    end_us: float | None = None
