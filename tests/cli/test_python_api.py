"""import cavern: runs, frames, comparisons and errors."""

from __future__ import annotations

import csv
import gzip
import subprocess
from pathlib import Path
from typing import Any

import cavern
import pytest
from cavern.toml_text import toml

from tests.cli.programs import ROOT, Workspace

#: These runs are too short for figures that nobody should be warned of.
pytestmark = pytest.mark.filterwarnings("ignore::cavern.CavernWarning")
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


def test_flows_and_states_are_told(workspace: Workspace) -> None:
    folder = workspace.folder
    for name in ("a", "b"):
        workspace.add_trace(f"{name}.csv", ((5.0 * i, "W", 4096 * i, 4096) for i in range(40)))
    traces = {name: folder / f"{name}.csv" for name in ("a", "b")}
    drive = folder / "drive.toml"
    both = cavern.run(drive, trace=traces, save_state=folder / "end.state")
    assert both.flows["name"].tolist() == ["a", "b"]
    assert both.flows["write.count"].tolist() == [40, 40]
    alone = cavern.run(drive, trace=traces, flow="b")
    assert alone.flows["write.count"].tolist() == [0, 40]
    later = cavern.run(drive, trace=traces["a"], load_state=folder / "end.state")
    assert later["run.input.state"] == str(folder / "end.state")
    assert later.flows.empty and both["run.input.state"] is None


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


