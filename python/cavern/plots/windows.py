"""Equal windows of simulated time over a run, and what happened in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cavern.plots.digest import AnyRequests

REQUESTS_PER_WINDOW = 1000
FEWEST, MOST = 12, 80

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Windows:
    """`count` windows of equal width from the first arrival to the last completion; times in ns.

    A request belongs to the window in which it completes.
    """

    begin: float
    width: float
    count: int

    @property
    def edges(self) -> FloatArray:
        return self.begin + self.width * np.arange(self.count + 1, dtype=np.float64)

    @property
    def centres(self) -> FloatArray:
        return self.begin + self.width * (np.arange(self.count, dtype=np.float64) + 0.5)

    def index(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """The window of each time; the last window includes its end."""
        place = np.floor((times - self.begin) / self.width).astype(np.int64)
        return np.clip(place, 0, self.count - 1)

    def sums(self, requests: AnyRequests, column: str) -> FloatArray:
        """Sum of a column over the requests of each window."""
        return requests.window_sums(self, column)

    def counts(self, requests: AnyRequests) -> NDArray[np.int64]:
        return requests.window_counts(self)

    def percentiles(self, requests: AnyRequests, shares: list[float]) -> FloatArray:
        """Latency percentiles (nearest rank): a row a share, a column a window, NaN where empty."""
        return requests.window_percentiles(self, shares)


def windows_over(requests: AnyRequests, width_ns: float | None) -> Windows:
    """Windows of about the given width; by default about 1000 requests each, 12 to 80 of them."""
    first, last = requests.span
    begin = float(first)
    span = max(float(last) - begin, 1.0)
    if width_ns is None:
        count = int(np.clip(len(requests) // REQUESTS_PER_WINDOW, FEWEST, MOST))
    else:
        count = round(float(np.clip(span / width_ns, 1, 100_000)))
    return Windows(begin, span / count, count)
