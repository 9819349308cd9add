"""Hand-worked examples of the buffer policies, event by event, through the whole drive."""

from __future__ import annotations

import pytest

from tests.cli.programs import Json, Program, Workspace, decisions, sets

PAGE = 2048
SLOW = 20_000  # us between requests: each finds the drive idle


def drive(frames: int, policy: str, channels: int = 1) -> str:
    """A drive of `channels` dies with blocks of four pages."""
    return f"""\
[nand]
channels = {channels}
ways = 1
planes = 1
blocks_per_plane = 64
pages_per_block = 4
page_size = "{PAGE}B"

[buffer]
size = "{frames * PAGE}B"
policy = "{policy}"

[alloc]
scheme = "stripe-page"
"""


def run(
    workspace: Workspace, simulator: Program, config: str, script: str, *arguments: object
) -> tuple[list[Json], Json]:
    """Decisions and summary of a script such as "W1 R2 F": write page 1, read page 2, flush."""
    workspace.write("example.toml", config)
    workspace.add_trace(
        "example.csv",
        [
            (i * SLOW, word[0], PAGE * int(word[1:] or 0), PAGE if word[1:] else 0)
            for i, word in enumerate(script.split())
        ],
    )
    summary = simulator.simulate(
        "example.toml",
        "out",
        "--trace",
        "example.csv",
        "--decisions",
        "decisions.jsonl",
        *arguments,
    )
    return decisions(workspace.folder / "decisions.jsonl"), summary


def write(lpn: int, hit: bool = False) -> Json:
    return {"ev": "write", "lpn": lpn, "hit": hit}


def read(lpn: int, hit: bool = False) -> Json:
    return {"ev": "read", "lpn": lpn, "hit": hit}


def page(lpn: int) -> Json:
    return {"ev": "evict", "unit": "page", "lpn": lpn}


def block(lbn: int, *lpns: int) -> Json:
    return {"ev": "evict", "unit": "block", "lbn": lbn, "lpns": list(lpns), "padding": []}


def allocate(lbn: int, channel: int) -> Json:
    return {"ev": "allocate", "lbn": lbn, "channel": channel, "way": 0}


def program(lpn: int, nth: int, channel: int = 0) -> Json:
    """The nth page that a die is given to program; blocks of four are taken in order."""
    return {
        "ev": "program",
        "origin": "host",
        "lpn": lpn,
        "channel": channel,
        "way": 0,
        "plane": 0,
        "block": nth // 4,
        "page": nth % 4,
    }


LRU = "W1 W2 W3 R1 W2 W4 W5 F"


def test_page_lru(workspace: Workspace, simulator: Program) -> None:
    # K = 3. A read does not refresh: 1 goes first, then 3, for 2 was written again.
    events, summary = run(workspace, simulator, drive(3, "lru-page"), LRU)
    assert events == [
        write(1),
        write(2),
        write(3),
        read(1, hit=True),
        write(2, hit=True),
        write(4),
        page(1),
        program(1, 0),
        write(5),
        page(3),
        program(3, 1),
        # The flush shows what is left, LRU first.
        page(2),
        program(2, 2),
        page(4),
        program(4, 3),
        page(5),
        program(5, 4),
    ]
    buffer = summary["buffer"]
    assert (buffer["pages"], buffer["write_hits"], buffer["read_hits"]) == (3, 1, 1)
    assert (buffer["write_misses"], buffer["read_misses"]) == (5, 0)


def test_page_lru_whose_reads_refresh(workspace: Workspace, simulator: Program) -> None:
    events, _ = run(
        workspace, simulator, drive(3, "lru-page"), LRU, *sets(buffer__read_touch="true")
    )
    assert [event for event in events if event["ev"] == "evict"] == [
        page(3),
        page(1),
        page(2),
        page(4),
        page(5),
    ]


