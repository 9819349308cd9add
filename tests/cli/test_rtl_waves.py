"""--bus-waves: signals of the flash buses, compared with the timeline of the same run and, for the
RTL arbiter's part, with its own waveform."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any

import pytest

from tests.cli.programs import BIN, CONFIGS, DEMO_TRACE, ROOT, Json, Program, sets

PS = 1_000_000  # in a microsecond
Changes = list[tuple[int, str]]

#: Reads, collection and evictions on four dies.
RUN: list[Any] = [
    CONFIGS / "cave.toml",
    "out",
    "--trace",
    DEMO_TRACE,
    "--limit",
    300,
    *sets(
        workload__out_of_range="wrap",
        workload__arrival="closed",
        nand__channels=2,
        nand__ways=2,
        nand__blocks_per_plane=64,
        precondition__fill=1,
        buffer__size="256KiB",
        channel__arbiter="rtl",
    ),
]


def load(simulator: Program, name: str) -> dict[str, Changes]:
    """Changes of value of every signal of an FST file, by its full name, as (ps, value)."""
    finished = Program(BIN / "cavern-fst-to-vcd", simulator.folder)(name)
    assert finished.returncode == 0, finished.stderr
    scopes: list[str] = []
    names: dict[str, list[str]] = defaultdict(list)
    changes: dict[str, Changes] = defaultdict(list)
    time = 0
    for line in finished.stdout.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "$scope":
            scopes.append(words[2])
        elif words[0] == "$upscope":
            scopes.pop()
        elif words[0] == "$var":
            names[words[3]].append(".".join([*scopes, "".join(words[4:-1])]))
        elif words[0][0] == "#":
            time = int(words[0][1:])
        elif words[0][0] in "01xz":
            changes[words[0][1:]].append((time, words[0][0]))
        elif words[0][0] in "bs" and len(words) == 2:
            changes[words[1]].append((time, words[0][1:]))
    return {name: changes[code] for code, list_ in names.items() for name in list_}


def edges(changes: Changes, value: str) -> list[int]:
    """When a signal comes to `value` after the state it begins in."""
    return [time for time, new in changes[1:] if new == value]


def events(simulator: Program, process: int) -> list[Json]:
    trace = json.loads((simulator.folder / "t.json").read_text())["traceEvents"]
    return [event for event in trace if event["ph"] == "X" and event["pid"] == process]


@pytest.fixture
def waves(simulator: Program) -> dict[str, Changes]:
    simulator.simulate(
        *RUN, "--timeline", "t.json", "--waves", "arbiter.fst", "--bus-waves", "bus.fst"
    )
    return load(simulator, "bus.fst")


def test_grants_phases_and_busy_times_are_those_of_the_timeline(
    simulator: Program, waves: dict[str, Changes]
) -> None:
    kinds = set()
    for channel in range(2):
        bus = [event for event in events(simulator, 1) if event["tid"] == channel]
        assert len(bus) > 50
        kinds |= {event["name"] for event in bus}
        for way in range(2):
            scope = f"ssd.channel_{channel}.way_{way}"
            spans = [
                (round(e["ts"] * PS), round((e["ts"] + e["dur"]) * PS))
                for e in bus
                if e["args"]["way"] == way
            ]
            # Where a way is granted twice in a row without a gap, its lines do not move between.
            starts, ends = zip(*spans, strict=True)
            assert edges(waves[f"{scope}.grant"], "1") == sorted(set(starts) - set(ends))
            assert edges(waves[f"{scope}.ce_n"], "0") == sorted(set(starts) - set(ends))
            assert edges(waves[f"{scope}.ce_n"], "1") == sorted(set(ends) - set(starts))
            busy = [
                (round(e["ts"] * PS), round((e["ts"] + e["dur"]) * PS))
                for e in events(simulator, 2)
                if (e["args"]["channel"], e["args"]["way"]) == (channel, way)
            ]
            assert edges(waves[f"{scope}.rb_n"], "0") == [start for start, _ in busy]
            assert edges(waves[f"{scope}.rb_n"], "1") == [end for _, end in busy]
        count = {name: sum(e["name"] == name for e in bus) for name in kinds}
        pages = sum(e["args"]["pages"] for e in bus if e["name"] == "data in")
        assert pages == count["data in"]  # one plane
        # A command phase and a page of data in begin and end with a command byte.
        clear = edges(waves[f"ssd.channel_{channel}.cle"], "1")
        assert len(clear) == 2 * (count["command"] + pages)
        assert len(edges(waves[f"ssd.channel_{channel}.re_n"], "0")) == count["data out"] > 0
    assert kinds == {"command", "data in", "data out"}


def test_commands_are_on_dq(waves: dict[str, Changes]) -> None:
    bytes_ = {
        int(value, 2) for _, value in waves["ssd.channel_0.dq[7:0]"] if set(value) <= {"0", "1"}
    }
    assert {0x00, 0x30, 0x80, 0x10, 0x60, 0xD0} <= bytes_
    assert "z" in waves["ssd.channel_0.dq[7:0]"][0][1]
    texts = {value for _, value in waves["ssd.channel_0.phase"]}
    assert {"command", "address", "data\\040in", "data\\040out"} <= texts


def test_arbiter_of_channel_0_is_in_it_as_in_its_own_file(
    simulator: Program, waves: dict[str, Changes]
) -> None:
    own = load(simulator, "arbiter.fst")
    assert len(own) > 20
    for name, changes in own.items():
        settled = dict(changes)  # the last at an instant
        assert dict(waves[f"arbiter_0.{name}"]) == settled, name
    # The bus is granted at the edge at which the RTL's output rises.
    granted = set(edges(waves["arbiter_0.valid_o"], "1"))
    ways = set(edges(waves["ssd.channel_0.way_0.grant"], "1"))
    ways |= set(edges(waves["ssd.channel_0.way_1.grant"], "1"))
    assert granted and granted <= ways


def test_window_leaves_out_the_rest_and_the_run_is_the_same(
    simulator: Program, waves: dict[str, Changes]
) -> None:
    summary = simulator.simulate(
        *RUN, "--bus-waves", "part.fst", "--bus-waves-from", "2ms", "--bus-waves-to", "4ms"
    )
    part = load(simulator, "part.fst")
    for name, changes in part.items():
        times = [time for time, _ in changes]
        assert min(times) == 2000 * PS, name
    within = [t for t in edges(waves["ssd.channel_0.way_0.grant"], "1") if 2000 <= t / PS < 4000]
    assert edges(part["ssd.channel_0.way_0.grant"], "1") == within != []
    plain = simulator.simulate(*RUN)
    assert summary["host"] == plain["host"] and summary["channels"] == plain["channels"]


def test_without_rtl_there_are_bus_waves_too(simulator: Program) -> None:
    simulator.simulate(*RUN, *sets(channel__arbiter="tlm"), "--bus-waves", "bus.fst")
    names = load(simulator, "bus.fst")
    assert "ssd.channel_1.way_1.rb_n" in names and not any("arbiter" in name for name in names)


def test_saved_view_names_signals_that_exist(simulator: Program) -> None:
    simulator.simulate(
        CONFIGS / "cave.toml",
        "out",
        "--trace",
        DEMO_TRACE,
        "--limit",
        1500,
        *sets(workload__out_of_range="wrap", channel__arbiter="rtl"),
        "--waves",
        "a.fst",
        "--bus-waves",
        "bus.fst",
    )
    names = load(simulator, "bus.fst").keys()
    view = (ROOT / "tb" / "waves" / "cave-eviction.gtkw").read_text()
    shown = re.findall(r"^(?:ssd|arbiter_0)\..*$", view, re.MULTILINE)
    assert len(shown) > 60
    assert [name for name in shown if name not in names] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--bus-waves", "b.fst", "--bus-waves-from", "2ms", "--bus-waves-to", "1ms"],
            "--bus-waves-from lies after --bus-waves-to",
        ),
        (["--bus-waves", "no/such/folder/b.fst"], "no/such/folder/b.fst"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, simulator: Program) -> None:
    finished = simulator("run", *RUN[:1], "--out", "out", *RUN[2:], *arguments)
    assert finished.returncode == 2
    assert finished.stderr.startswith("error: ") and message in finished.stderr
    assert finished.stderr.count("\n") == 1
