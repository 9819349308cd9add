"""The same configuration, workload and seed give the same bytes."""

from __future__ import annotations

import copy

import pytest

from tests.cli.programs import CONFIGS, DEMO_TRACE, Json, Program, Workspace, sets

LOGS = ["requests.csv", "decisions.jsonl", "timeline.json"]

#: Filled, so that collection and reads from flash take part.
AGED = sets(
    nand__blocks_per_plane=64,
    buffer__size="2MiB",
    precondition__fill=0.9,
    precondition__pattern="random",
    precondition__overwrite=0.2,
)

WORKLOAD = """\
[[job]]
rw = "randrw"
bs = "4KiB"
size = "4MiB"
number_ios = 2000
iodepth = 8
"""


def without_wall_clock(summary: Json) -> Json:
    """What must be the same in two runs."""
    rest = copy.deepcopy(summary)
    for name in ("wall_s", "requests_per_wall_s", "flash_ops_per_wall_s", "peak_rss_bytes"):
        del rest["sim"][name]
    for name in ("command", "started"):
        del rest["run"][name]
    for file in rest["run"]["files"]:
        del file["path"]
    return rest


def run(
    simulator: Program, out: str, config: object, *arguments: object
) -> tuple[Json, list[bytes]]:
    """The summary, less what depends on the machine, and the logs."""
    logs = [simulator.folder / f"{out}-{name}" for name in LOGS]
    options = zip(("--requests", "--decisions", "--timeline"), logs, strict=True)
    summary = simulator.simulate(
        config, out, *(part for pair in options for part in pair), *arguments
    )
    return without_wall_clock(summary), [log.read_bytes() for log in logs]


@pytest.mark.parametrize("arbiter", ["tlm", "rtl", "lockstep"])
@pytest.mark.parametrize("config", ["conventional", "cave"])
@pytest.mark.slow
def test_two_runs_are_the_same(config: str, arbiter: str, simulator: Program) -> None:
    arguments = [
        CONFIGS / f"{config}.toml",
        "--trace",
        DEMO_TRACE,
        "--limit",
        1000,
        *AGED,
        *sets(workload__out_of_range="wrap", channel__arbiter=arbiter),
    ]
    summary, logs = run(simulator, "first", *arguments)
    assert summary["ftl"]["gc_pages"] > 0 and summary["dies"][0]["reads"] > 0
    assert all(log.count(b"\n") > 1000 for log in logs)
    assert run(simulator, "second", *arguments) == (summary, logs)


def test_another_seed_is_another_run(simulator: Program, workspace: Workspace) -> None:
    # The negative control: these comparisons do tell runs apart.
    workspace.write("w.toml", WORKLOAD)
    arguments = ["drive.toml", "--workload", "w.toml"]
    summary, logs = run(simulator, "first", *arguments, "--seed", 7)
    assert run(simulator, "again", *arguments, "--seed", 7) == (summary, logs)
    other_summary, other_logs = run(simulator, "other", *arguments, "--seed", 8)
    assert other_summary["host"] != summary["host"]
    assert all(a != b for a, b in zip(logs, other_logs, strict=True))


def test_seed_comes_from_file_setting_or_option(simulator: Program, workspace: Workspace) -> None:
    workspace.write("w.toml", WORKLOAD)
    arguments = ["--workload", "w.toml"]
    option, _ = run(simulator, "option", "drive.toml", *arguments, "--seed", 7)
    setting, _ = run(simulator, "setting", "drive.toml", *arguments, "--set", "seed=7")
    workspace.replace("drive.toml", "[nand]", "seed = 7\n[nand]")
    in_file, _ = run(simulator, "file", "drive.toml", *arguments)
    assert option["seed"] == 7
    assert option == setting == in_file


def test_run_is_repeatable_from_the_configuration_beside_its_results(
    simulator: Program, workspace: Workspace
) -> None:
    workspace.write("w.toml", WORKLOAD)
    arguments = ["--workload", "w.toml", *sets(channel__arbiter="rtl", buffer__size="128KiB")]
    summary, logs = run(simulator, "first", "drive.toml", *arguments, "--seed", 7)
    repeated = run(simulator, "again", "first/config.toml", "--workload", "w.toml")
    assert repeated == (summary, logs)


def test_wall_clock_is_all_that_is_left_out() -> None:
    times = dict(wall_s=1.0, requests_per_wall_s=2.0, flash_ops_per_wall_s=3.0, peak_rss_bytes=4)
    run = {"id": "7", "command": "c", "started": "s", "files": [{"path": "p", "bytes": 8}]}
    summary: Json = {"sim": {**times, "simulated_ns": 5}, "host": {"iops": 6}, "run": run}
    assert without_wall_clock(summary) == {
        "sim": {"simulated_ns": 5},
        "host": {"iops": 6},
        "run": {"id": "7", "files": [{"bytes": 8}]},
    }
    assert summary["sim"]["wall_s"] == 1.0
