"""Drives with stored energy, whose power is cut: what it drains, and what is lost without it."""

from __future__ import annotations

import json
import random

import pytest

from tests.cli.power_loss import BUSY, LAYERS, WAYS, drive, loses
from tests.cli.programs import CONFIGS, Program, sets


def test_stored_energy_keeps_what_was_acknowledged(simulator: Program) -> None:
    status, found = loses(
        simulator,
        "--limit",
        10000,
        *drive("page", fidelity="untimed", power_loss__cuts=50),
        *sets(power_loss__recovery="plp", power_loss__energy="20000uJ"),
    )
    assert status == 0
    assert found["lost_unflushed"] == 0 < found["drained_pages"]
    assert found["drain_nj"] > 0 < found["drain_ns"]


def stored(energy: str) -> dict[str, object]:
    return {"power_loss__recovery": "plp", "power_loss__energy": energy}


@pytest.mark.parametrize("way", ["as it is", *WAYS])
@pytest.mark.parametrize("store", ["none", "full"])
@pytest.mark.parametrize("cuts", [3, pytest.param(8, marks=pytest.mark.nightly)])
@pytest.mark.slow
def test_stored_energy_keeps_it_at_any_instant(
    simulator: Program, way: str, store: str, cuts: int
) -> None:
    """With enough of it. With less, some is lost, and it says so; without any, more is."""
    draw = random.Random(way)
    more = WAYS.get(way, {}) | {"data__store": store}
    drained = 0
    left_out = {"enough": 0, "little": 0}
    lost = {"enough": 0, "little": 0, "none": 0}
    for _ in range(cuts):
        at = {"power_loss__at": f"{draw.randrange(1_000_000, 250_000_000)}ns"}
        for name, energy in (("enough", "10000uJ"), ("little", "100uJ"), ("none", "")):
            settings = more | at | (stored(energy) if energy else {})
            status, found = loses(simulator, "--limit", 6000, *drive("page", **settings))
            assert status == 0, at
            lost[name] += found["lost_unflushed"]
            if energy:
                assert found["drain_nj"] <= 1000 * int(energy.removesuffix("uJ"))
                drained += found["drained_pages"]
                left_out[name] += found["undrained_pages"]
            if name == "enough":
                assert found["acknowledged"] == found["recovered"]
                assert found["torn_pages"] + found["torn_erases"] == 0
    assert left_out["enough"] == 0 < drained
    if way != "no buffer":
        assert lost["enough"] == 0 < lost["little"] <= lost["none"]
        assert left_out["little"] > 0


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.slow
def test_stored_energy_drains_each_layer(simulator: Program, layer: str) -> None:
    """A merge copies whole blocks, so that some need a lot of it."""
    draw = random.Random(layer)
    for _ in range(3):
        at = draw.randrange(1_000_000, BUSY[layer] * 1_000_000)
        settings = stored("1000000uJ") | {"power_loss__at": f"{at}ns", "data__store": "fingerprint"}
        status, found = loses(simulator, "--limit", 4000, *drive(layer, **settings))
        assert status == 0, at
        assert found["acknowledged"] == found["recovered"]
        assert found["undrained_pages"] == found["torn_pages"] == 0


@pytest.mark.parametrize("pages", [8, 5])
def test_draining_takes_energy_and_time_of_its_formula(simulator: Program, pages: int) -> None:
    """Of eight dirty pages on four dies so many can be paid for; nothing else is under way."""
    lines = ["time_us,op,offset,size", *(f"0,W,{2048 * i},2048" for i in range(8)), ""]
    trace = simulator.folder / "eight.csv"
    trace.write_text("\n".join(lines))
    microjoules = 3.3 * 25e-3 * 200  # Vcc, ICC2, tPROG of 200 us
    settings = stored(f"{microjoules * pages + 1:.0f}uJ") | {
        "power_loss__at": "50ms",
        "precondition__fill": 0,
        "precondition__overwrite": 0,
        "nand__vcc": "3.3V",
        "nand__icc_read": "25mA",
        "nand__icc_program": "25mA",
        "nand__icc_erase": "25mA",
        "nand__icc_bus": "unknown",
        "nand__iccq_bus": "unknown",
        "controller__power": "unknown",
    }
    finished = simulator(
        "run",
        *(CONFIGS / "conventional.toml", "--out", "cut", "--quiet", "--trace", trace),
        *drive("page", **settings),
    )
    assert finished.returncode == 0, finished.stderr
    found = json.loads((simulator.folder / "cut" / "summary.json").read_text())["recovery"]
    assert found["acknowledged"] == 8
    assert found["drained_pages"] == found["recovered"] == pages
    assert found["undrained_pages"] == found["lost_unflushed"] == 8 - pages
    assert found["drain_nj"] == round(microjoules * pages * 1000)
    # Each page has 2,112 bytes of 30 ns; two pages are on the die with the most.
    assert found["drain_ns"] == 2 * (200_000 + 2112 * 30)


@pytest.mark.parametrize("fidelity", ["at", "untimed"])
def test_stored_energy_is_for_what_the_host_wrote(simulator: Program, fidelity: str) -> None:
    """A policy that pads blocks has four dirty pages, and 60 to fill up; energy is for 12."""
    trace = simulator.folder / "two.csv"
    trace.write_text("time_us,op,offset,size\n0,W,0,4096\n0,W,65536,4096\n")
    cut: dict[str, object] = {"power_loss__at": "50ms"}
    if fidelity == "untimed":
        cut = {"power_loss__cuts": 1, "power_loss__gap": 2, "power_loss__seed": 6}
    finished = simulator(
        "run",
        *(CONFIGS / "conventional.toml", "--out", "cut", "--quiet", "--trace", trace),
        *sets(
            fidelity=fidelity,
            power_loss__recovery="plp",
            power_loss__energy="160uJ",
            buffer__policy="bplru",
            buffer__size="16KiB",
            nand__pages_per_block=16,
            **cut,
        ),
    )
    assert finished.returncode == 0, finished.stderr
    found = json.loads((simulator.folder / "cut" / "summary.json").read_text())["recovery"]
    assert found["undrained_pages"] == found["lost_unflushed"] == 0
    assert found["drained_pages"] == found["recovered"] == found["acknowledged"] > 0
