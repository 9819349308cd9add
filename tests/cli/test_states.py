"""Drives that are saved and loaded: --save-state, --load-state, --state-cache, ./cavern cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.programs import BIN, CONFIGS, Json, Program, Workspace, sets
from tests.cli.sweeps import MOMENT, table, told

#: Collecting TLC, filled and written over.
STEADY = sets(
    nand__channels=1,
    nand__blocks_per_plane=64,
    precondition__overwrite=2,
    workload__out_of_range="wrap",
)
JOB = """\
[[job]]
rw = "randrw"
rwmixread = 50
bs = "4KiB"
size = "1GiB"
number_ios = 3000
iodepth = 32
"""


@pytest.fixture
def steady(workspace: Workspace) -> Program:
    workspace.write("job.toml", JOB)
    return Program(BIN / "cavern-sim", workspace.folder)


def saved(program: Program, name: str = "steady.state", *words: object) -> Path:
    done = program("run", CONFIGS / "steady-tlc.toml", *STEADY, "--save-state", name, *words)
    assert done.returncode == 0, done.stderr
    return program.folder / name


def run(program: Program, *words: object) -> Json:
    """The summary without what is of the moment, and without the command."""
    summary = program.simulate(CONFIGS / "steady-tlc.toml", "out", *STEADY, *words)
    for name in MOMENT:
        section, _, field = name.partition(".")
        del summary[section][field]
    summary["run"] = {"id": summary["run"]["id"], "state": summary["run"]["input"]["state_id"]}
    return summary


def apart(summary: Json) -> Json:
    """Without what tells a run that has loaded its drive from one that has not."""
    return {name: value for name, value in summary.items() if name != "run"}


@pytest.mark.parametrize(
    "words",
    [
        [],
        sets(fidelity="untimed"),
        sets(fidelity="sampled", sampled__requests=32),
        # What the state does not follow.
        sets(buffer__policy="none", channel__policy="priority-age", nand__t_read="90us"),
    ],
    ids=["at", "untimed", "sampled", "another buffer"],
)
def test_a_drive_that_is_loaded_is_the_one_that_was_filled(
    steady: Program, words: list[str]
) -> None:
    saved(steady)
    played = ["--workload", "job.toml", *words]
    filled = run(steady, *played)
    assert filled["ftl"]["wear"]["mean"] > 1
    loaded = run(steady, *played, "--load-state", "steady.state")
    assert apart(loaded) == apart(filled)
    assert apart(run(steady, *played, *sets(precondition__fill=0))) != apart(filled)
    # Which drive it was belongs to the run.
    assert filled["run"]["state"] is None and len(loaded["run"]["state"]) == 16
    assert loaded["run"]["id"] != filled["run"]["id"]
    (steady.folder / "steady.state").rename(steady.folder / "moved.state")
    assert run(steady, *played, "--load-state", "moved.state")["run"] == loaded["run"]


def test_it_is_the_same_file_each_time_and_says_what_it_holds(steady: Program) -> None:
    command = ("run", CONFIGS / "steady-tlc.toml", *STEADY, "--save-state")
    said = steady(*command, "a.state").stdout
    assert "a.state (" in said and "MiB)" in said and "for the host" in said
    steady(*command, "b.state")
    first, second = (steady.folder / name for name in ("a.state", "b.state"))
    assert first.read_bytes() == second.read_bytes()
    assert {path.name for path in steady.folder.iterdir()} >= {"a.state", "b.state"}
    assert not (steady.folder / "out").exists()


def test_what_a_run_has_worn_stays_worn(steady: Program) -> None:
    filled = run(steady, "--workload", "job.toml", "--limit", "1")
    large = steady.folder / "large.toml"
    large.write_text(JOB.replace("4KiB", "1MiB"))
    run(steady, "--workload", large, "--save-state", "end.state", *sets(fidelity="untimed"))
    later = run(steady, "--workload", "job.toml", "--limit", "1", "--load-state", "end.state")
    worn = [summary["ftl"]["wear"]["mean"] for summary in (filled, later)]
    assert worn[1] > worn[0] > 0
    # A buffer that was used belongs to the state.
    other = ["--load-state", "end.state", *sets(buffer__size="1MiB")]
    done = steady("run", CONFIGS / "steady-tlc.toml", *STEADY, "--workload", "job.toml", *other)
    assert done.returncode == 2
    assert 'saved of a drive with buffer.size = "' in done.stderr


#: What is asked for, and how the message begins.
REFUSED: list[tuple[list[str], str]] = [
    (
        ["--load-state", "steady.state", *sets(ftl__gc_policy="d-choices")],
        'error: steady.state: it was saved of a drive with ftl.gc_policy = "greedy", and this '
        'one has "d-choices"; give the same\n',
    ),
    (
        ["--load-state", "job.toml"],
        "error: job.toml: it is no saved state of a drive; give a file of --save-state\n",
    ),
    (
        ["--load-state", "cut.state"],
        "error: cut.state: it ends too early; save it anew\n",
    ),
    (
        ["--load-state", "none.state"],
        "error: none.state: cannot be read; a file that --save-state has written\n",
    ),
    (
        ["--load-state", "steady.state", "--save-state", "steady.state"],
        "error: <command line>:1: ",
    ),
    (
        ["--save-state", "a.state", *sets(data__store="fingerprint")],
        "error: <command line>:5: the state of a drive that keeps data is not saved at the end "
        'of a run; data.store = "none"\n',
    ),
    (
        ["--save-state", "a.state", *sets(power_loss__cuts=1, fidelity="untimed")],
        "error: <command line>:5: the state of a drive that can lose its power is not saved; "
        "no power_loss.at, power_loss.cuts or power_loss.on_signal\n",
    ),
    (
        ["--save-state", "nowhere/a.state"],
        "error: nowhere/a.state:1: cannot be written: No such file or directory; ",
    ),
    (
        ["--state-cache-size", "much", "--state-cache", "cache"],
        'error: <command line>:1: --state-cache-size: "much" is no size; ',
    ),
]


def test_what_cannot_be_is_refused_in_one_line(steady: Program) -> None:
    whole = saved(steady).read_bytes()
    (steady.folder / "cut.state").write_bytes(whole[: len(whole) // 2])
    before = {path.name for path in steady.folder.iterdir()}
    played = ["--workload", "job.toml", "--out", "none"]
    for words, message in REFUSED:
        done = steady("run", CONFIGS / "steady-tlc.toml", *STEADY, *played, *words)
        assert done.returncode == 2
        assert done.stderr.startswith(message) and done.stderr.count("\n") == 1, done.stderr
        assert {path.name for path in steady.folder.iterdir()} == before
        assert (steady.folder / "steady.state").read_bytes() == whole


# ---- a folder of states -------------------------------------------------------------------------

#: 4.2 million pages before each run, which is worth keeping.
SPEC = """\
config = "steady.toml"
workloads = ["job.toml"]
limit = 300

