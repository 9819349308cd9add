"""Drives whose power is cut: at an instant of a run with time, and again and again without."""

from __future__ import annotations

import json
import random
import re
import tomllib

import pytest

from tests.cli.power_loss import BUSY, CUTS, LAYERS, LOAD, WAYS, drive, loses, loses_again_and_again
from tests.cli.programs import CONFIGS, Program, Workspace, sets
from tests.pace import time_is_linear


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.slow
def test_a_drive_with_time_keeps_what_was_flushed(
    simulator: Program, layer: str, cuts: int
) -> None:
    draw = random.Random(layer)
    torn = older = flushed = 0
    for _ in range(cuts):
        at = draw.randrange(1_000_000, BUSY[layer] * 1_000_000)
        status, found = loses(simulator, "--limit", 4000, *drive(layer, power_loss__at=f"{at}ns"))
        assert status == 0, at
        assert found["cuts"] == 1
        assert found["acknowledged"] == found["recovered"] + found["lost_unflushed"]
        assert found["time_ns"] == found["scan_ns"] + found["rebuild_ns"] > 0
        torn += found["torn_pages"] + found["torn_erases"]
        older += found["lost_unflushed"]
        flushed += found["flushed"]
    # The cuts were of the kind that hurts.
    assert torn > cuts / 2
    assert older > cuts
    assert flushed > 20 * cuts


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.slow
def test_whatever_dies_are_doing_nothing_flushed_is_lost(simulator: Program, way: str) -> None:
    draw = random.Random(way)
    torn = 0
    for _ in range(5):
        at = draw.randrange(1_000_000, 250_000_000)
        status, found = loses(
            simulator, "--limit", 6000, *drive("page", power_loss__at=f"{at}ns", **WAYS[way])
        )
        assert status == 0, at
        torn += found["torn_pages"] + found["torn_erases"]
    assert torn > 2


