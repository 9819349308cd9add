"""./cavern sweep: what is described is run, once, whatever happens in between, and gathered."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from explore.sweep import execute, plan, read_spec, write_parquet
from explore.sweep.toml_lines import TomlLines
from tests.cli.programs import BIN, ROOT, Program, Workspace, sets, tree
from tests.cli.test_bad_input import is_message

#: Fields of the machine and the moment; docs/read-a-report.md names them.
MOMENT = {"sim.wall_s", "sim.requests_per_wall_s", "sim.flash_ops_per_wall_s", "sim.peak_rss_bytes"}

JOB = '[[job]]\nrw = "randwrite"\nbs = "4KiB"\nsize = "8MiB"\nnumber_ios = {}\niodepth = 8\n'

SPEC = """\
config = "drive.toml"
traces = ["trace.csv"]
workloads = [{ file = "w.toml", name = "random", limit = 300, set = { "host.queue_depth" = 4 } }]
seeds = [1, 2]

[set]
nand.t_erase = "1ms"

[vary]
"buffer.size" = ["16KiB", "64KiB"]

[[zip]]
nand.channels = [1, 2]
nand.ways = [2, 1]

[variants.drive.plain]
alloc.scheme = "stripe-page"

[variants.drive.cave]
buffer.eviction = "cave"
alloc.scheme = "block-round-robin"
"""


@pytest.fixture
def sweeping(workspace: Workspace) -> Workspace:
    workspace.write("w.toml", JOB.format(400))
    workspace.write("spec.toml", SPEC)
    return workspace


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "explore", "sweep", *map(str, arguments)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def sweep(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(),
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )


def table(folder: Path) -> list[dict[str, Any]]:
    return pq.read_table(folder / "table.parquet").to_pylist()


def without_moment(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if k not in MOMENT} for row in rows]


def test_rows_are_the_product_in_order_and_equal_runs_by_hand(
    sweeping: Workspace, simulator: Program
) -> None:
    done = sweep(sweeping.folder, "spec.toml", "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "out/table.parquet: 32 runs\n"
    rows = table(sweeping.folder / "out")
    assert [
        (
            r["trace"],
            r["vary.drive"],
            r["vary.nand.channels"],
            r["vary.nand.ways"],
            r["vary.buffer.size"],
            r["seed"],
        )
        for r in rows
    ] == [
        (trace, drive, channels, ways, size, seed)
        for trace in ("trace", "random")
        for drive in ("plain", "cave")
        for channels, ways in ((1, 2), (2, 1))
        for size in ("16KiB", "64KiB")
        for seed in (1, 2)
    ]
    assert all(row["status"] == 0 and row["error"] == "" and row["complete"] for row in rows)
    row = rows[-2]
    by_hand = simulator.simulate(
        "drive.toml",
        "hand",
        "--workload",
        "w.toml",
        "--limit",
        300,
        "--seed",
        1,
        *sets(
            nand__t_erase="1ms",
            host__queue_depth=4,
            buffer__eviction="cave",
            nand__channels=2,
            nand__ways=1,
            buffer__size="64KiB",
            alloc__scheme="block-round-robin",
        ),
    )
    assert row["host.write.lat_ns.p99_9"] == by_hand["host"]["write"]["lat_ns"]["p99_9"]
    assert row["config.buffer.eviction"] == "cave" and row["sim.requests"] == 300
    assert row["dies"] == by_hand["dies"] and row["channels"] == by_hand["channels"]
    flat = {key for key in row if key.startswith("ftl.")}
    assert {"ftl.execution_time_ns", "ftl.merges.full", "ftl.wear.stddev"} < flat
    # The neighbouring row, of another seed, is another run.
    assert rows[-1]["host.write.lat_ns.mean"] != by_hand["host"]["write"]["lat_ns"]["mean"]


@pytest.mark.slow
def test_table_does_not_depend_on_the_number_of_jobs(sweeping: Workspace) -> None:
    for out, jobs in (("one", 1), ("four", 4)):
        done = sweep(sweeping.folder, "spec.toml", "--out", out, "--jobs", jobs)
        assert done.returncode == 0, done.stderr
    one, four = (table(sweeping.folder / out) for out in ("one", "four"))
    assert without_moment(one) == without_moment(four)
    assert one != four  # the comparison sees the wall-clock fields that were left out


@pytest.mark.slow
def test_failed_run_is_a_row_and_the_sweep_goes_on(sweeping: Workspace) -> None:
    sweeping.write("bad.csv", "time_us,op,offset,size\n0,W,0,4096\n1,X,0,4096\n")
    sweeping.write("spec.toml", 'config = "drive.toml"\ntraces = ["bad.csv", "trace.csv"]\n')
    done = sweep(sweeping.folder, "spec.toml", "--out", "out")
    assert done.returncode == 1
    assert done.stdout == "out/table.parquet: 2 runs, 1 failed\n"
    assert done.stderr.startswith("failed: trace bad: error: bad.csv:3: op ")
    bad, good = table(sweeping.folder / "out")
    assert (bad["trace"], bad["status"], good["trace"], good["status"]) == ("bad", 2, "trace", 0)
    assert bad["error"].startswith("error: bad.csv:3: ") and bad["host.write.count"] is None
    assert good["error"] == "" and good["host.write.count"] == 2
    # It is tried again when the sweep goes on, and gone once the mistake is.
    sweeping.write("bad.csv", "time_us,op,offset,size\n0,W,0,4096\n")
    done = sweep(sweeping.folder, "spec.toml", "--out", "out", "--resume")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "out/table.parquet: 2 runs, 1 were there\n"


@pytest.mark.slow
def test_combination_that_cannot_be_is_a_failed_run(sweeping: Workspace) -> None:
    # 16 MiB of buffer fit an SDRAM of 64 MiB, not one of 1 MiB; each value suits some other one.
    sweeping.write(
        "spec.toml",
        """\
