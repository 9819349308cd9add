"""What does not depend on time is the same with the TLM and the RTL arbiter; times are close."""

from __future__ import annotations

import pytest

from tests.cli.programs import CONFIGS, DEMO_TRACE, Json, Program, sets

OPERATIONS = ["read", "write", "trim", "flush"]
ARBITERS = ["tlm", "rtl", "lockstep"]

#: Measured in time, or counting what happened to be in flight.
TIMED = {"stall_ns", "in_flight_read_hits"}

FRESH: list[str] = []
#: Filled, so that pages are read from flash and blocks collected.
FILLED = sets(nand__blocks_per_plane=64, precondition__fill=1)


def counts(summary: Json) -> Json:
    """What the order of decisions determines, whenever they are carried out."""
    buffer, host = summary["buffer"], summary["host"]
    return {
        "host": [(host[op]["count"], host[op]["bytes"]) for op in OPERATIONS],
        "buffer": {name: value for name, value in buffer.items() if name not in TIMED},
        "ftl": summary["ftl"],
        "dies": [(d["channel"], d["way"], d["programs"], d["erases"]) for d in summary["dies"]],
        # A page whose program is under way is read from its frame instead of the die.
        "reads": sum(d["reads"] for d in summary["dies"]) + buffer["in_flight_read_hits"],
    }


@pytest.mark.parametrize("drive", [FRESH, FILLED], ids=["fresh", "filled"])
@pytest.mark.parametrize("arrival", ["trace", "closed"])
@pytest.mark.parametrize("config", ["conventional", "cave"])
@pytest.mark.slow
def test_counts_are_equal_and_end_times_close(
    config: str, arrival: str, drive: list[str], simulator: Program
) -> None:
    common = [
        "--trace",
        DEMO_TRACE,
        "--limit",
        5000,
        *drive,
        *sets(workload__out_of_range="wrap", workload__arrival=arrival),
    ]
    summaries = {
        arbiter: simulator.simulate(
            CONFIGS / f"{config}.toml", arbiter, *common, *sets(channel__arbiter=arbiter)
        )
        for arbiter in ARBITERS
    }
    tlm, rtl, lockstep = (summaries[arbiter] for arbiter in ARBITERS)
    assert counts(rtl) == counts(tlm)
    assert counts(lockstep) == counts(tlm)
    end = tlm["sim"]["simulated_ns"]
    assert rtl["sim"]["simulated_ns"] == pytest.approx(end, rel=0.005)
    # Lockstep drives the channel with the RTL's grants: the same run.
    assert lockstep["sim"]["simulated_ns"] == rtl["sim"]["simulated_ns"]
    assert lockstep["host"] == rtl["host"]
    for channel in lockstep["channels"]:
        assert channel["lockstep"]["compared"] > 0 and channel["lockstep"]["mismatches"] == 0

    # The comparison has something to compare: buffer and collection at work, the arbiters distinct.
    assert tlm["buffer"]["write_hits"] > 0 and tlm["ftl"]["execution_time_ns"] > 0
    assert rtl["host"] != tlm["host"]
    assert tlm["sim"]["simulated_ns"] > 0
    if drive is FILLED:
        assert tlm["ftl"]["gc_pages"] > 0 and tlm["ftl"]["erases"] > 0
        assert counts(tlm)["reads"] > tlm["ftl"]["gc_pages"]


@pytest.mark.parametrize(
    "setting", [{"buffer__size": "8MiB"}, {"buffer__eviction": "cave"}, {"nand__ways": 2}]
)
def test_counts_tell_different_drives_apart(setting: Json, simulator: Program) -> None:
    common = ["--trace", DEMO_TRACE, "--limit", 2000, *sets(workload__out_of_range="wrap")]
    config = CONFIGS / "conventional.toml"
    assert counts(simulator.simulate(config, "a", *common)) != counts(
        simulator.simulate(config, "b", *common, *sets(**setting))
    )
