"""The periods of a summary: what figures over time draw where there is no requests.csv."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cavern.errors import InputError, NotAvailableError
from cavern.plots.figures import latency_over_time, throughput
from cavern.plots.figures.options import Options
from cavern.plots.results import Run
from cavern.plots.style import settle, style
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

from tests.plots.made_runs import RunMaker

MS = 1_000_000


@pytest.fixture(autouse=True)
def _styled() -> Iterator[None]:
    with style():
        yield


def made() -> dict[str, Any]:
    """Writes in three periods of 2 ms from 1 ms on, the second one empty, and 0.5 ms more; the last
    request of the third one is slow."""
    latency = dict(mean=[20_000, 0, 50_000, 9], p50=[10_000, 0, 40_000, 9])
    latency |= dict(p99=[30_000, 0, 80_000, 9], max=[31_000, 0, 900_000, 9])
    write = dict(count=[100, 0, 50, 1], bytes=[400_000, 0, 200_000, 4096], lat_ns=latency)
    return dict(
        begin_ns=1 * MS,
        end_ns=7 * MS + 500_000,
        length_ns=2 * MS,
        read=None,
        write=write,
        programmed_bytes=[0, 65_536, 600_000, 4096],
    )


def with_periods(runs: RunMaker, name: str = "long", extras: bool = False, **changes: Any) -> Run:
    def change(summary: dict[str, Any]) -> None:
        summary["periods"] = made() | changes
        summary["steady"] = dict(reached=True, since_ns=3 * MS, range=0.1, slope=0.01)

    return runs.load(name, change, extras=extras)


def steps(figure: Figure) -> list[tuple[list[float], list[float]]]:
    """Values and edges of the outline in each panel."""
    found = []
    for axes in figure.axes:
        patch = next(each for each in axes.patches if isinstance(each, StepPatch))
        values, edges, _ = patch.get_data()
        found.append((values.tolist(), edges.tolist()))
    return found


def test_throughput_is_drawn_from_the_whole_periods(runs: RunMaker) -> None:
    figure = throughput.draw(with_periods(runs), Options())
    bandwidth, rate, waf = steps(figure)
    assert bandwidth == ([200.0, 0.0, 100.0], [1.0, 3.0, 5.0, 7.0])  # MB/s, ms
    assert rate[0] == [50.0, 0.0, 25.0]  # 1000 requests/s
    assert waf[0][::2] == [0.0, 3.0] and math.isnan(waf[0][1])
    assert figure.axes[0].get_title("left") == "windows of 2.00 ms; steady since 3.00 ms"
    settle(figure)


def test_requests_csv_comes_first_and_amplification_beside_it(runs: RunMaker) -> None:
    figure = throughput.draw(with_periods(runs, extras=True), Options(window_ns=1e12))
    bandwidth, _, waf = steps(figure)
    assert len(bandwidth[0]) == 1 and len(waf[0]) == 3
    # Control: a summary without periods has no amplification over time.
    assert len(steps(throughput.draw(runs.load("old"), Options()))) == 2


def test_latency_is_drawn_from_the_whole_periods(runs: RunMaker) -> None:
    figure = latency_over_time.draw(with_periods(runs), Options())
    (axes,) = figure.axes
    lines = {line.get_label(): np.asarray(line.get_ydata()).tolist() for line in axes.get_lines()}
    assert list(lines) == ["p50", "p99", "slowest"]
    assert lines["p50"][::2] == [10_000, 40_000] and lines["slowest"][::2] == [31_000, 900_000]
    assert all(math.isnan(values[1]) for values in lines.values())
    assert np.asarray(axes.get_lines()[0].get_xdata()).tolist() == [2.0, 4.0, 6.0]


def test_a_run_of_one_period_is_drawn_whole(runs: RunMaker) -> None:
    one = made()
    latency = {name: row[:1] for name, row in one["write"]["lat_ns"].items()}
    write = dict(count=[100], bytes=[400_000], lat_ns=latency)
    run = with_periods(
        runs, write=write, end_ns=1 * MS + 500_000, programmed_bytes=[0], length_ns=100 * MS
    )
    bandwidth, _ = steps(throughput.draw(run, Options()))
    assert bandwidth[0] == [800.0]  # 400 kB in half a millisecond


@pytest.mark.parametrize("periods", [None, {}], ids=["old", "empty"])
def test_without_either_the_reason_is_the_missing_file(runs: RunMaker, periods: Any) -> None:
    nothing: dict[str, Any] = dict(write=None, programmed_bytes=[])
    run = runs.load(extras=False) if periods is None else with_periods(runs, **nothing)
    for figure in (throughput, latency_over_time):
        with pytest.raises(NotAvailableError, match=r"no requests.csv \(run with --requests\)"):
            figure.draw(run, Options())


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (dict(programmed_bytes=[1, "2"]), r'"periods.programmed_bytes\[1\]" is "2"'),
        (dict(programmed_bytes=5), '"periods.programmed_bytes" is none; expected a list of num'),
        (dict(programmed_bytes=[1] * 5), '"periods.write.count" is none; expected a list of 5 num'),
        (dict(length_ns=-1), '"periods.length_ns" is -1'),
    ],
)
def test_periods_that_are_damaged_are_refused(
    runs: RunMaker, changes: dict[str, Any], fault: str
) -> None:
    with pytest.raises(InputError, match=fault):
        _ = with_periods(runs, **changes).periods
