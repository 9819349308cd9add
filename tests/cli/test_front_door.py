"""./cavern: its commands for configurations and help, from any folder, without loss of time."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from cavern.__main__ import COMMANDS

from tests.cli.programs import BIN, CONFIGS, ROOT, Program, Workspace, front_door_in, tree
from tests.pace import within


@pytest.mark.parametrize("option", [[], ["help"], ["-h"], ["--help"]])
def test_help_names_every_command(option: list[str], front_door: Program) -> None:
    finished = front_door(*option)
    assert (finished.returncode, finished.stderr) == (0, "")
    listed = {line.split()[0] for line in finished.stdout.splitlines() if line[:2] == "  "}
    assert listed == {*COMMANDS, *subcommands(front_door.folder), "completion"}


def subcommands(folder: Path) -> list[str]:
    """Those of the simulator, as its own help lists them."""
    text = Program(BIN / "cavern-sim", folder)("--help").stdout
    return re.findall(r"^  ([a-z]+) ", text.partition("Subcommands:")[2], re.MULTILINE)


def test_help_of_run_names_every_option(front_door: Program) -> None:
    finished = front_door("run", "--help")
    assert (finished.returncode, finished.stderr) == (0, "")
    for option in (
        "--trace",
        "--format",
        "--workload",
        "--set",
        "--limit",
        "--warmup",
        "--seed",
        "--out",
        "--requests",
        "--decisions",
        "--timeline",
        "--timeline-from",
        "--timeline-to",
        "--waves",
        "--quiet",
    ):
        assert f"  {option} " in finished.stdout


@pytest.mark.slow
@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("command", sorted({*COMMANDS}))
def test_python_commands_have_help(command: str, option: str, front_door: Program) -> None:
    words = [command, "info"] if command == "trace" else [command]
    finished = front_door(*words, option)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert f"cavern {' '.join(words)} [OPTIONS]" in finished.stdout


@pytest.fixture
def bare(tmp_path: Path) -> Program:
    """The front door of a tree in which nothing is set up."""
    folder = tmp_path / "bare"
    folder.mkdir()
    front_door_in(folder)
    return Program(folder / "cavern", folder)


@pytest.mark.parametrize("command", ["test", "run", "bench", "trace info", "trace"])
def test_help_on_a_command_sets_nothing_up(command: str, bare: Program) -> None:
    before = tree(bare.folder)
    finished = bare(*command.split(), "--help")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.startswith(f"usage: ./cavern {command} ")
    assert "once the first command has set Cavern up" in finished.stdout
    assert tree(bare.folder) == before


def test_version_stands_in_one_place(bare: Program, simulator: Program) -> None:
    version = (ROOT / "VERSION").read_text().strip()
    assert simulator("--version").stdout == f"cavern {version}\n"
    assert bare("--version").stdout.splitlines()[0] == f"cavern {version}"
    (bare.folder / "VERSION").write_text("98.7.6\n")
    assert bare("--version").stdout == (
        "cavern 98.7.6\n./cavern wheel makes a package of it for pip (README.md: Install)\n"
    )
    assert "\n## Install\n" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("arguments", [["frob"], ["trace-info"], [""], ["--frob"]])
def test_an_unknown_command_sets_nothing_up(arguments: list[str], bare: Program) -> None:
    before = tree(bare.folder)
    finished = bare(*arguments)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr.startswith(f'error: cavern:1: unknown command "{arguments[0]}"; ')
    assert tree(bare.folder) == before


def test_config_list_has_every_key_once(front_door: Program) -> None:
    finished = front_door("config", "list")
    assert (finished.returncode, finished.stderr) == (0, "")
    keys = [line.split()[0] for line in finished.stdout.splitlines()[1:] if line[:1].isalpha()]
    assert len(keys) == len(set(keys)) > 60
    assert {"seed", "buffer.policy", "nand.t_program", "channel.arbiter"} < set(keys)


def test_config_explain_tells_choice_default_and_source(front_door: Program) -> None:
    finished = front_door("config", "explain", "channel.arbiter")
    assert (finished.returncode, finished.stderr) == (0, "")
    for word in ("channel.arbiter", "tlm", "rtl", "lockstep"):
        assert word in finished.stdout


@pytest.mark.parametrize("config", sorted(path.name for path in CONFIGS.glob("*.toml")))
def test_config_show_prints_a_configuration_that_loads_back(
    config: str, front_door: Program
) -> None:
    shown = front_door("config", "show", CONFIGS / config)
    assert (shown.returncode, shown.stderr) == (0, "")
    (front_door.folder / "shown.toml").write_text(shown.stdout)
    again = front_door("config", "show", "shown.toml")
    assert (again.returncode, again.stderr) == (0, "")

    def values(text: str) -> list[str]:
        """Lines without the comments that say where a value came from."""
        return [line.split("#")[0].rstrip() for line in text.splitlines()]

    assert values(again.stdout) == values(shown.stdout)
    assert "[nand]" in values(shown.stdout)


def test_settings_reach_the_configuration_shown(workspace: Workspace, front_door: Program) -> None:
    plain = front_door("config", "show", "drive.toml").stdout
    changed = front_door("config", "show", "drive.toml", "--set", "host.queue_depth=3").stdout
    difference = set(changed.splitlines()) - set(plain.splitlines())
    assert len(difference) == 1 and "queue_depth = 3" in difference.pop()


def test_paths_are_those_of_the_caller(workspace: Workspace, front_door: Program) -> None:
    before = set(tree(workspace.folder))
    finished = front_door("run", "drive.toml", "--trace", "trace.csv")
    assert (finished.returncode, finished.stderr) == (0, "")
    # The default of --out.
    assert set(tree(workspace.folder)) - before == {
        "out",
        "out/run",
        "out/run/summary.json",
        "out/run/config.toml",
    }


def test_it_may_be_started_by_a_link_or_a_relative_path(front_door: Program) -> None:
    (front_door.folder / "tree").symlink_to(ROOT)
    finished = subprocess.run(
        ["tree/cavern", "config", "explain", "seed"],
        text=True,
        cwd=front_door.folder,
        capture_output=True,
        check=False,
    )
    assert (finished.returncode, finished.stderr) == (0, "")


def test_second_start_loses_no_time(front_door: Program) -> None:
    def took() -> float:
        start = time.perf_counter()
        finished = front_door("config", "explain", "seed")
        assert (finished.returncode, finished.stderr) == (0, "")
        return time.perf_counter() - start

    # 0.1 s beyond the simulator's own are promised; the rest is for the noise of a busy machine.
    fastest = min(took() for _ in range(5))
    print(f"{fastest:.3f} s")
    assert within(fastest, 0.4)


def test_second_start_touches_nothing(front_door: Program) -> None:
    # Neither a build nor the environment: what is newest stays as it was.
    def state() -> dict[str, int]:
        watched = [
            ROOT / "build" / "release" / "bin",
            ROOT / ".venv",
            ROOT / "build" / "configure.log",
        ]
        files = [file for path in watched for file in [path, *path.glob("*")]]
        return {str(file): file.stat().st_mtime_ns for file in files}

    before = state()
    assert any("cavern-sim" in name for name in before)
    assert front_door("config", "explain", "seed").returncode == 0
    assert state() == before


def test_without_a_build_system_it_says_so(bare: Program) -> None:
    # Everything is missing there; without dpkg it stops.
    folder = bare.folder
    (folder / "bin").mkdir()
    for tool in ("bash", "dirname", "mkdir", "flock", "sha256sum", "cut", "env"):
        found = shutil.which(tool)
        assert found
        (folder / "bin" / tool).symlink_to(found)
    finished = subprocess.run(
        [bare.path, "config", "list"],
        text=True,
        check=False,
        env={"PATH": str(folder / "bin")},
        capture_output=True,
    )
    assert finished.returncode == 2 and finished.stdout == ""
    assert finished.stderr.startswith("error: cavern:1: this is no Debian or Ubuntu system; ")
    assert len(finished.stderr.splitlines()) == 1
