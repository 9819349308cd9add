"""`trace info`, `convert` and `generate`: what they write, and what they refuse."""

from __future__ import annotations

import gzip
import json
import lzma
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cavern.plots.style import style
from cavern.plots.trace_picture import draw

from tests.cli.programs import ROOT, Json, Program, Workspace, tree

SAMPLES = ROOT / "tests" / "reference" / "traces"
TRACES = sorted(
    path
    for path in (ROOT / "traces").iterdir()
    if path.is_file() and path.suffix not in (".md", ".py")
)
WORKLOADS = sorted((ROOT / "traces" / "workloads").glob("*.toml"))

#: No trims and flushes, whole sectors, whole microseconds: every format can say this.
PLAIN = """\
time_us,op,offset,size
0,W,0,4096
10,R,8192,512
11,R,1048576,65536
"""
ODD = "time_us,op,offset,size\n0,T,0,4096\n1,F,0,0\n2,W,100,100\n"


def formats(simulator: Program, option: str) -> list[str]:
    text = " ".join(simulator("trace", "convert", "--help").stdout.split())
    match = re.search(option, text)
    assert match is not None, text
    return match[1].split()


def requests(path: Path) -> list[tuple[str, ...]]:
    """The lines of a csv trace without header and comments."""
    opened = lzma.open(path, "rt") if path.suffix == ".xz" else path.open()
    with opened as file:
        rows = [tuple(line.rstrip("\n").split(",")) for line in file if not line.startswith("#")]
    assert rows[0] == ("time_us", "op", "offset", "size")
    return [(f"{float(time):.6f}", *rest) for time, *rest in rows[1:]]


def test_every_format_written_is_read_again_as_it_was(
    workspace: Workspace, simulator: Program
) -> None:
    workspace.write("plain.csv", PLAIN)
    written = formats(simulator, r"--to .*? format written: ((?:[a-z]+ )+[a-z]+)\b")
    written = [name for name in written if name in formats(simulator, r"detecting it: ([a-z ]+)")]
    assert {"csv", "spc", "msr", "disksim", "mqsim", "fio"} <= set(written)
    for name in written:
        for arguments in (["plain.csv", f"t.{name}", "--to", name], [f"t.{name}", "again.csv"]):
            done = simulator("trace", "convert", *arguments)
            assert (done.returncode, done.stderr) == (0, ""), name
        assert (workspace.folder / "again.csv").read_text() == PLAIN, name


