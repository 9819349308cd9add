"""Windows of simulated time: what falls into which, and percentiles in them."""

from __future__ import annotations

import numpy as np
import pytest
from cavern.plots.requests_csv import WRITE, nearest_rank
from cavern.plots.windows import Windows, windows_over

from tests.plots.made_runs import RunMaker, request_row


@pytest.mark.parametrize(
    ("share", "count", "rank"),
    [(0.5, 1, 1), (0.5, 4, 2), (0.5, 5, 3), (0.99, 100, 99), (0.999, 1000, 999), (0.999, 10, 10)],
)
def test_nearest_rank_is_the_textbook_one(share: float, count: int, rank: int) -> None:
    assert nearest_rank(share, count) == rank - 1


def test_percentiles_are_those_of_each_window_alone(runs: RunMaker) -> None:
    # Window 0: latencies 1..100 us; window 1: none; window 2: 7 us alone.
    rows = [request_row(n, "W", 0, (0, 0, 0, 1000 * (100 - n)), 1, 0) for n in range(100)]
    rows.append(request_row(100, "W", 250_000, (0, 0, 0, 7000), 1, 0))
    requests = runs.load(rows=rows).requests
    result = Windows(0.0, 100_001.0, 3).percentiles(requests, [0.5, 0.99, 0.999])
    assert result[:, 0].tolist() == [50_000, 99_000, 100_000]
    assert np.isnan(result[:, 1]).all()
    assert result[:, 2].tolist() == [7000] * 3
    # Control: over one window for all, the late request moves the median.
    whole = Windows(0.0, 300_003.0, 1).percentiles(requests, [0.02, 0.5])
    assert whole[:, 0].tolist() == [3000, 50_000]
    assert Windows(0.0, 300_003.0, 1).counts(requests).tolist() == [101]


def test_windows_cover_the_run_and_lose_no_request(runs: RunMaker) -> None:
    requests = runs.load().requests
    windows = windows_over(requests, None)
    assert windows.count == 12
    assert windows.edges[0] == requests.span[0]
    assert windows.edges[-1] == pytest.approx(requests.span[1])
    assert windows.counts(requests).sum() == 20
    assert windows.sums(requests.of(WRITE), "pages").sum() == 40


def test_chosen_width_is_kept_up_to_a_whole_number_of_windows(runs: RunMaker) -> None:
    requests = runs.load().requests
    windows = windows_over(requests, 1_000_000.0)
    assert windows.count == 10  # the run is 10.5 ms long, and Python rounds halves to even
    assert windows.width == pytest.approx(1_050_000.0)
    assert windows_over(requests, 1e12).count == 1


def test_end_of_run_belongs_to_the_last_window() -> None:
    windows = Windows(10.0, 5.0, 4)
    assert windows.index(np.array([10, 14, 15, 29, 30])).tolist() == [0, 0, 1, 3, 3]
