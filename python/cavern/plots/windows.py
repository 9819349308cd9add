"""Equal windows of simulated time over a run, and what happened in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cavern.plots.requests_csv import Requests

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

    def sums(self, requests: Requests, column: str) -> FloatArray:
        """Sum of a column over the requests of each window."""
        where = self.index(requests["complete_ns"])
        sums = np.bincount(where, weights=requests[column], minlength=self.count)
        return sums.astype(np.float64)

    def counts(self, requests: Requests) -> NDArray[np.int64]:
        return np.bincount(self.index(requests["complete_ns"]), minlength=self.count)

    def percentiles(self, requests: Requests, shares: list[float]) -> FloatArray:
        """Latency percentiles (nearest rank): a row a share, a column a window, NaN where empty."""
        where = self.index(requests["complete_ns"])
        order = np.lexsort((requests["latency_ns"], where))
        latency = requests["latency_ns"][order]
        ends = np.cumsum(np.bincount(where, minlength=self.count))
        result = np.full((len(shares), self.count), np.nan)
        begin = 0
        for window, end in enumerate(ends):
            if end > begin:
                ranks = [nearest_rank(share, int(end - begin)) for share in shares]
                result[:, window] = latency[begin + np.array(ranks)]
            begin = end
        return result


def nearest_rank(share: float, count: int) -> int:
    """Index, in sorted order, of the smallest value that `share` of all values do not exceed."""
    # 0.999 * 1000 is 999.0000000000001 in binary; the slack keeps it rank 999.
    return min(max(int(np.ceil(share * count - 1e-9)), 1), count) - 1


def windows_over(requests: Requests, width_ns: float | None) -> Windows:
    """Windows of about the given width; by default about 1000 requests each, 12 to 80 of them."""
    begin = float(requests["arrival_ns"].min())
    span = max(float(requests["complete_ns"].max()) - begin, 1.0)
    if width_ns is None:
        count = int(np.clip(len(requests) // REQUESTS_PER_WINDOW, FEWEST, MOST))
    else:
        count = int(np.clip(round(span / width_ns), 1, 100_000))
    return Windows(begin, span / count, count)
