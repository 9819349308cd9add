"""cpu.decides: the firmware in the place of the decision core, or beside it, in whole runs."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from tests.cli.programs import CONFIGS, ROOT, Json, Program, Workspace, sets

TRACES = sorted(path.name.split(".")[0] for path in (ROOT / "traces").glob("*.csv.xz"))
#: Filled before: what the traces write is collected.
SMALL: dict[str, object] = {
    "nand__channels": 4,
    "nand__ways": 2,
    "nand__blocks_per_plane": 64,
    "nand__pages_per_block": 32,
    "ftl__overprovision": 0.25,
    "buffer__size": "512KiB",
    "precondition__fill": 1.0,
    "precondition__overwrite": 0.2,
    "workload__out_of_range": "wrap",
}
DRIVES: dict[str, dict[str, object]] = {
    "conventional": {},
    "cave": {"buffer__policy": "lru-block", "ftl__gc_pace": "paced"},
}


def run(simulator: Program, drive: str, trace: str, decides: str, *more: str) -> Json:
    path = ROOT / "traces" / f"{trace}.csv.xz"
    settings = {**SMALL, **DRIVES[drive], "cpu__decides": decides}
    return simulator.simulate(
        CONFIGS / f"{drive}.toml", f"{drive}-{decides}", "--trace", path, *sets(**settings), *more
    )


def decided(summary: Json) -> Json:
    """What two runs of the same decisions have in common: all but who decided, what was checked
    on the way, and the speed of the machine."""
    same = copy.deepcopy(summary)
    same["config"]["cpu"].pop("decides")
    same.pop("cpu", None)
    same.pop("checks")
    same.pop("run")
    for name in ("wall_s", "requests_per_wall_s", "flash_ops_per_wall_s", "peak_rss_bytes"):
        same["sim"].pop(name)
    return same


@pytest.mark.slow
@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("fidelity", ["at", "untimed"])
def test_who_decides_changes_nothing(
    simulator: Program, drive: str, trace: str, fidelity: str
) -> None:
    limit = "3000" if fidelity == "at" else "10000"
    more = ["--limit", limit, "--warmup", "500", *sets(fidelity=fidelity)]
    core, firmware, lockstep = (
        run(simulator, drive, trace, decides, *more) for decides in ("core", "firmware", "lockstep")
    )
    assert decided(firmware) == decided(core) == decided(lockstep)
    if trace == "oltp-mysql-1h" and fidelity == "untimed":
        assert core["ftl"]["erases"] > 0  # preconditioning has collected with each trace
    assert "cpu" not in core and "cpu" not in firmware
    assert lockstep["cpu"]["decisions_compared"] > core["sim"]["requests"]
    assert lockstep["cpu"]["operations_compared"] > core["ftl"]["host_pages"]


@pytest.mark.nightly
@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("trace", TRACES)
def test_whole_traces_in_lockstep(simulator: Program, drive: str, trace: str) -> None:
    path = ROOT / "traces" / f"{trace}.csv.xz"
    settings = {**SMALL, **DRIVES[drive], "cpu__decides": "lockstep"}
    arguments = ["run", CONFIGS / f"{drive}.toml", "--out", "out", "--quiet", "--trace", path]
    finished = simulator(*arguments, *sets(**settings), timeout=3600)
    assert (finished.returncode, finished.stderr) == (0, "")
    summary = json.loads((simulator.folder / "out" / "summary.json").read_text())
    assert summary["cpu"]["decisions_compared"] > summary["sim"]["requests"]


def test_decisions_are_logged_as_those_of_the_core(simulator: Program) -> None:
    logs = []
    for decides in ("core", "firmware"):
        log = f"{decides}.jsonl"
        more = ["--limit", "2000", "--decisions", log, *sets(fidelity="untimed")]
        run(simulator, "cave", "oltp-mysql-1h", decides, *more)
        logs.append((simulator.folder / log).read_text())
    assert logs[0] == logs[1]
    for event in ("alloc", "gc", "program"):
        assert f'"{event}' in logs[0]


@pytest.mark.parametrize(
    ("cpu", "wrong", "told"),
    [
        (
            'decides = "firmware"',
            "",
            'drive.toml:16: the firmware has no ftl.scheme = "dftl"; page, or cpu.decides = "core"',
        ),
        (
            'decides = "lockstep"',
            "ftl.gc_policy=fifo",
            "<command line>:1: the firmware has no ftl.gc_policy other than greedy; greedy, "
            'or cpu.decides = "core"',
        ),
    ],
)
def test_a_drive_that_the_firmware_cannot_be_is_refused(
    simulator: Program, tmp_path: Path, cpu: str, wrong: str, told: str
) -> None:
    Workspace(tmp_path)
    config = tmp_path / "drive.toml"
    scheme = '\n[ftl]\nscheme = "dftl"\noverprovision = 0.2\n' if wrong == "" else ""
    config.write_text(config.read_text() + f"\n[cpu]\n{cpu}\n" + scheme)
    more = ["--set", wrong] if wrong else ["--set", "alloc.scheme=stripe-page"]
    finished = simulator("run", "drive.toml", "--trace", "trace.csv", "--out", "out", *more)
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1 and finished.stderr.startswith("error: ")
    assert told in finished.stderr, finished.stderr
    assert not (tmp_path / "out").exists()
