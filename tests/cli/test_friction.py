"""What once misled, blocked or broke somebody, and must not do so again."""

from __future__ import annotations

import gzip
import os
import pty
import resource
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.programs import (
    BIN,
    CONFIGS,
    ENVIRONMENT,
    ROOT,
    Program,
    Workspace,
    front_door_in,
    sets,
    tree,
)
from tests.cli.test_interrupt import ENDLESS, open_when_read
from tests.pace import within

NOBODY = 65534
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")


def as_nobody(
    command: Sequence[str | Path], folder: str | Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        user=NOBODY,
        group=NOBODY,
        check=False,
    )


# ---- full disks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--waves", "--bus-waves"])
def test_waves_that_do_not_fit_leave_nothing(
    option: str, workspace: Workspace, simulator: Program
) -> None:
    workspace.add_trace("long.csv", [(i, "W", i % 512 * 4096, 4096) for i in range(3000)])
    command = [
        str(BIN / "cavern-sim"),
        *("run", "drive.toml", "--trace", "long.csv", "--out", "out", option, "w.fst"),
        *sets(channel__arbiter="rtl"),
    ]

    def limited() -> None:
        """A file stops growing, as on a full disk."""
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 10, 3 << 10))

    before = tree(workspace.folder)
    done = subprocess.run(
        command,
        cwd=workspace.folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        preexec_fn=limited,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: w.fst:1: cannot be written to its end; name a file on a disk that has room\n"
    )
    assert tree(workspace.folder) == before
    assert simulator(*command[1:]).returncode == 0
    assert (workspace.folder / "w.fst").stat().st_size > 3 << 10


# ---- interrupting -------------------------------------------------------------------------------

LARGE = sets(precondition__fill=1, precondition__overwrite=1000, precondition__pattern="random")


@pytest.mark.parametrize("fidelity", ["at", "untimed"])
@pytest.mark.slow
def test_preconditioning_stops_within_a_second(
    fidelity: str, workspace: Workspace, simulator: Program
) -> None:
    before = tree(workspace.folder)
    run = ["run", "drive.toml", "--trace", "trace.csv", "--out", "out", *LARGE]
    with simulator.started(*run, "--set", f"fidelity={fidelity}") as process:
        time.sleep(1.5)
        assert process.poll() is None
        asked = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert within(time.monotonic() - asked, 1)
    assert process.returncode == 130
    assert tree(workspace.folder) == before


@pytest.mark.slow
def test_preconditioning_shows_progress_on_a_terminal(workspace: Workspace) -> None:
    terminal, other = pty.openpty()
    run = ["run", "drive.toml", "--trace", "trace.csv", *LARGE]
    with subprocess.Popen(
        [str(BIN / "cavern-sim"), *map(str, run)],
        cwd=workspace.folder,
        env=ENVIRONMENT,
        stderr=other,
        stdout=subprocess.DEVNULL,
    ) as process:
        time.sleep(2)
        process.kill()
    os.close(other)
    told = os.read(terminal, 65536).decode()
    os.close(terminal)
    assert "preconditioning" in told and "s left at most" in told


def test_a_second_interrupt_ends_at_once(workspace: Workspace, simulator: Program) -> None:
    workspace.write("endless.toml", ENDLESS)
    before = tree(workspace.folder)
    run = ["run", "drive.toml", "--workload", "endless.toml", "--requests", "requests.csv"]
    with simulator.started(*run, "--out", "out") as process:
        for _ in range(200):
            if any(workspace.folder.glob("requests.csv.part-*")):
                break
            time.sleep(0.02)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 130
    assert set(tree(workspace.folder)) - set(before) <= {
        "out",
        "out/summary.json",
        "out/config.toml",
        "requests.csv",
    }


@contextmanager
def heard(sign: signal.Signals) -> Iterator[None]:
    """Under nohup the tests ignore SIGHUP, and so would what they start."""
    ignored = signal.getsignal(sign) == signal.SIG_IGN
    if ignored:
        signal.signal(sign, signal.SIG_DFL)
    try:
        yield
    finally:
        if ignored:
            signal.signal(sign, signal.SIG_IGN)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_a_conversion_that_is_stopped_leaves_nothing(
    sign: signal.Signals, workspace: Workspace, simulator: Program
) -> None:
    pipe = workspace.folder / "pipe.csv"
    os.mkfifo(pipe)
    before = set(tree(workspace.folder))
    with heard(sign), simulator.started("trace", "convert", pipe, "out.csv") as process:
        writer = open_when_read(pipe)
        os.write(writer, b"time_us,op,offset,size\n" + b"0,W,0,4096\n" * 9000)
        for _ in range(500):
            if any(workspace.folder.glob("out.csv.part-*")):
                break
            time.sleep(0.01)
        assert any(workspace.folder.glob("out.csv.part-*"))
        process.send_signal(sign)
        process.communicate(timeout=20)
        os.close(writer)
    assert process.returncode == -sign
    assert set(tree(workspace.folder)) == before


