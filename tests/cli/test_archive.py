"""`./cavern archive`: one file with results and all that they came from, which is run again."""

from __future__ import annotations

import json
import os
import re
import shutil
import zipfile
from pathlib import Path

import cavern
import pytest
from cavern.__main__ import main
from cavern.archive.files import unpack, write
from cavern.errors import InputError
from cavern.simulator import outputs
from cavern.toml_text import toml

from tests.cli.programs import ROOT, Json, Program, Workspace, sets

Said = pytest.CaptureFixture[str]


@pytest.fixture
def run(workspace: Workspace, simulator: Program) -> Path:
    out = workspace.folder / "out"
    more = ("--trace", "trace.csv", "--requests", "out/requests.csv", "--seed", 4, "--limit", 2)
    simulator.simulate("drive.toml", "out", *more)
    (out / "report.html").write_text("<html></html>")
    return out


@pytest.fixture(autouse=True)
def here(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace.folder)


@pytest.mark.parametrize("ending", ["tar.zst", "zip"])
def test_an_archive_is_run_again_where_nothing_else_is_left(
    run: Path, ending: str, capsys: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / f"results.{ending}"
    assert main(["archive", "out", "-o", str(file)]) == 0
    first = file.read_bytes()
    assert main(["archive", "out", "-o", str(file)]) == 0 and file.read_bytes() == first
    assert not list(tmp_path.glob(".*"))
    for name in ("out", "drive.toml", "trace.csv"):
        path = tmp_path / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    monkeypatch.chdir(tmp_path.parent)
    capsys.readouterr()
    assert main(["archive", "--run", str(file)]) == 0
    assert capsys.readouterr().out == ".: the same\n"


def test_what_an_archive_holds(run: Path, tmp_path: Path) -> None:
    for left in (".lock", ".part/seed-1/summary.json", "requests.csv.part-7", "explain/x.csv"):
        (run / left).parent.mkdir(parents=True, exist_ok=True)
        (run / left).touch()
    (run / "link").symlink_to("/etc/passwd")
    assert main(["archive", "out", "-o", "a.zip"]) == 0
    with zipfile.ZipFile("a.zip") as file:
        names = set(file.namelist())
        readme = file.read("README.md").decode()
        told = json.loads(file.read("archive.json"))
    played = told["runs"][0]["input"]
    assert len(told["runs"]) == 1
    assert names == {
        "README.md",
        "archive.json",
        played["file"],
        *(f"results/{n}" for n in ("config.toml", "report.html", "requests.csv", "summary.json")),
    }
    summary = json.loads((run / "summary.json").read_text())["run"]
    assert f"Cavern {summary['version']}, commit {summary['commit']}" in readme
    assert summary["command"] in readme and "./cavern archive --run a.zip" in readme
    assert played["sha256"] == summary["input"]["sha256"]


@pytest.mark.slow
def test_a_run_that_is_called_explain_is_one_of_the_runs(
    workspace: Workspace, simulator: Program, capsys: Said
) -> None:
    for name in ("explain", "other"):
        simulator.simulate("drive.toml", f"all/{name}", "--trace", "trace.csv")
        shutil.copytree(f"all/{name}", "made")
        Path("made").rename(f"all/{name}/explain")
    assert [run["folder"] for run in archived("all", capsys)] == ["explain", "other"]


def test_what_came_through_a_pipe_cannot_be_packed(
    workspace: Workspace, simulator: Program, capsys: Said
) -> None:
    text = (workspace.folder / "trace.csv").read_text()
    simulator("run", "drive.toml", "--trace", "-", "--out", "out", text=text)
    assert main(["archive", "out"]) == 2
    said = "does not say which file was played; expected the run of a file; a pipe and clients"
    assert f"error: out/summary.json:1: {said}" in capsys.readouterr().err


def test_an_archive_of_repeats_has_their_tables(workspace: Workspace, capsys: Said) -> None:
    job = {"rw": "randwrite", "bs": "4KiB", "size": "1MiB", "number_ios": 50}
    workspace.write("job.toml", toml({"job": [job]}))
    for size in ("16KiB", "32KiB"):
        words = ["run", "drive.toml", "--workload", "job.toml", "--set", f"buffer.size={size}"]
        assert main([*words, "--repeat", "2", "--out", f"all/{size}", "--quiet"]) == 0
    assert main(["archive", "all"]) == 0 and main(["archive", "--run", "all.tar.zst"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"{size}/seed-{seed}: the same" for size in ("16KiB", "32KiB") for seed in (1, 2)
    ]
    unpack(Path("all.tar.zst"), Path("unpacked"))
    table = Path("unpacked/results/compared.tex").read_text()
    assert "32KiB & change" in table and "n = 2" in table
    assert " ± " in Path("unpacked/results/report.html").read_text()
    assert len(list(Path("unpacked/inputs").glob("*/job.toml"))) == 1


def archived(folder: str, capsys: Said) -> list[Json]:
    """Packs the folder, which lacks nothing then; gives what the manifest says of each run."""
    assert main(["archive", folder, "-o", "a.zip"]) == 0 and capsys.readouterr().err == ""
    with zipfile.ZipFile("a.zip") as file:
        return json.loads(file.read("archive.json"))["runs"]


@pytest.mark.slow
def test_what_was_played_by_its_name_is_packed_and_found_again(
    workspace: Workspace,
    simulator: Program,
    capsys: Said,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # One's own file of that name is another one, which was not there then.
    more = ("--limit", 20, *sets(workload__out_of_range="wrap"))
    simulator.simulate("drive.toml", "out", "--workload", "random-write", *more)
    workspace.write("random-write", "another")
    (run,) = archived("out", capsys)
    assert run["input"]["path"] == "random-write"
    assert run["input"]["file"].endswith("/random-write.toml")
    monkeypatch.setattr("cavern.archive.pack.MOST_INPUT_BYTES", 10)
    assert main(["archive", "out", "-o", "a.tar"]) == main(["archive", "--run", "a.tar"]) == 0
    assert "random-write: not in the archive" in capsys.readouterr().err


def test_a_table_of_ones_own_is_read_again_by_its_columns(
    workspace: Workspace, simulator: Program, capsys: Said
) -> None:
    workspace.write("table.csv", "when,what,where,much\n0,W,0,4096\n9,R,0,4096\n")
    columns = "time=when:us,op=what,offset=where,size=much"
    simulator.simulate("drive.toml", "out", "--trace", "table.csv", "--columns", columns)
    assert main(["archive", "out", "-o", "a.tar"]) == main(["archive", "--run", "a.tar"]) == 0
    assert capsys.readouterr().out.endswith("\n.: the same\n")
    assert main(["explain", "1", "out", "--rerun"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("timeline", ["out/t.json", "t.json"])
def test_files_of_a_part_of_the_time_have_that_part_again(
    workspace: Workspace, simulator: Program, capsys: Said, timeline: str
) -> None:
    # What Perfetto's has is said of the timeline, wherever that is.
    words = ["--timeline", timeline, "--timeline-from", "5us", "--timeline-to=1ms"]
    words += ["--perfetto", "out/t.pftrace", "--bus-waves", "out/b.fst", "--bus-waves-from=5us"]
    (workspace.folder / "out").mkdir()
    simulator.simulate("drive.toml", "out", "--trace", "trace.csv", *words)
    assert main(["archive", "out", "-o", "a.tar"]) == 0
    capsys.readouterr()
    assert main(["archive", "--run", "a.tar"]) == 0
    assert capsys.readouterr().out == ".: the same\n"


def test_files_that_a_run_writes_are_those_of_its_table() -> None:
    table = (ROOT / "model" / "results" / "run_files.cpp").read_text(encoding="utf-8")
    named = re.findall(r'^        \{"([a-z-]+)",', table, re.MULTILINE)
    assert len(named) > 5
    assert list(outputs()[: len(named)]) == named
    others = {name for name in outputs()[len(named) :] if not name.startswith("firmware-")}
    assert others == {"save-state"}


def test_repeats_that_were_moved_still_have_what_they_played(
    workspace: Workspace, capsys: Said
) -> None:
    job = {"rw": "randwrite", "bs": "4KiB", "size": "1MiB", "number_ios": 50}
    cavern.repeat("drive.toml", {"job": [job]}, n=2, out="made")
    Path("made").rename("moved")
    assert all(run["input"]["file"] for run in archived("moved", capsys))


def test_a_result_that_is_not_the_same_is_named(run: Path, capsys: Said) -> None:
    # As another program would have written it.
    path = run / "summary.json"
    summary = json.loads(path.read_text())
    summary["host"]["write"]["lat_ns"]["mean"] += 1
    summary["run"] |= {"id": "0" * 16, "version": "0.0.1"}
    summary["sim"]["wall_s"] = 99.0
    path.write_text(json.dumps(summary))
    text = (run / "requests.csv").read_text()
    (run / "requests.csv").write_text(text.replace("0,W", "1,W", 1))
    summary["run"]["files"][0]["sha256"] = "0" * 64
    path.write_text(json.dumps(summary))
    assert main(["archive", "out", "-o", "a.tar.zst"]) == 0
    capsys.readouterr()
    assert main(["archive", "--run", "a.tar.zst"]) == 1
    said = capsys.readouterr().out
    assert said.startswith(".: differs in host.write.lat_ns.mean, requests.csv (by another program")


def test_an_input_that_is_not_packed_is_looked_for(
    run: Path, workspace: Workspace, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cavern.archive.pack.MOST_INPUT_BYTES", 10)
    assert main(["archive", "out", "-o", "a.tar"]) == 0
    assert capsys.readouterr().err == "trace.csv: not in the archive, but its SHA-256 is\n"
    assert main(["archive", "--run", "a.tar"]) == 0
    workspace.write("trace.csv", "time_us,op,offset,size\n0,W,0,8192\n")
    capsys.readouterr()
    assert main(["archive", "--run", "a.tar"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: trace.csv:1: is what the run played, and the archive lacks it")


def test_what_is_no_archive_is_refused(run: Path, workspace: Workspace, capsys: Said) -> None:
    workspace.write("a.zip", b"PK")
    workspace.write("a.tar.zst", b"no")
    write(Path("b.zip"), {"archive.json": b"{}"})
    write(
        Path("c.zip"),
        {"archive.json": b'{"schema":"cavern.archive/1","runs":[],"sha256":{"x":"0"}}'},
    )
    for words, told in (
        (["--run", "a.zip"], "a.zip:1: cannot be unpacked"),
        (["--run", "a.tar.zst"], "a.tar.zst:1: cannot be unpacked"),
        (["--run", "b.zip"], 'archive.json:1: schema is not "cavern.archive/1"'),
        (["--run", "c.zip"], "x:1: is missing in the archive"),
        (["out", "-o", "a.rar"], "a.rar:1: is no name of an archive"),
        (["out", "-o", "trace.csv/a.zip"], "trace.csv:1: File exists"),
        (["out", "-o", "/proc/a.zip"], "/proc/a.zip:1: No such file or directory"),
        (["trace.csv"], "trace.csv:1: is no folder"),
        (["nowhere"], "nowhere:1: is no folder"),
    ):
        assert main(["archive", *words]) == 2, words
        said = capsys.readouterr().err
        assert re.match("error: .*" + re.escape(told), said) and said.count("\n") == 1


def test_a_name_that_is_no_text_is_refused(run: Path, capsys: Said) -> None:
    (run / os.fsdecode(b"\xff")).touch()
    assert main(["archive", "out"]) == 2 and not Path("out.tar.zst").exists()
    said = capsys.readouterr().err
    assert said == "error: out/\ufffd:1: has a name that is no text; expected one in UTF-8\n"


@pytest.mark.parametrize(
    ("run_of", "told"),
    [
        ({"input": {"path": "t.csv"}}, "archive.json:1: a run has no input of a known kind; "),
        ({"input": {"kind": "gdb"}}, "archive.json:1: a run has no input of a known kind; "),
        ({"folder": "/tmp"}, "archive.json:1: a run has no folder of the archive; "),
        ({"folder": "../results"}, "archive.json:1: a run has no folder of the archive; "),
        ({"folder": 5}, "archive.json:1: a run has no folder of the archive; "),
        ({"folder": "nowhere"}, "nowhere/summary.json:1: no such file; "),
        ({"folder": "a\0b"}, "archive.json:1: a run has no folder of the archive; "),
        ({"files": 5}, 'summary.json:1: run.files has a ""; '),
        (
            {"files": [{"what": "--set", "path": "x"}]},
            'run.files has a "set"; expected some of req',
        ),
    ],
)
def test_an_archive_that_says_what_none_does_is_refused(
    run: Path, simulator: Program, capsys: Said, run_of: Json, told: str
) -> None:
    (first,) = archived("out", capsys)
    summary = json.loads((run / "summary.json").read_text())
    summary["run"]["files"] = run_of.pop("files", summary["run"]["files"])
    manifest = {"schema": "cavern.archive/1", "runs": [{**first, **run_of}], "sha256": {}}
    entries = {"archive.json": manifest, "results/summary.json": summary}
    write(Path("b.zip"), {name: json.dumps(told).encode() for name, told in entries.items()})
    assert main(["archive", "--run", "b.zip"]) == 2
    said = capsys.readouterr().err
    assert re.match("error: .*" + re.escape(told), said) and said.count("\n") == 1


@pytest.mark.parametrize("ending", [".tar", ".zip"])
@pytest.mark.parametrize("name", ["../out", "a/../../out", "{}/out", "/{}/out"])
def test_an_entry_that_leads_out_of_the_folder_is_refused(
    tmp_path: Path, ending: str, name: str
) -> None:
    file = tmp_path / f"a{ending}"
    write(file, {name.format(tmp_path / "deep"): b"x"})
    with pytest.raises(InputError, match="is no file of an archive"):
        unpack(file, tmp_path / "deep" / "er")
    assert not (tmp_path / "deep" / "out").exists()


def changed(file: Path, at: bytes, offset: int, to: int) -> None:
    """Writes a byte that far behind each place that holds `at`."""
    content = bytearray(file.read_bytes())
    for found in re.finditer(re.escape(at), content):
        content[found.start() + offset] = to
    file.write_bytes(content)


#: Where a file of PKZIP says how an entry is packed: in front of it, and in the list at the end.
FRONT, LISTED = b"PK\3\4", b"PK\1\2"


@pytest.mark.parametrize(
    ("ending", "changes", "told"),
    [
        (".zip", [(FRONT, 6, 1), (LISTED, 8, 1)], "password required"),
        (".zip", [(FRONT, 8, 99), (LISTED, 10, 99)], "compression method"),
        (".zip", [(b"entry", 25, 255)], "Error -3 while decompressing"),
        (".tar.gz", [(b"\x1f\x8b", 10, 255)], "Error -3 while decompressing"),
        (".tar.xz", [(b"7zXZ", 60, 255)], "Corrupt input data"),
    ],
)
def test_a_damaged_archive_is_one_line(
    tmp_path: Path, ending: str, changes: list[tuple[bytes, int, int]], told: str
) -> None:
    file = tmp_path / f"a{ending}"
    write(file, {"entry": b"".join(bytes([n, n]) for n in range(256))})
    for change in changes:
        changed(file, *change)
    with pytest.raises(InputError, match=rf"a{ending}:1: cannot be unpacked \(.*{told}"):
        unpack(file, tmp_path / "out")
