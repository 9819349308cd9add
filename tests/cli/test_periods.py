"""`periods` and `steady` of a summary, held against the lines of requests.csv."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from tests.cli.programs import CONFIGS, Json, Program, Workspace, sets

SMALL = {
    "nand__channels": 2,
    "nand__ways": 2,
    "nand__blocks_per_plane": 64,
    "buffer__size": "64KiB",
    "ftl__overprovision": 0.25,
}
#: Fresh at first, so that it falls off the cliff where collection begins.
MIXED = """[[job]]
rw = "randrw"
rwmixread = 20
bs = "2KiB"
size = "24MiB"
number_ios = 30000
iodepth = 8
"""
NAMES = ("read", "write")
CLASS = 16  # a percentile is too high by this part of itself at most
SMALLEST = 127  # ns


def play(
    workspace: Workspace, simulator: Program, *arguments: object, **settings: object
) -> tuple[Json, list[tuple[str, int, int, int]]]:
    """The summary, and (op, size, end, latency) of each row of requests.csv; times in ns."""
    workspace.write("mixed.toml", MIXED)
    summary = simulator.simulate(
        CONFIGS / "cave-base.toml",
        "out",
        *("--workload", "mixed.toml", "--requests", "r.csv"),
        *sets(**{**SMALL, **settings}),
        *arguments,
    )
    with (workspace.folder / "r.csv").open(encoding="ascii", newline="") as file:
        rows = [
            (row["op"], int(row["size"]), int(row["complete_ns"]), int(row["latency_ns"]))
            for row in csv.DictReader(file)
        ]
    return summary, rows


def rule(rounds: list[float]) -> tuple[float, float]:
    """Range and slope of SNIA SSS PTS 2.0.2, 2.1.24, as shares of the mean."""
    mean = sum(rounds) / len(rounds)
    middle = (len(rounds) - 1) / 2
    moments = sum((i - middle) * value for i, value in enumerate(rounds))
    slope = moments / sum((i - middle) ** 2 for i in range(len(rounds)))
    return (max(rounds) - min(rounds)) / mean, abs(slope) * (len(rounds) - 1) / mean


def rounds_of(summary: Json) -> tuple[list[float], list[int]]:
    """Bytes of each round, and where it begins: whole periods, the last of them its last."""
    periods = summary["periods"]
    length = periods["length_ns"]
    both = (periods[name]["bytes"][:-1] for name in NAMES)
    moved = [read + written for read, written in zip(*both, strict=True)]
    each = summary["steady"]["round_ns"] // length
    first = len(moved) % each
    begins = range(first, len(moved), each)
    return [sum(moved[i : i + each]) for i in begins], [
        periods["begin_ns"] + i * length for i in begins
    ]


@pytest.mark.parametrize("warmup", [0, 5000])
def test_periods_are_the_requests_answered_in_them(
    warmup: int, workspace: Workspace, simulator: Program
) -> None:
    summary, rows = play(workspace, simulator, "--warmup", warmup)
    periods = summary["periods"]
    begin, length = periods["begin_ns"], periods["length_ns"]
    assert begin == summary["sim"]["simulated_ns"] - summary["sim"]["measured_ns"]
    assert periods["end_ns"] == max(row[2] for row in rows)
    found: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for op, size, end, latency in rows:
        found[op, (end - begin) // length].append((size, latency))
    count = len(periods["programmed_bytes"])
    assert 64 <= count <= 128
    for op, name in (("R", "read"), ("W", "write")):
        kind = periods[name]
        latency = kind["lat_ns"]
        for i in range(count):
            here = sorted(each[1] for each in found[op, i])
            assert kind["count"][i] == len(here) > 0
            assert kind["bytes"][i] == sum(each[0] for each in found[op, i])
            assert latency["max"][i] == here[-1]
            assert latency["mean"][i] == int(sum(here) / len(here) + 0.5)
            for percentile, share in (("p50", 0.5), ("p99", 0.99)):
                exact = here[max(0, -int(-len(here) * share // 1) - 1)]
                most = exact + max(exact // CLASS, SMALLEST)
                assert exact <= latency[percentile][i] <= most
    assert sum(len(each) for each in found.values()) == len(rows) == 30000 - warmup


def test_a_drive_that_falls_is_not_steady_and_its_rounds_say_so(
    workspace: Workspace, simulator: Program
) -> None:
    summary, _ = play(workspace, simulator, "--limit", 24000)
    verdict = summary["steady"]
    rounds, _ = rounds_of(summary)
    assert len(rounds) >= 25
    assert (verdict["range"], verdict["slope"]) == pytest.approx(rule(rounds[-5:]))
    assert not verdict["reached"] and verdict["since_ns"] is None
    assert [w for w in summary["run"]["warnings"] if "not steady at the end" in w]


def test_a_drive_is_steady_from_the_first_round_of_its_steady_windows(
    workspace: Workspace, simulator: Program
) -> None:
    summary, _ = play(workspace, simulator)
    verdict = summary["steady"]
    rounds, begins = rounds_of(summary)
    level = [
        found <= 0.2 and slope <= 0.1
        for found, slope in (rule(rounds[i : i + 5]) for i in range(len(rounds) - 4))
    ]
    assert verdict["reached"] and level[-1] and summary["ftl"]["gc_runs"] > 0
    first = max(i + 1 for i, one in enumerate(level) if not one)
    assert verdict["since_ns"] == begins[first]
    assert not [w for w in summary["run"]["warnings"] if "not steady at the end" in w]
    # Control: the same drive under a rule that nothing keeps.
    strict, _ = play(workspace, simulator, precondition__range=0.001)
    assert not strict["steady"]["reached"]


@pytest.mark.slow
def test_more_rounds_than_a_run_has_periods_are_64(
    workspace: Workspace, simulator: Program
) -> None:
    """Periods that are too many are merged: a long run has 64 to 127 whole ones."""
    summary, _ = play(workspace, simulator)
    whole = len(summary["periods"]["programmed_bytes"]) - 1
    for rounds in (128, 1_000_000):
        more, _ = play(workspace, simulator, precondition__max_rounds=rounds)
        assert more["periods"] == summary["periods"] and 64 <= whole < rounds
        assert more["steady"]["round_ns"] == whole // 64 * summary["periods"]["length_ns"]
        found = rounds_of(more)[0]
        assert (more["steady"]["range"], more["steady"]["slope"]) == pytest.approx(rule(found[-5:]))
    # A window of rounds is not cut short.
    none, _ = play(workspace, simulator, precondition__window=128, precondition__max_rounds=200)
    assert none["steady"] is None


def test_nothing_is_said_where_times_give_the_rate_or_there_are_too_few_rounds(
    workspace: Workspace, simulator: Program, tmp_path: Path
) -> None:
    paced = workspace.write("paced.toml", MIXED + "rate_iops = 1000\n")
    summary = simulator.simulate(
        CONFIGS / "cave-base.toml", "paced", "--workload", paced, "--limit", 500, *sets(**SMALL)
    )
    assert summary["steady"] is None and len(summary["periods"]["programmed_bytes"]) > 64
    short, _ = play(workspace, simulator, "--limit", 40)
    assert short["steady"] is None and len(short["periods"]["programmed_bytes"]) < 26
