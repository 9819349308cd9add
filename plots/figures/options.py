"""What a user may choose about the figures of a run."""

from __future__ import annotations

from dataclasses import dataclass

from cavern.plots.timeline import Timeline


@dataclass(frozen=True)
class Options:
    """None leaves the choice to the figure. `begin` and `end` bound pictures of buses and dies."""

    window_ns: float | None = None
    begin_us: float | None = None
    end_us: float | None = None

    def window(self, timeline: Timeline, width: float) -> tuple[float, float]:
        """The interval to draw, in us: as chosen, or the busiest one of that width."""
        if self.begin_us is not None:
            return self.begin_us, self.begin_us + width if self.end_us is None else self.end_us
        if self.end_us is not None:
            return max(self.end_us - width, 0.0), self.end_us
        return timeline.busiest(width)
