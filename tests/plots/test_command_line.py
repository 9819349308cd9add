"""The commands that draw: what is written, what is said, and the exit status."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cavern.__main__ import main
from cavern.plots.figures import COMPARISON_FIGURES, RUN_FIGURES

from tests.pace import within
from tests.plots.made_runs import HEADER, RunMaker

ROOT = Path(__file__).parents[2]
RUN_NAMES = {f"{spec.name}.{suffix}" for spec in RUN_FIGURES for suffix in ("png", "svg")}
COMPARISON_NAMES = {f"{spec.name}.{s}" for spec in COMPARISON_FIGURES for s in ("png", "svg")}


def names_in(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()} if directory.exists() else set()


@pytest.mark.slow
def test_plot_writes_every_figure_twice(runs: RunMaker) -> None:
    directory = runs.write()
    assert main(["plot", str(directory)]) == 0
    assert names_in(directory / "figures") == RUN_NAMES
    picture = (directory / "figures" / "gantt.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 5000
    assert "<svg" in (directory / "figures" / "gantt.svg").read_text()


@pytest.mark.slow
def test_plot_writes_what_a_paper_needs(runs: RunMaker, tmp_path: Path) -> None:
    directory = str(runs.write(extras=False))

    def drawn(*options: str) -> dict[str, bytes]:
        assert main(["plot", directory, "--out", str(tmp_path / "out"), *options]) == 0
        found = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
        shutil.rmtree(tmp_path / "out")
        return found

    titled = drawn("--format", "pdf", "--format", "png", "--dpi", "300")
    assert set(titled) == {"utilization.pdf", "utilization.png"}
    assert titled["utilization.pdf"].startswith(b"%PDF-")
    assert size_of(titled["utilization.png"])[0] == round(4.6 * 300)
    # Letters are those of a font, which a reader can search; the same bytes every time.
    assert b"/FontFile2" in titled["utilization.pdf"]
    assert drawn("--format", "pdf") == {"utilization.pdf": titled["utilization.pdf"]}
    plain = drawn("--format", "png", "--dpi", "300", "--no-titles")["utilization.png"]
    assert size_of(plain)[0] == size_of(titled["utilization.png"])[0]
    assert size_of(plain)[1] < size_of(titled["utilization.png"])[1]


def size_of(png: bytes) -> tuple[int, int]:
    return struct.unpack(">II", png[16:24])


@pytest.mark.slow
def test_plot_of_several_runs_compares_them(runs: RunMaker, tmp_path: Path) -> None:
    runs.write("all/one", extras=False)
    runs.write("all/two", extras=False)
    assert main(["plot", str(tmp_path / "all")]) == 0
    written = names_in(tmp_path / "all" / "figures")
    assert written == {name for name in COMPARISON_NAMES if "cdf" not in name}
    assert names_in(tmp_path / "all" / "one" / "figures") == {"utilization.png", "utilization.svg"}
    out = tmp_path / "out"
    arguments = [str(tmp_path / "all" / name) for name in ("two", "one")]
    assert main(["plot", *arguments, "--out", str(out)]) == 0
    assert {"one", "two", "compare_latency.png"} <= names_in(out)


def test_plot_names_what_it_leaves_out(runs: RunMaker, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", str(runs.write(extras=False))]) == 0
    said = capsys.readouterr().out
    assert "tiny: no gantt: no timeline.json (run with --timeline)" in said


@pytest.mark.slow
def test_chosen_window_reaches_the_gantt(
    runs: RunMaker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both files of a figure are of one drawing (test_plot_writes_every_figure_twice).
    monkeypatch.setattr("cavern.plots.render.as_png", lambda *figure: b"")
    names = {name for name in RUN_NAMES if name.endswith(".svg")}
    directory = runs.write()
    pages = []
    for number, options in enumerate(
        ([], ["--from", "100us", "--to", "0.5ms"], ["--window", "5ms"])
    ):
        out = tmp_path / str(number)
        assert main(["plot", str(directory), "--out", str(out), *options]) == 0
        pages.append({name: (out / name).read_bytes() for name in names})
    changed = {name for name in names if pages[0][name] != pages[1][name]}
    assert changed == {"gantt.svg"}
    changed = {name.split(".")[0] for name in names if pages[0][name] != pages[2][name]}
    assert changed == {"latency_over_time", "throughput", "hit_ratio", "power"}


@pytest.mark.slow
def test_report_goes_where_it_is_told(runs: RunMaker, tmp_path: Path) -> None:
    one, two = (str(runs.write(name, extras=False)) for name in ("one", "two"))
    page = tmp_path / "new" / "page.html"
    assert main(["report", one, two, "--out", str(page)]) == 0
    text = page.read_text()
    assert text.startswith("<!DOCTYPE html>") and "one" in text and "two" in text
    assert names_in(page.parent) == {"page.html"}
    assert main(["report", one]) == 0
    assert (Path(one) / "report.html").exists()


def damage_summary(directory: Path) -> None:
    file = directory / "summary.json"
    file.write_text(file.read_text()[:200])


def damage_requests(directory: Path) -> None:
    file = directory / "requests.csv"
    file.write_text(file.read_text().replace(",hits", ",hit", 1))


def damage_timeline(directory: Path) -> None:
    file = directory / "timeline.json"
    file.write_text(file.read_text()[:-10])


def remove_number(directory: Path) -> None:
    file = directory / "summary.json"
    file.write_text(file.read_text().replace('"utilization"', '"usage"'))


@pytest.mark.parametrize("command", [pytest.param("plot", marks=pytest.mark.slow), "report"])
@pytest.mark.parametrize(
    ("damage", "start"),
    [
        (lambda directory: (directory / "summary.json").unlink(), "summary.json:1: no such file; "),
        (damage_summary, "summary.json:14: the file ends in the middle; "),
        (damage_requests, 'requests.csv:1: column "hits" is missing; '),
        (damage_timeline, "timeline.json:"),
        (remove_number, "summary.json:"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    runs: RunMaker,
    capsys: pytest.CaptureFixture[str],
    command: str,
    damage: Callable[[Path], None],
    start: str,
) -> None:
    good, bad = runs.write("good", extras=False), runs.write("bad")
    damage(bad)
    before = sorted(runs.base.rglob("*"))
    out = runs.base / "out" / "x.html"
    assert main([command, str(good), str(bad), "--out", str(out)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"error: {bad / start}")
    assert said.err.count("\n") == 1 and "; expected " in said.err
    assert sorted(runs.base.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["plot"], "Missing argument"),
        (["plot", "x", "--from", "soon"], '"soon" is no time'),
        (["plot", "x", "--from", "5ms", "--to", "5000"], "--to is not after --from"),
        (["plot", "x", "--window", "0"], "--window is 0"),
        (["plot", "x", "--window", "9" * 400], "is longer than any run"),
        (["report", "x", "--from", "9" * 400 + "ns"], "is longer than any run"),
        (["plot", "x", "--format", "gif"], "'gif' is not one of"),
        (["plot", "x", "--dpi", "1"], "--dpi"),
        (["paint", "x"], 'unknown command "paint"'),
        (["report", "x", "--colour"], "No such option"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and text in said and said.count("\n") == 1


def test_place_that_cannot_be_written_is_refused(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = runs.write(extras=False)
    blocked = runs.base / "file"
    blocked.write_text("")
    assert main(["plot", str(directory), "--out", str(blocked / "figures")]) == 2
    assert main(["report", str(directory), "--out", str(directory)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 and all(line.startswith("error: ") for line in said)
    assert names_in(directory) == {"summary.json"}


@pytest.mark.slow
def test_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "cavern"]
    done = subprocess.run([*command, "--help"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "report" in done.stdout
    done = subprocess.run([*command, "plot", "nowhere"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: nowhere/summary.json:1: no such file; expected ")


def loading_matplotlib(*modules: str) -> str:
    """The first of these that loads it, if any does."""
    code = (
        "import sys, cavern.__main__; from importlib import import_module\n"
        "for name in sys.argv[1:]:\n"
        "    import_module(name)\n"
        "    if 'matplotlib' in sys.modules: sys.exit(print(name))"
    )
    words = [sys.executable, "-c", code, *modules]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout[:-1]


#: Of commands whose help and text draw nothing.
LIGHT = (
    "cavern.plots.command",
    "cavern.plots.explain",
    "cavern.plots.flame",
    "cavern.plots.side_by_side",
    "cavern.sweeps.command",
    "cavern.search.command",
    "papers.command",
)


def test_help_and_text_do_not_load_matplotlib() -> None:
    assert loading_matplotlib(*LIGHT) == ""


#: What takes long to load, and only some commands need.
HEAVY = ("matplotlib", "numpy", "pandas", "pyarrow", "distributed", "optuna")


def loaded_by(*arguments: object) -> list[str]:
    """Which of these a command has loaded by its end."""
    code = (
        "import sys; from cavern.__main__ import main; assert main(sys.argv[1:]) == 0; "
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    words = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    found: list[str] = json.loads(done.stderr.replace("'", '"'))
    return found


@pytest.mark.slow
def test_what_draws_no_figure_loads_nothing_heavy(runs: RunMaker) -> None:
    bare = [runs.write(name, extras=False) for name in ("one", "two")]
    assert loaded_by("compare", *bare) == []
    # Requests are read in bulk, pictures of one are written by hand.
    assert loaded_by("explain", 1, runs.write("whole")) == ["numpy"]
    # Of whole runs a table needs the summaries alone. The control: a page draws.
    assert loaded_by("compare", bare[0], runs.base / "whole") == []
    page = ("--out", runs.base / "page.html")
    assert "numpy" in loaded_by("compare", bare[0], runs.base / "whole", *page)


@pytest.mark.slow
def test_what_draws_loads_matplotlib() -> None:
    assert loading_matplotlib("cavern.plots.render", *LIGHT) == "cavern.plots.render"


@pytest.mark.slow
def test_matplotlib_is_loaded_without_what_nobody_reads(runs: RunMaker) -> None:
    code = (
        "import gc, sys; from cavern.plots.loading import load_matplotlib; load_matplotlib(); "
        "import matplotlib.artist as artist, matplotlib.lines as lines; "
        "print(gc.isenabled(), len(lines.Line2D.set.__doc__), len(artist.kwdoc(lines.Line2D)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    enabled, short, whole = done.stdout.split()
    assert enabled == "True" and int(short) < 600 < int(whole)


@pytest.mark.slow
def test_a_million_requests_take_less_than_fifteen_seconds(runs: RunMaker) -> None:
    directory = runs.write()
    count, repeats = 100_000, 10
    engine = np.random.default_rng(2)
    arrival = np.sort(engine.integers(0, 60_000_000_000, count))
    parts = engine.integers(0, 1_000_000, (4, count))
    latency = parts.sum(axis=0)
    table = np.stack(
        [np.arange(count), engine.integers(0, 2, count), arrival, np.full(count, 4096), arrival]
        + [arrival + parts[0], arrival + latency, latency, *parts, np.full(count, 2)]
        + [engine.integers(0, 3, count), np.zeros(count, np.int64)],
        axis=1,
    )
    lines: list[str] = []
    with (directory / "requests.csv").open("w") as file:
        file.write(HEADER + "\n")
        for row in table.tolist():
            row[1] = "RW"[row[1]]
            lines.append(",".join(map(str, row)) + "\n")
        file.writelines(lines * repeats)
    # Time of the processor, not of the wall: other work on the machine is no fault of the plots.
    begin = time.process_time()
    assert main(["plot", str(directory)]) == 0
    assert within(time.process_time() - begin, 15)
    assert names_in(directory / "figures") == RUN_NAMES


@pytest.mark.parametrize("command", [["plot"], ["report"], ["compare"]])
def test_a_dash_is_no_file_to_be_made(
    command: list[str], runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = str(runs.write(extras=False))
    assert main([*command, directory, "--out", "-"]) == 2
    assert "error: <command line>:1: - is standard output, " in capsys.readouterr().err
    assert not Path("-").exists() and not Path(".-.part").exists()