@pytest.mark.slow
def test_records_of_many_commands_at_once_take_no_time_with_their_square(
    workspace: Workspace, simulator: Program
) -> None:
    def flushes(number: int) -> None:
        lines = [f"0,W,{i % 250 * 2048},2048\n0,F,0,0\n" for i in range(number // 2)]
        workspace.write("many.csv", "time_us,op,offset,size\n" + "".join(lines))
        finished = simulator(
            *(
                "run",
                CONFIGS / "conventional.toml",
                "--trace",
                "many.csv",
                "--out",
                "many",
                "--quiet",
            ),
            *sets(host__queue_depth=65535, buffer__policy="bplru"),
            *sets(power_loss__at="1ms", power_loss__recovery="ltftl"),
        )
        assert (finished.returncode, finished.stderr) == (0, "")

    time_is_linear(flushes, 20_000)


TLC: dict[str, object] = {
    "nand__t_program": '["200us","200us","200us"]',
    "nand__t_read": '["25us","25us","25us"]',
    "nand__pages_per_block": 63,
}


@pytest.mark.slow
def test_pages_on_a_word_line_need_stored_energy(simulator: Program) -> None:
    """The control of the test above: flushed pages that a later program tears are found lost."""
    draw = random.Random(3)
    instants = [draw.randrange(1_000_000, 120_000_000) for _ in range(20)]
    for protected in (False, True):
        lost = with_word_line = 0
        for at in instants:
            status, found = loses(
                simulator,
                "--limit",
                4000,
                *drive("page", power_loss__at=f"{at}ns", **TLC),
                *sets(power_loss__ends_programs=str(protected).lower()),
            )
            lost += status
            with_word_line += found["torn_with_word_line"]
            assert found["torn_with_word_line"] <= found["torn_pages"]
            assert not protected or found["torn_pages"] == 0
        assert (lost == 0) == protected, (protected, lost)
        # What was lost though it had been flushed was torn by programs of other pages.
        assert with_word_line >= lost


def test_shipped_tlc_drives_have_that_energy(simulator: Program) -> None:
    """As drives of today have: a torn word line takes pages that were flushed long before."""
    ends = {}
    for config in CONFIGS.glob("*.toml"):
        shown = tomllib.loads(simulator("config", "show", config).stdout)
        if isinstance(shown["nand"]["t_program"], list):  # a time for each page of a word line
            ends[config.stem] = shown["power_loss"]["ends_programs"]
    assert len(ends) >= 4 and all(ends.values()), ends


def test_the_digest_says_what_word_lines_have_lost(simulator: Program) -> None:
    words = ("--workload", "random-write", "--limit", 8000, "--out", "out")
    for protected, lines in (("false", 1), ("true", 0)):
        done = simulator(
            *("run", CONFIGS / "small-tlc.toml", *words),
            *sets(power_loss__at="7ms", power_loss__ends_programs=protected),
        )
        assert done.returncode == 0, done.stderr
        found = re.findall(r"torn +([0-9]+) pages, ([0-9]+) of them by programs", done.stdout)
        summary = json.loads((simulator.folder / "out" / "summary.json").read_text())
        torn = [summary["recovery"][f"torn_{what}"] for what in ("pages", "with_word_line")]
        assert [list(map(int, each)) for each in found] == [torn] * lines
        told = re.search(
            r"power +cut 1 times; (\d+) pages acknowledged, (\d+) flushed; (\d+) recovered, "
            r"(\d+) older, (\d+) lost though flushed, (\d+) corrupt\n",
            done.stdout,
        )
        names = ("acknowledged", "flushed", "recovered", "lost_unflushed", "lost_flushed")
        counts = [summary["recovery"][name] for name in names]
        assert told and list(map(int, told.groups())) == [*counts, 0]
        assert counts[0] > counts[2] > 0 and counts[3] != counts[4]


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.slow
def test_a_drive_without_time_is_cut_again_and_again(simulator: Program, layer: str) -> None:
    found = loses_again_and_again(simulator, layer)
    assert found["flushed"] > 1000 < found["lost_unflushed"] + 1000
    assert found["torn_pages"] > 50


STORES = ("full", "fingerprint")


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("store", STORES)
@pytest.mark.slow
def test_data_come_back_again_and_again(simulator: Program, layer: str, store: str) -> None:
    """And every read after a cut finds what came back."""
    cut = {"power_loss__cuts": 100, "power_loss__gap": 100, "data__store": store}
    status, found = loses(
        simulator,
        "--limit",
        20000,
        *drive(layer, fidelity="untimed", precondition__fill=0.5, **cut),
    )
    assert status == 0
    assert found["cuts"] == 100
    # 1,637 pages of four sectors.
    assert found["sectors_compared"] > 100 * 1500 * 4
    assert found["lost_unflushed"] > 0


@pytest.mark.parametrize("way", [*WAYS, *LAYERS])
@pytest.mark.parametrize("store", STORES)
@pytest.mark.slow
def test_data_come_back_from_any_instant(simulator: Program, way: str, store: str) -> None:
    draw = random.Random(way + store)
    layer = way if way in LAYERS else "page"
    more = WAYS.get(way, {}) | {"data__store": store}
    for _ in range(3):
        at = draw.randrange(1_000_000, 250_000_000)
        status, found = loses(
            simulator, "--limit", 6000, *drive(layer, power_loss__at=f"{at}ns", **more)
        )
        assert status == 0, at
        assert found["sectors_compared"] > 1500 * 4


def test_data_of_torn_pages_are_found_wrong(simulator: Program) -> None:
    """The control: where a later program tears what was flushed, the bytes say so as well."""
    draw = random.Random(3)
    wrong = lost = 0
    for _ in range(10):
        at = draw.randrange(1_000_000, 120_000_000)
        settings = TLC | {"power_loss__at": f"{at}ns", "data__store": "fingerprint"}
        _, found = loses(simulator, "--limit", 4000, *drive("page", **settings))
        wrong += found["wrong_data"]
        lost += found["lost_flushed"]
    assert wrong >= lost > 0


def test_a_cut_begins_both_terms_of_write_amplification_anew(simulator: Program) -> None:
    """It fell below 1 where the host's bytes were of the whole run."""
    waf = {}
    for gap in (2000, 9000):
        cut = {"power_loss__cuts": 1000, "power_loss__gap": gap, "fidelity": "untimed"}
        loses(simulator, "--limit", 30_000, *drive("page", **cut))
        summary = json.loads((simulator.folder / "cut" / "summary.json").read_text())
        assert 0 < summary["ftl"]["host_bytes"] < summary["host"]["write"]["bytes"]
        waf[gap] = summary["ftl"]["waf"]
    simulator.simulate(
        CONFIGS / "conventional.toml",
        "whole",
        *LOAD,
        "--limit",
        30_000,
        *drive("page", fidelity="untimed"),
    )
    whole = json.loads((simulator.folder / "whole" / "summary.json").read_text())["ftl"]["waf"]
    assert waf[9000] == pytest.approx(whole, rel=0.2)
    assert waf[2000] == pytest.approx(whole, rel=0.3)


def test_a_run_without_a_cut_has_no_recovery(simulator: Program) -> None:
    summary = simulator.simulate(
        CONFIGS / "conventional.toml", "whole", *LOAD, "--limit", 500, *drive("page")
    )
    assert "recovery" not in summary


def test_a_flush_waits_for_the_record_of_a_trim(simulator: Program) -> None:
    """The TRIM has taken a page out of the buffer that the FLUSH would have written."""
    trace = simulator.folder / "flush.csv"
    trace.write_text("time_us,op,offset,size\n0,W,0,2048\n100,T,0,2048\n100,F,0,0\n")
    settings = sets(power_loss__at="1s", host__interface="direct")
    finished = simulator(
        *("run", CONFIGS / "conventional.toml", "--out", "out", "--quiet", "--trace", trace),
        *("--requests", "out/requests.csv", *settings),
    )
    assert finished.returncode == 0, finished.stderr
    rows = (simulator.folder / "out" / "requests.csv").read_text().splitlines()
    names = rows[0].split(",")
    ends = {
        row.split(",")[names.index("op")]: float(row.split(",")[names.index("complete_ns")])
        for row in rows[1:]
    }
    assert ends["F"] >= ends["T"] > 200_000  # of a program
