"""channel.rtl_top: an arbiter brought by a user (tb/examples), and the second one of our own."""

from __future__ import annotations

import pytest

from tests.cli.programs import BIN, CONFIGS, DEMO_TRACE, Json, Program, sets

#: Filled and small, so that reads, programs and collection compete for two buses.
DRIVE = sets(
    workload__out_of_range="wrap",
    workload__arrival="closed",
    nand__channels=2,
    nand__blocks_per_plane=64,
    precondition__fill=1,
    buffer__size="512KiB",
)
RUN = ["--trace", DEMO_TRACE, "--limit", 1500, *DRIVE]
MINE = sets(channel__rtl_top="mask_arbiter")


def with_mine(simulator: Program) -> Program:
    return Program(BIN / "cavern-sim-byo", simulator.folder)


def timed(summary: Json) -> Json:
    return {part: summary[part] for part in ("host", "dies", "buffer", "ftl")}


def test_arbiter_of_the_user_grants_as_the_policy_says(simulator: Program) -> None:
    settings = sets(channel__arbiter="lockstep")
    mine = with_mine(simulator).simulate(CONFIGS / "cave.toml", "a", *RUN, *MINE, *settings)
    ours = simulator.simulate(CONFIGS / "cave.toml", "b", *RUN, *settings)
    assert timed(mine) == timed(ours)
    for channel in mine["channels"]:
        assert channel["lockstep"] == {"compared": channel["grants"], "mismatches": 0}
        assert channel["grants"] > 1000


@pytest.mark.parametrize("policy", ["priority-age", "weighted-round-robin"])
def test_against_another_policy_it_is_a_mismatch(policy: str, simulator: Program) -> None:
    settings = sets(channel__arbiter="lockstep", channel__policy=policy)
    finished = with_mine(simulator)(
        "run", CONFIGS / "cave.toml", "--out", "out", *RUN, *MINE, *settings
    )
    assert finished.returncode == 1 and "RTL and model differ at cycle" in finished.stderr
    # Alone it is compared with nothing.
    settings = sets(channel__arbiter="rtl", channel__policy=policy)
    assert with_mine(simulator).simulate(CONFIGS / "cave.toml", "out", *RUN, *MINE, *settings)


def test_arbiter_that_is_not_there_is_a_mistake(simulator: Program) -> None:
    for program, right in (
        (simulator, "built-in, or build with"),
        (with_mine(simulator), "built-in or mask_arbiter"),
    ):
        finished = program(
            "run", CONFIGS / "cave.toml", "--out", "out", *RUN, *sets(channel__rtl_top="other")
        )
        assert finished.returncode == 2
        assert 'no RTL arbiter "other" in it; ' + right in finished.stderr
        assert not (simulator.folder / "out").exists()


def test_weighted_arbiters_agree_and_differ_from_round_robin(simulator: Program) -> None:
    weighted = sets(channel__policy="weighted-round-robin")
    lockstep = simulator.simulate(
        CONFIGS / "cave.toml", "a", *RUN, *weighted, *sets(channel__arbiter="lockstep")
    )
    tlm = simulator.simulate(CONFIGS / "cave.toml", "b", *RUN, *weighted)
    other = simulator.simulate(CONFIGS / "cave.toml", "c", *RUN)
    for channel in lockstep["channels"]:
        assert channel["lockstep"] == {"compared": channel["grants"], "mismatches": 0}
    end = tlm["sim"]["simulated_ns"]
    assert lockstep["sim"]["simulated_ns"] == pytest.approx(end, rel=0.005)
    assert tlm["ftl"] == lockstep["ftl"] == other["ftl"]
    assert tlm["host"] != other["host"]
