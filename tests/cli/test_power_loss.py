"""Drives whose power is cut: at an instant of a run with time, and again and again without."""

from __future__ import annotations

import json
import random
import re
import tomllib
from pathlib import Path

import pytest

from tests.cli.programs import BIN, CONFIGS, ROOT, Json, Program, sets

LAYERS = (
    "page",
    "dftl",
    "bast",
    "fast",
    "last",
    "mcsplit",
    "superblock",
    "subgroup",
    "slc-cache",
)
#: 2 x 2 dies of 16 blocks of 64 pages of 2 KiB: small enough to collect all the time.
DRIVE: dict[str, object] = {
    "nand__channels": 2,
    "nand__ways": 2,
    "nand__blocks_per_plane": 16,
    "ftl__overprovision": 0.6,
    "ftl__log_blocks": 8,
    "ftl__map_cache": "1KiB",
    "ftl__unit": "2KiB",
    "buffer__policy": "lru-page",
    "buffer__size": "64KiB",
    "workload__out_of_range": "wrap",
    "precondition__fill": 0.9,
    "precondition__overwrite": 1.0,
}
#: Milliseconds in which a drive is at work on 4,000 requests.
BUSY = {
    "page": 200,
    "dftl": 300,
    "bast": 2500,
    "fast": 240,
    "last": 240,
    "mcsplit": 2200,
    "superblock": 1400,
    "subgroup": 5000,
    "slc-cache": 200,
}
ALLOCATORS = {
    "page": "cwdp",
    "dftl": "stripe-page",
    "bast": "block-round-robin",
    "mcsplit": "stripe-page",
    "subgroup": "stripe-page",
    "slc-cache": "cwdp",
}
#: Two bits in a cell, which are programmed alike.
SLC: dict[str, object] = {
    "nand__blocks_per_plane": 20,
    "nand__slc_blocks": 4,
    "nand__t_read": '["25us","35us"]',
    "nand__slc_t_read": "20us",
    "nand__slc_t_program": "90us",
}
#: In how many runs with time the power is cut: by day and at night.
CUTS = [20, pytest.param(50, marks=pytest.mark.nightly)]
LOAD = ["--workload", ROOT / "traces" / "workloads" / "durable.toml"]


def drive(layer: str, **more: object) -> list[str]:
    settings = DRIVE | {
        "ftl__scheme": layer,
        "alloc__scheme": ALLOCATORS.get(layer, "stripe-block"),
    }
    if layer == "bast":
        settings["alloc__block-round-robin__mode"] = "move"
    if layer == "slc-cache":
        settings |= SLC
    return sets(**(settings | more))


def loses(simulator: Program, *arguments: object) -> tuple[int, Json]:
    """Exit status, and what the summary says of the recovery."""
    finished = simulator(
        "run", CONFIGS / "conventional.toml", "--out", "cut", "--quiet", *LOAD, *arguments
    )
    assert finished.returncode in (0, 1), finished.stderr
    summary = json.loads((simulator.folder / "cut" / "summary.json").read_text())
    recovery: Json = summary["recovery"]
    faults = recovery["lost_flushed"] + recovery["corrupt"] + recovery["wrong_data"]
    assert (finished.returncode == 1) == (faults != 0), finished.stderr
    assert finished.stderr.startswith("error: power loss: ") == (faults != 0)
    assert finished.stderr.count("\n") == (1 if faults else 0)
    return finished.returncode, recovery


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


#: What dies can do, and how commands reach them.
WAYS: dict[str, dict[str, object]] = {
    "suspended": {
        "nand__program_suspend": "true",
        "nand__erase_suspend": "true",
        "nand__t_suspend": "10us",
        "nand__t_resume": "10us",
    },
    "multi-plane": {
        "nand__planes": 2,
        "nand__blocks_per_plane": 12,
        "nand__multi_plane_read": "true",
        "nand__multi_plane_erase": "true",
    },
    "cache": {"nand__cache_read": "true", "nand__cache_program": "true"},
    "copy-back": {"nand__copy_back": "true"},
    "units": {"nand__page_size": "8KiB", "nand__pages_per_block": 32},
    "nvme": {"host__interface": "nvme", "host__queues": 4},
    "no buffer": {"buffer__policy": "none"},
    "kept": {"buffer__flush_keep": "true", "buffer__cache_reads": "true"},
    "paced": {"ftl__gc_pace": "paced"},
    "bad blocks": {"nand__bad_blocks": 0.06},
    "planes in step": {
        "ftl__gc_placement": "die",
        "nand__planes": 2,
        "nand__blocks_per_plane": 16,
        "nand__pages_per_block": 32,
    },
    "dies in step": {"ftl__gc_placement": "drive", "nand__blocks_per_plane": 32},
}


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
    status, found = loses(
        simulator,
        "--limit",
        20000,
        *drive(layer, fidelity="untimed", power_loss__cuts=100, power_loss__gap=100),
    )
    assert status == 0
    assert found["cuts"] == 100
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


