"""./cavern sweep: each run is made once, whatever happens in between."""

from __future__ import annotations

import fcntl
import json
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from cavern.sweeps import Case, Input, Outcome, Run, Setting, execute, plan, read_spec

from tests.cli.mistakes import is_message
from tests.cli.programs import BIN, CONFIGS, Workspace
from tests.cli.sweeps import (
    JOB,
    SPEC,
    command,
    environment,
    stamps,
    sweep,
    table,
    told,
    without_moment,
)


@pytest.mark.slow
def test_resume_runs_only_what_is_missing_and_half_a_result_is_none(swept: Workspace) -> None:
    out = swept.folder / "out"
    first, before = table(out), stamps(out)
    assert len(before) == 32
    *gone, half = sorted(before)[:4]
    for name in gone:
        shutil.rmtree(out / "runs" / name)
    # Were results written in place, this is what a kill would leave.
    summary = out / "runs" / half / "summary.json"
    summary.write_bytes(summary.read_bytes()[:-20])
    done = sweep(swept.folder, "spec.toml", "--out", "out", "--resume")
    there = "28 there, --fresh runs them again\n"
    assert done.stdout == f"{there}out/table.parquet: 32 runs\nout/report.html\n"
    after = stamps(out)
    assert {name for name in before if after[name] != before[name]} == {*gone, half}
    assert without_moment(table(out)) == without_moment(first)
    # With --fresh all are run again, and nothing is said.
    done = sweep(swept.folder, "spec.toml", "--out", "out", "--fresh")
    assert done.stdout == "out/table.parquet: 32 runs\nout/report.html\n"
    assert all(stamps(out)[name] != after[name] for name in after)


def test_a_second_sweep_takes_what_is_there_and_says_so(sweeping: Workspace) -> None:
    sweeping.write("spec.toml", 'config = "drive.toml"\ntraces = ["trace.csv"]\nseeds = [1, 2]\n')
    folder = sweeping.folder
    said = [told(folder, "spec.toml", "--out", "out").stdout]
    before = stamps(folder / "out")
    for words in (["--resume"], [], ["--fresh"]):
        said.append(told(folder, "spec.toml", "--out", "out", *words).stdout)
        assert (stamps(folder / "out") == before) == (words != ["--fresh"])
    there = "2 there, --fresh runs them again\n"
    assert [text.startswith(there) for text in said] == [False, True, True, False]
    both = told(folder, "spec.toml", "--out", "out", "--fresh", "--resume")
    assert both.returncode == 2 and "--resume and --fresh: expected one of them" in both.stderr


@pytest.mark.parametrize(("more", "same"), [([], ""), (["--fresh"], " without --fresh")])
def test_an_interrupted_sweep_says_what_goes_on_with_it(
    more: list[str], same: str, sweeping: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> list[Outcome]:
        raise KeyboardInterrupt

    sweeping.write("spec.toml", 'config = "drive.toml"\ntraces = ["trace.csv"]\n')
    monkeypatch.setattr("cavern.sweeps.command.execute", interrupted)
    done = told(sweeping.folder, "spec.toml", "--out", "out", *more)
    said = f"interrupted; finished runs are kept, the same command{same} goes on\n"
    assert (done.returncode, done.stderr) == (130, said)


def taken(runs: list[Run], out: Path, **options: Any) -> list[bool]:
    """Whether the result of each run was there."""
    found: dict[str, bool] = {}

    def note(outcome: Outcome, was_there: bool) -> None:
        found[outcome.run.id] = was_there

    assert all(one.status == 0 for one in execute(runs, out, on_done=note, **options))
    return [found[run.id] for run in runs]


def test_result_of_another_run_is_not_taken(sweeping: Workspace) -> None:
    sweeping.write(
        "spec.toml",
        'config = "drive.toml"\ntraces = ["trace.csv"]\nseeds = [1, 2]\n'
        '[vary]\nbuffer.size = ["16KiB", "64KiB"]\n',
    )
    out = sweeping.folder / "out"
    runs = plan(read_spec(sweeping.folder / "spec.toml"))
    first, seed, size, _ = (out / "runs" / run.id for run in runs)
    assert taken(runs, out) == [False] * 4
    assert taken(runs, out) == [True] * 4
    # Another size of the buffer, and another seed alone.
    for other, place in ((size, 2), (seed, 1)):
        kept = (other / "summary.json").read_bytes()
        shutil.copy(first / "summary.json", other)
        assert taken(runs, out) == [place != index for index in range(4)]
        again = json.loads((other / "summary.json").read_text())
        assert again["config"] == json.loads(kept)["config"]
    # Damaged ones are none, whatever is in them.
    for text in ("{}", "[1]", "null", '{"schema": "cavern.summary/1", "run": 5}', "[" * 5000):
        (first / "summary.json").write_text(text)
        assert taken(runs, out) == [False, True, True, True]
    for name in ("run", "config", "channels"):
        summary = json.loads((first / "summary.json").read_text())
        (first / "summary.json").write_text(json.dumps({**summary, name: {"input": [1]}}))
        assert taken(runs, out) == [False, True, True, True]


@pytest.mark.slow
def test_results_of_every_drive_are_known_again(workspace: Workspace) -> None:
    # `config show` and a summary say the same of every key, to the last digit.
    played = Input(workspace.folder / "trace.csv")
    short = Setting("precondition.overwrite", 0)
    runs = plan(
        [
            Case(config, played, (short, Setting("fidelity", fidelity)), seed=seed)
            for config in sorted(CONFIGS.glob("*.toml"))
            for fidelity, seed in (("untimed", None), ("at", 3))
        ],
        blame=False,
    )
    out = workspace.folder / "out"
    good = [one.run for one in execute(runs, out) if one.status == 0]
    assert len(good) > 20
    assert all(taken(good, out))


@pytest.mark.slow
def test_identity_covers_all_that_a_result_depends_on(sweeping: Workspace) -> None:
    program = sweeping.folder / "simulator"
    shutil.copy(BIN / "cavern-sim", program)

    def ids() -> list[str]:
        spec = sweeping.folder / "spec.toml"
        return [run.id for run in plan(read_spec(spec), program, spec)]

    first = ids()
    assert len(set(first)) == 32 and ids() == first
    # A default said aloud is the same run; any other value is another one.
    sweeping.replace("spec.toml", "[set]", '[set]\nchannel.policy = "round-robin"')
    assert ids() == first
    sweeping.replace("spec.toml", '"round-robin"', '"priority-age"')
    assert not set(ids()) & set(first)
    sweeping.write("spec.toml", SPEC)
    sweeping.write("trace.csv", "time_us,op,offset,size\n0,W,0,4096\n")
    assert [new == old for new, old in zip(ids(), first, strict=True)] == [False] * 16 + [True] * 16
    with program.open("ab") as file:  # what follows the end of an ELF file is not looked at
        file.write(b"\0")
    assert not set(ids()) & set(first)


def long_spec(workspace: Workspace, runs: int) -> None:
    workspace.write("w.toml", JOB.format(100_000))
    seeds = ", ".join(map(str, range(runs)))
    text = f'config = "drive.toml"\nworkloads = ["w.toml"]\nseeds = [{seeds}]\n'
    workspace.write("spec.toml", text)


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def wait_for(condition: Any, what: str) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.005)


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


