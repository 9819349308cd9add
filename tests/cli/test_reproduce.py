"""./cavern reproduce: figures and claims of a paper agree with the runs they are made from."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from papers import cave, cave_limits, lookup, ncq, partition
from papers.experiment import Figure, Table, write_figures
from tests.cli import sweeps
from tests.cli.mistakes import is_message
from tests.cli.once import once
from tests.cli.programs import ROOT
from tests.cli.reproduced import Key, Rows, figure_rows, reproduce, summaries


def differences(ours: Rows, theirs: Rows) -> list[Key]:
    """Keys that only one side has, or whose numbers differ by more than rounding."""

    def same(a: dict[str, float | None], b: dict[str, float | None]) -> bool:
        return a.keys() == b.keys() and all(a[c] == pytest.approx(b[c], rel=1e-9) for c in a)

    keys = sorted(ours.keys() | theirs.keys())
    shared = ours.keys() & theirs.keys()
    return [key for key in keys if key not in shared or not same(ours[key], theirs[key])]


@pytest.fixture(scope="module")
def limits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an experiment said that was stopped and went on; its results lie beside."""
    return once("cave-limits-quick.stdout", tmp_path_factory, stop_and_go_on)


def stop_and_go_on(told: Path) -> None:
    folder = told.with_suffix("")
    words = ["reproduce", "cave-limits", "--quick", "--out", str(told.parent)]
    with subprocess.Popen(
        [sys.executable, "-m", "cavern", *words],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        while not summaries(folder):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert stderr == "interrupted; finished runs are kept, the same command goes on\n"
    finished = len(summaries(folder))
    done = reproduce(*words[1:])
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    told.write_text(f"{finished} were finished\n{done.stdout}", encoding="utf-8")


@pytest.mark.slow
def test_stopped_experiment_says_how_to_go_on_and_does(limits: Path) -> None:
    finished, _, said = limits.read_text(encoding="utf-8").partition(" were finished\n")
    assert int(finished) < 12 and f"12 runs ({finished} were there)" in said


@pytest.mark.slow
def test_limits_of_cave_are_ratios_of_two_runs(limits: Path) -> None:
    folder = limits.with_suffix("")
    assert (folder / "cave-limits.png").exists() and (folder / "cave-limits.svg").exists()
    runs = {}
    for summary in summaries(folder):
        nand, drive = summary["config"]["nand"], summary["ftl"]["scheme"]
        assert summary["sim"]["fidelity"] == "at"
        kind = "read" if "scan" in summary["trace"] else ""
        runs[nand["channels"] * nand["ways"], kind or summary["buffer"]["policy"], drive] = summary
    shown = figure_rows(folder, "cave-limits", 3)
    assert len(shown) == 4
    for (shape, _, order), numbers in shown.items():
        dies = {"2×1": 2, "8×4": 32}[shape]
        old, new = (runs[dies, order, scheme] for scheme in ("mcsplit", "bast"))
        slow = [run["host"]["write"]["lat_ns"]["p99_9"] for run in (old, new)]
        assert numbers["write_p99_9_ratio"] == pytest.approx(slow[1] / slow[0])
        times = [run["ftl"]["execution_time_ns"] for run in (old, new)]
        assert numbers["execution_ratio"] == pytest.approx(times[1] / times[0])
        reads = [
            runs[dies, "read", scheme]["host"]["read"]["lat_ns"]["mean"]
            for scheme in ("mcsplit", "bast")
        ]
        assert numbers["read_mean_ratio"] == pytest.approx(reads[1] / reads[0])
        # Striping over eight channels is lost where there are eight: not a ratio of equal runs.
        assert dies == 2 or reads[1] > 4 * reads[0]


@pytest.mark.parametrize("name", ["look-up", "cve", ""])
def test_what_is_not_built_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    done = sweeps.told(tmp_path, name, "--out", "out", name="reproduce")
    assert is_message(done.stderr, "<command line>:1: *; available: cave*"), done.stderr
    assert (done.returncode, done.stdout, list(tmp_path.iterdir())) == (2, "", [])


@pytest.mark.parametrize(
    "experiment", [cave, cave_limits, lookup, ncq, partition], ids=lambda module: module.NAME
)
@pytest.mark.parametrize("less", [True, False], ids=["quick", "full"])
def test_plans_name_each_run_once(experiment: Any, less: bool) -> None:
    cases = experiment.plan(less)
    labels = [tuple(sorted(one.labels.items())) for one in cases]
    assert len(set(labels)) == len(labels) > 10
    assert all(one.config.is_file() and one.input.file.is_file() for one in cases)


def row(**values: object) -> dict[str, object]:
    return {f"vary.{key}": value for key, value in values.items()}


def test_table_finds_rows_by_what_varied() -> None:
    table = Table([row(size="1", order="a"), row(size="2", order="a"), row(size="2", order="b")])
    assert table.one(size="2", order="b") is table.rows[2]
    assert table.values("size") == ["1", "2"] and len(table.where(order="a")) == 2
    for labels in ({"size": "2"}, {"size": "3"}):
        with pytest.raises(LookupError):
            table.one(**labels)


def test_a_figure_is_drawn_from_its_data_alone(tmp_path: Path) -> None:
    from matplotlib.figure import Figure as Drawing

    seen = []

    def draw(records: list[dict[str, Any]]) -> Drawing:
        seen.extend(records)
        drawing = Drawing()
        drawing.subplots().plot([record["y"] for record in records])
        return drawing

    keep: Callable[[list[dict[str, Any]]], Drawing] = draw
    figure = Figure("f", ("x", "y"), [("a", 1), ("b, c", None)], keep)
    assert write_figures([figure], tmp_path) == ["f"]
    assert (tmp_path / "f.csv").read_text() == 'x,y\na,1\n"b, c",\n'
    assert seen == [{"x": "a", "y": 1}, {"x": "b, c", "y": None}]
