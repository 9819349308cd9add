"""Ctrl-C: exit status 130, with the results so far written and marked incomplete."""

from __future__ import annotations

import csv
import json
import signal
import time
from pathlib import Path

import pytest
from programs import Program, Workspace, tree

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


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=lambda sign: sign.name)
@pytest.mark.parametrize("arbiter", ["tlm", "lockstep"])
def test_interrupted_run_writes_what_it_has(
    arbiter: str, sign: signal.Signals, workspace: Workspace, simulator: Program
) -> None:
    workspace.write("endless.toml", ENDLESS)
    before = set(tree(workspace.folder))
    process = simulator.start("run", "drive.toml", "--workload", "endless.toml", "--out", "out",
                              "--set", f"channel.arbiter={arbiter}", *LOGS)
    try:
        wait_until_it_runs(workspace.folder)
        process.send_signal(sign)
        stdout, stderr = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert stderr == "" and "(interrupted)" in stdout
    assert set(tree(workspace.folder)) - before == {
        "out", "out/summary.json", "out/config.toml", "requests.csv", "decisions.jsonl",
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


def test_interrupt_while_a_trace_is_looked_through_leaves_nothing(
    workspace: Workspace, simulator: Program
) -> None:
    lines = [f"{i},W,{i * 7919 % 4096 * 512},512\n" for i in range(100_000)]
    path = workspace.write("long.csv", "time_us,op,offset,size\n")
    with path.open("a") as file:
        for _ in range(40):
            file.writelines(lines)
    before = set(tree(workspace.folder))
    process = simulator.start("run", "drive.toml", "--trace", "long.csv", "--out", "out", *LOGS)
    time.sleep(0.15)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    # Killed by the signal: nothing was simulated, so there is nothing to write. Shells say 130.
    assert process.returncode == -signal.SIGINT
    assert set(tree(workspace.folder)) == before