#: So many that a signal after three of them comes before the last even on a busy machine.
RUNS_TO_STOP = 12


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_stopped_sweep_loses_only_what_was_running(
    sign: signal.Signals, sweeping: Workspace
) -> None:
    long_spec(sweeping, RUNS_TO_STOP)
    out = sweeping.folder / "out"
    with subprocess.Popen(
        command("spec.toml", "--out", "out", "--jobs", 2),
        cwd=sweeping.folder,
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        wait_for(lambda: len(stamps(out)) >= 3, "three runs")
        wait_for(lambda: children(process.pid), "a running simulation")
        simulations = children(process.pid)
        process.send_signal(sign)
        stdout, stderr = process.communicate(timeout=20)
    if sign == signal.SIGKILL:
        assert process.returncode == -signal.SIGKILL
    else:
        assert (process.returncode, stdout) == (130, "")
        assert stderr == "interrupted; finished runs are kept, the same command goes on\n"
    wait_for(lambda: all(map(gone, simulations)), "simulations left behind")
    finished = list(stamps(out))
    assert 3 <= len(finished) < RUNS_TO_STOP
    for name in finished:
        summary = json.loads((out / "runs" / name / "summary.json").read_text())
        assert summary["complete"] is True
    assert not (out / "table.parquet").exists()
    before = stamps(out)
    done = sweep(sweeping.folder, "spec.toml", "--out", "out", "--resume")
    assert (done.returncode, done.stderr) == (0, "")
    there = f"{len(finished)} there, --fresh runs them again\n"
    assert done.stdout == f"{there}out/table.parquet: {RUNS_TO_STOP} runs\nout/report.html\n"
    assert all(stamps(out)[name] == before[name] for name in finished)
    assert len(table(out)) == len(stamps(out)) == RUNS_TO_STOP
    assert not list(out.glob("runs/.*"))


@pytest.mark.slow
def test_two_sweeps_into_one_folder_are_refused(sweeping: Workspace) -> None:
    sweeping.write("spec.toml", 'config = "drive.toml"\ntraces = ["trace.csv"]\n')
    (sweeping.folder / "out").mkdir()
    with open(sweeping.folder / "out" / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = sweep(sweeping.folder, "spec.toml", "--out", "out")
        assert done.returncode == 2
        assert is_message(done.stderr, "out:1: another command is writing *; *--out*")
    assert sweep(sweeping.folder, "spec.toml", "--out", "out").returncode == 0


@pytest.mark.slow
def test_simulator_that_changes_meanwhile_stops_the_sweep(sweeping: Workspace) -> None:
    program = sweeping.folder / "simulator"
    shutil.copy(BIN / "cavern-sim", program)
    spec = sweeping.folder / "spec.toml"
    runs = plan(read_spec(spec), program, spec)

    def rebuild(outcome: object, was_there: bool) -> None:
        beside = program.with_suffix(".new")
        beside.write_bytes(program.read_bytes() + b"\0")
        shutil.copymode(program, beside)
        beside.replace(program)

    with pytest.raises(RuntimeError, match="built anew"):
        execute(runs, sweeping.folder / "out", jobs=1, program=program, on_done=rebuild)
    assert len(execute(runs[:3], sweeping.folder / "out", program=program)) == 3
