"""What cannot be printed is lost: one line, exit status 2, whatever the command."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest
from cavern.simulator import BUILD

from tests.cli.programs import BIN, ENVIRONMENT, ROOT, Workspace

#: Standard output of these is what they are called for, or a part of it.
PRINTING = {
    "run": ["run", "drive.toml", "--trace", "trace.csv", "--out", "out"],
    "config list": ["config", "list"],
    "config list --json": ["config", "list", "--json"],
    "config show": ["config", "show", "drive.toml"],
    "config explain": ["config", "explain", "buffer.size"],
    "config schema": ["config", "schema"],
    "results list": ["results", "list"],
    "results schema": ["results", "schema"],
    "trace info": ["trace", "info", "trace.csv"],
    "trace convert": ["trace", "convert", "trace.csv", "-"],
    "firmware": ["firmware", str(BUILD / "firmware" / "hello.elf")],
    "serve": ["serve", "drive.toml", "--out", "out", "--run", "true"],
    "help": ["run", "--help"],
    "version": ["--version"],
}
LINE = "error: {}:1: cannot be written: No space left on device; "


def into(path: str, command: list[str], workspace: Workspace) -> subprocess.CompletedProcess[str]:
    with open(path, "w", encoding="utf-8") as output:
        return subprocess.run(
            command,
            cwd=workspace.folder,
            env={**ENVIRONMENT, "PYTHONPATH": str(ROOT / "python")},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.mark.parametrize("command", PRINTING)
def test_a_command_that_cannot_print_says_so(command: str, workspace: Workspace) -> None:
    words = [str(BIN / "cavern-sim"), *PRINTING[command]]
    done = into("/dev/full", words, workspace)
    where = "/dev/stdout" if command == "trace convert" else "<stdout>"
    assert done.returncode == 2
    *said, line = done.stderr.splitlines()  # a firmware's speed comes before
    assert line.startswith(LINE.format(where)), done.stderr
    assert [each for each in said if each.startswith("error: ")] == []
    # The control: nothing else is wrong with it.
    done = into("/dev/null", words, workspace)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "arguments", [["compare", "out"], ["--help"], ["sweep", "--help"]], ids=lambda words: words[0]
)
def test_so_does_one_in_python(arguments: list[str], workspace: Workspace) -> None:
    run = [str(BIN / "cavern-sim"), *PRINTING["run"], "--quiet"]
    assert into("/dev/null", run, workspace).returncode == 0
    words = [sys.executable, "-m", "cavern", *arguments]
    done = into("/dev/full", words, workspace)
    assert done.returncode == 2
    assert done.stderr == LINE.format("<stdout>") + "a place with room\n"
    assert into("/dev/null", words, workspace).returncode == 0


@pytest.mark.parametrize(
    ("shell", "status", "error"),
    [
        ("exec >&-; exec {}", 2, "error: <stdout>:1: is closed; a place with room\n"),
        ("exec > >(exec true); sleep 0.2; exec {}", 1, ""),
    ],
    ids=["closed", "a pipe that nobody reads"],
)
def test_one_in_python_without_a_reader(shell: str, status: int, error: str) -> None:
    words = shlex.join([sys.executable, "-m", "cavern", "--help"])
    done = subprocess.run(
        ["bash", "-c", shell.format(words)], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (status, error)


def test_a_status_of_its_own_hides_no_full_disk(workspace: Workspace) -> None:
    """A campaign ends with an exit."""
    words = [sys.executable, "-m", "cavern", "soak", "input", "--seeds", "1"]
    done = into("/dev/full", words, workspace)
    assert done.returncode == 2
    assert done.stderr.endswith(LINE.format("<stdout>") + "a place with room\n")
