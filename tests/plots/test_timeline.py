"""timeline.json: reading it, refusing it, and choosing the busiest window."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cavern.errors import InputError
from cavern.plots.timeline import Spans, Timeline, read_timeline

from tests.plots.made_runs import RunMaker, make_events, span


def timeline_of(starts: list[float], durations: list[float]) -> Timeline:
    def spans(count: int) -> Spans:
        return Spans(
            np.array(starts[:count], dtype=float),
            np.array(durations[:count], dtype=float),
            np.zeros(count, dtype=np.int64),
            np.full(count, "tR"),
            np.full(count, "host"),
        )

    return Timeline(spans(0), spans(len(starts)), np.array([]), np.array([]), {0: (0, 0)}, {})


def test_spans_grants_dies_and_counters_are_read(runs: RunMaker) -> None:
    timeline = runs.load().timeline
    assert timeline.bus.name.tolist() == ["command", "data in"] * 2 + ["command"]
    assert timeline.bus.track.tolist() == [0, 0, 0, 0, 1]
    assert timeline.array.start.tolist() == pytest.approx([163.57, 233.57, 5000.21])
    assert timeline.array.origin.tolist() == ["host", "host", "gc"]
    assert timeline.dies == {0: (0, 0), 1: (0, 1), 3: (1, 1)}
    assert timeline.grant_time.tolist() == [100.0, 170.0]
    assert timeline.counters["queue depth"][1].tolist() == [1, 3, 0]


def test_processes_are_known_by_name_not_by_number(runs: RunMaker) -> None:
    swapped = {1: 20, 2: 10, 3: 30}
    events = [event | {"pid": swapped[event["pid"]]} for event in make_events()]
    timeline = runs.load(events=events).timeline
    assert len(timeline.bus) == 5 and len(timeline.array) == 3
    assert "queue depth" in timeline.counters


@pytest.mark.parametrize("key", ["ts", "dur", "tid", "pid"])
def test_event_without_a_number_is_named_by_its_line(runs: RunMaker, key: str) -> None:
    events = make_events()
    index = next(n for n, event in enumerate(events) if event["ph"] == "X")
    del events[index][key]
    directory = runs.write(events=events)
    file = directory / "timeline.json"
    opening = [n for n, line in enumerate(file.read_text().splitlines(), 1) if line == "  {"]
    with pytest.raises(InputError) as caught:
        read_timeline(file)
    assert caught.value.line == opening[index]
    assert f'"{key}" is not a number' in caught.value.what


def test_die_without_place_is_refused(runs: RunMaker) -> None:
    events = [*make_events(), span(2, 7, "tR", 1.0, 25.0)]
    file = runs.write(events=events) / "timeline.json"
    with pytest.raises(InputError, match="a die without channel and way"):
        read_timeline(file)


def test_cut_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "timeline.json"
    file.write_text(json.dumps({"traceEvents": make_events()}, indent=1)[:-40])
    with pytest.raises(InputError, match="ends in the middle"):
        read_timeline(file)
    file.write_text("[]")
    with pytest.raises(InputError, match='"traceEvents" is missing'):
        read_timeline(file)


def test_busiest_window_is_the_dense_one() -> None:
    # Two short spans close together outweigh one longer span far away.
    timeline = timeline_of([0.0, 1000.0, 1060.0], [70.0, 40.0, 40.0])
    begin, end = timeline.busiest(100.0)
    assert (begin, end) == (1000.0, 1100.0)
    assert timeline.busiest(60.0)[0] == 0.0


def test_busiest_window_agrees_with_trying_all() -> None:
    engine = np.random.default_rng(5)
    for _ in range(20):
        starts = engine.integers(0, 400, 30).astype(float)
        durations = engine.integers(1, 40, 30).astype(float)
        timeline = timeline_of(starts.tolist(), durations.tolist())

        def busy(
            begin: float, starts: np.ndarray = starts, durations: np.ndarray = durations
        ) -> float:
            ends = np.minimum(starts + durations, begin + 50)
            return float(np.maximum(ends - np.maximum(starts, begin), 0).sum())

        first, last = timeline.extent
        best = max(busy(begin) for begin in np.arange(first, last - 50 + 1))
        begin, end = timeline.busiest(50.0)
        assert end - begin == 50.0
        assert busy(begin) == pytest.approx(best)
        # Control: not every window is as busy, so the agreement says something.
        assert min(busy(at) for at in np.arange(first, last - 50 + 1)) < best


def test_window_wider_than_the_run_starts_with_it() -> None:
    assert timeline_of([10.0], [5.0]).busiest(2000.0) == (10.0, 2010.0)
