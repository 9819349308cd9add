"""A result says what it is: id, command, input, files; and a folder holds files of one run."""

from __future__ import annotations

import copy
import fcntl
import hashlib
import html
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from cavern.__main__ import main as plots
from cavern.errors import NotAvailableError
from cavern.plots.finding import load_runs
from cavern.simulator import ROOT

from tests.cli.programs import BIN, ENVIRONMENT, Json, Program, Workspace, sets, tree
from tests.cli.test_determinism import without_wall_clock

JOB = """\
[[job]]
rw = "randrw"
bs = "4KiB"
size = "4MiB"
number_ios = {}
iodepth = 8
"""


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def drive(workspace: Workspace) -> Workspace:
    workspace.write("w.toml", JOB.format(2000))
    workspace.add_trace("long.csv", [(i, "W", i % 512 * 4096, 4096) for i in range(1500)])
    return workspace


def identity(simulator: Program, out: str, *arguments: object) -> Json:
    return simulator.simulate("drive.toml", out, *arguments)["run"]


def test_a_summary_says_what_was_run(drive: Workspace, simulator: Program) -> None:
    run = identity(
        simulator, "out", "--trace", "long.csv", "--format", "csv", "--limit", 1000, "--warmup", 200
    )
    assert run["input"] == {
        "kind": "trace",
        "path": "long.csv",
        "format": "csv",
        "sha256": sha256(drive.folder / "long.csv"),
        "limit": 1000,
        "warmup": 200,
        "flow": None,
        "state": None,
        "state_id": None,
    }
    assert run["version"] == (ROOT / "VERSION").read_text().strip()
    assert re.fullmatch(r"[0-9a-f]{40}(-modified)?|unknown", run["commit"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", run["started"])
    assert re.fullmatch(r"[0-9a-f]{16}", run["id"])
    assert run["command"] == (
        "./cavern run drive.toml --out out --quiet --trace long.csv --format csv --limit 1000 "
        "--warmup 200"
    )


def test_the_id_tells_apart_what_gives_other_results(drive: Workspace, simulator: Program) -> None:
    played = ["--workload", "w.toml"]
    one = identity(simulator, "one", *played)
    assert identity(simulator, "two", *played)["id"] == one["id"]
    others = [
        identity(simulator, "a", *played, "--limit", 100),
        identity(simulator, "b", *played, "--warmup", 100),
        identity(simulator, "c", *played, "--seed", 9),
        identity(simulator, "d", *played, *sets(nand__ways=1)),
        identity(simulator, "e", "--trace", "long.csv"),
    ]
    drive.write("w.toml", JOB.format(2001))
    others.append(identity(simulator, "f", *played))
    assert len({one["id"], *(other["id"] for other in others)}) == 7


def test_the_summary_names_each_file_with_its_hash(drive: Workspace, simulator: Program) -> None:
    names = {"requests": "requests.csv", "decisions": "d.jsonl", "timeline": "timeline.json"}
    options = [part for what, name in names.items() for part in (f"--{what}", f"out/{name}")]
    waves = ["--waves", "w.fst", "--bus-waves", "out/b.fst", *sets(channel__arbiter="rtl")]
    (drive.folder / "out").mkdir()
    run = identity(simulator, "out", "--workload", "w.toml", *options, *waves)
    found = {file["what"]: file for file in run["files"]}
    assert list(found) == ["requests", "decisions", "timeline", "waves", "bus-waves"]
    for file in found.values():
        path = drive.folder / "out" / file["path"]
        assert (file["bytes"], file["sha256"]) == (path.stat().st_size, sha256(path))
    assert found["waves"]["path"] == "../w.fst"


@pytest.mark.slow
def test_a_run_removes_what_the_run_before_left(drive: Workspace, simulator: Program) -> None:
    out = drive.folder / "out"
    out.mkdir()
    logs = ["--requests", "out/requests.csv", "--decisions", "kept.jsonl"]
    identity(simulator, "out", "--workload", "w.toml", *logs, "--timeline", "out/timeline.json")
    drive.write("out/mine.txt", "notes")
    drive.write("out/mine.svg", "<svg/>")
    drive.write("out/mine.pdf", "%PDF")
    formats = [word for kind in ("png", "svg", "pdf") for word in ("--format", kind)]
    assert plots(["plot", str(out), *formats]) == 0 and plots(["report", str(out)]) == 0
    assert {path.suffix for path in out.glob("figures/latency_cdf.*")} == {".png", ".svg", ".pdf"}
    assert (out / "report.html").is_file()

    identity(simulator, "out", "--trace", "long.csv", "--timeline", "out/timeline.json")
    assert set(tree(out)) == {
        "summary.json",
        "config.toml",
        "timeline.json",
        "mine.txt",
        "mine.svg",
        "mine.pdf",
    }
    assert (drive.folder / "kept.jsonl").is_file()  # outside the folder


def test_a_refused_run_removes_nothing(drive: Workspace, simulator: Program) -> None:
    (drive.folder / "out").mkdir()
    identity(simulator, "out", "--workload", "w.toml", "--requests", "out/requests.csv")
    before = tree(drive.folder)
    assert simulator("run", "drive.toml", "--trace", "nope.csv", "--out", "out").returncode == 2
    assert tree(drive.folder) == before


def test_a_run_leaves_what_it_reads(drive: Workspace, simulator: Program) -> None:
    """Also where the run before has written a file of that name."""
    (drive.folder / "out").mkdir()
    identity(simulator, "out", "--workload", "w.toml", "--requests", "out/mine.csv")
    trace = drive.write("out/mine.csv", (drive.folder / "long.csv").read_bytes())
    identity(simulator, "out", "--trace", "out/mine.csv")
    assert trace.read_bytes() == (drive.folder / "long.csv").read_bytes()


def test_a_file_of_another_run_is_not_drawn(drive: Workspace, simulator: Program) -> None:
    (drive.folder / "one").mkdir()
    identity(simulator, "one", "--workload", "w.toml", "--requests", "one/requests.csv")
    identity(simulator, "two", "--trace", "long.csv")
    one, two = drive.folder / "one", drive.folder / "two"
    assert len(load_runs([one])[0].requests) == 2000
    (two / "requests.csv").write_bytes((one / "requests.csv").read_bytes())
    with pytest.raises(NotAvailableError, match="requests.csv is of another run"):
        _ = load_runs([two])[0].requests
    with (one / "requests.csv").open("a") as file:
        file.write("2000,W,0,4096,0,0,0,0,0,0,0,0,1,0,0\n")
    with pytest.raises(NotAvailableError, match="is not the file that run"):
        _ = load_runs([one])[0].requests


@pytest.mark.parametrize(
    "played",
    [
        ["--workload", "w.toml", "--limit", "700", "--warmup", "100", "--seed", "3"],
        ["--trace", "a trace's.csv", "--format", "csv", "--limit", "800"],
    ],
    ids=["workload", "trace"],
)
def test_run_again_repeats_the_run(played: list[str], drive: Workspace, simulator: Program) -> None:
    (drive.folder / "a trace's.csv").write_bytes((drive.folder / "long.csv").read_bytes())
    arguments = [*played, *sets(buffer__size="128KiB")]
    first = simulator.simulate("drive.toml", "out", *arguments)
    assert plots(["report", str(drive.folder / "out")]) == 0
    page = (drive.folder / "out" / "report.html").read_text()
    again = page.partition("Run again</h2>")[2]
    command = html.unescape(re.findall(r"<code>(./cavern run .*?)</code>", again)[0])
    (drive.folder / "out" / "summary.json").unlink()
    (drive.folder / "cavern").symlink_to(BIN / "cavern-sim")
    subprocess.run(command, shell=True, cwd=drive.folder, env=ENVIRONMENT, check=True)
    second = json.loads((drive.folder / "out" / "summary.json").read_text())
    assert without_wall_clock(second) == without_wall_clock(first)
    # The negative control: what the command could have left out does change the run.
    less = [word for word in shlex.split(command)[1:] if word not in ("--limit", "700", "800")]
    assert simulator(*less).returncode == 0
    third = json.loads((drive.folder / "out" / "summary.json").read_text())
    assert third["run"]["id"] != first["run"]["id"]
    assert third["sim"]["requests"] != first["sim"]["requests"]


@pytest.mark.slow
def test_a_page_says_first_that_the_inputs_differ(drive: Workspace, simulator: Program) -> None:
    identity(simulator, "one", "--workload", "w.toml")
    identity(simulator, "two", "--trace", "long.csv")
    identity(simulator, "three", "--trace", "long.csv", *sets(nand__ways=1))
    told = "These runs did not play the same:"
    page = drive.folder / "page.html"
    for names, says in ((("one", "two"), True), (("two", "three"), False)):
        folders = [str(drive.folder / name) for name in names]
        assert plots(["report", *folders, "--out", str(page)]) == 0
        text = page.read_text()
        assert (told in text) is says
        assert not says or text.index(told) < text.index('<section id="headline">')


def test_two_runs_into_one_folder_are_refused(drive: Workspace, simulator: Program) -> None:
    (drive.folder / "out").mkdir()
    before = tree(drive.folder)
    folder = os.open(drive.folder / "out", os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        refused = simulator("run", "drive.toml", "--workload", "w.toml", "--out", "out")
    finally:
        os.close(folder)
    assert refused.returncode == 2
    assert refused.stderr == (
        "error: out:1: another run is writing into this folder; wait for it, or choose another "
        "folder with --out\n"
    )
    assert tree(drive.folder) == before
    simulator.simulate("drive.toml", "out", "--workload", "w.toml")


# ---- warnings -----------------------------------------------------------------------------------

ZEROS = "pages were read that were never written"
NOTHING_PLAYED = "Nothing was played"
NOTHING_MEASURED = "Nothing was measured"
NOT_COLLECTED = "nothing was collected in the run"
THROTTLED = "buffer.linear-threshold.max = 1 lets fewer pages leave than the dies program at a time"

WARNED: dict[str, list[object]] = {
    ZEROS: ["--workload", "reads.toml"],
    NOTHING_PLAYED: ["--trace", "long.csv", "--limit", 0],
    NOTHING_MEASURED: ["--trace", "long.csv", "--warmup", 5000],
    NOT_COLLECTED: [
        "--trace",
        "trace.csv",
        *sets(precondition__fill=0.5, precondition__overwrite=0.1),
    ],
    THROTTLED: [
        *("--workload", "writes.toml", "--set", "buffer.linear-threshold.max=1"),
        *sets(buffer__eviction="linear-threshold", buffer__size="64KiB"),
    ],
}


def digest(simulator: Program, out: str, *arguments: object) -> tuple[list[str], str]:
    """The warnings of a summary, and what was printed."""
    done = simulator("run", "drive.toml", "--out", out, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    summary = json.loads((simulator.folder / out / "summary.json").read_text())
    return summary["run"]["warnings"], done.stdout


@pytest.mark.parametrize("sentence", WARNED)
def test_what_misleads_is_said(sentence: str, drive: Workspace, simulator: Program) -> None:
    drive.write("reads.toml", JOB.format(3000).replace("randrw", "randread"))
    drive.write("writes.toml", JOB.format(3000).replace("randrw", "randwrite"))
    warnings, printed = digest(simulator, "out", *WARNED[sentence])
    assert any(sentence in warning for warning in warnings)
    for warning in warnings:
        assert f"  warning: {warning}\n" in printed


def test_an_empty_trace_is_said(drive: Workspace, simulator: Program) -> None:
    drive.write("empty.csv", "time_us,op,offset,size\n")
    warnings, printed = digest(simulator, "out", "--trace", "empty.csv")
    assert warnings == ["Nothing was played: the trace has no request."]
    assert printed.startswith("drive: 0 IOPS, 0.0 MB/s, WAF -\n")


@pytest.mark.slow
def test_a_run_that_misleads_nobody_has_no_warning(drive: Workspace, simulator: Program) -> None:
    writes = JOB.replace("randrw", "randwrite").replace("4MiB", "16MiB").format(100_000)
    drive.write("writes.toml", writes)
    warnings, printed = digest(
        simulator,
        "out",
        "--workload",
        "writes.toml",
        *sets(precondition__fill=1, precondition__overwrite=1),
    )
    assert warnings == [] and "warning" not in printed


def test_the_digest_leads_with_rates_and_amplification(
    drive: Workspace, simulator: Program
) -> None:
    _, printed = digest(simulator, "out", "--workload", "w.toml")
    summary = json.loads((drive.folder / "out" / "summary.json").read_text())
    host = summary["host"]
    assert printed.splitlines()[0] == (
        f"drive: {host['iops']:.0f} IOPS, {host['bandwidth_bps'] / 1e6:.1f} MB/s, "
        f"WAF {summary['ftl']['waf']:.3f}"
    )
    assert host["iops"] > 0 and summary["ftl"]["waf"] > 0


def test_what_a_page_repeats_of_the_warnings(drive: Workspace, simulator: Program) -> None:
    warnings, _ = digest(simulator, "out", "--trace", "long.csv", "--limit", 0)
    assert plots(["report", str(drive.folder / "out")]) == 0
    page = html.unescape((drive.folder / "out" / "report.html").read_text())
    assert all(warning in page for warning in warnings) and warnings
    # An older summary has none.
    path = drive.folder / "out" / "summary.json"
    older = copy.deepcopy(json.loads(path.read_text()))
    del older["run"]
    path.write_text(json.dumps(older))
    assert plots(["report", str(drive.folder / "out")]) == 0