@pytest.mark.slow
@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.name)
def test_every_trace_is_converted_to_csv_as_it_stands(
    trace: Path, workspace: Workspace, simulator: Program
) -> None:
    done = simulator("trace", "convert", trace, "t.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert requests(workspace.folder / "t.csv") == requests(trace)
    text = (workspace.folder / "t.csv").read_bytes()
    packed = {"t.gz": gzip.compress(text, compresslevel=1), "t.xz": lzma.compress(text, preset=0)}
    for name, content in packed.items():
        workspace.write(name, content)
        assert simulator("trace", "convert", name, "again.csv").returncode == 0
        assert (workspace.folder / "again.csv").read_bytes() == text


def test_what_a_format_cannot_say_is_refused_or_left_out(
    workspace: Workspace, simulator: Program
) -> None:
    workspace.write("odd.csv", ODD)
    before = tree(workspace.folder)
    done = simulator("trace", "convert", "odd.csv", "odd.spc", "--to", "spc")
    assert done.returncode == 2
    assert done.stderr.startswith("error: odd.csv:2: a trim has no form in spc; ")
    assert tree(workspace.folder) == before
    done = simulator("trace", "convert", "odd.csv", "odd.spc", "--to", "spc", "--lossy")
    assert done.returncode == 0
    assert done.stderr == "cavern: 1 requests written, 2 left out, 1 rounded to sectors\n"
    assert simulator("trace", "convert", "odd.csv", "odd.csv").returncode == 2
    assert simulator("trace", "convert", "odd.csv", "x", "--to", "blkparse").returncode == 2


@pytest.mark.parametrize("version", [1, 2])
def test_a_binary_trace_is_converted_and_its_mistakes_are_named_by_record(
    version: int, workspace: Workspace, simulator: Program
) -> None:
    sample = SAMPLES / f"sample.vscsi{version}"
    assert simulator("trace", "convert", sample, "t.csv").returncode == 0
    assert requests(workspace.folder / "t.csv") == [
        ("0.000000", "R", str(42932745 * 512), "512"),
        ("0.000000", "W", "4096", "4096"),
        ("11.000000", "F", "0", "0"),
        ("2000000.000000", "W", str(2**40 * 512), str(2**30)),
    ]
    workspace.write("cut.vscsi", sample.read_bytes()[:-5])
    done = simulator("trace", "convert", "cut.vscsi", "again.csv")
    assert done.returncode == 2
    size = {1: 32, 2: 40}[version]
    assert done.stderr == (
        f"error: cut.vscsi:record 7: the trace ends inside this record ({size - 5} of {size} "
        f"bytes); a record of version {version} has {size} bytes\n"
    )
    assert not (workspace.folder / "again.csv").exists()


def counts_fit(info: Json, printed: str) -> bool:
    """Whether the requests are those of each kind, and every line is printed."""
    words = ("requests", "random", "footprint", "inter-arrival", "reuse", "common sizes")
    kinds = ("read", "write", "trim", "flush")
    return info["requests"] == sum(info[op]["count"] for op in kinds) and all(
        re.search(rf"^{word}\b", printed, re.MULTILINE) for word in words
    )


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("sample.*")), ids=lambda path: path.name)
def test_info_counts_and_draws_every_format(sample: Path, simulator: Program) -> None:
    if sample.suffix == ".job":
        pytest.skip("a workload, no trace")
    done = simulator("trace", "info", sample, "--json", "info.json")
    assert done.returncode == 0, done.stderr
    info = json.loads((simulator.folder / "info.json").read_text())
    assert counts_fit(info, done.stdout)
    assert not counts_fit({**info, "requests": info["requests"] + 1}, done.stdout)
    with style():
        assert len(draw(info).axes) >= 6


@pytest.mark.slow
def test_info_writes_counts_and_pictures(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cavern", "trace", "info", str(SAMPLES / "sample.csv")]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "out")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert counts_fit(json.loads((tmp_path / "out" / "info.json").read_text()), done.stdout)
    for suffix in (".png", ".svg"):
        assert (tmp_path / "out" / f"trace{suffix}").stat().st_size > 5000


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda path: path.name)
def test_a_workload_is_generated_the_same_again_and_otherwise_with_another_seed(
    workload: Path, workspace: Workspace, simulator: Program
) -> None:
    def made(*arguments: object) -> str:
        done = simulator("trace", "generate", workload, "g.csv", "--limit", 500, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        return (workspace.folder / "g.csv").read_text()

    assert made().count("\n") == 501
    assert made() == made()
    text = workload.read_text()
    if "\nseed" not in text:
        assert (made() != made("--seed", 7)) == ("rand" in text or "poisson" in text)


@pytest.mark.slow
def test_a_fit_has_the_statistics_asked_for(workspace: Workspace, simulator: Program) -> None:
    target = next(path for path in WORKLOADS if "[target]" in path.read_text())
    done = simulator("trace", "generate", target, "fit.toml", "--fit")
    assert done.returncode == 0, done.stderr
    done = simulator("trace", "generate", "fit.toml", "fit.csv", "--limit", 200_000)
    assert done.returncode == 0, done.stderr
    done = simulator("trace", "info", "fit.csv", "--json", "info.json")
    assert done.returncode == 0, done.stderr
    info = json.loads((workspace.folder / "info.json").read_text())
    match = re.search(r"^reads_percent = ([\d.]+)", target.read_text(), re.MULTILINE)
    assert match is not None
    reads = 100 * info["read"]["count"] / info["requests"]
    assert reads == pytest.approx(float(match[1]), abs=1)
