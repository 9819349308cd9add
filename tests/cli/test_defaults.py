"""What the shipped drives of today do without being told: nothing throttles them."""

from __future__ import annotations

import pytest

from tests.cli.programs import CONFIGS, Json, Program, Workspace, sets


def played(drive: Workspace, simulator: Program, config: str, job: str, **more: object) -> Json:
    drive.write("job.toml", f'[[job]]\nbs = "4KiB"\n{job}\n')
    more |= {"workload__out_of_range": "wrap"}
    arguments = ["--workload", "job.toml", *sets(**more)]
    return simulator.simulate(CONFIGS / config, "out", *arguments)


@pytest.mark.parametrize(
    ("config", "more"),
    [("tlc-nvme.toml", {}), ("steady-tlc.toml", {"nand__blocks_per_plane": 64})],
    ids=["empty", "steady"],
)
@pytest.mark.slow
def test_depth_does_not_matter_to_a_buffered_write(
    config: str, more: dict[str, object], workspace: Workspace, simulator: Program
) -> None:
    iops = {
        depth: played(
            workspace,
            simulator,
            config,
            f'rw = "randwrite"\nsize = "8GiB"\nnumber_ios = 40000\niodepth = {depth}',
            buffer__size="16MiB",
            **more,
        )["host"]["iops"]
        for depth in (1, 256)
    }
    assert iops[1] >= 0.9 * iops[256] > 20_000


def test_a_limit_that_starves_the_dies_does_matter(
    workspace: Workspace, simulator: Program
) -> None:
    """As the default was: a victim a die."""
    job = 'rw = "randwrite"\nsize = "8GiB"\nnumber_ios = 20000\niodepth = 1'
    arguments = {"buffer__size": "16MiB", "buffer__linear-threshold__max": 16}
    slow = played(workspace, simulator, "tlc-nvme.toml", job, **arguments)
    assert slow["host"]["iops"] < 100_000
    assert any("lets fewer pages leave" in warning for warning in slow["run"]["warnings"])


@pytest.mark.slow
def test_a_read_waits_for_no_more_than_a_program(workspace: Workspace, simulator: Program) -> None:
    """Full, at 40,000 requests a second: programs make room for reads, also with the cache on."""
    job = 'rw = "randrw"\nrwmixread = 70\nsize = "8GiB"\niodepth = 256\nrate_iops = 40000'
    small = {
        "buffer__size": "4MiB",
        "nand__blocks_per_plane": 24,
        "ftl__overprovision": 0.3,
        "precondition__fill": 1.0,
    }
    job += "\nnumber_ios = 30000"
    most = 60_000 + 700_000 + 40_000  # tR, tPROG, bus
    tails = {}
    for name, more in (("as it is", {}), ("without", {"nand__program_suspend": "false"})):
        host = played(workspace, simulator, "tlc-nvme.toml", job, **small, **more)["host"]
        tails[name] = host["read"]["lat_ns"]["p99_9"]
    assert tails["as it is"] <= most
    assert tails["without"] > 2 * tails["as it is"]


def test_reads_keep_no_program_waiting_for_long(workspace: Workspace, simulator: Program) -> None:
    """One die that reads nearly all the time, and a write to each forty reads."""
    rows: list[tuple[float, str, int, int]] = []
    for number in range(2000):
        rows.append((90 * number, "R", number * 7 % 512 * 2048, 2048))
        if number % 40 == 0:
            rows.append((90 * number, "W", number * 13 % 512 * 2048, 2048))
    workspace.add_trace("t.csv", rows)
    one_die = sets(
        nand__channels=1,
        nand__ways=1,
        nand__blocks_per_plane=32,
        ftl__overprovision=0.5,
        ftl__log_blocks=4,
        precondition__fill=1.0,
        buffer__policy="none",
        host__interface="direct",
        host__queue_depth=4096,
    )
    drive = workspace.write("own.toml", "")
    longest = {}
    for limit, settings in (("as it is", []), ("none", sets(scheduler__write_limit="0s"))):
        run = simulator.simulate(drive, "out", "--trace", "t.csv", *one_die, *settings)
        longest[limit] = run["host"]["write"]["lat_ns"]["max"]
    assert longest["as it is"] < 20e6 < 60e6 < longest["none"]
