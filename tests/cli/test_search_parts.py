"""The parts of a search, on runs made up: proposals, exclusions, the next runs, the store."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cavern.plots.metrics import metric
from cavern.search.engine import FEWEST_CONFIRMED, ruled_out
from cavern.search.next_runs import next_runs
from cavern.search.propose import propose
from cavern.search.space import Point, Search, read_search
from cavern.search.trials import Store, Trial
from cavern.sweeps import Case
from cavern.sweeps.plan import refusal

from tests.cli.programs import Workspace

TIME = "ftl.execution_time_ns"


@pytest.fixture
def search(searching: Workspace) -> Search:
    return read_search(searching.folder / "small.toml")


def test_points_are_the_cases_in_their_order(search: Search) -> None:
    assert [axis.ordered for axis in search.axes] == [True, False, True]
    for index, case in enumerate(search.cases):
        point = search.point(index)
        assert search.index(point) == index
        texts = [str(v) for name, v in case.labels.items() if name != "trace"]
        assert texts == [a.texts[v] for a, v in zip(search.axes, point, strict=True)]
    assert search.axes[0].steps(0) == [1] and search.axes[1].steps(0) == [1, 2]


def test_proposals_never_repeat_and_end_with_the_space(search: Search) -> None:
    aims = [metric(TIME)]
    everything = replace(search, trials=24)
    trials: list[Trial] = []
    while batch := propose(everything, trials, aims):
        assert propose(everything, trials, aims) == batch
        trials += [Trial(p, (math.nan,), (float(sum(p) + 1),)) for p in batch]
    assert len({one.point for one in trials}) == len(trials) == 24


def test_a_combination_is_ruled_out_by_what_beats_it_alone(search: Search) -> None:
    aims = [metric(TIME), metric("host.write.lat_ns.mean")]

    def trial(index: int, first: float, second: float) -> Trial:
        return Trial(search.point(index), (first, math.nan), (first, second))

    point, good, bad = search.point(23), (50.0, math.nan), (500.0, math.nan)
    known = [trial(i, 100.0 + i, 100.0 + i) for i in range(FEWEST_CONFIRMED)]
    assert ruled_out(search, point, bad, known, aims)
    assert not ruled_out(search, point, good, known, aims)
    assert not ruled_out(search, point, bad, known[1:], aims)  # too few to say
    assert not ruled_out(search, point, (math.nan, math.nan), known, aims)
    # What is worse without time may be better with it: where one axis says so, it is run.
    known = [
        trial(i, 100.0 + i, 10.0 if search.point(i)[2] == search.point(23)[2] else 100.0 + i)
        for i in range(2 * FEWEST_CONFIRMED + 4)
    ]
    unlike = [one for one in known if one.point[2] != point[2]]
    assert not ruled_out(search, point, (101.5, math.nan), known, aims)
    assert ruled_out(search, point, bad, unlike, aims)
    # Where the run without time says all, one that is better is enough.
    alone = [Trial(search.point(i), (100.0 + i,), (100.0 + i,)) for i in range(FEWEST_CONFIRMED)]
    assert ruled_out(search, point, (100.5,), alone, aims[:1])
    assert not ruled_out(search, point, (100.0,), alone, aims[:1])


def anything(case: Case) -> str:
    """No run is refused."""
    return ""


def known(search: Search, time: Callable[[Point], float], without: set[Point]) -> list[Trial]:
    points = [search.point(i) for i in range(24)]
    return [Trial(p, (math.nan,), (time(p),)) for p in points if p not in without]


def test_next_runs_are_new_and_go_beyond_an_end_the_front_leans_on(search: Search) -> None:
    aims = [metric(TIME)]
    new: set[Point] = {(3, 0, 1), (2, 0, 1)}
    trials = known(search, lambda p: 1e9 / (1 + p[0]) * (1 + p[1] / 2) / (1 + p[2]), new)
    runs = next_runs(search, trials, aims, anything)
    # Of the two that were not run, the second would not be on the front when the first is.
    assert runs[0].text == f"{search.text((3, 0, 1))}." and len(runs) == 3
    assert re.search(
        r"Not run yet. Expected: execution time about 1\d\d ms, ± \d+ % \(best 188 ms", runs[0].why
    )
    beyond = [one for one in runs if "256KiB" in one.text]
    assert len(beyond) == 1 and "1 of 1 on the front have 128KiB, the last value" in beyond[0].why
    assert "'buffer.size=\"256KiB\"'" in beyond[0].command
    assert next_runs(search, [replace(trials[0], values=None, error="no")], aims, anything) == []


def test_what_cannot_be_run_is_not_suggested(search: Search) -> None:
    def time(point: Point) -> float:
        return 1e9 / (1 + point[0]) / (1 + point[2])

    def too_large(case: Case) -> str:
        return "too large" if any("256KiB" in one.text for one in case.settings) else ""

    beyond = known(search, time, set())
    for refused, there in ((anything, True), (too_large, False)):
        runs = next_runs(search, beyond, [metric(TIME)], refused)
        assert runs and any("256KiB" in one.text for one in runs) is there
    inside = known(search, time, {(3, policy, 1) for policy in range(3)})
    assert next_runs(search, inside, [metric(TIME)], anything)[0].text.startswith(
        "buffer.size 128KiB"
    )
    assert next_runs(search, inside, [metric(TIME)], lambda case: "no") == []


def test_the_program_says_what_cannot_be_run(search: Search) -> None:
    case = search.case((0, 0, 0))
    assert refusal(case) == ""
    large = tuple(
        replace(one, value="64MiB") if one.key == "buffer.size" else one for one in case.settings
    )
    assert "a buffer of 64MiB in an SDRAM of" in refusal(replace(case, settings=large))


def test_what_would_lose_by_its_own_figures_is_not_suggested(search: Search) -> None:
    # The best lies in the middle of the one axis that moves anything; ways do nothing.
    best: set[Point] = {(1, 0, 0), (1, 0, 1)}
    lost: set[Point] = {(0, 0, 0), (3, 2, 1)}
    trials = known(search, lambda p: 1e9 * (1 + abs(p[0] - 1) + p[1]), lost)
    assert next_runs(search, trials, [metric(TIME)], anything) == []
    # Control: one that is expected to be the best is.
    trials = known(search, lambda p: 1e9 * (1 + abs(p[0] - 1)) * (1 + p[1]), lost | best)
    (one, *_) = next_runs(search, trials, [metric(TIME)], anything)
    assert one.text in {f"{search.text(point)}." for point in best}
    # The front has the largest buffer, but the step to it was one for the worse elsewhere.
    trials = known(
        search, lambda p: 1e9 * (1 + p[1]) * ((20 if p[1] else 0.5) if p[0] == 3 else 1), set()
    )
    assert next_runs(search, trials, [metric(TIME)], anything) == []


@pytest.mark.slow
def test_store_gives_back_what_it_was_given(search: Search, tmp_path: Path) -> None:
    aims = [metric(TIME), metric("host.iops")]
    given = [
        Trial(search.point(3), (5.0, math.nan), (5.0, 7.0)),
        Trial(search.point(9), (9.0, math.nan)),
        Trial(search.point(4), (math.nan, math.nan), error="error: no"),
    ]
    store = Store(tmp_path, search, "id")
    store.begin(aims)
    for one in given:
        store.add(one)
    back = Store(tmp_path, search, "id")
    assert str(back.trials) == str(given) and list(back.aims) == aims
    assert [one.ruled_out for one in back.trials] == [False, True, False]