def test_what_is_called_by_a_name_is_what_the_command_finds(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cavern.names import TRACE, WORKLOAD, find

    monkeypatch.chdir(workspace.folder)
    wrap: dict[str, Any] = {"workload__out_of_range": "wrap"}
    for name in ("cave", "cave.toml", "configs/cave"):
        assert cavern.run(name, "random-write", limit=5, **wrap).config["name"] == "cave"
    workspace.write("cave.toml", workspace.folder.joinpath("drive.toml").read_text())
    assert cavern.run("cave.toml", trace="trace.csv").config["name"] == "cave"  # one's own first
    # That folder goes before what comes with Cavern.
    more = workspace.folder / "more"
    more.mkdir()
    monkeypatch.setenv("CAVERN_TRACES", str(more))
    (more / "random-write.toml").write_text(toml({"job": [JOB | {"rw": "read"}]}))
    (more / "tpcc-136ms.csv.xz").write_text("time_us,op,offset,size\n0,R,0,4096\n")
    for kind, name in ((WORKLOAD, "random-write.toml"), (TRACE, "tpcc-136ms.csv.xz")):
        assert find(kind, name) == more / name
        played: dict[str, Any] = {kind.what: name}
        done = cavern.run("drive.toml", limit=5, **played)
        assert done["host.write.count"] == 0 < done["host.read.count"]


def test_requests_that_are_packed_are_read(result: cavern.Result) -> None:
    path = result.folder / "requests.csv"
    with gzip.open(result.folder / "requests.csv.gz", "wb") as file:
        file.write(path.read_bytes())
    path.unlink()
    assert len(result.requests) == 2500


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


def test_compare_calls_runs_after_what_they_are(workspace: Workspace) -> None:
    drive, trace = workspace.folder / "drive.toml", workspace.folder / "trace.csv"
    runs = [cavern.run(drive, trace=trace, buffer__size=size) for size in ("16KiB", "64KiB")]
    names = ["drive, buffer.size 16KiB", "drive, buffer.size 64KiB"]
    for given in (runs, tuple(runs), [str(run.folder) for run in runs]):
        assert list(dict.fromkeys(cavern.compare(given).columns.get_level_values(0))) == names
    assert cavern.compare(*runs).equals(cavern.compare(runs))
    again = cavern.compare(runs[0], cavern.run(drive, trace=trace, buffer__size="16KiB"))
    assert set(again.columns.get_level_values(0)) == {"drive (1)", "drive (2)"}
    other = cavern.run("cave", trace=trace, workload__out_of_range="wrap")
    assert set(cavern.compare(runs[0], other).columns.get_level_values(0)) == {"drive", "cave"}


def test_a_run_has_one_name_in_a_comparison(workspace: Workspace) -> None:
    drive, trace = workspace.folder / "drive.toml", workspace.folder / "trace.csv"
    run = cavern.run(drive, trace=trace)
    for given in ({"a": run, "b": run}, {"a": run, "b": run.folder}):
        with pytest.raises(cavern.InputError, match='is both "a" and "b"; expected one name per'):
            cavern.compare(given)
    assert set(cavern.compare(run, {"a": run}, run).columns.get_level_values(0)) == {"a"}
    with pytest.raises(cavern.InputError, match="- is standard output"):
        cavern.run(drive, trace=trace, out="-")


def test_repeat_knows_how_well_its_means_are_known(workspace: Workspace) -> None:
    drive = workspace.folder / "drive.toml"
    job = {"job": [JOB | {"number_ios": 200}]}
    plain = cavern.repeat(drive, job, n=6, seed=4, buffer__policy="none")
    assert plain.seeds == [4, 5, 6, 7, 8, 9] and plain.result(5).summary["seed"] == 5
    row = plain.table.loc["host.write.lat_ns.mean"]
    values = [plain.result(seed)["host.write.lat_ns.mean"] for seed in plain.seeds]
    assert row["mean"] == pytest.approx(sum(values) / 6) and row["n"] == 6
    assert 0 < row["half_width"] and "±" in plain._repr_html_()
    slow = cavern.repeat(drive, job, n=6, seed=4, buffer__policy="none", nand__t_program="9ms")
    told = cavern.compare({"plain": plain, "slow": slow}).loc["ftl.execution_time_ns"]
    assert told["plain", "half_width"] == pytest.approx(
        plain.table.loc["ftl.execution_time_ns", "half_width"]
    )
    assert told["slow", "verdict"] == "worse" and told["slow", "n"] == 6


def test_repeat_takes_what_run_takes(workspace: Workspace, tmp_path: Path) -> None:
    import numpy as np

    drive, trace = workspace.folder / "drive.toml", workspace.folder / "trace.csv"
    given: dict[str, Any] = {
        "nand__ways": np.int64(4),
        "buffer__policy": "lru-block",
        "ftl__gc_high": "2",
    }
    alone = cavern.run(drive, trace=trace, seed=1, **given)
    repeated = cavern.repeat(drive, trace=trace, n=1, seed=1, **given)
    assert repeated.result(1).config == alone.config and alone.config["nand"]["ways"] == 4
    with pytest.raises(ValueError, match="n = 0; expected the number of seeds, from 1 on"):
        cavern.repeat(drive, trace=trace, n=0, out=tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_results_show_themselves(result: cavern.Result, tmp_path: Path) -> None:
    shown = result._repr_html_()
    assert "<th>drive</th>" in shown and "Read latency" in shown and shown.count("<tr>") > 10
    pictures = result.plot("latency_cdf")
    assert list(pictures) == ["latency_cdf"] and "<svg" in pictures._repr_html_()
    pictures.save(tmp_path / "figures")
    assert (tmp_path / "figures" / "latency_cdf.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(cavern.InputError, match='no figure "latency"; expected some of latency_c'):
        result.plot("latency")
    with pytest.raises(cavern.InputError, match="has no gantt; no timeline.json"):
        result.plot("gantt")
    told = result.explain(17)
    assert "\n\nRequest 17: " in str(told) and "<svg" in told._repr_html_()
    with pytest.raises(cavern.InputError, match="no-id"):
        result.explain("no-id")


@pytest.mark.slow
def test_a_result_has_the_page_of_the_command(result: cavern.Result, tmp_path: Path) -> None:
    page = result.report(tmp_path / "page.html", slowest=3)
    assert page.read_text().startswith("<!DOCTYPE html>") and page.parent == tmp_path
    assert result.report() == result.folder / "report.html"


def test_warnings_of_a_run_are_warnings(workspace: Workspace) -> None:
    folder = workspace.folder
    reads = workspace.add_trace("reads.csv", [(10 * n, "R", 8192 * n, 4096) for n in range(20)])
    with pytest.warns(cavern.CavernWarning, match="never written"):
        done = cavern.run(folder / "drive.toml", trace=reads)
    assert any("never written" in text for text in done.warnings)
    writes = workspace.add_trace("writes.csv", [(10 * n, "W", 8192 * n, 4096) for n in range(20)])
    assert not any("never written" in text for text in _run(folder / "drive.toml", writes))


def _run(drive: Path, trace: Path) -> list[str]:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cavern.CavernWarning)
        return cavern.run(drive, trace=trace).warnings


def test_names_of_the_module_are_those_that_it_offers() -> None:
    import cavern.search.engine  # takes the name of the function, were it not there before

    assert dir(cavern) == sorted(cavern.__all__) and callable(cavern.search)
    assert cavern.__version__ == (ROOT / "VERSION").read_text().strip()
    assert not hasattr(cavern, "no_such_name")
    assert {"cave", "tlc-nvme"} <= set(cavern.drives()) and "dram" not in cavern.drives()
    assert "random-write" in cavern.workloads()
    assert {"oltp-mysql-1h"} <= set(cavern.traces())
    assert cavern.program().is_file() and cavern.program("cavern-lookup").is_file()


def test_a_place_that_cannot_be_written_is_an_error_of_cavern(workspace: Workspace) -> None:
    out = workspace.folder / "out"
    for name in ("workload.toml", "spec.toml"):
        (out / name).mkdir(parents=True)
    with pytest.raises(cavern.InputError, match="workload.toml:1: cannot be written"):
        cavern.run("cave", {"job": [JOB]}, out=out)
    with pytest.raises(cavern.InputError, match="spec.toml:1: cannot be written"):
        cavern.sweep({"config": "cave", "workloads": ["random-write"]}, out=out)
    with pytest.raises(cavern.InputError, match="drive.toml:1: cannot be made"):
        cavern.run("cave", {"job": [JOB]}, out=workspace.folder / "drive.toml")
