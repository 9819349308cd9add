"""What a mount after a loss of power reads, and what a drive writes for it: checkpoints, a journal,
records in spare areas."""

from __future__ import annotations

import json
import random

import pytest

from tests.cli.power_loss import BUSY, CUTS, LAYERS, LOAD, SLC, drive, loses, loses_again_and_again
from tests.cli.programs import CONFIGS, Json, Program, sets

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
    found = loses_again_and_again(simulator, "page", **LOGGED[recovery])
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
    simulator: Program, settings: dict[str, object], message: str
) -> None:
    finished = simulator(
        "run", CONFIGS / "conventional.toml", "--out", "cut", *LOAD, *sets(**settings)
    )
    assert finished.returncode == 2
    assert message in finished.stderr
    assert finished.stderr.count("\n") == 1
    assert not (simulator.folder / "cut").exists()


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
