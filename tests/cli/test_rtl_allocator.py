"""The RTL channel allocator on what runs have decided: real bursts, replayed without the drive."""

from __future__ import annotations

from itertools import groupby

import pytest

from tests.cli.programs import BIN, CONFIGS, DEMO_TRACE, Program, decisions, sets

Die = tuple[int, int]
BROKEN = "cavern-allocator-replay-broken"


def handed_out(simulator: Program, mode: str) -> list[list[Die]]:
    """Channel and way of each block that got the next die, burst by burst. In sticky mode a block
    that is back at the die it had was not handed out."""
    simulator.simulate(
        CONFIGS / "cave.toml",
        "out",
        "--trace",
        DEMO_TRACE,
        "--limit",
        20000,
        *sets(workload__out_of_range="wrap"),
        "--set",
        f"alloc.block-round-robin.mode={mode}",
        "--decisions",
        "decisions.jsonl",
    )
    homes: dict[int, Die] = {}
    bursts = []
    events = decisions(simulator.folder / "decisions.jsonl")
    for allocates, group in groupby(events, lambda event: event["ev"] == "allocate"):
        if allocates:
            burst = []
            for event in group:
                die = (event["channel"], event["way"])
                if mode == "free" or homes.get(event["lbn"]) != die:
                    burst.append(die)
                homes[event["lbn"]] = die
            bursts.append(burst)
    return [burst for burst in bursts if burst]


def replay(program: str, simulator: Program, bursts: list[list[Die]]) -> list[Die]:
    text = "".join(f"{len(burst)}\n" for burst in bursts)
    finished = Program(BIN / program, simulator.folder)("8", "4", text=text)
    assert finished.returncode == 0, finished.stderr
    return [(int(c), int(w)) for c, w in map(str.split, finished.stdout.splitlines())]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["free", "sticky"])
def test_rtl_allocator_hands_out_what_the_run_did(mode: str, simulator: Program) -> None:
    bursts = handed_out(simulator, mode)
    flat = [die for burst in bursts for die in burst]
    assert len(bursts) > 500 and len(flat) > 1500
    assert max(map(len, bursts)) > 8 and len(set(flat)) == 32
    assert replay("cavern-allocator-replay", simulator, bursts) == flat


def test_broken_rtl_allocator_differs(simulator: Program) -> None:
    eight = [(channel, 0) for channel in range(8)]
    # It stays in way 0. The property is judged an edge later, when nine victims are through.
    assert replay(BROKEN, simulator, [eight]) == eight
    assert replay(BROKEN, simulator, [[*eight, (0, 1)]]) == [*eight, (0, 0)]
    finished = Program(BIN / BROKEN, simulator.folder)("8", "4", text="12\n")
    assert finished.returncode == 1 and "EveryDieInTurn" in finished.stderr


def test_no_burst_at_all_is_a_mistake(simulator: Program) -> None:
    for text in ("0\n", "256\n", "4 ff\n"):
        finished = Program(BIN / "cavern-allocator-replay", simulator.folder)("8", "4", text=text)
        assert finished.returncode == 2 and finished.stderr.startswith("error: ")