#: Drives that write of their map to flash.
LOGGED: dict[str, dict[str, object]] = {
    "checkpoint": {
        "power_loss__recovery": "checkpoint",
        "power_loss__checkpoint_pages": 500,
        "power_loss__journal": 50,
    },
    "ltftl": {"power_loss__recovery": "ltftl", "power_loss__checkpoint_pages": 500},
}


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("recovery", LOGGED)
@pytest.mark.slow
def test_a_drive_with_time_comes_back_from_what_it_has_written(
    simulator: Program, recovery: str, cuts: int
) -> None:
    draw = random.Random(recovery)
    torn = gone_back = flushed = 0
    for _ in range(cuts):
        at = draw.randrange(1_000_000, BUSY["page"] * 1_000_000)
        status, found = loses(
            simulator,
            "--limit",
            4000,
            *drive("page", power_loss__at=f"{at}ns", **LOGGED[recovery]),
        )
        assert status == 0, at
        assert found["acknowledged"] == found["recovered"] + found["lost_unflushed"]
        assert found["log_pages_read"] > 0 == found["full_scans"]
        torn += found["torn_pages"] + found["torn_erases"]
        gone_back += found["pages_gone_back"]
        flushed += found["flushed"]
    assert torn > cuts / 2
    assert flushed > 20 * cuts
    assert (gone_back > 0) == (recovery == "ltftl")


@pytest.mark.parametrize("recovery", LOGGED)
def test_a_drive_without_time_comes_back_again_and_again(simulator: Program, recovery: str) -> None:
    status, found = loses(
        simulator,
        "--limit",
        20000,
        *drive("page", fidelity="untimed", power_loss__cuts=100, power_loss__gap=100),
        *sets(**LOGGED[recovery]),
    )
    assert status == 0
    assert found["cuts"] == 100
    assert found["checkpoints"] > 50
    assert found["checkpoint_pages"] > found["checkpoints"] / 2


def test_a_checkpoint_bounds_what_a_mount_reads(simulator: Program) -> None:
    """Nothing was written: of each block the first page is read, and the checkpoint."""
    settings = {"power_loss__at": "1ns", "precondition__overwrite": 0}
    _, every = loses(simulator, "--limit", 1, *drive("page", **settings))
    _, found = loses(simulator, "--limit", 1, *drive("page", **settings, **LOGGED["checkpoint"]))
    # 1638 pages and 64 blocks of eight bytes each take seven pages of 2 KiB; the one behind ends
    # the journal. Of 64 blocks the log has eight, of which two are looked at; half-written ones are
    # looked at twice.
    assert found["log_pages_read"] == 7 + 1
    assert 64 - 8 + 2 <= found["spares_read"] <= 64 - 8 + 2 + 4
    assert every["spares_read"] > 1000
    assert found["scan_ns"] * 10 < every["scan_ns"]


def test_what_a_drive_writes_of_its_map_amplifies_writes(simulator: Program) -> None:
    waf = {}
    for pages in (0, 10_000, 100):
        more = LOGGED["checkpoint"] | {"power_loss__checkpoint_pages": pages} if pages else {}
        loses(simulator, "--limit", 4000, *drive("page", power_loss__at="150ms", **more))
        summary = json.loads((simulator.folder / "cut" / "summary.json").read_text())
        waf[pages] = summary["ftl"]["waf"]
    assert waf[0] < waf[10_000] < waf[100]


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