def test_what_a_killed_run_left_is_swept(workspace: Workspace, simulator: Program) -> None:
    with subprocess.Popen(["true"]) as ended:
        pass
    workspace.write(f"requests.csv.part-{ended.pid}", "left")
    workspace.write(f"requests.csv.part-{os.getpid()}", "of a process that lives")
    workspace.write("requests.csv.part-x", "of somebody else")
    workspace.write(f"other.csv.part-{ended.pid}", "of another file")
    simulator.simulate("drive.toml", "out", "--trace", "trace.csv", "--requests", "requests.csv")
    left = {name for name in tree(workspace.folder) if ".part-" in name}
    assert left == {
        f"requests.csv.part-{os.getpid()}",
        "requests.csv.part-x",
        f"other.csv.part-{ended.pid}",
    }


@pytest.mark.slow
def test_interrupting_a_python_command_is_quiet(front_door: Program) -> None:
    for delay in (0.05, 0.15, 0.3, 0.6):
        with front_door.started("sweep", "nowhere.toml") as process:
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=30)
        assert "Traceback" not in stderr
        assert process.returncode in (-signal.SIGINT, 130, 2)


# ---- words --------------------------------------------------------------------------------------

DEEP = ".".join(["a"] * 50_000)


@pytest.mark.parametrize("text", [f"{DEEP} = 1\n", f"[{DEEP}]\n", f"x = {{{DEEP} = 1}}\n"])
def test_a_key_of_very_many_parts_is_refused(
    text: str, workspace: Workspace, simulator: Program
) -> None:
    workspace.write("deep.toml", text)
    refused = simulator("run", "deep.toml", "--trace", "trace.csv")
    assert refused.returncode == 2
    assert refused.stderr == "error: deep.toml:1: a key of many parts; a key has at most 64 parts\n"
    # A line of a workload has at most 64 KiB.
    workspace.write("deep.toml", text.replace(DEEP, DEEP[:20_001]))
    refused = simulator("run", "drive.toml", "--workload", "deep.toml")
    assert refused.returncode == 2 and "a key of many parts" in refused.stderr
    refused = simulator("run", "drive.toml", "--trace", "trace.csv", "--set", f"seed={{{DEEP}=1}}")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1


def test_a_list_of_very_many_numbers_is_no_deep_key(
    workspace: Workspace, simulator: Program
) -> None:
    times = ", ".join(['"0.5us"', '"1.5us"'] * 8)
    workspace.write("many.toml", f'extends = "drive.toml"\n[nand]\nt_program = [{times}]\n')
    shown = simulator("config", "show", "many.toml")
    assert "a key of many parts" not in shown.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nope.csv", "no such file; give the path of a readable trace, or one of "),
        (".", "is a folder; give the path of a trace\n"),
    ],
)
def test_trace_info_says_what_is_not_there(name: str, said: str, simulator: Program) -> None:
    done = simulator("trace", "info", name)
    assert done.returncode == 2 and done.stderr.startswith(f"error: {name}:1: {said}")


def test_a_section_is_explained(simulator: Program) -> None:
    explained = simulator("config", "explain", "buffer")
    assert explained.returncode == 0
    assert explained.stdout == simulator("config", "list", "buffer").stdout
    assert "buffer.policy" in explained.stdout


def test_nothing_silly_is_suggested(simulator: Program) -> None:
    assert "did you mean" not in simulator("config", "explain", "a").stderr
    assert 'did you mean "buffer.policy"' in simulator("config", "explain", "buffer.polcy").stderr


def test_a_number_that_is_too_large_is_called_that(
    workspace: Workspace, simulator: Program
) -> None:
    done = simulator(
        "run", "drive.toml", "--trace", "trace.csv", "--set", "seed=99999999999999999999"
    )
    assert done.returncode == 2
    assert "seed = 99999999999999999999 is too large" in done.stderr


@pytest.mark.parametrize("micro", ["us", "µs", "μs"])
def test_microseconds_have_three_spellings(
    micro: str, workspace: Workspace, simulator: Program
) -> None:
    shown = simulator("config", "show", "drive.toml", "--set", f"nand.t_read=25{micro}")
    assert shown.returncode == 0, shown.stderr
    assert 't_read = "25us"' in shown.stdout


def test_out_of_memory_is_called_that(workspace: Workspace) -> None:
    done = subprocess.run(
        [BIN / "cavern-sim", "run", CONFIGS / "conventional.toml", "--trace", "trace.csv"],
        cwd=workspace.folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (100 << 20, 100 << 20)),
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: out of memory; ") and done.stderr.count("\n") == 1