[vary]
host.queue_depth = [1, 8]
"""
DRIVE = """\
extends = "reference-4k.toml"
[precondition]
fill = 1.0
overwrite = 4.1
"""


def rows(folder: Path) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.items() if name not in MOMENT} for row in table(folder)
    ]


def test_a_sweep_fills_its_drive_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = workspace.folder
    workspace.write("job.toml", JOB)
    workspace.write("steady.toml", DRIVE)
    workspace.write("spec.toml", SPEC)
    monkeypatch.setenv("CAVERN_STATE_CACHE", str(folder / "states"))
    assert told(folder, "spec.toml", "--out", "first").returncode == 0
    states = list((folder / "states").glob("*.state"))
    assert len(states) == 1
    # It is used, and what is kept says so.
    assert f"{folder / 'states'}: 1 drive, " in told(folder, name="cache").stdout
    made = states[0].stat().st_mtime_ns
    assert told(folder, "spec.toml", "--out", "again").returncode == 0
    assert states[0].stat().st_mtime_ns > made and rows(folder / "first") == rows(folder / "again")
    states[0].write_bytes(states[0].read_bytes()[:-1000])
    broken = told(folder, "spec.toml", "--out", "broken")
    assert broken.returncode == 1 and "run again: it has been removed" in broken.stderr

    monkeypatch.setenv("CAVERN_STATE_CACHE", "")
    assert told(folder, name="cache").stdout == "CAVERN_STATE_CACHE is empty: nothing is kept\n"
    assert told(folder, "spec.toml", "--out", "without").returncode == 0
    assert rows(folder / "without") == rows(folder / "first")


def test_what_is_kept_can_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAVERN_STATE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    where = tmp_path / "cavern" / "states"
    assert told(tmp_path, name="cache").stdout == f"{where}: 0 drives, 0.0 MiB\n"
    where.mkdir(parents=True)
    for name in ("a.state", "a.state.lock", "b.state", "other"):
        (where / name).write_bytes(b"." * 2**20)
    assert told(tmp_path, name="cache").stdout == f"{where}: 2 drives, 2.0 MiB\n"
    assert told(tmp_path, "--clear", name="cache").stdout == (
        f"{where}: 2 drives, 2.0 MiB, removed\n"
    )
    assert [path.name for path in where.iterdir()] == ["other"]
