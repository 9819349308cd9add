"""The interpreter beside Unicorn: random code of every group leaves the same state."""

from __future__ import annotations

import pytest
from cavern.simulator import BUILD

from tests.cpu.processors import compare

REPLAY = BUILD / "tests" / "iss_replay"


def compared(instructions: int, seed: int, pieces: int = 10_000) -> dict[str, int]:
    """Batches until so many instructions are compared; each fills the instruction memory once, or
    is of so many pieces."""
    done = 0
    groups: dict[str, int] = {}
    while done < instructions:
        executed, difference, counts = compare(REPLAY, seed, pieces)
        assert difference == "", f"seed {seed}: {difference}"
        assert executed > 150 * min(pieces, 500)
        done += executed
        groups = {name: groups.get(name, 0) + count for name, count in counts.items()}
        seed += 1
    return groups


def test_random_code_gives_the_same_as_on_unicorn() -> None:
    groups = compared(20_000, seed=1, pieces=100)
    assert len(groups) == 16
    assert min(groups.values()) > 200, groups


@pytest.mark.slow
@pytest.mark.parametrize("count", [200_000, pytest.param(1_000_000, marks=pytest.mark.nightly)])
def test_many_random_instructions_give_the_same_as_on_unicorn(count: int) -> None:
    compared(count, seed=1000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "mask", "match"),
    [
        ("sra", 0xFE00_707F, 0x4000_5033),
        ("mulhsu", 0xFE00_707F, 0x0200_2033),
        ("lb", 0x0000_707F, 0x0000_0003),
        ("bgeu", 0x0000_707F, 0x0000_7063),
        ("jalr", 0x0000_707F, 0x0000_0067),
        ("div", 0xFE00_707F, 0x0200_4033),
    ],
)
def test_one_wrong_instruction_is_found_and_named(variant: str, mask: int, match: int) -> None:
    broken = BUILD / "tests" / f"iss_replay_wrong_{variant}"
    for seed in range(20):
        _, difference, _ = compare(broken, seed, 300)
        if difference:
            break
    instruction = int(difference.split(", ")[1].split(":")[0], 16)
    assert instruction & mask == match, difference
