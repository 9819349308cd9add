"""Drives, workloads and traces by name: one rule, on the command line and in Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from cavern.errors import InputError
from cavern.names import DRIVE, KINDS, TRACE, WORKLOAD, closest, find, shipped, suggestion
from cavern.sweeps import read_spec

from tests.cli.programs import ROOT, Program, Workspace

#: What is called by a name, and the file that is meant.
MEANT = [
    ("drive", "cave", "configs/cave.toml"),
    ("drive", "cave.toml", "configs/cave.toml"),
    ("drive", "configs/cave", "configs/cave.toml"),
    ("drive", "configs/cave.toml", "configs/cave.toml"),
    ("workload", "random-write", "traces/workloads/random-write.toml"),
    ("workload", "random-write.toml", "traces/workloads/random-write.toml"),
    ("workload", "traces/workloads/random-write", "traces/workloads/random-write.toml"),
    ("trace", "tpcc-136ms", "traces/tpcc-136ms.csv.xz"),
    ("trace", "tpcc-136ms.csv.xz", "traces/tpcc-136ms.csv.xz"),
    ("trace", "traces/tpcc-136ms.csv.xz", "traces/tpcc-136ms.csv.xz"),
]
#: Another folder is meant as it is said, and a drive is no trace.
MEANT_BY_NOBODY = [
    ("drive", "nand/cave.toml"),
    ("drive", "/cave.toml"),
    ("drive", "../cave.toml"),
    ("drive", "random-write"),
    ("drive", ""),
    ("drive", "."),
    ("workload", "tpcc-136ms.csv.xz"),
    ("trace", "cave"),
]


@pytest.mark.parametrize(("kind", "name", "file"), MEANT)
def test_what_comes_with_cavern_is_found_by_name(
    kind: str, name: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find(KINDS[kind], name) == ROOT / file


@pytest.mark.parametrize(("kind", "name"), MEANT_BY_NOBODY)
def test_nothing_else_is_found(
    kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find(KINDS[kind], name) is None


def test_ones_own_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cave").mkdir()  # a folder is no drive
    assert find(DRIVE, "cave") == ROOT / "configs/cave.toml"
    (tmp_path / "cave.toml").touch()
    assert find(DRIVE, "cave.toml") == Path("cave.toml")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "tpcc-136ms.csv.xz").touch()
    monkeypatch.setenv("CAVERN_TRACES", str(tmp_path / "more"))
    assert find(TRACE, "tpcc-136ms.csv.xz") == tmp_path / "more" / "tpcc-136ms.csv.xz"
    assert find(DRIVE, "tpcc-136ms.csv.xz") is None
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "cave.toml").touch()
    assert find(DRIVE, "cave.toml", (tmp_path / "beside",)) == tmp_path / "beside" / "cave.toml"


def test_a_slip_of_a_name_is_seen() -> None:
    assert suggestion(DRIVE, "cvae.toml") == 'did you mean "cave"? '
    assert suggestion(DRIVE, "tlc") == 'did you mean "small-tlc", "steady-tlc" or "tlc-modern"? '
    assert suggestion(WORKLOAD, "traces/workloads/randm-write") == 'did you mean "random-write"? '
    for far in ("nothing-like-it", "bare", "elsewhere/cvae.toml", ""):
        assert suggestion(DRIVE, far) == ""
    assert {"cave", "tlc-nvme"} <= set(shipped(DRIVE)) and "tpcc-136ms" in shipped(TRACE)
    assert closest("w" * 5000, ["cave"]) == closest("", ["a"]) == closest("x", []) == ""


def test_what_a_drive_extends_does_not_depend_on_the_folder_of_the_command(
    workspace: Workspace, simulator: Program
) -> None:
    workspace.write("cave.toml", "no drive at all")
    (workspace.folder / "drives").mkdir()
    workspace.write("drives/mine.toml", 'extends = "cave"\n')
    workspace.write("drives/too.toml", 'extends = "cave.toml"\n')
    for name in ("mine", "too"):
        shown = simulator("config", "show", f"drives/{name}.toml")
        assert 'eviction = "cave"' in shown.stdout, shown.stderr
    # Beside the file it is the file.
    workspace.write("drives/cave.toml", "no drive at all")
    assert simulator("config", "show", "drives/too.toml").returncode == 2


def test_a_sweep_finds_them_too(workspace: Workspace) -> None:
    spec = workspace.write(
        "sweep.toml", 'config = ["cave", "drive.toml"]\nworkloads = ["random-write"]\n'
    )
    cases = read_spec(spec)
    assert [one.config for one in cases] == [ROOT / "configs/cave.toml", spec.parent / "drive.toml"]
    assert cases[0].input.file == ROOT / "traces/workloads/random-write.toml"
    workspace.replace("sweep.toml", '"cave"', '"cvae"')
    with pytest.raises(
        InputError, match='sweep.toml:1: no such file: cvae; did you mean "cave"[?] '
    ):
        read_spec(spec)
