"""--waves: an FST file of the arbiter's signals."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import e
from pathlib import Path

import pytest

from tests.cli.programs import CONFIGS, DEMO_TRACE, Program, sets

# Block types of the format, as GTKWave's fstapi.h numbers them.
HEADER, GEOMETRY = 0, 3
VALUE_CHANGES = {1, 5, 8}
HIERARCHY = {4, 6, 7}

RUN = ["--trace", DEMO_TRACE, "--limit", 2000, *sets(workload__out_of_range="wrap")]


@dataclass(frozen=True)
class Waves:
    blocks: list[int]  #: types, in order
    end: int  #: in units of the time scale
    variables: int
    timescale: int  #: power of ten, of seconds


def load(data: bytes) -> Waves:
    """Walks the blocks of an FST file; ValueError where they do not fill it exactly."""
    blocks = []
    at = 0
    while at < len(data):
        if at + 9 > len(data):
            raise ValueError("the file ends inside the head of a block")
        blocks.append(data[at])
        (length,) = struct.unpack_from(">Q", data, at + 1)
        at += 1 + length
    if at != len(data):
        raise ValueError("the last block is not whole")
    if blocks[0] != HEADER or struct.unpack_from("<d", data, 25) != (e,):
        raise ValueError("no FST header")
    _, end, _, _, _, variables = struct.unpack_from(">QQ8sQQQ", data, 9)
    (timescale,) = struct.unpack_from(">b", data, 73)
    return Waves(blocks, end, variables, timescale)


@pytest.mark.parametrize("arbiter", ["rtl", "lockstep"])
def test_waves_are_a_whole_fst_file(arbiter: str, simulator: Program) -> None:
    summary = simulator.simulate(
        CONFIGS / "cave.toml", "out", *RUN, *sets(channel__arbiter=arbiter), "--waves", "waves.fst"
    )
    waves = load((simulator.folder / "waves.fst").read_bytes())
    assert waves.blocks[0] == HEADER
    assert set(waves.blocks) & VALUE_CHANGES and GEOMETRY in waves.blocks
    assert set(waves.blocks) & HIERARCHY
    assert waves.variables >= 10  # the ports alone are more
    # The last edge is that of the channel's last release, before the end of the run.
    seconds = waves.end * 10.0**waves.timescale
    assert 0.1 < seconds <= summary["sim"]["simulated_ns"] * 1e-9
    assert sorted(path.name for path in simulator.folder.iterdir()) == ["out", "waves.fst"]


def test_waves_change_nothing(simulator: Program) -> None:
    settings = sets(channel__arbiter="rtl")
    with_waves = simulator.simulate(
        CONFIGS / "cave.toml", "a", *RUN, *settings, "--waves", "waves.fst"
    )
    without = simulator.simulate(CONFIGS / "cave.toml", "b", *RUN, *settings)
    for part in ("host", "channels", "dies"):
        assert with_waves[part] == without[part]


@pytest.mark.parametrize("damage", ["cut", "header", "grown"])
def test_damage_is_found(damage: str, simulator: Program) -> None:
    simulator.simulate(
        CONFIGS / "cave.toml", "out", *RUN, *sets(channel__arbiter="rtl"), "--waves", "waves.fst"
    )
    path: Path = simulator.folder / "waves.fst"
    data = path.read_bytes()
    bad = {"cut": data[:-1], "header": b"\x05" + data[1:], "grown": data + b"\0"}[damage]
    with pytest.raises(ValueError):
        load(bad)