@AS_ROOT
def test_a_folder_of_somebody_else_is_refused_as_such(tmp_path: Path) -> None:
    place = Path("/tmp") / f"cavern-friction-{os.getpid()}"
    place.mkdir(mode=0o755)
    try:
        (place / "locked").mkdir(mode=0o700)
        (place / "drive.toml").write_text('name = "d"\n')
        (place / "trace.csv").write_text("time_us,op,offset,size\n0,W,0,4096\n")
        for built in ("bin/cavern-sim", "lib/libcavern-firmware.so"):
            (place / built).parent.mkdir()
            shutil.copy(BIN.parent / built, place / built)
        done = as_nobody(
            [
                place / "bin/cavern-sim",
                "run",
                "drive.toml",
                "--trace",
                "trace.csv",
                "--out",
                "locked/x",
            ],
            place,
            ENVIRONMENT,
        )
    finally:
        shutil.rmtree(place)
    assert done.returncode == 2
    assert "Permission denied" in done.stderr and "would write over" not in done.stderr


# ---- packed outputs -----------------------------------------------------------------------------


def unpacked(path: Path) -> bytes:
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    return subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout


@pytest.mark.parametrize(
    "ending",
    [
        ".gz",
        pytest.param(
            ".zst", marks=pytest.mark.skipif(not shutil.which("zstd"), reason="no zstd here")
        ),
    ],
)
def test_outputs_are_packed_by_name(ending: str, workspace: Workspace, simulator: Program) -> None:
    workspace.add_trace("long.csv", [(i, "W", i % 512 * 4096, 4096) for i in range(20_000)])
    assert simulator("trace", "convert", "long.csv", "plain.csv").returncode == 0
    assert simulator("trace", "convert", "long.csv", f"packed.csv{ending}").returncode == 0
    plain, packed = workspace.folder / "plain.csv", workspace.folder / f"packed.csv{ending}"
    assert unpacked(packed) == plain.read_bytes()
    assert packed.stat().st_size < plain.stat().st_size / 4
    logs = [f"--requests=r.csv{ending}", f"--decisions=d.jsonl{ending}"]
    first = simulator.simulate("drive.toml", "out", "--trace", packed.name, *logs)
    bytes_of = {
        name: (workspace.folder / name).read_bytes()
        for name in tree(workspace.folder)
        if name.endswith(ending)
    }
    assert unpacked(workspace.folder / f"r.csv{ending}").count(b"\n") == 20_001
    again = simulator.simulate("drive.toml", "out", "--trace", packed.name, *logs)
    assert [f["sha256"] for f in first["run"]["files"]] == [
        f["sha256"] for f in again["run"]["files"]
    ]
    for name, content in bytes_of.items():
        assert (workspace.folder / name).read_bytes() == content


# ---- the front door -----------------------------------------------------------------------------


def installation(folder: Path, name: str = "cavern tree") -> Path:
    """The front door with a build that is there already, but of nothing."""
    root = folder / name
    (root / "build" / "release" / "bin").mkdir(parents=True)
    front_door_in(root)
    for built in ("bin/cavern-sim", "lib/libcavern-firmware.so"):
        place = root / "build" / "release" / built
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(BIN.parent / built, place)
    return root


@AS_ROOT
def test_an_installation_that_may_not_be_written_runs(tmp_path: Path) -> None:
    place = Path("/tmp") / f"cavern-shared-{os.getpid()}"
    place.mkdir(mode=0o755)
    try:
        root = installation(place)
        environment = {**ENVIRONMENT, "HOME": "/"}
        done = as_nobody([root / "cavern", "config", "list", "host"], "/", environment)
        (root / "build" / "release" / "bin" / "cavern-sim").unlink()
        bare = as_nobody([root / "cavern", "config", "list", "host"], "/", environment)
    finally:
        shutil.rmtree(place)
    assert (done.returncode, done.stderr) == (0, "")
    assert "host.queue_depth" in done.stdout
    assert bare.returncode == 2 and "is not set up, and may not be written" in bare.stderr


def test_completion_is_a_script_of_its_shell(front_door: Program) -> None:
    script = front_door("completion", "bash").stdout
    complete = 'COMP_WORDS=({0} {1}); COMP_CWORD={2}; _cavern; printf "%s\\n" "${{COMPREPLY[@]}}"'

    def offered(words: str, at: int) -> list[str]:
        program = subprocess.run(
            ["bash", "-c", script + complete.format(shlex.quote(str(ROOT / "cavern")), words, at)],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=True,
        )
        return program.stdout.split()

    assert offered("re", 1) == ["report", "reproduce", "results"]
    assert "--timeline" in offered("run --ti", 2)
    assert "--requests" not in offered("run --ti", 2)
    assert "buffer.policy=" in offered("run drive.toml --set buffer.po", 4)
    assert "bashcompinit" in front_door("completion", "zsh").stdout


def test_the_manual_page_has_every_command_and_option(front_door: Program) -> None:
    page = front_door("man").stdout
    assert page.startswith(".TH CAVERN 1")
    commands = [line.split()[0] for line in front_door("help").stdout.splitlines() if "  " in line]
    for command in commands[1:]:
        assert f"\\fB{command}" in page
    for option in ("\\-\\-warmup", "\\-\\-perfetto", "\\-\\-set"):
        assert option in page
    assert page.replace("\\-", "-") != page
