"""Lockstep on a real trace: silent with the RTL as it is, loud with one line of it broken."""

from __future__ import annotations

import re

import pytest

from tests.cli.programs import BIN, CONFIGS, DEMO_TRACE, Program, sets, tree

TRACED = ["--trace", DEMO_TRACE, *sets(workload__out_of_range="wrap", channel__arbiter="lockstep")]

#: Ageing late by a cycle shows only where a request has waited exactly the limit while others that
#: have not are there as well. On this part a page's data-in takes 63.57 us (7 command cycles and
#: 2112 bytes of 30 ns), 12714 periods of 5 ns. Granted at edge g it ends at edge g + 12714, and its
#: release is sampled at the edge after. So the bus passes on every 12715 edges, and what was first
#: seen at the edge of one grant has this age at the next: common where programs are started at one
#: instant. The drive is filled and its buffer small, so that reads and collection compete too.
AGEING = sets(
    channel__policy="priority-age",
    channel__age_limit=12715,
    workload__arrival="closed",
    nand__blocks_per_plane=64,
    precondition__fill=1,
    buffer__size="2MiB",
)

SETTINGS = {"pointer": [], "hold": [], "age": [*AGEING, "--limit", 2000]}

STEP = (
    r"request=0x[0-9a-f]+ class=0x[0-9a-f]+ release=[01]; "
    r"RTL (?P<rtl{0}>valid=[01] grant=0x[0-9a-f]+ index=\d+); "
    r"model (?P<model{0}>valid=[01] grant=0x[0-9a-f]+ index=\d+)"
)
MISMATCH = re.compile(
    r"error: the model is inconsistent: channel (?P<channel>\d+): RTL and model differ at cycle "
    r"(?P<cycle>\d+): " + STEP.format("") + r"; last steps:"
)
PAST = re.compile(r"  cycle (?P<cycle>\d+): " + STEP.format(""))


@pytest.mark.parametrize("variant", ["pointer", "hold", "age"])
@pytest.mark.parametrize("config", ["conventional", "cave"])
def test_broken_rtl_is_caught(config: str, variant: str, simulator: Program) -> None:
    arguments = ["run", CONFIGS / f"{config}.toml", "--out", "out", *TRACED, *SETTINGS[variant]]
    broken = Program(BIN / f"cavern-sim-broken-{variant}", simulator.folder)
    finished = broken(*arguments)
    assert finished.returncode == 1
    first, *past = finished.stderr.splitlines()
    difference = MISMATCH.fullmatch(first)
    assert difference, first
    assert 0 <= int(difference["channel"]) < 8
    assert difference["rtl"] != difference["model"]

    # Up to sixteen steps, one a line, of which the last is the one that differs.
    steps = [PAST.fullmatch(line) for line in past]
    assert 1 <= len(steps) <= 16 and all(steps)
    cycles = [int(step["cycle"]) for step in steps if step]
    assert cycles == sorted(set(cycles)) and cycles[-1] == int(difference["cycle"])
    differ = [step["rtl"] != step["model"] for step in steps if step]
    assert differ == [False] * (len(steps) - 1) + [True]
    assert tree(simulator.folder) == {}


@pytest.mark.parametrize("settings", [[], SETTINGS["age"]], ids=["as it is", "ageing"])
@pytest.mark.parametrize("config", ["conventional", "cave"])
@pytest.mark.slow
def test_rtl_as_it_is_runs_through(config: str, settings: list[str], simulator: Program) -> None:
    summary = simulator.simulate(CONFIGS / f"{config}.toml", "out", *TRACED, *settings)
    assert summary["complete"]
    assert len(summary["channels"]) == 8
    for channel in summary["channels"]:
        assert channel["arbiter"] == "lockstep"
        assert channel["lockstep"]["compared"] == channel["grants"] > 0
        assert channel["lockstep"]["mismatches"] == 0


def test_broken_rtl_goes_unseen_without_lockstep(simulator: Program) -> None:
    # It is the comparison that catches it, not a crash.
    broken = Program(BIN / "cavern-sim-broken-pointer", simulator.folder)
    arguments = [*TRACED, *sets(channel__arbiter="rtl"), "--limit", 3000]
    summary = broken.simulate(CONFIGS / "cave.toml", "out", *arguments)
    assert summary["complete"] and summary["channels"][0]["lockstep"]["compared"] == 0


def test_waves_of_a_mismatch_are_kept(simulator: Program) -> None:
    # One channel, so that the one with the waves is the one at fault.
    broken = Program(BIN / "cavern-sim-broken-hold", simulator.folder)
    arguments = [*TRACED, *sets(nand__channels=1), "--waves", "waves.fst", "--requests", "r.csv"]
    finished = broken("run", CONFIGS / "cave.toml", "--out", "out", *arguments)
    assert finished.returncode == 1 and "channel 0: RTL and model differ" in finished.stderr
    assert set(tree(simulator.folder)) == {"waves.fst"}
    assert (simulator.folder / "waves.fst").stat().st_size > 329  # more than a header
