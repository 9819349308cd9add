"""The campaign: some seeds by day, thousands at night, and that it finds what is wrong."""

from __future__ import annotations

import random
import re
import shlex
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from cavern.simulator import ENVIRONMENT, SIMULATOR
from cavern.soak import command, draw, play, program
from cavern.soak.case import Case
from cavern.soak.program import started

from tests.cli.programs import ROOT

KINDS = sorted(draw.KINDS)


def soaked(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cavern", "soak", *map(str, arguments)],
        cwd=ROOT,
        env={**ENVIRONMENT, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_seeds_of_the_day_find_nothing(kind: str) -> None:
    done = soaked(kind, "--seeds", "1-12", "--jobs", 1)
    assert done.returncode == 0, done.stdout
    assert "12 cases, 0 failed" in done.stderr


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.nightly
def test_seeds_of_the_night_find_nothing(kind: str) -> None:
    done = soaked(kind, "--seeds", "1-2500")
    assert done.returncode == 0, done.stdout[-20_000:]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_a_seed_is_a_case(kind: str) -> None:
    assert draw.KINDS[kind](7) == draw.KINDS[kind](7) != draw.KINDS[kind](8)


def test_what_a_kind_is_about_stays_in_the_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    """No drive with zones loses its power: the zones go."""
    words = {**draw.words(), "ftl.scheme": ["zoned"]}
    monkeypatch.setattr(draw, "words", lambda: words)
    loss = {"power_loss.at": "5ms", "power_loss.recovery": "oob-scan"}
    drive = draw.drive(random.Random(1), loss)
    assert loss.items() <= drive.items()
    assert "ftl.scheme" not in drive
    assert draw.drive(random.Random(1), {})["ftl.scheme"] == "zoned"
    monkeypatch.setattr(draw, "wanted", {"ftl.scheme": "page", "power_loss.at": "7ms"})
    drive = draw.drive(random.Random(1), loss)
    assert (drive["ftl.scheme"], drive["power_loss.at"]) == ("page", "5ms")


def test_a_key_without_a_row_is_drawn_by_what_the_program_says_of_it() -> None:
    by_name = {key["name"]: draw.without_row(key) for key in draw.keys()}
    assert by_name["buffer.ref.window"] == [50, ["0", "1000000000"], "buffer.policy=ref"]
    assert by_name["nand.t_reset"] == [50, ["0ps", "1s"]]
    assert by_name["nand.reset"] == by_name["ftl.gc_pace"] == [50, []]
    assert by_name["nand.part"] is None
    undrawn = [one for one in by_name if one not in draw.table()["basic"] | draw.rows_of_more()]
    reasons = draw.table()["undrawn"]
    assert undrawn
    for name in undrawn:
        assert name in reasons or name.partition(".")[0] + "." in reasons, name


# ---- it can fail ---------------------------------------------------------------------------------


def broken(tmp_path: Path, script: str) -> Path:
    """A program in the place of the simulator, which mostly is that."""
    other = tmp_path / "broken-sim"
    other.write_text(f'#!/bin/bash\nsim={SIMULATOR}\n{script}\nexec $sim "$@"\n')
    other.chmod(other.stat().st_mode | stat.S_IXUSR)
    return other


@pytest.mark.slow
def test_what_never_starts_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cavern.soak.program.program", Path("/bin/sleep"))
    monkeypatch.setattr("cavern.soak.program.SECONDS", 3)
    with started("600", folder=tmp_path, says="stderr", ready=re.compile("now")) as run:
        begun = time.monotonic()
        assert run.ready is None and run.ended() == (-9, "no end after 3 s")
        assert time.monotonic() - begun < 3


@pytest.mark.slow
def test_a_drive_that_decides_otherwise_is_found_and_shrunk(tmp_path: Path) -> None:
    """With time it has more blocks to spare."""
    otherwise = 'case "$*" in *untimed*) ;; *run*) set -- "$@" --set ftl.overprovision=0.7;; esac'
    done = soaked("pair", "--seeds", "4", "--program", broken(tmp_path, otherwise))
    assert done.returncode == 1
    assert done.stdout.startswith("pair 4: at | untimed: ")
    commands = done.stdout.splitlines()
    again = "CAVERN_CHECK_LAWS=1 $CAVERN/cavern run $CAVERN/configs/conventional.toml --trace "
    timed, untimed = commands[-3:-1]
    assert timed.startswith(again)
    assert untimed.startswith(again)
    assert untimed.endswith("--set fidelity=untimed")
    whole = draw.pair(4)
    assert timed.count("--set") < len(whole.flags()) / 2
    assert commands[2].count(r"\n") < len(whole.rows) / 2


@pytest.mark.parametrize(
    ("kind", "script", "fault"),
    [
        ("pair", 'case "$1" in run) kill -SEGV $$;; esac', "exit -11: "),
        (
            "cut",
            'case "$1" in run) echo "error: power loss: lost" >&2; exit 1;; esac',
            "exit 1: error: power",
        ),
        ("input", 'case "$1" in run) echo oops >&2; exit 2;; esac', "not one line: oops"),
        ("serve", 'case "$*" in *--run*) exit 0;; serve*) exit 3;; esac', "exit 3: "),
        ("pair", 'case "$*" in *"config show"*) kill -FPE $$;; esac', "exit -8: "),
        ("debug", 'case "$1" in run) exit 0;; esac', "it waits for no debugger: "),
        (
            "debug",
            'case "$1" in run) echo \'localhost:1"\' >&2; kill -SEGV $$;; esac',
            "exit -11: ",
        ),
    ],
)
def test_what_no_run_may_do_is_found(tmp_path: Path, kind: str, script: str, fault: str) -> None:
    done = soaked(kind, "--seeds", "1", "--no-shrink", "--program", broken(tmp_path, script))
    assert done.returncode == 1
    assert done.stdout.startswith(f"{kind} 1: {fault}"), done.stdout


@pytest.mark.slow
def test_a_program_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "SECONDS", 1)
    monkeypatch.setattr(program, "program", broken(tmp_path, "echo begun; exec sleep 60"))
    assert program.ran("run") == (-1, "", "no end after 1 s")
    ready = re.compile("(begun)\n")
    with program.started("serve", folder=tmp_path, says="stdout", ready=ready) as begun:
        assert begun.ready
        assert begun.ended() == (-9, "no end after 1 s")


def test_a_door_that_is_open_is_found(tmp_path: Path) -> None:
    """One that takes two names of a file for two files, and one that writes over what it reads."""
    accepts = broken(tmp_path, 'case "$1" in run|serve) exit 0;; esac')
    done = soaked("door", "--seeds", "1-12", "--no-shrink", "--program", accepts)
    assert "one file under two names is accepted: " in done.stdout
    # Of this one a link leads to itself by way of another, and the program is to say so.
    circle = ("door", "--seeds", "70851", "--no-shrink")
    assert soaked(*circle).returncode == 0
    assert "Too many levels of symbolic links" in soaked(*circle, "--program", accepts).stdout
    writes = broken(tmp_path, 'case "$1" in run|serve) echo oops > drive.toml; exit 0;; esac')
    done = soaked("door", "--seeds", "1-12", "--no-shrink", "--program", writes)
    assert done.stdout.count("an input is overwritten: drive.toml") == 12


def test_a_block_that_is_older_than_what_was_flushed_is_found() -> None:
    """The client's own memory, without a drive."""
    from cavern.soak import serve

    class Drive:
        def read(self, offset: int, length: int) -> bytes:
            return diary.data(offset // serve.BLOCK, 3)[:length]

    diary = serve.Diary(64 * serve.BLOCK, random.Random(1))
    diary.asked = {5: 4}
    diary.durable = {5: 3}
    assert diary.fault(Drive()) == ""  # type: ignore[arg-type]
    diary.asked, diary.durable = {5: 4}, {5: 4}
    assert "older" in diary.fault(Drive())  # type: ignore[arg-type]
    diary.asked, diary.durable = {5: 2}, {}
    assert "later" in diary.fault(Drive())  # type: ignore[arg-type]


def test_faults_are_alike_up_to_the_first_number() -> None:
    assert play.kind_of("at | untimed: ftl.erases is 7 | 8") == "at | untimed: ftl.erases is "
    assert play.kind_of("exit 1: error: page 12 is old") == "error: page "
    assert play.kind_of("exit -11: without a word") == "without a word"


def test_a_case_that_does_not_fail_is_not_shrunk() -> None:
    case = Case("pair", 1, {"buffer.size": "16KiB"}, ("0,W,0,2048",))
    assert command.shrink(case, "a fault that it has not") == case


def test_a_spoilt_file_is_shrunk_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(case: Case) -> str:
        return "it" if case.text["drive.toml"] and b"x" in case.text["nand/part.toml"] else ""

    monkeypatch.setattr(command, "play", fault)
    files = {"drive.toml": b"extends", "nand/part.toml": b"a line\nx = 1\n"}
    small = command.shrink(Case("input", 1, {}, (), files), "it")
    assert {name: len(content) for name, content in small.text.items()} == {
        "drive.toml": 1,
        "nand/part.toml": 1,
    }


def test_a_case_is_made_small_for_a_while_only(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Case] = []

    def fault(case: Case) -> str:
        tries.append(case)
        if len(tries) == 2:
            monkeypatch.setattr("time.monotonic", lambda: 1e9)
        return "it" if case.rows else ""

    monkeypatch.setattr(command, "play", fault)
    rows = tuple(f"{at},W,0,2048" for at in range(8))
    assert command.shrink(Case("pair", 1, {}, rows), "it").rows == rows[4:]
    assert len(tries) == 2


@pytest.mark.slow
def test_a_command_plays_the_clients_again() -> None:
    case = replace(draw.served(3), settings={"power_loss.on_signal": "true", "data.store": "full"})
    words = shlex.split(case.commands())
    assert words[:2] == ["$CAVERN/cavern", "soak"]
    done = soaked(*words[2:])
    assert (done.returncode, done.stdout) == (0, "")
    done = soaked(*words[2:], "--set", "buffer.size=1KiB")
    assert done.stdout.startswith("serve 3: exit 2: error: <command line>:")
    for option in ("--set", "--with"):
        assert soaked("pair", option, "seed").returncode == 2


def test_commands_play_it_again(tmp_path: Path) -> None:
    case = Case(
        "input", 1, {}, ("0,W,0,2048",), {"input.csv": b"time_us,op,offset,size\n0,W,0,x\n"}
    )
    done = subprocess.run(
        ["bash", "-c", case.commands().replace("$CAVERN/cavern", str(SIMULATOR))],
        cwd=tmp_path,
        env={**ENVIRONMENT, "CAVERN": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith('error: input.csv:2: size "x" is not a number')


def test_seeds_that_are_none_are_refused() -> None:
    for seeds in ("x", "5-3", ""):
        done = soaked("pair", "--seeds", seeds)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