def test_block_lru(workspace: Workspace, simulator: Program) -> None:
    # K = 6. Block 0 is the oldest at W12; at the last W0 block 2 is, for W5 refreshed block 1.
    events, summary = run(
        workspace, simulator, drive(6, "lru-block"), "W0 W1 W4 W8 W9 W5 W12 W13 W0 F"
    )
    assert events == [
        write(0),
        write(1),
        write(4),
        write(8),
        write(9),
        write(5),
        write(12),
        block(0, 0, 1),
        program(0, 0),
        program(1, 1),
        write(13),
        write(0),
        block(2, 8, 9),
        program(8, 2),
        program(9, 3),
        block(1, 4, 5),
        program(4, 4),
        program(5, 5),
        block(3, 12, 13),
        program(12, 6),
        program(13, 7),
        block(0, 0),
        program(0, 8),
    ]
    buffer = summary["buffer"]
    assert (buffer["write_hits"], buffer["write_misses"]) == (0, 9)


CAVE = "W0 W1 W4 W8 W12 W16 W20 W24 W2 W5 W8"
FILL = [write(lpn) for lpn in (0, 1, 4, 8, 12, 16, 20, 24)]


def test_cave_evicts_a_block_for_each_die(workspace: Workspace, simulator: Program) -> None:
    # K = 8, N = 4: four blocks leave at W2, one for each die, and the last W8 misses.
    config = drive(8, "lru-block", channels=4)
    events, summary = run(
        workspace,
        simulator,
        config,
        CAVE,
        *sets(buffer__eviction="cave", alloc__scheme="block-round-robin"),
    )
    assert events[:8] == FILL
    assert events[8] == write(2)
    assert events[9:] == [
        block(0, 0, 1),
        block(1, 4),
        block(2, 8),
        block(3, 12),
        allocate(0, 0),
        allocate(1, 1),
        allocate(2, 2),
        allocate(3, 3),
        program(0, 0, channel=0),
        program(1, 1, channel=0),
        program(4, 0, channel=1),
        program(8, 0, channel=2),
        program(12, 0, channel=3),
        write(5),
        write(8),
    ]
    buffer = summary["buffer"]
    assert (buffer["eviction_events"], buffer["victims"], buffer["evicted_pages"]) == (1, 4, 5)
    assert (buffer["write_hits"], buffer["write_misses"]) == (0, 11)
    assert [die["programs"] for die in summary["dies"]] == [2, 1, 1, 1]


def test_one_victim_leaves_the_rest(workspace: Workspace, simulator: Program) -> None:
    # The same with N = 1: only block 0 leaves, and the last W8 hits.
    events, summary = run(
        workspace,
        simulator,
        drive(8, "lru-block", channels=4),
        CAVE,
        *sets(alloc__scheme="block-round-robin"),
    )
    assert events == [
        *FILL,
        write(2),
        block(0, 0, 1),
        allocate(0, 0),
        program(0, 0),
        program(1, 1),
        write(5),
        write(8, hit=True),
    ]
    buffer = summary["buffer"]
    assert (buffer["eviction_events"], buffer["victims"], buffer["evicted_pages"]) == (1, 1, 2)
    assert (buffer["write_hits"], buffer["write_misses"]) == (1, 10)


def test_cave_with_fewer_blocks_than_dies_evicts_all(
    workspace: Workspace, simulator: Program
) -> None:
    events, _ = run(
        workspace,
        simulator,
        drive(3, "lru-block", channels=4),
        "W0 W4 W5 W8",
        *sets(buffer__eviction="cave", alloc__scheme="block-round-robin"),
    )
    assert [event for event in events if event["ev"] == "evict"] == [block(0, 0), block(1, 4, 5)]


@pytest.mark.parametrize("arbiter", ["rtl", "lockstep"])
def test_decisions_are_those_of_every_arbiter(
    arbiter: str, workspace: Workspace, simulator: Program
) -> None:
    settings = sets(buffer__eviction="cave", alloc__scheme="block-round-robin")
    config = drive(8, "lru-block", channels=4)
    tlm, _ = run(workspace, simulator, config, CAVE, *settings)
    other, _ = run(workspace, simulator, config, CAVE, *settings, *sets(channel__arbiter=arbiter))
    assert other == tlm
