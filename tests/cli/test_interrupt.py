"""Ctrl-C: exit status 130, with the results so far written and marked incomplete."""

from __future__ import annotations

import csv
import errno
import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.cli.programs import Program, Workspace, tree

#: Hours, were it not interrupted.
ENDLESS = """\
[[job]]
rw = "randrw"
bs = "4KiB"
size = "4MiB"
number_ios = 1000000000000
iodepth = 8
"""

LOGS = ["--requests", "requests.csv", "--decisions", "decisions.jsonl"]


def wait_until_it_runs(folder: Path) -> None:
    """Results grow only while requests are being simulated."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if any(path.stat().st_size > 0 for path in folder.glob("requests.csv.part-*")):
            return
        time.sleep(0.01)
    pytest.fail("the run did not begin")


def open_when_read(pipe: Path) -> int:
    """The writing end of a pipe, once someone has opened the other."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            assert error.errno == errno.ENXIO
        time.sleep(0.01)
    pytest.fail("nobody reads the pipe")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=lambda sign: sign.name)
@pytest.mark.parametrize("arbiter", ["tlm", "lockstep"])
def test_interrupted_run_writes_what_it_has(
    arbiter: str, sign: signal.Signals, workspace: Workspace, simulator: Program
) -> None:
    workspace.write("endless.toml", ENDLESS)
    before = set(tree(workspace.folder))
    with simulator.started(
        "run",
        "drive.toml",
        "--workload",
        "endless.toml",
        "--out",
        "out",
        "--set",
        f"channel.arbiter={arbiter}",
        *LOGS,
    ) as process:
        wait_until_it_runs(workspace.folder)
        process.send_signal(sign)
        stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert stderr == "" and "(interrupted)" in stdout
    assert set(tree(workspace.folder)) - before == {
        "out",
        "out/summary.json",
        "out/config.toml",
        "requests.csv",
        "decisions.jsonl",
    }

    summary = json.loads((workspace.folder / "out" / "summary.json").read_text())
    assert summary["schema"] == "cavern.summary/1"
    assert summary["complete"] is False
    requests = summary["sim"]["requests"]
    assert 0 < requests < 10**12
    host = summary["host"]
    assert host["read"]["count"] + host["write"]["count"] == requests
    assert summary["checks"]["invariants_checked"] > 0 and summary["checks"]["violations"] == 0
    # Commands that were on their way have been carried out, not dropped.
    with (workspace.folder / "requests.csv").open(newline="") as file:
        ids = sorted(int(row["id"]) for row in csv.DictReader(file))
    assert ids == list(range(requests))
    for line in (workspace.folder / "decisions.jsonl").read_text().splitlines():
        assert json.loads(line)["ev"] in {"write", "read", "evict", "program", "gc"}


def test_run_left_alone_is_complete(workspace: Workspace, simulator: Program) -> None:
    workspace.write("short.toml", ENDLESS.replace("1000000000000", "1000"))
    summary = simulator.simulate("drive.toml", "out", "--workload", "short.toml")
    assert summary["complete"] is True and summary["sim"]["requests"] == 1000


def test_pipe_that_is_interrupted_as_well_is_no_mistake(
    workspace: Workspace, simulator: Program
) -> None:
    # As Ctrl-C does to all of `xzcat ... | ./cavern run ... --trace -`: a line is cut in two.
    lines = [f"{i},W,{i % 4096 * 512},512" for i in range(20_000)]
    with simulator.started("run", "drive.toml", "--trace", "-", "--out", "out", *LOGS) as process:
        assert process.stdin
        process.stdin.write("\n".join(["time_us,op,offset,size", *lines, "20000,W"]))
        process.stdin.flush()
        wait_until_it_runs(workspace.folder)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
    assert (process.returncode, stderr) == (130, "")
    summary = json.loads((workspace.folder / "out" / "summary.json").read_text())
    assert summary["complete"] is False and 0 < summary["sim"]["requests"] <= 20_000


def test_interrupt_before_the_run_leaves_nothing(workspace: Workspace, simulator: Program) -> None:
    # A pipe without content holds it up while it looks at the beginning of the trace.
    pipe = workspace.folder / "pipe.csv"
    os.mkfifo(pipe)
    before = set(tree(workspace.folder))
    with simulator.started("run", "drive.toml", "--trace", pipe, "--out", "out", *LOGS) as process:
        writer = open_when_read(pipe)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        os.close(writer)
    # Ended by the signal: nothing was simulated, so there is nothing to write. Shells say 130.
    assert process.returncode == -signal.SIGINT
    assert set(tree(workspace.folder)) == before