def test_a_mount_takes_the_time_of_its_formula(simulator: Program) -> None:
    """Nothing was written: the first spare area of each block is read, dies in parallel."""
    _, found = loses(
        simulator,
        "--limit",
        1,
        *drive("page", power_loss__at="1ns", precondition__fill=0),
    )
    # 16 blocks a die, tR 25 us, 64 bytes of 30 ns; two dies on a bus that is never the bottleneck.
    assert found["spares_read"] == 64
    assert found["scan_ns"] == 16 * (25_000 + 64 * 30)
    assert found["rebuild_ns"] == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ftl__scheme": "zoned", "power_loss__at": "1ms"}, "page, bast, dftl, mcsplit, fast"),
        ({"power_loss__cuts": 3}, "fidelity = untimed"),
        ({"power_loss__at": "1ms", "fidelity": "untimed"}, "fidelity = at"),
        (
            {
                "ftl__scheme": "dftl",
                "power_loss__at": "1ms",
                "power_loss__recovery": "checkpoint",
            },
            "ftl.scheme = page",
        ),
        (
            SLC
            | {
                "ftl__scheme": "slc-cache",
                "nand__blocks_per_plane": 256,
                "power_loss__at": "1ms",
                "power_loss__recovery": "checkpoint",
            },
            "ftl.scheme = page",
        ),
        (
            {
                "buffer__policy": "none",
                "power_loss__at": "1ms",
                "power_loss__recovery": "ltftl",
            },
            "a buffer.policy",
        ),
        ({"nand__program_failures": 0.001, "power_loss__at": "1ms"}, "nand.bad_blocks alone"),
        (
            {
                "nand__bad_blocks": 0.01,
                "power_loss__at": "1ms",
                "power_loss__recovery": "checkpoint",
            },
            "nand.bad_blocks = 0",
        ),
        (
            {
                "ftl__gc_placement": "drive",
                "power_loss__at": "1ms",
                "power_loss__recovery": "checkpoint",
            },
            "ftl.gc_placement = plane",
        ),
        ({"power_loss__recovery": "plp", "power_loss__cuts": 3, "fidelity": "untimed"}, "uJ"),
        ({"power_loss__recovery": "plp", "power_loss__at": "1ms"}, "uJ"),
    ],
)
def test_what_cannot_recover_is_refused(
    tmp_path: Path, settings: dict[str, object], message: str
) -> None:
    finished = Program(BIN / "cavern-sim", tmp_path)(
        "run", CONFIGS / "conventional.toml", "--out", "cut", *LOAD, *sets(**settings)
    )
    assert finished.returncode == 2
    assert message in finished.stderr
    assert finished.stderr.count("\n") == 1
    assert not (tmp_path / "cut").exists()


def test_a_run_without_a_cut_has_no_recovery(simulator: Program) -> None:
    summary = simulator.simulate(
        CONFIGS / "conventional.toml", "whole", *LOAD, "--limit", 500, *drive("page")
    )
    assert "recovery" not in summary


def lose(simulator: Program, job: str, **settings: object) -> Json:
    """A small load against a drive that comes back: the summary."""
    (simulator.folder / "job.toml").write_text(f'[[job]]\nsize = "4MiB"\nbs = "4KiB"\n{job}\n')
    finished = simulator(
        "run",
        *(CONFIGS / "conventional.toml", "--out", "cut", "--quiet", "--workload", "job.toml"),
        *sets(**settings),
    )
    assert finished.returncode == 0, finished.stderr
    summary: Json = json.loads((simulator.folder / "cut" / "summary.json").read_text())
    assert summary["recovery"]["lost_flushed"] + summary["recovery"]["corrupt"] == 0
    return summary


@pytest.mark.parametrize("interval", [1, 7])
def test_any_number_of_checkpoints_may_be_under_way(simulator: Program, interval: int) -> None:
    found = lose(
        simulator,
        nand__blocks_per_plane=256,
        job='rw = "randwrite"\nfsync = 100\nnumber_ios = 3000',
        power_loss__at="50ms",
        power_loss__recovery="checkpoint",
        power_loss__checkpoint_pages=interval,
    )
    assert found["recovery"]["checkpoints"] > 20


@pytest.mark.slow
def test_any_number_of_records_may_be_under_way(simulator: Program) -> None:
    """Each TRIM writes the record anew, and thousands wait for their dies."""
    found = lose(
        simulator,
        'rw = "randtrim"\niodepth = 5000\nnumber_ios = 5000',
        power_loss__at="5ms",
        host__interface="direct",
        host__queue_depth=8192,
    )
    under_way = found["ftl"]["host_pages"] - found["recovery"]["flushed"]
    assert under_way > 4096 and found["recovery"]["acknowledged"] > 0


@pytest.mark.slow
def test_any_number_of_marks_may_be_under_way(simulator: Program) -> None:
    found = lose(
        simulator,
        'rw = "randwrite"\nwritefua = true\niodepth = 20000\nnumber_ios = 20000',
        power_loss__at="5ms",
        power_loss__recovery="ltftl",
        host__interface="direct",
        host__queue_depth=65535,
    )
    assert found["ftl"]["host_pages"] - found["recovery"]["flushed"] > 16384


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


@pytest.mark.slow
def test_the_power_may_go_again_in_a_mount(simulator: Program) -> None:
    """Some mounts do nothing but read: how often it goes in one is for all layers together."""
    again = 0
    for layer in LAYERS:
        draw = random.Random(f"{layer} in mount")
        for _ in range(3):
            at = draw.randrange(BUSY[layer] * 500_000, BUSY[layer] * 1_000_000)
            settings = {"power_loss__at": f"{at}ns", "power_loss__cuts_in_mount": 8}
            status, found = loses(simulator, "--limit", 4000, *drive(layer, **settings))
            assert status == 0, (layer, at)
            again += found["mounts_cut"]
    assert again > 5


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
