"""fio's job files as people write them."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest
from cavern.simulator import ROOT

from tests.cli.fio_examples import EXAMPLES, Example
from tests.cli.programs import Json, Program, Workspace, sets
from tests.cli.test_requests import load as load_requests

#: Examples that want a larger drive than the one they are played on.
LARGE = ("cross-stripe-verify", "libzbc-rand-write", "zbd-rand-write", "zbd-seq-read")
BIG = sets(workload__out_of_range="wrap", nand__blocks_per_plane=4096)


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_of_fio_is_played_or_refused_by_its_key(
    example: Example, workspace: Workspace, simulator: Program
) -> None:
    workspace.write("job.fio", example.text)
    done = simulator(
        "run", "drive.toml", "--workload", "job.fio", "--limit", 200, "--out", "out", *BIG
    )
    if example.refused_by:
        assert done.returncode == 2
        assert re.search(rf"\b{example.refused_by}\b", done.stderr), done.stderr
        line = int(re.match(r"error: job\.fio:(\d+): ", done.stderr)[1])  # type: ignore[index]
        said = example.text.splitlines()[line - 1]
        assert said.startswith((f"{example.refused_by}", "[")), said
    elif done.returncode == 2:
        # The file is understood; this drive is too small for it.
        assert example.name in LARGE, done.stderr
        assert "region" in done.stderr or "beyond" in done.stderr or "zone" in done.stderr
    else:
        assert done.returncode == 0, done.stderr
        summary = json.loads((workspace.folder / "out" / "summary.json").read_text())
        assert summary["sim"]["requests"] == 200


def test_at_least_forty_examples_are_accepted() -> None:
    accepted = [example.name for example in EXAMPLES if not example.refused_by]
    assert len(accepted) >= 40
    assert {"fio-rand-read", "fio-seq-write", "ssd-test", "steadystate"} <= set(accepted)


def play(
    workspace: Workspace, simulator: Program, job: str, *arguments: object
) -> tuple[Json, list[dict[str, Any]]]:
    """The summary and every request."""
    workspace.write("job.fio", job)
    requests = workspace.folder / "requests.csv"
    summary = simulator.simulate(
        "drive.toml", "out", "--workload", "job.fio", "--requests", requests, *arguments
    )
    return summary, load_requests(requests)


#: Places with repetition, as many at a time as the depth says.
BASE = "[j]\nrw=randwrite\nbs=4k\niodepth=4\nioengine=libaio\ndirect=1\nnorandommap\n"


def test_time_based_goes_on_until_its_runtime(workspace: Workspace, simulator: Program) -> None:
    _, short = play(workspace, simulator, BASE + "size=64k\n")
    _, long = play(workspace, simulator, BASE + "size=64k\nruntime=20ms\ntime_based\n")
    assert len(short) == 16 < len(long)
    last = max(int(row["arrival_ns"]) for row in long)
    # The host has asked for one request more than it had room to send.
    assert 19_000_000 < last < 20_500_000
    # Without time_based the size ends it, and the runtime where it comes first.
    _, both = play(workspace, simulator, BASE + "size=64k\nruntime=20ms\n")
    assert len(both) == 16
    _, cut = play(workspace, simulator, BASE + "size=16m\nruntime=20ms\n")
    assert 16 < len(cut) < 4096
    assert 18_000_000 < max(int(row["arrival_ns"]) for row in cut) < 20_500_000


def test_time_without_end_is_refused_where_there_is_no_time(
    workspace: Workspace, simulator: Program
) -> None:
    workspace.write("job.fio", BASE + "size=64k\nruntime=20ms\ntime_based\n")
    run = ["run", "drive.toml", "--workload", "job.fio", "--set", "fidelity=untimed"]
    refused = simulator(*run)
    assert refused.returncode == 2
    assert refused.stderr.startswith('error: job.fio:1: job "j" goes on until its runtime is over')
    assert simulator(*run, "--limit", 50).returncode == 0


def test_ramp_time_is_warm_up(workspace: Workspace, simulator: Program) -> None:
    job = BASE + "size=16m\nnumber_ios=400\n"
    whole, every = play(workspace, simulator, job)
    ramped, counted = play(workspace, simulator, job + "ramp_time=10ms\n")
    assert whole["sim"]["simulated_ns"] == ramped["sim"]["simulated_ns"]
    late = [row for row in every if int(row["arrival_ns"]) >= 10_000_000]
    assert 0 < len(late) < len(every)
    assert [row["id"] for row in counted] == [row["id"] for row in late]
    assert ramped["host"]["write"]["count"] == len(late)


def test_stonewall_and_wait_for_hold_jobs_back(workspace: Workspace, simulator: Program) -> None:
    job = (
        "[global]\nioengine=null\nbs=4k\nsize=256k\niodepth=2\n[a]\nrw=write\n[b]\nrw=write\nbs=8k\n"
        "[c]\nstonewall\nrw=read\n[d]\nrw=trim\nwait_for=c\n"
    )
    _, rows = play(workspace, simulator, job)
    ends = {
        op: [int(row["complete_ns"]) for row in rows if row["op"] == op] for op in ("W", "R", "T")
    }
    begins = {
        op: [int(row["arrival_ns"]) for row in rows if row["op"] == op] for op in ("W", "R", "T")
    }
    assert [len(ends[op]) for op in ("W", "R", "T")] == [96, 64, 64]
    assert max(ends["W"]) <= min(begins["R"])
    assert max(ends["R"]) <= min(begins["T"])
    # The negative control: without, they run together.
    _, rows = play(workspace, simulator, job.replace("stonewall\n", "").replace("wait_for=c\n", ""))
    first = {op: min(int(row["arrival_ns"]) for row in rows if row["op"] == op) for op in "WRT"}
    assert max(first.values()) < max(int(row["complete_ns"]) for row in rows if row["op"] == "W")


def test_paced_jobs_behind_a_stonewall_keep_their_pace(
    workspace: Workspace, simulator: Program
) -> None:
    job = (
        "[global]\nbs=4k\nsize=256k\nnumber_ios=10\nrate_iops=1000\n"
        "[a]\nrw=write\n[b]\nstonewall\nrw=read\n"
    )
    _, rows = play(workspace, simulator, job)
    reads = sorted(int(row["arrival_ns"]) for row in rows if row["op"] == "R")
    end = max(int(row["complete_ns"]) for row in rows if row["op"] == "W")
    assert reads[0] >= end
    # fio sleeps when what is under way has ended: a read each 1 ms and its own latency, at most.
    slowest = max(int(row["latency_ns"]) for row in rows)
    gaps = [late - early for early, late in itertools.pairwise(reads)]
    assert all(1_000_000 <= gap <= 1_000_000 + slowest for gap in gaps)


def test_sizes_in_percent_and_none_at_all(workspace: Workspace, simulator: Program) -> None:
    capacity = simulator.simulate("drive.toml", "c", "--trace", "trace.csv")
    pages = capacity["ftl"]["logical_pages"] if "logical_pages" in capacity["ftl"] else None

    def touched(more: str) -> tuple[int, int]:
        _, rows = play(workspace, simulator, BASE + "number_ios=3000\n" + more)
        return min(int(row["offset"]) for row in rows), max(
            int(row["offset"]) + int(row["size"]) for row in rows
        )

    low, high = touched("")
    assert low < 0.02 * high
    if pages is not None:
        assert high <= pages * 8192
    half = touched("size=50%\n")
    assert 0.47 * high < half[1] <= 0.501 * high
    upper = touched("offset=50%\nsize=25%\n")
    assert 0.49 * high < upper[0] < 0.53 * high and 0.73 * high < upper[1] <= 0.752 * high


def test_filesize_is_the_region_and_size_what_is_written(
    workspace: Workspace, simulator: Program
) -> None:
    _, rows = play(workspace, simulator, BASE + "filesize=1m\nsize=128k\n")
    assert len(rows) == 32
    assert 512 * 1024 < max(int(row["offset"]) for row in rows) < 2**20


def test_block_sizes_of_a_range_and_their_alignment(
    workspace: Workspace, simulator: Program
) -> None:
    job = "[j]\nrw=randread\nnorandommap\nbsrange=1k-4k\nblockalign=8k\nsize=1m\nnumber_ios=400\n"
    _, rows = play(workspace, simulator, job)
    assert {int(row["size"]) for row in rows} == {1024, 2048, 3072, 4096}
    assert all(int(row["offset"]) % 8192 == 0 for row in rows)
    _, rows = play(workspace, simulator, job.replace("blockalign=8k\n", ""))
    assert any(int(row["offset"]) % 8192 != 0 for row in rows)


def test_what_is_ignored_is_said(workspace: Workspace, simulator: Program) -> None:
    summary, _ = play(workspace, simulator, BASE + "size=64k\nverify=crc32c\n")
    assert summary["run"]["warnings"][0] == (
        "job.fio:9: verify is ignored: no data are stored, and nothing is read back."
    )
    summary, _ = play(workspace, simulator, BASE + "size=64k\n")
    assert not any("ignored" in warning for warning in summary["run"]["warnings"])


MISTAKES = {
    "[global]\nrw=read\n": "error: job.fio:1: no section is a job; add a section [NAME]",
    "[j]\nsize=1m\nss=iops:1%\nlatency_target=5ms\n": (
        'error: job.fio:4: unknown key "latency_target"; docs/traces.md lists'
    ),
    "[j]\nsize=1m\nwait_for=k\n": 'error: job.fio:1: job "j" waits for "k", which is no job',
    "[j]\nsize=1m\nbs=$b\n": 'error: job.fio:3: bs "$b" names a variable',
    "[j]\nsize=120%\n": "error: job.fio:2: size ",
    "[j]\nsize=1m\nioengine=net\n": 'error: job.fio:3: ioengine "net" does something else',
    "[j]\nsize=1m\ntime_based\n": 'error: job.fio:1: job "j" is time_based without a runtime',
    "[j]\nsize=1m\nbsrange=4k\n": 'error: job.fio:3: bsrange "4k" is no range of sizes',
    "[j]\nbs=4KiB\n": 'error: job.fio:1: job "j" has a bs of 4000 bytes, no multiple of 512 bytes',
}


@pytest.mark.parametrize("job", MISTAKES)
def test_a_mistake_is_one_line(job: str, workspace: Workspace, simulator: Program) -> None:
    workspace.write("job.fio", job)
    done = simulator("run", "drive.toml", "--workload", "job.fio", "--out", "out")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith(MISTAKES[job]), done.stderr


def test_the_documents_list_every_key() -> None:
    source = (ROOT / "model" / "workload" / "fio_keys.cpp").read_text()
    text = (ROOT / "docs" / "traces.md").read_text()
    lists = re.findall(r'"([^"]*)"', source[source.index("kIgnored =") : source.index("Noted {")])
    words = " ".join(lists).split() + re.findall(r'(?:Noted|Key)\{"(\w+)"', source)
    assert len(words) > 150
    assert [word for word in words if f"`{word}`" not in text] == []
