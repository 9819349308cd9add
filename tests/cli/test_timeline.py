"""--timeline: trace-event JSON with a track for each bus and die, on which nothing overlaps."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.programs import BIN, CONFIGS, DEMO_TRACE, Json, Program, sets
from tests.cli.test_requests import load as load_requests

CHANNELS, DIES, HOST, PROCESSORS, POLLS = 1, 2, 3, 4, 5

#: Filled, so that the timeline has reads, programs and erases of the host and of collection.
RUN = [
    "--trace",
    DEMO_TRACE,
    *sets(
        workload__out_of_range="wrap",
        workload__arrival="closed",
        buffer__size="1MiB",
        nand__blocks_per_plane=64,
        precondition__fill=1,
    ),
]

REQUESTS = 800
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


def simulate(
    simulator: Program, name: str, *arguments: object, limit: int = REQUESTS
) -> tuple[list[Json], Json]:
    options = (*RUN, "--limit", limit, "--timeline", f"{name}.json")
    summary = simulator.simulate(CONFIGS / "cave.toml", name, *options, *arguments)
    return load(simulator.folder / f"{name}.json"), summary


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """For the runs that several tests look at; they leave what they are given as it is."""
    return Program(BIN / "cavern-sim", tmp_path_factory.mktemp("timelines"))


@pytest.fixture(scope="module")
def whole(program: Program) -> tuple[list[Json], Json]:
    return simulate(program, "whole")


def test_every_bus_and_die_has_a_named_track(whole: tuple[list[Json], Json]) -> None:
    events, _ = whole
    named = [event for event in events if event["ph"] == "M"]
    processes = {e["pid"]: e["args"]["name"] for e in named if e["name"] == "process_name"}
    assert processes == {CHANNELS: "channels", DIES: "dies", HOST: "host"}
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in named if e["name"] == "thread_name"}
    buses = {(CHANNELS, c): f"channel {c}" for c in range(8)}
    dies = {(DIES, c + 8 * way): f"die {c}.{way}" for c in range(8) for way in range(4)}
    lanes = {(HOST, lane + 1): f"requests {lane}" for lane in range(len(threads) - 40)}
    assert threads == {**buses, **dies, **lanes} and lanes
    assert set(spans(events)) == set(threads)
    assert {e["name"] for e in events if e["ph"] == "C"} == {"queue depth", "buffer pages"}
    assert {e["ph"] for e in events} == {"M", "X", "i", "C", "s", "t"}


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
    assert overlaps([*events, {**stretched, "dur": following - begin + 1}]) == [track]


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
        if event["ph"] == "X" and event["pid"] != HOST:
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


@pytest.mark.slow
def test_commands_of_the_register_have_names_of_their_own(simulator: Program) -> None:
    cache = sets(nand__cache_read="true", nand__cache_program="true")
    events, summary = simulate(simulator, "cache", *cache)
    names = [event["name"] for event in events if event["ph"] == "X"]
    reads = sum(die["cache_reads"] for die in summary["dies"])
    assert names.count("cache read") == reads > 0
    assert 0 < names.count("cache end") <= reads
    programs = sum(die["cache_programs"] for die in summary["dies"])
    assert names.count("cache data in") >= programs > 0
    assert overlaps(events) == []
    copy = sets(nand__copy_back="true", precondition__overwrite=1)  # no block is empty by then
    events, summary = simulate(simulator, "copies", *copy, limit=400)
    names = [event["name"] for event in events if event["ph"] == "X"]
    copies = sum(die["copy_backs"] for die in summary["dies"])
    assert names.count("copy read") == names.count("copy program") == copies > 0
    assert overlaps(events) == []


@pytest.mark.slow
def test_status_polls_of_a_wait_are_one_slice(
    simulator: Program, whole: tuple[list[Json], Json]
) -> None:
    """However often the die is asked."""
    sizes = []
    for interval in ("20us", "1us"):
        polled = sets(nand__ready="poll", nand__poll_interval=interval, nand__reset="true")
        events, summary = simulate(simulator, "polled", *polled)
        names = [event["name"] for event in events if event["ph"] == "X"]
        waits = [event for event in events if event["name"] == "status polls"]
        assert {event["pid"] for event in waits} == {POLLS}
        operations = ("reads", "programs", "erases", "resets")
        for number, die in enumerate(summary["dies"]):
            polls = [event["args"] for event in waits if event["tid"] == number]
            assert sum(each["polls"] for each in polls) == die["polls"] > len(polls)
            assert len(polls) == sum(die[operation] for operation in operations)
            # CAVE, tables 1 and 2: four cycles and a byte of 30 ns.
            assert all(each["bus_ns"] == each["polls"] * 5 * 30 for each in polls)
        assert names.count("reset") == names.count("tRST") == len(summary["dies"])
        assert [die["resets"] for die in summary["dies"]] == [1] * len(summary["dies"])
        grants = [event for event in events if event["name"] == "grant"]
        phases = [event for event in events if event["ph"] == "X" and event["pid"] == CHANNELS]
        assert len(grants) == len(phases)
        assert overlaps(events) == []
        sizes.append((len(events), sum(die["polls"] for die in summary["dies"])))
    (some, few_polls), (others, many_polls) = sizes
    assert many_polls > 8 * few_polls and others < 1.1 * some
    _, summary = whole
    assert sum(die["polls"] + die["resets"] for die in summary["dies"]) == 0


@pytest.mark.slow
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


# ---- processors ----------------------------------------------------------------------------------


def executed(
    simulator: Program, name: str, limit: int = REQUESTS, **settings: object
) -> tuple[list[Json], Json, dict[int, Json]]:
    """Events, summary and requests of a run in which a processor handles commands."""
    requests = simulator.folder / f"{name}.csv"
    options = ("--requests", requests, *sets(**settings))
    events, summary = simulate(simulator, name, *options, limit=limit)
    return events, summary, {row["id"]: row for row in load_requests(requests)}


def of_processors(events: list[Json], phase: str) -> list[Json]:
    return [event for event in events if event["ph"] == phase and event["pid"] == PROCESSORS]


def works(events: list[Json]) -> list[Json]:
    """What keeps processors busy: the outer slices."""
    return [event for event in of_processors(events, "X") if "depth" not in event["args"]]


def cpu_times(events: list[Json]) -> dict[int, tuple[int, int]]:
    """By request: how long it waited for a processor and was decided by it, in ps."""
    waits: dict[int, int] = defaultdict(int)
    for event in of_processors(events, "b") + of_processors(events, "e"):
        waits[event["id"]] += event["ts"] if event["ph"] == "e" else -event["ts"]
    return {
        event["args"]["request"]: (waits[event["args"]["request"]], event["dur"])
        for event in works(events)
        if not event["name"].startswith(("after ", "maintain "))
    }


Executed = tuple[list[Json], Json, dict[int, Json]]


@pytest.fixture(scope="module")
def interpreted(program: Program) -> Executed:
    return executed(program, "iss", cpu__model="iss")


@pytest.fixture(scope="module")
def costed(program: Program) -> Executed:
    return executed(program, "cost", cpu__model="cost")


@pytest.mark.parametrize("run", ["interpreted", "costed"])
@pytest.mark.slow
def test_processor_slices_are_the_cycles_of_the_requests(
    run: str, request: pytest.FixtureRequest
) -> None:
    events, summary, rows = request.getfixturevalue(run)
    names = {e["args"]["name"] for e in events if e["ph"] == "M" and e["pid"] == PROCESSORS}
    assert names == {"processors", "processor 0"}
    times = cpu_times(events)
    assert times.keys() == rows.keys()
    assert sum(wait > 0 for wait, _ in times.values()) > 100
    for number, (wait, decided) in times.items():
        assert rows[number]["cpu_ns"] == pytest.approx((wait + decided) / 1000, abs=1), number
        assert decided % 2500 == 0
    busy = sum(event["dur"] for event in works(events))
    assert summary["cpu"]["busy_ns"] == pytest.approx(busy / 1000, abs=1)
    assert summary["cpu"]["cycles"] * 2500 == busy
    words = {"R": "read", "W": "write", "T": "trim", "F": "flush"}
    assert {event["name"] for event in works(events) if "bytes" in event["args"]} == {
        f"{words[row['op']]} {number}" for number, row in rows.items()
    }


def test_several_processors_have_a_track_each(simulator: Program) -> None:
    events, summary, _ = executed(simulator, "cores", cpu__model="cost", cpu__cores=3)
    assert {event["tid"] for event in works(events)} == {0, 1, 2}
    assert [track for track in overlaps(works(events)) if track[0] == PROCESSORS] == []
    # The control: on one track they would overlap.
    for event in works(events):
        event["tid"] = 0
    assert (PROCESSORS, 0) in overlaps(works(events))


@pytest.mark.slow
def test_work_ahead_waits_for_the_answer_of_the_firmware(simulator: Program) -> None:
    """What is decided for no command is decided as the processor has answered, and not before."""
    log = simulator.folder / "ahead.jsonl"
    summary = simulator.simulate(
        CONFIGS / "conventional.toml",
        "ahead",
        *("--trace", DEMO_TRACE, "--limit", 150, "--timeline", "ahead.json", "--decisions", log),
        *sets(
            nand__channels=2,
            nand__ways=2,
            nand__blocks_per_plane=64,
            buffer__size="64KiB",
            workload__out_of_range="wrap",
            precondition__fill=1.0,
            ftl__gc_background=40,
            ftl__gc_background_after="1ms",
            cpu__model="iss",
        ),
    )
    assert summary["ftl"]["gc_runs"] > 0
    events = load(simulator.folder / "ahead.json")
    begins: dict[bool, set[int]] = defaultdict(set)
    ends: dict[bool, set[int]] = defaultdict(set)
    for event in works(events):
        if not event["name"].startswith("after "):
            ahead = "plane" in event["args"]
            begins[ahead].add((event["ts"] + 500) // 1000)
            ends[ahead].add((event["ts"] + event["dur"] + 500) // 1000)
    decided = {
        event["t"]
        for event in map(json.loads, log.read_text().splitlines())
        if event["ev"] == "program" and event["origin"] == "gc"
    }
    for_nobody = decided - ends[False]
    assert len(for_nobody) > 100
    assert for_nobody <= ends[True]
    assert not for_nobody <= begins[True]  # the control: this was so when nobody waited
    assert [track for track in overlaps(works(events)) if track[0] == PROCESSORS] == []


def outside(functions: list[Json], work: list[Json]) -> list[Json]:
    """Functions that do not lie inside one piece of work and, deeper ones, inside another."""
    callers = sorted(work, key=lambda event: event["ts"])
    strangers = []
    for depth in range(1 + max(event["args"]["depth"] for event in functions)):
        of_depth = sorted(
            (e for e in functions if e["args"]["depth"] == depth), key=lambda event: event["ts"]
        )
        starts = [caller["ts"] for caller in callers]
        for event in of_depth:
            place = bisect_right(starts, event["ts"]) - 1
            caller = callers[place] if place >= 0 else None
            if caller is None or caller["ts"] + caller["dur"] < event["ts"] + event["dur"]:
                strangers.append(event)
        callers = of_depth
    return strangers


@pytest.mark.slow
def test_functions_of_the_firmware_lie_inside_the_work(interpreted: Executed) -> None:
    events, summary, rows = interpreted
    functions = [e for e in of_processors(events, "X") if "depth" in e["args"]]
    work = works(events)
    assert outside(functions, work) == []
    # All the time: the outermost function is as long as the work.
    outermost = sum(e["dur"] for e in functions if e["args"]["depth"] == 0)
    assert outermost == sum(event["dur"] for event in work)
    assert {"main", "drive_write", "drive_read", "buffer_write_hit"} <= {
        e["name"] for e in functions
    }
    assert max(event["args"]["depth"] for event in functions) > 3
    interrupts = [e for e in of_processors(events, "i") if e["cat"] == "interrupt"]
    assert [event["name"] for event in interrupts] == ["external interrupt"] * len(rows)
    assert [e["ts"] for e in interrupts] == [e["ts"] for e in work if "bytes" in e["args"]]
    assert summary["cpu"]["requests"] == len(rows)
    # The control: a function that ends later than its caller.
    longest = max(functions, key=lambda event: event["args"]["depth"])
    late = {**longest, "dur": longest["dur"] + 10**9}
    assert late in outside([*functions, late], work)


@pytest.mark.slow
def test_a_timeline_of_the_firmware_changes_nothing(
    simulator: Program, interpreted: Executed
) -> None:
    options = (*RUN, "--limit", REQUESTS, *sets(cpu__model="iss"))
    plain = simulator.simulate(CONFIGS / "cave.toml", "plain", *options)
    _, summary, _ = interpreted
    for section in ("host", "ftl", "cpu"):
        assert plain[section] == summary[section]
    begin = summary["sim"]["simulated_ns"] // 2
    window = ["--timeline-from", f"{begin}ns", "--timeline-to", f"{begin + 1_000_000}ns"]
    part, _ = simulate(simulator, "window", *sets(cpu__model="iss"), *window)
    shown = of_processors(part, "X")
    assert {"depth" in event["args"] for event in shown} == {True, False}
    assert all(begin <= event["ts"] / 1000 < begin + 2_000_000 for event in shown)


@pytest.mark.slow
def test_lines_of_the_log_are_marks_at_their_time(simulator: Program) -> None:
    """Of an image that prints each page that is written."""
    talking = BIN.parent / "firmware" / "drive_talking.elf"
    events, summary, rows = executed(
        simulator, "talking", 300, cpu__model="iss", cpu__firmware=talking, precondition__fill=0
    )
    lines = [event for event in of_processors(events, "i") if event["cat"] == "log"]
    assert all(event["name"].startswith("write of page ") for event in lines)
    assert len(lines) == sum(row["pages"] for row in rows.values() if row["op"] == "W") > 500
    hits = sum("hit" in event["name"] for event in lines)
    assert hits == summary["buffer"]["write_hits"]
    writes = [event for event in works(events) if event["name"].startswith("write ")]
    starts = [event["ts"] for event in writes]
    for event in lines:
        work = writes[bisect_right(starts, event["ts"]) - 1]
        assert work["ts"] < event["ts"] < work["ts"] + work["dur"]