config = "drive.toml"
traces = ["trace.csv"]
[vary]
dram.size = ["1MiB", "64MiB"]
buffer.size = ["64KiB", "16MiB"]
""",
    )
    done = sweep(sweeping.folder, "spec.toml", "--out", "out")
    assert done.returncode == 1
    rows = table(sweeping.folder / "out")
    assert [row["status"] for row in rows] == [0, 2, 0, 0]
    assert "16MiB" in rows[1]["error"] and "64KiB" not in rows[1]["error"]


def stamps(folder: Path) -> dict[str, int]:
    """When each finished run was finished."""
    found = folder.glob("runs/[!.]*/summary.json")
    return {path.parent.name: path.stat().st_mtime_ns for path in found}


@pytest.mark.slow
def test_resume_runs_only_what_is_missing(sweeping: Workspace) -> None:
    out = sweeping.folder / "out"
    assert sweep(sweeping.folder, "spec.toml", "--out", "out").returncode == 0
    first, before = table(out), stamps(out)
    assert len(before) == 32
    gone = sorted(before)[:3]
    for name in gone:
        shutil.rmtree(out / "runs" / name)
    done = sweep(sweeping.folder, "spec.toml", "--out", "out", "--resume")
    assert done.stdout == "out/table.parquet: 32 runs, 29 were there\n"
    after = stamps(out)
    assert {name for name in before if after[name] != before[name]} == set(gone)
    assert without_moment(table(out)) == without_moment(first)
    # Without --resume all are run again.
    assert sweep(sweeping.folder, "spec.toml", "--out", "out").returncode == 0
    assert all(stamps(out)[name] != after[name] for name in after)


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
    workspace.write("w.toml", JOB.format(200_000))
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
RUNS_TO_STOP = 16


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
        assert stderr == "interrupted; finished runs are kept, --resume goes on\n"
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
    assert done.stdout == f"out/table.parquet: {RUNS_TO_STOP} runs, {len(finished)} were there\n"
    assert all(stamps(out)[name] == before[name] for name in finished)
    assert len(table(out)) == len(stamps(out)) == RUNS_TO_STOP
    assert not list(out.glob("runs/.*"))


@pytest.mark.slow
def test_half_a_result_is_no_result(sweeping: Workspace) -> None:
    # The control of the above: were results written in place, this is what a kill would leave.
    assert sweep(sweeping.folder, "spec.toml", "--out", "out").returncode == 0
    summary = next((sweeping.folder / "out").glob("runs/*/summary.json"))
    summary.write_bytes(summary.read_bytes()[:-20])
    done = sweep(sweeping.folder, "spec.toml", "--out", "out", "--resume")
    assert done.stdout == "out/table.parquet: 32 runs, 31 were there\n"


def on_terminal(folder: Path, *arguments: object) -> str:
    """What a sweep shows on a terminal's stderr."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command(*arguments),
        cwd=folder,
        stdout=subprocess.DEVNULL,
        env={**environment(), "TERM": "xterm", "COLUMNS": "80"},
        stderr=theirs,
    ) as process:
        os.close(theirs)
        text = b""
        with suppress(OSError) as _:
            while part := os.read(ours, 65536):
                text += part
        assert process.wait() == 0
    os.close(ours)
    return text.decode()


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal_only(sweeping: Workspace) -> None:
    shown = on_terminal(sweeping.folder, "spec.toml", "--out", "out", "--jobs", 1)
    assert "/32 runs" in shown and "/min" in shown
    assert "0:00:0" in shown  # time left
    # That nothing is shown elsewhere is asserted wherever stderr is compared.


