"""--timeline: trace-event JSON with a track for each bus and die, on which nothing overlaps."""

from __future__ import annotations

import json
from collections import defaultdict
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.programs import CONFIGS, DEMO_TRACE, Json, Program, sets

CHANNELS, DIES, HOST = 1, 2, 3

#: Filled, so that the timeline has reads, programs and erases of the host and of collection.
RUN = [
    "--trace",
    DEMO_TRACE,
    "--limit",
    800,
    *sets(
        workload__out_of_range="wrap",
        workload__arrival="closed",
        buffer__size="1MiB",
        nand__blocks_per_plane=64,
        precondition__fill=1,
    ),
]

Track = tuple[int, int]


def load(path: Path) -> list[Json]:
    """Events; times become whole picoseconds."""
    timeline = json.loads(path.read_text(), parse_float=Decimal)
    assert set(timeline) == {"displayTimeUnit", "traceEvents"}
    events = timeline["traceEvents"]
    for event in events:
        for name in ("ts", "dur"):
            if name in event:
                picoseconds = Decimal(event[name]) * 1_000_000
                assert picoseconds == int(picoseconds)
                event[name] = int(picoseconds)
    return events


def spans(events: list[Json]) -> dict[Track, list[tuple[int, int]]]:
    """(begin, end) of the activities of each track, by begin."""
    tracks = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            assert event["dur"] > 0
            tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    return {track: sorted(times) for track, times in tracks.items()}


def overlaps(events: list[Json]) -> list[Track]:
    """Tracks with two activities at once."""
    return [
        track
        for track, times in spans(events).items()
        if any(later[0] < earlier[1] for earlier, later in pairwise(times))
    ]


def simulate(simulator: Program, name: str, *arguments: object) -> tuple[list[Json], Json]:
    summary = simulator.simulate(
        CONFIGS / "cave.toml", name, *RUN, "--timeline", f"{name}.json", *arguments
    )
    return load(simulator.folder / f"{name}.json"), summary


@pytest.fixture
def whole(simulator: Program) -> tuple[list[Json], Json]:
    return simulate(simulator, "whole")


def test_every_bus_and_die_has_a_named_track(whole: tuple[list[Json], Json]) -> None:
    events, _ = whole
    named = [event for event in events if event["ph"] == "M"]
    processes = {e["pid"]: e["args"]["name"] for e in named if e["name"] == "process_name"}
    assert processes == {CHANNELS: "channels", DIES: "dies", HOST: "host"}
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in named if e["name"] == "thread_name"}
    buses = {(CHANNELS, c): f"channel {c}" for c in range(8)}
    dies = {(DIES, c + 8 * way): f"die {c}.{way}" for c in range(8) for way in range(4)}
    assert threads == {**buses, **dies}
    assert set(spans(events)) == set(threads)
    assert {e["name"] for e in events if e["ph"] == "C"} == {"queue depth", "buffer pages"}
    assert {e["ph"] for e in events} == {"M", "X", "i", "C"}


def test_activities_of_a_track_do_not_overlap(whole: tuple[list[Json], Json]) -> None:
    events, _ = whole
    assert len([event for event in events if event["ph"] == "X"]) > 1000
    assert overlaps(events) == []
    # The negative control: an activity made a picosecond too long for its gap is found.
    track, times = next((track, times) for track, times in spans(events).items() if len(times) > 1)
    (begin, _), (following, _) = times[:2]
    stretched = next(
        e for e in events if e["ph"] == "X" and (e["pid"], e["tid"], e["ts"]) == (*track, begin)
    )
    stretched["dur"] = following - begin + 1
    assert overlaps(events) == [track]


def test_activities_are_those_of_the_summary(whole: tuple[list[Json], Json]) -> None:
    events, summary = whole
    activities = spans(events)
    for channel in summary["channels"]:
        busy = sum(end - begin for begin, end in activities[CHANNELS, channel["id"]])
        assert channel["busy_ns"] == pytest.approx(busy / 1000, abs=1)
        grants = [e for e in events if e["ph"] == "i" and e["tid"] == channel["id"]]
        assert len(grants) == channel["grants"] == len(activities[CHANNELS, channel["id"]])
    symbols = {"reads": "tR", "programs": "tPROG", "erases": "tBERS"}
    for number, die in enumerate(summary["dies"]):
        names = [
            e["name"] for e in events if e["ph"] == "X" and (e["pid"], e["tid"]) == (DIES, number)
        ]
        for count, symbol in symbols.items():
            assert names.count(symbol) == die[count]
        assert len(names) == die["reads"] + die["programs"] + die["erases"]
    assert sum(die["erases"] for die in summary["dies"]) > 0
    assert sum(die["reads"] for die in summary["dies"]) > 0
    last = max(end for times in activities.values() for _, end in times)
    assert last <= 1000 * summary["sim"]["simulated_ns"] + 500


def test_phases_last_as_long_as_the_part_takes(whole: tuple[list[Json], Json]) -> None:
    events, _ = whole
    lasted = defaultdict(set)
    for event in events:
        if event["ph"] == "X":
            lasted[event["name"]].add(event["dur"])
    # CAVE, tables 1 and 2: 2112 bytes of 30 ns, and seven cycles of 30 ns before them.
    ns = 1000
    assert lasted == {
        "data in": {7 * 30 * ns + 63_360 * ns},
        "data out": {63_360 * ns},
        "command": {7 * 30 * ns, 5 * 30 * ns},
        "tR": {25_000 * ns},
        "tPROG": {200_000 * ns},
        "tBERS": {1_500_000 * ns},
    }


def test_window_has_what_starts_in_it(whole: tuple[list[Json], Json], simulator: Program) -> None:
    events, summary = whole
    middle = summary["sim"]["simulated_ns"] // 2  # ns
    begin, end = middle - 10_000_000, middle + 10_000_000
    windows = {
        "window": (["--timeline-from", f"{begin}ns", "--timeline-to", f"{end}ns"], begin, end),
        "from": (["--timeline-from", f"{begin}ns"], begin, 10**18),
        "to": (["--timeline-to", f"{end}ns"], 0, end),
    }
    for name, (options, first, last) in windows.items():
        part, of_part = simulate(simulator, name, *options)
        inside = [e for e in events if "ts" not in e or first <= e["ts"] / 1000 < last]
        assert part == inside
        assert 100 < len(inside) < len(events)
        assert of_part["host"] == summary["host"]  # looking changes nothing
