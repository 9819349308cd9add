"""Equal windows of simulated time over a run, and what happened in each: of requests.csv, or of the
periods in the summary."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from cavern.errors import NotAvailableError
from cavern.plots.digest import AnyRequests
from cavern.plots.periods import Periods
from cavern.plots.requests_csv import OP_NAMES
from cavern.plots.texts import time_text
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cavern.plots.results import Run

REQUESTS_PER_WINDOW = 1000
FEWEST, MOST = 12, 80

FloatArray = NDArray[np.float64]


class Windowed(Protocol):
    """What figures over time ask of requests: all of them, or those of one kind."""

    @property
    def kinds(self) -> list[int]: ...
    def of(self, op: int) -> Windowed: ...
    def window_sums(self, windows: Windows, column: str) -> FloatArray: ...
    def window_counts(self, windows: Windows) -> NDArray[np.int64]: ...
    def window_percentiles(self, windows: Windows, shares: list[float]) -> FloatArray: ...


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

    def sums(self, requests: Windowed, column: str) -> FloatArray:
        """Sum of a column over the requests of each window."""
        return requests.window_sums(self, column)

    def counts(self, requests: Windowed) -> NDArray[np.int64]:
        return requests.window_counts(self)

    def percentiles(self, requests: Windowed, shares: list[float]) -> FloatArray:
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


@dataclass(frozen=True)
class InPeriods:
    """The requests of a summary's periods, whose windows are given."""

    periods: Periods
    kinds: list[int]

    #: What the summary has of latency, by the share of requests that do not exceed it.
    ROWS = {0.5: "lat_ns.p50", 0.99: "lat_ns.p99", 1.0: "lat_ns.max"}

    def of(self, op: int) -> InPeriods:
        return InPeriods(self.periods, [op])

    def _row(self, name: str) -> FloatArray:
        rows = [self.periods.kinds[OP_NAMES[op]][name] for op in self.kinds]
        total: FloatArray = np.sum(np.array(rows, dtype=np.float64), axis=0)
        return total

    def window_sums(self, windows: Windows, column: str) -> FloatArray:
        return self._row({"size": "bytes"}[column])

    def window_counts(self, windows: Windows) -> NDArray[np.int64]:
        return self._row("count").astype(np.int64)

    def window_percentiles(self, windows: Windows, shares: list[float]) -> FloatArray:
        """Of one kind."""
        rows = np.array([self._row(self.ROWS[share]) for share in shares])
        return np.where(self._row("count") > 0, rows, np.nan)


@dataclass(frozen=True)
class Course:
    """Requests in windows of time, and the percentiles of latency that can be had of them."""

    requests: Windowed
    windows: Windows
    percentiles: dict[str, float]


def course_of(run: Run, width_ns: float | None) -> Course:
    """Of requests.csv, else of the periods of the summary, whose width is their own. Raises
    NotAvailableError where there is neither."""
    try:
        requests = run.requests
    except NotAvailableError as missing:
        return _course_of_periods(run, missing)
    if not requests.kinds:
        raise NotAvailableError("requests.csv holds neither reads nor writes")
    windows = windows_over(requests, width_ns)
    return Course(requests, windows, {"p50": 0.5, "p99": 0.99, "p99.9": 0.999})


def _course_of_periods(run: Run, missing: NotAvailableError) -> Course:
    try:
        periods = run.periods
    except NotAvailableError:
        raise missing from None
    kinds = [op for op, name in OP_NAMES.items() if name in periods.kinds]
    if not kinds:
        raise missing
    windows = Windows(periods.begin, periods.length, periods.count)
    return Course(InPeriods(periods, kinds), windows, {"p50": 0.5, "p99": 0.99, "slowest": 1.0})


def steadiness(run: Run) -> str:
    """What the summary says of it, as the end of a title; empty where it says nothing."""
    try:
        since = run.periods.steady_since
    except NotAvailableError:
        return ""
    if since is None:
        return ""
    return "; not steady" if math.isnan(since) else f"; steady since {time_text(since)}"


def amplification(run: Run) -> tuple[FloatArray, FloatArray] | None:
    """Bytes programmed per byte written in each period of the summary (NaN where nothing was
    written), and its edges; None where there is none."""
    try:
        periods = run.periods
    except NotAvailableError:
        return None
    programmed = np.array(periods.programmed_bytes)
    if "write" not in periods.kinds or not programmed.any():
        return None
    written = np.array(periods.kinds["write"]["bytes"])
    ratio = np.full(periods.count, np.nan)
    np.divide(programmed, written, out=ratio, where=written > 0)
    if np.isnan(ratio).all():
        return None
    return Windows(periods.begin, periods.length, periods.count).edges, ratio