@pytest.mark.slow
def test_two_sweeps_into_one_folder_are_refused(sweeping: Workspace) -> None:
    (sweeping.folder / "out").mkdir()
    with open(sweeping.folder / "out" / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = sweep(sweeping.folder, "spec.toml", "--out", "out")
        assert done.returncode == 2
        assert is_message(done.stderr, "out:1: another sweep is running *; *--out*")
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


def mistake(line: int, expected: str, old: str, new: str) -> Any:
    return pytest.param(line, expected, old, new, id=expected.replace("*", "").split(";")[0][:40])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "expected", "old", "new"),
    [
        mistake(1, "*not TOML*; *", '"drive.toml"', "drive.toml"),
        mistake(1, "config is missing; *configs/cave.toml*", 'config = "drive.toml"', ""),
        mistake(1, "no such file: drve.toml; *", "drive.toml", "drve.toml"),
        mistake(2, "no such file: trase.csv; *", "trace.csv", "trase.csv"),
        mistake(2, 'unknown key "trases"; did you mean "traces"?', "traces =", "trases ="),
        mistake(2, "traces is no list; *", '["trace.csv"]', '"trace.csv"'),
        mistake(
            2,
            "two traces and workloads are trace; *name*",
            '"trace.csv"',
            '"trace.csv", "trace.csv"',
        ),
        mistake(3, 'unknown key "nme"; *"name"*', "name =", "nme ="),
        mistake(3, 'limit: "300" is no whole number*; *', "limit = 300", 'limit = "300"'),
        mistake(4, "seeds: -2 is no whole number*; *", "[1, 2]", "[1, -2]"),
        mistake(4, "two seeds are 1; *", "[1, 2]", "[1, 1]"),
        mistake(7, 'unknown key "nand.t_eras"; *"nand.t_erase"*', "t_erase", "t_eras"),
        mistake(7, "nand.t_erase = *; *", '"1ms"', '"1MiB"'),
        mistake(7, "nand.t_erase has a value of another kind*; *", '"1ms"', "2020-01-01"),
        mistake(10, "buffer.size = *; *", '"16KiB"', '"16"'),
        mistake(10, "buffer.size = * is no list of values; *", '["16KiB", "64KiB"]', '"16KiB"'),
        mistake(10, "two values are *; *", '["16KiB", "64KiB"]', '["16KiB", "16KiB"]'),
        mistake(
            10,
            "the seed is no key to vary; *seeds = *",
            '"buffer.size" = ["16KiB", "64KiB"]',
            "seed = [1, 2]",
        ),
        mistake(10, "nand.t_erase varies and is set*; *", '"buffer.size"', '"nand.t_erase"'),
        mistake(14, "nand.ways has 3 values and nand.channels * 2; *", "[2, 1]", "[2, 1, 1]"),
        mistake(14, "nand.ways = 0*; *", "[2, 1]", "[2, 0]"),
        mistake(17, "alloc.scheme = *strip-page*; *", '"stripe-page"', '"strip-page"'),
        mistake(16, '"status" is a column already; *', "variants.drive", "variants.status"),
        mistake(
            10,
            "buffer.size varies in two places; *",
            'buffer.eviction = "cave"',
            'buffer.size = "1MiB"',
        ),
    ],
)
def test_mistake_in_a_description_is_one_line_and_leaves_nothing(
    line: int, expected: str, old: str, new: str, sweeping: Workspace
) -> None:
    text = (sweeping.folder / "spec.toml").read_text()
    assert old in text
    sweeping.write("spec.toml", text.replace(old, new))
    before = tree(sweeping.folder)
    done = sweep(sweeping.folder, "spec.toml", "--out", "out")
    assert is_message(done.stderr, f"spec.toml:{line}: {expected}"), done.stderr
    assert (done.returncode, done.stdout) == (2, "")
    assert tree(sweeping.folder) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["other.toml"], "other.toml:1: no such file; *"),
        (["spec.toml", "--scheduler", "tcp://a:1"], "<command line>:1: --scheduler is not *; *"),
        (["spec.toml", "--jobs", "0"], "<command line>:1: *--jobs*; see ./cavern sweep --help"),
        (["spec.toml", "--rezume"], "<command line>:1: *--rezume*; see ./cavern sweep --help"),
        ([], "<command line>:1: *SPEC*; see ./cavern sweep --help"),
        (["spec.toml", "--out", "drive.toml"], "drive.toml:1: cannot be made a folder*; *"),
        (["trace.csv"], "trace.csv:1: not TOML*; *"),
        (["."], ".:1: cannot be read*; *"),
    ],
)
def test_wrong_option_is_one_line_and_leaves_nothing(
    arguments: list[str], expected: str, sweeping: Workspace
) -> None:
    before = tree(sweeping.folder)
    done = sweep(sweeping.folder, *arguments)
    assert is_message(done.stderr, expected), done.stderr
    assert (done.returncode, done.stdout) == (2, "")
    assert tree(sweeping.folder) == before


