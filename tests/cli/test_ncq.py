"""Commands that wait in the device protect what they will use (buffer.ncq_aware)."""

from __future__ import annotations

import pytest

from tests.cli.programs import Json, Program, Workspace, decisions, sets

PAGE = 2048

BLOCKS = f"""\
[nand]
channels = 1
ways = 1
planes = 1
blocks_per_plane = 64
pages_per_block = 4
page_size = "{PAGE}B"

[buffer]
size = "{4 * PAGE}B"
policy = "lru-block"

[alloc]
scheme = "stripe-page"
"""

#: Pages 3, 4, 8, 12 become resident; then W16, W20 and a write of pages 3 and 4 are queued.
SCRIPT = [(3, 1), (4, 1), (8, 1), (12, 1), (16, 1), (20, 1), (3, 2)]


def run(workspace: Workspace, simulator: Program, *arguments: object) -> tuple[list[Json], Json]:
    workspace.write("ncq.toml", BLOCKS)
    workspace.add_trace(
        "ncq.csv",
        [(i, "W", PAGE * first, PAGE * pages) for i, (first, pages) in enumerate(SCRIPT)],
    )
    summary = simulator.simulate(
        "ncq.toml",
        "out",
        "--trace",
        "ncq.csv",
        "--decisions",
        "decisions.jsonl",
        *sets(fidelity="untimed"),
        *arguments,
    )
    return decisions(workspace.folder / "decisions.jsonl"), summary


def of_kind(events: list[Json], kind: str) -> list[Json]:
    return [event for event in events if event["ev"] == kind]


def evicted(events: list[Json]) -> list[list[int]]:
    return [event["lpns"] for event in of_kind(events, "evict")]


def aware(depth: int, **more: object) -> list[str]:
    return sets(buffer__ncq_aware="true", host__queue_depth=depth, **more)


def test_a_queued_command_keeps_the_blocks_it_will_use(
    workspace: Workspace, simulator: Program
) -> None:
    # A queue of three: the last command arrives when page 12 is in, before 16 and 20 are served.
    events, summary = run(workspace, simulator, *aware(3))
    assert of_kind(events, "pin") == [{"ev": "pin", "lbn": 0}, {"ev": "pin", "lbn": 1}]
    assert evicted(events) == [[8], [12]]
    assert [event["hit"] for event in of_kind(events, "write")][-2:] == [True, True]
    assert events.index({"ev": "pin", "lbn": 0}) < events.index(
        {"ev": "write", "lpn": 16, "hit": False}
    )
    buffer = summary["buffer"]
    assert (buffer["write_hits"], buffer["pins"], buffer["pins_refused"]) == (2, 2, 0)


@pytest.mark.parametrize(
    "arguments",
    [
        sets(host__queue_depth=3),
        aware(1),
        aware(3, buffer__ncq_literal_minmax="true"),
        aware(3, buffer__ncq_max_pinned=0.0),
    ],
    ids=["not aware", "queue of one", "by the letter", "nothing may be pinned"],
)
def test_otherwise_both_pages_miss(
    arguments: list[str], workspace: Workspace, simulator: Program
) -> None:
    events, summary = run(workspace, simulator, *arguments)
    assert of_kind(events, "pin") == []
    assert evicted(events) == [[3], [4], [8], [12]]
    assert summary["buffer"]["write_hits"] == 0


def test_half_of_the_buffer_is_pinned_at_most(workspace: Workspace, simulator: Program) -> None:
    # Four pages are resident when the last command, of four blocks, arrives: two fit the bound.
    workspace.write("ncq.toml", BLOCKS)
    workspace.add_trace(
        "ncq.csv",
        [
            *((i, "W", PAGE * page, PAGE) for i, page in enumerate([3, 4, 8, 12, 16, 20])),
            (9, "W", PAGE * 3, PAGE * 10),
        ],
    )
    summary = simulator.simulate(
        "ncq.toml", "out", "--trace", "ncq.csv", *sets(fidelity="untimed"), *aware(3)
    )
    buffer = summary["buffer"]
    assert (buffer["pins"], buffer["pins_refused"]) == (2, 2)


@pytest.mark.parametrize("link", ["sata", "direct"])
def test_the_timed_drive_hits_more_with_it(
    link: str, workspace: Workspace, simulator: Program
) -> None:
    workspace.write(
        "jobs.toml",
        """\
[[job]]
rw = "randrw"
rwmixread = 20
bs = "16KiB"
size = "2MiB"
number_ios = 4000
iodepth = 32
""",
    )
    common = sets(
        host__interface=link,
        buffer__size="256KiB",
        buffer__policy="lru-block",
        buffer__dispatch="in-turn",
        nand__pages_per_block=16,
        dram__size="1MiB",
    )

    def simulate(out: str, *arguments: str) -> Json:
        return simulator.simulate(
            "drive.toml",
            out,
            "--workload",
            "jobs.toml",
            "--decisions",
            f"{out}.jsonl",
            *common,
            *arguments,
        )

    plain = simulate("plain")["buffer"]
    pinned = simulate("aware", *aware(32))["buffer"]
    again = simulate("again", *aware(32))["buffer"]
    assert plain["pins"] == 0
    assert pinned["pins"] > 500
    assert pinned["hit_ratio"] > 1.05 * plain["hit_ratio"]
    assert again == pinned
    folder = workspace.folder
    assert (folder / "aware.jsonl").read_bytes() == (folder / "again.jsonl").read_bytes()
