"""import cavern: runs, frames, comparisons and errors, and the documents about them."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import cavern
import pytest

from tests.cli.programs import CONFIGS, ROOT, Workspace

DOCUMENT = ROOT / "docs" / "python.md"
NOTEBOOK = ROOT / "examples" / "python" / "compare_drives.ipynb"
JOB = {"rw": "randrw", "bs": "4KiB", "size": "8MiB", "number_ios": 2500, "iodepth": 8}


@pytest.fixture
def result(workspace: Workspace) -> cavern.Result:
    folder = workspace.folder
    return cavern.run(folder / "drive.toml", {"job": [JOB]}, out=folder / "out", seed=3)


def test_frames_are_what_the_files_say(result: cavern.Result) -> None:
    with open(result.folder / "requests.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    frame = result.requests
    assert len(frame) == len(rows) == result["sim.requests"] == 2500
    for column in ("offset", "latency_ns", "flash_ns", "hits"):
        assert frame[column].tolist() == [int(row[column]) for row in rows]
    assert frame.index.tolist() == [int(row["id"]) for row in rows]
    assert [kind[0].upper() for kind in frame["op"]] == [row["op"] for row in rows]
    windows = result.windows
    assert windows["write_requests"].sum() == result["host.write.count"] > 0
    assert windows["read_bytes"].sum() == frame.query("op == 'read'")["size"].sum()
    one = result.windows_of(1e15)
    assert len(one) == 1 and one["write_p99_ns"][0] == pytest.approx(
        result["host.write.lat_ns.p99"], rel=1e-3
    )
    assert one["hit_ratio"][0] == pytest.approx(frame["hits"].sum() / frame["pages"].sum())
    assert len(result.channels) == len(result.summary["channels"])
    assert result.dies["programs"].tolist() == [row["programs"] for row in result.summary["dies"]]
    with pytest.raises(KeyError):
        result["host.write.latency"]


def test_overrides_reach_the_run_however_they_are_told(workspace: Workspace) -> None:
    folder = workspace.folder

    def size(**overrides: Any) -> int:
        done = cavern.run(folder / "drive.toml", trace=folder / "trace.csv", **overrides)
        assert done.config["buffer"]["policy"] == "lru-block"
        found = done.config["buffer"]["size"]
        assert isinstance(found, int | str)
        return found  # type: ignore[return-value]

    plain = size(buffer__policy="lru-block")
    told = [
        size(buffer__size="16KiB", buffer__policy="lru-block"),
        size(buffer={"size": "16KiB", "policy": "lru-block"}),
        size(**{"buffer.size": "16KiB", "buffer.policy": "lru-block"}),
    ]
    assert told[0] == told[1] == told[2] != plain


def test_the_line_of_the_simulator_is_the_exception(workspace: Workspace) -> None:
    folder = workspace.folder
    drive, trace = folder / "drive.toml", folder / "trace.csv"
    with pytest.raises(cavern.SimulatorError) as caught:
        cavern.run(drive, trace=trace, nand__way=2)
    line = workspace_line(folder, "--trace", trace, "--set", "nand.way=2")
    assert (str(caught.value), caught.value.status) == (line, 2)
    with pytest.raises(cavern.SimulatorError, match="nowhere.csv:1: "):
        cavern.run(drive, trace=folder / "nowhere.csv")
    with pytest.raises(cavern.CavernError, match="nowhere.toml:1: no such file; "):
        cavern.sweep(folder / "nowhere.toml")
    unwritten = cavern.run(drive, trace=trace, requests=False)
    with pytest.raises(cavern.InputError, match="requests=True"):
        _ = unwritten.requests


def workspace_line(folder: Path, *arguments: object) -> str:
    from cavern.simulator import ENVIRONMENT, SIMULATOR

    command = [SIMULATOR, "run", folder / "drive.toml", *arguments, "--out", folder / "x"]
    done = subprocess.run(
        list(map(str, command)), env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    return done.stderr.strip()


def test_results_without_a_folder_go_with_their_result(workspace: Workspace) -> None:
    done = cavern.run(workspace.folder / "drive.toml", trace=workspace.folder / "trace.csv")
    folder = done.folder
    assert (folder / "summary.json").is_file()
    del done
    assert not folder.exists()


def test_a_drive_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cavern.api.inputs import drive, found

    monkeypatch.chdir(tmp_path)
    assert (
        drive("cave") == drive("cave.toml") == drive("configs/cave.toml") == CONFIGS / "cave.toml"
    )
    (tmp_path / "cave.toml").touch()
    assert drive("cave.toml") == Path("cave.toml")  # one's own goes first
    assert found("nothing", "traces") == Path("nothing")


def test_compare_is_the_table_of_the_command(result: cavern.Result, workspace: Workspace) -> None:
    other = cavern.run(
        workspace.folder / "drive.toml", {"job": [JOB]}, seed=3, buffer__size="16KiB"
    )
    frame = cavern.compare({"base": result, "small": other})
    assert list(frame.columns) == [
        ("base", "value"),
        ("small", "value"),
        ("small", "change"),
        ("small", "verdict"),
    ]
    hits = frame.loc["buffer.hit_ratio"]
    assert hits["base", "value"] == result["buffer.hit_ratio"] > other["buffer.hit_ratio"]
    assert hits["small", "verdict"] == "worse"
    change = other["buffer.hit_ratio"] / result["buffer.hit_ratio"] - 1
    assert hits["small", "change"] == pytest.approx(change)
    turned = cavern.compare({"base": result, "small": other}, baseline="small")
    assert turned.loc["buffer.hit_ratio"]["base", "verdict"] == "better"


def test_sweep_of_a_mapping_is_that_of_its_file(workspace: Workspace) -> None:
    folder = workspace.folder
    described = {
        "config": str(folder / "drive.toml"),
        "traces": [str(folder / "trace.csv")],
        "vary": {"buffer.size": ["16KiB", "64KiB"], "nand.ways": [1, 2]},
    }
    swept = cavern.sweep(described, out=folder / "swept")
    assert len(swept.table) == 4 and swept.failed.empty and swept.page.is_file()
    row = swept.table.iloc[-1]
    assert (row["vary.buffer.size"], row["vary.nand.ways"]) == ("64KiB", 2)
    alone = cavern.run(
        folder / "drive.toml", trace=folder / "trace.csv", buffer__size="64KiB", nand__ways=2
    )
    assert row["host.write.lat_ns.mean"] == alone["host.write.lat_ns.mean"]
    assert swept.result(row["run"])["host.write.lat_ns.mean"] == alone["host.write.lat_ns.mean"]
    described["vary"] = {"nand.ways": [1, 3000000]}
    with pytest.raises(cavern.InputError, match=r"nand\.ways"):
        cavern.sweep(described)


# ---- what documents show -------------------------------------------------------------------------


def blocks(text: str) -> str:
    """The Python of a document, as one program."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


def played(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_python_of_the_document_runs(tmp_path: Path) -> None:
    program = blocks(DOCUMENT.read_text(encoding="utf-8"))
    assert program.count("cavern.run(") >= 4 and "cavern.sweep(" in program
    done = played(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "better" in done.stdout
    # What does not hold is seen.
    wrong = program.replace("== 3000", "== 2999", 1)
    assert wrong != program and "AssertionError" in played(wrong, tmp_path).stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_notebook_is_executed(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=120, resources=resources).execute()
    shown = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    assert any("image/png" in out.get("data", {}) for out in shown)
    assert any("text/html" in out.get("data", {}) for out in shown)
    # A cell that fails is seen.
    notebook.cells = [nbformat.v4.new_code_cell("import cavern; cavern.run('no such drive')")]
    with pytest.raises(CellExecutionError, match="SimulatorError"):
        NotebookClient(notebook, timeout=120, resources=resources).execute()