@pytest.mark.parametrize("name", ["sweep", "reproduce"])
def test_front_door_has_the_command(name: str, front_door: Program) -> None:
    finished = front_door(name, "--help")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert f"cavern {name} [OPTIONS]" in finished.stdout
    assert f"\n  {name} " in front_door("--help").stdout


def test_columns_keep_what_was_in_the_rows(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"whole": 1, "mixed": 1, "word": "single", "list": [{"a": 1}], "none": None},
        {"whole": 2**62, "mixed": 0.5, "word": ["single", "idle"], "list": [{"a": 0.5}], "late": 3},
    ]
    write_parquet(rows, tmp_path / "t.parquet")
    back = pq.read_table(tmp_path / "t.parquet").to_pylist()
    assert [row["whole"] for row in back] == [1, 2**62]
    assert [row["mixed"] for row in back] == [1.0, 0.5]
    assert [json.loads(row["word"]) for row in back] == ["single", ["single", "idle"]]
    assert [row["list"] for row in back] == [[{"a": 1}], [{"a": 0.5}]]
    assert [row["late"] for row in back] == [None, 3] and back[0]["none"] is None


def test_lines_of_keys_are_found() -> None:
    lines = TomlLines(
        'a = 1\n[b]\n"c.d" = [\n  1,\n]\nc.d.e = 2\n[[f]]\nx = 1\n[[f]]\nx = 2\n[f.g]\ny = 3\n'
    )
    wanted = {
        ("a",): 1,
        ("b",): 2,
        ("b", "c.d"): 3,
        ("b", "c", "d", "e"): 6,
        ("f", 0, "x"): 8,
        ("f", 1): 9,
        ("f", 1, "x"): 10,
        ("f", 1, "g", "y"): 12,
    }
    assert {path: lines.of(*path) for path in wanted} == wanted
    assert lines.of("b", "none") == 2 and lines.of("none") == 1


def test_errno_of_a_missing_folder_is_not_swallowed() -> None:
    # suppress(OSError) in on_terminal stands for one error only: the terminal's other end closed.
    ours, theirs = pty.openpty()
    os.close(theirs)
    with pytest.raises(OSError) as caught:
        os.read(ours, 1)
    assert caught.value.errno == errno.EIO
    os.close(ours)
