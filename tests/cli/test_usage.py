"""How commands are called: help, slips, standard output, terminals."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from functools import partial
from pathlib import Path

import pytest
from cavern.__main__ import main
from cavern.demo import at_once, cavern
from cavern.names import DRIVE, suggestion
from cavern.simulator import SIMULATOR_COMMANDS

from tests.cli.programs import (
    BIN,
    ENVIRONMENT,
    ROOT,
    TRACE,
    Program,
    Workspace,
    front_door_in,
    tree,
)

RUN = ("run", "drive.toml", "--trace", "trace.csv", "--out", "out")


# ---- help ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["run", "serve", "firmware", "trace convert", "config", "config show"]
)
def test_help_has_the_form_of_the_commands_in_python(command: str, simulator: Program) -> None:
    lines = simulator(*command.split(), "--help").stdout.splitlines()
    assert lines[0].startswith(f"Usage: ./cavern {command} [OPTIONS]")
    assert lines[1] == "" and lines[2].startswith("  ")
    assert "Options:" in lines and max(map(len, lines)) <= 80
    assert not [line for line in lines if re.search("UINT|TEXT|REQUIRED|Needs", line)]


def test_help_says_what_an_option_takes(simulator: Program) -> None:
    text = simulator("run", "--help").stdout
    for option in ("--timeline-from", "--bus-waves-to", "--firmware-trace-from"):
        assert re.search(rf"^  {option} TIME$|^  {option} TIME ", text, re.MULTILINE)
    assert "  --limit N " in text and "  --set KEY=VALUE " in text
    assert "[default: out/run]" in " ".join(text.split())


def test_help_on_a_command_is_found_by_either_name(tmp_path: Path, simulator: Program) -> None:
    front_door_in(tmp_path)
    door = Program(tmp_path / "cavern", tmp_path)
    assert door("help", "test").stdout == door("test", "--help").stdout != door("help").stdout
    assert door("-V").stdout == door("--version").stdout
    assert simulator("-V").stdout == simulator("--version").stdout


def test_a_wheel_says_the_same_of_each_command(front_door: Program) -> None:
    text = front_door("help").stdout
    said = {
        name: re.findall(rf"^  {name}(?: \w+)? [^a-z].*?  (\S.*)$", text, re.MULTILINE)
        for name in SIMULATOR_COMMANDS
    }
    assert {name: "; ".join(sentences) for name, sentences in said.items()} == SIMULATOR_COMMANDS


# ---- slips --------------------------------------------------------------------------------------


def test_a_slip_of_a_command_is_seen(
    tmp_path: Path, simulator: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    front_door_in(tmp_path)
    door = Program(tmp_path / "cavern", tmp_path)
    for word, meant in {"rnu": "run", "cofnig": "config", "serch": "search", "x": ""}.items():
        right = f'did you mean "{meant}"? ' if meant else ""
        said = f'unknown command "{word}"; {right}'
        assert door(word).stderr == f"error: cavern:1: {said}./cavern --help lists the commands\n"
        assert main([word]) == 2
        shown = said.rstrip() + ("" if meant else " ")
        expected = f"error: <command line>:1: {shown}see ./cavern --help\n"
        assert capsys.readouterr().err == expected.replace("?see", "? see")
    assert simulator("config", "shwo").stderr == (
        'error: <command line>:1: unknown command "shwo"; did you mean "show"? '
        "see ./cavern config --help\n"
    )
    assert simulator("run", "cave", "--tarce", "x").stderr == (
        "error: <command line>:1: The following arguments were not expected: x --tarce; "
        'did you mean "--trace"? see ./cavern run --help\n'
    )


@pytest.mark.parametrize("name", ["cvae", "tlc", "bare", "elsewhere/cvae.toml"])
def test_a_slip_of_a_drive_is_seen_as_in_python(name: str, simulator: Program) -> None:
    assert simulator("config", "show", name).stderr == (
        f"error: {name}:1: no such file; {suggestion(DRIVE, name)}give the path of a readable TOML "
        'file, or a name that "cavern config drives" lists\n'
    )


# ---- names --------------------------------------------------------------------------------------


def test_what_comes_with_cavern_is_played_by_name(simulator: Program) -> None:
    played = simulator.simulate("tlc-nvme", "out", "--workload", "random-write", "--limit", 20)
    assert played["config"]["name"] == "tlc-nvme" and played["sim"]["requests"] == 20
    wrap = ("--set", "workload.out_of_range=wrap", "--limit", 20)
    traced = simulator.simulate("cave", "out", "--trace", "tpcc-136ms", *wrap)
    assert traced["run"]["input"]["path"] == "tpcc-136ms" and traced["run"]["input"]["sha256"]
    assert simulator("trace", "convert", "tpcc-136ms", "-", "--limit", 1).stdout.count("\n") == 2


def test_the_table_of_nand_commands_is_that_of_the_program(simulator: Program) -> None:
    printed = simulator("config", "nand-commands").stdout
    page = (ROOT / "docs" / "nand-commands.md").read_text(encoding="utf-8")
    assert printed.count("\n") > 10 and printed in page, "./cavern config nand-commands"


def test_the_page_of_drives_is_the_list_of_the_program(simulator: Program) -> None:
    printed = simulator("config", "drives", "--markdown").stdout
    assert printed == (ROOT / "docs" / "drives.md").read_text(encoding="utf-8"), (
        "./cavern config drives --markdown > docs/drives.md"
    )
    listed = json.loads(simulator("config", "drives", "--json").stdout)
    assert {row["name"] for row in listed} == {
        path.stem for path in (ROOT / "configs").glob("*.toml")
    }


# ---- standard output ----------------------------------------------------------------------------


def test_a_dash_is_standard_output(workspace: Workspace, simulator: Program) -> None:
    assert simulator(*RUN, "--requests", "r.csv").returncode == 0
    rows = (workspace.folder / "r.csv").read_text()
    before = tree(workspace.folder)
    done = simulator(*RUN, "--requests", "-")
    assert (done.returncode, done.stdout, done.stderr) == (0, rows, "")
    assert set(tree(workspace.folder)) == set(before)
    with open(workspace.folder / "redirected", "w+") as file:
        command = [str(BIN / "cavern-sim"), *RUN, "--requests", "-"]
        subprocess.run(command, cwd=workspace.folder, env=ENVIRONMENT, stdout=file, check=True)
        file.seek(0)
        assert file.read() == rows


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*RUN[:-1], "-"], "--out: - is standard output, which is no place for it; "),
        ([*RUN, "--waves", "-"], "--waves: - is standard output, which is no place for it; "),
        (
            [*RUN, "--requests", "-", "--decisions", "-"],
            "--requests and --decisions both go to standard output; name a file for one of them",
        ),
        (
            [*RUN, "--json", "--requests", "-"],
            "--json and --requests both go to standard output; name a file for one of them",
        ),
        (["serve", "drive.toml", "--requests", "-"], "--requests: - is standard output, "),
        (["firmware", "x.elf", "--log", "-"], "--log: - is standard output, "),
    ],
)
def test_a_dash_is_refused_where_there_is_no_room(
    arguments: list[str], said: str, workspace: Workspace, simulator: Program
) -> None:
    before = tree(workspace.folder)
    done = simulator(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: <command line>:1: {said}")
    assert tree(workspace.folder) == before


@pytest.mark.parametrize("command", ["sweep", "search", "demo"])
def test_a_dash_is_no_folder_of_results(
    command: str,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(workspace.folder)
    spec = 'config = "drive.toml"\ntraces = ["trace.csv"]\n[vary]\nnand.ways = [1, 2]\n'
    words = [] if command == "demo" else [str(workspace.write("spec.toml", spec))]
    before = tree(workspace.folder)
    assert main([command, *words, "--out", "-"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: <command line>:1: - is standard output, which is no place")
    assert said.count("\n") == 1 and tree(workspace.folder) == before


def test_a_part_of_the_demo_that_fails_says_why_itself(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    with pytest.raises(SystemExit, match="2"):
        at_once("drawing", {"figures": partial(cavern, "plot", "nowhere")})
    assert capfd.readouterr().err.startswith("error: nowhere")


def test_results_are_printed_as_json(workspace: Workspace, simulator: Program) -> None:
    shown = json.loads(simulator(*RUN, "--json").stdout)
    assert shown == json.loads((workspace.folder / "out" / "summary.json").read_text())
    config = json.loads(simulator("config", "show", "drive.toml", "--json").stdout)
    assert config == shown["config"]
    info = json.loads(simulator("trace", "info", "trace.csv", "--json", "-").stdout)
    assert info["requests"] == 3


def test_a_run_says_what_the_drive_holds_and_what_it_replaces(
    workspace: Workspace, simulator: Program
) -> None:
    first = simulator(*RUN).stdout
    identity = json.loads((workspace.folder / "out" / "summary.json").read_text())["run"]["id"]
    assert "replaces" not in first
    assert f"\n  out    out replaces run {identity}\n" in simulator(*RUN).stdout
    capacity = re.search(r"^  drive  (.*)$", first, re.MULTILINE)
    shown = simulator("config", "show", "drive.toml").stdout
    assert capacity and shown.startswith(f"# {capacity[1]}\n") and "MiB for the host" in shown


def test_old_defaults_under_new_flash_are_warned_of(
    workspace: Workspace, simulator: Program
) -> None:
    workspace.write("tlc.toml", '[nand]\npart = "tlc-16k"\nblocks_per_plane = 96\nchannels = 1\n')
    warned = simulator.simulate("tlc.toml", "out", "--trace", "trace.csv")["run"]["warnings"]
    assert [text for text in warned if "SLC drive of 2011" in text] != []
    calm = simulator.simulate("drive.toml", "out", "--trace", "trace.csv")["run"]["warnings"]
    assert [text for text in calm if "SLC drive of 2011" in text] == []


# ---- traces -------------------------------------------------------------------------------------


def test_a_folder_is_made_for_a_trace(workspace: Workspace, simulator: Program) -> None:
    assert simulator("trace", "convert", "trace.csv", "new/er/t.csv").returncode == 0
    assert (workspace.folder / "new" / "er" / "t.csv").read_text() == TRACE
    workspace.write("bad.csv", TRACE + "x\n")
    assert simulator("trace", "convert", "bad.csv", "other/t.csv").returncode == 2
    assert not (workspace.folder / "other").exists()


def test_a_table_of_ones_own_is_played(workspace: Workspace, simulator: Program) -> None:
    workspace.write("own.csv", "when;kind;lba;n\n5;write;0;8\n15;W;16;8\n25;r;0;8\n")
    columns = ("--columns", "time=when,op=kind,offset=lba:512,size=n:512")
    assert simulator("trace", "convert", "own.csv", "t.csv", *columns).returncode == 0
    assert (workspace.folder / "t.csv").read_text() == TRACE
    own = simulator.simulate("drive.toml", "out", "--trace", "own.csv", *columns)
    same = simulator.simulate("drive.toml", "out", "--trace", "trace.csv")
    assert own["host"] == same["host"] and own["run"]["id"] != same["run"]["id"]
    refused = simulator("run", "drive.toml", "--trace", "own.csv", "--out", "out")
    assert refused.returncode == 2 and "--columns says what the columns" in refused.stderr


# ---- terminals ----------------------------------------------------------------------------------


def test_keys_are_listed_in_the_width_of_the_terminal(simulator: Program) -> None:
    terminal, other = pty.openpty()
    subprocess.run(["stty", "cols", "100"], stdin=other, check=True)
    with subprocess.Popen(
        [BIN / "cavern-sim", "config", "list", "workload"], stdout=other, env=ENVIRONMENT
    ) as process:
        process.wait(timeout=20)
    os.close(other)
    text = os.read(terminal, 65536).decode()
    os.close(terminal)
    plain = simulator("config", "list", "workload").stdout
    assert max(map(len, text.splitlines())) <= 100 < max(map(len, plain.splitlines()))
    assert text.split() == plain.split()
