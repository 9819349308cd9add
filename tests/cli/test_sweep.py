"""./cavern sweep: what is described is run, and gathered in a table."""

from __future__ import annotations

import csv
import errno
import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from cavern.plots.sweep.table import read_table
from cavern.plots.sweep.warned import reservations
from cavern.sweeps import Case, Input, Outcome, Run, rows_of, write_csv, write_parquet

from tests.cli.programs import Program, Workspace, sets
from tests.cli.sweeps import (
    command,
    environment,
    finished,
    sweep,
    table,
    told,
    without_moment,
)


@pytest.mark.slow
def test_rows_are_the_product_in_order_and_equal_runs_by_hand(
    swept: Workspace, simulator: Program, tmp_path_factory: pytest.TempPathFactory
) -> None:
    said = finished(tmp_path_factory).with_suffix(".stdout").read_text(encoding="utf-8")
    assert said == "out/table.parquet: 32 runs\nout/report.html\n"
    rows = table(swept.folder / "out")
    assert [
        (
            r["trace"],
            r["vary.drive"],
            r["vary.nand.channels"],
            r["vary.nand.ways"],
            r["vary.buffer.size"],
            r["seed"],
        )
        for r in rows
    ] == [
        (trace, drive, channels, ways, size, seed)
        for trace in ("trace", "random")
        for drive in ("plain", "cave")
        for channels, ways in ((1, 2), (2, 1))
        for size in ("16KiB", "64KiB")
        for seed in (1, 2)
    ]
    assert all(row["status"] == 0 and row["error"] == "" and row["complete"] for row in rows)
    row = rows[-2]
    by_hand = simulator.simulate(
        "drive.toml",
        "hand",
        "--workload",
        "w.toml",
        "--limit",
        300,
        "--seed",
        1,
        *sets(
            nand__t_erase="1ms",
            host__queue_depth=4,
            buffer__eviction="cave",
            nand__channels=2,
            nand__ways=1,
            buffer__size="64KiB",
            alloc__scheme="block-round-robin",
        ),
    )
    assert row["host.write.lat_ns.p99_9"] == by_hand["host"]["write"]["lat_ns"]["p99_9"]
    assert row["config.buffer.eviction"] == "cave" and row["sim.requests"] == 300
    assert row["dies"] == by_hand["dies"] and row["channels"] == by_hand["channels"]
    flat = {key for key in row if key.startswith("ftl.")}
    assert {"ftl.execution_time_ns", "ftl.merges.full", "ftl.wear.stddev"} < flat
    # The same rows for a spreadsheet, and a page that `report` makes again to the byte.
    with open(swept.folder / "out" / "table.csv", newline="", encoding="utf-8") as file:
        spread = list(csv.DictReader(file))
    assert [r["host.write.lat_ns.p99_9"] for r in spread] == [
        str(r["host.write.lat_ns.p99_9"]) for r in rows
    ]
    assert "dies" not in spread[0]
    page = swept.folder / "out" / "report.html"
    before = page.read_text(encoding="utf-8")
    assert "Cavern sweep: spec" in before and not any(r["run"] in before for r in rows)
    page.unlink()
    again = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "cavern", "report", "out"],
        cwd=swept.folder,
        env=environment(),
        text=True,
        capture_output=True,
        check=False,
    )
    assert (again.returncode, again.stdout) == (0, "out/report.html\n")
    # Tables are read without pandas, which takes longer to load than they do.
    assert "pyarrow.parquet" in again.stderr and "pandas.core" not in again.stderr
    assert page.read_text(encoding="utf-8") == before
    side = told(swept.folder, "out", name="compare")
    assert (
        side.returncode == 0
        and "did not play the same" in side.stdout
        and "better" not in side.stdout.replace("neither better nor worse", "")
    )
    # The neighbouring row, of another seed, is another run.
    assert rows[-1]["host.write.lat_ns.mean"] != by_hand["host"]["write"]["lat_ns"]["mean"]


@pytest.mark.slow
def test_failed_run_is_a_row_and_the_sweep_goes_on(sweeping: Workspace) -> None:
    sweeping.write("bad.csv", "time_us,op,offset,size\n0,W,0,4096\n1,X,0,4096\n")
    sweeping.write("spec.toml", 'config = "drive.toml"\ntraces = ["bad.csv", "trace.csv"]\n')
    done = sweep(sweeping.folder, "spec.toml", "--out", "out")
    assert done.returncode == 1
    assert done.stdout == "out/table.parquet: 2 runs, 1 failed\nout/report.html\n"
    assert done.stderr.startswith("failed: trace bad: error: bad.csv:3: op ")
    bad, good = table(sweeping.folder / "out")
    assert (bad["trace"], bad["status"], good["trace"], good["status"]) == ("bad", 2, "trace", 0)
    assert bad["error"].startswith("error: bad.csv:3: ") and bad["host.write.count"] is None
    assert good["error"] == "" and good["host.write.count"] == 2
    # It is tried again when the sweep goes on, and gone once the mistake is.
    sweeping.write("bad.csv", "time_us,op,offset,size\n0,W,0,4096\n")
    done = sweep(sweeping.folder, "spec.toml", "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    there = "1 there, --fresh runs them again\n"
    assert done.stdout == f"{there}out/table.parquet: 2 runs\nout/report.html\n"


@pytest.mark.slow
def test_combination_that_cannot_be_is_a_failed_run(sweeping: Workspace) -> None:
    # 16 MiB of buffer fit an SDRAM of 64 MiB, not one of 1 MiB; each value suits some other one.
    sweeping.write(
        "spec.toml",
        """\
config = "drive.toml"
traces = ["trace.csv"]
[vary]
dram.size = ["1MiB", "64MiB"]
buffer.size = ["64KiB", "16MiB"]
""",
    )
    done = sweep(sweeping.folder, "spec.toml", "--out", "out")
    assert done.returncode == 1
    rows = table(sweeping.folder / "out")
    assert [row["status"] for row in rows] == [0, 2, 0, 0]
    assert "16MiB" in rows[1]["error"] and "64KiB" not in rows[1]["error"]


def on_terminal(folder: Path, *arguments: object) -> str:
    """What a sweep shows on a terminal's stderr."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command(*arguments),
        cwd=folder,
        stdout=subprocess.DEVNULL,
        env={**environment(), "TERM": "xterm", "COLUMNS": "80"},
        stderr=theirs,
    ) as process:
        os.close(theirs)
        text = b""
        with suppress(OSError) as _:
            while part := os.read(ours, 65536):
                text += part
        assert process.wait() == 0
    os.close(ours)
    return text.decode()


def test_a_name_that_looks_like_an_option_is_a_file(sweeping: Workspace) -> None:
    for name, file in (("-d.toml", "drive.toml"), ("-", "trace.csv")):
        (sweeping.folder / file).rename(sweeping.folder / name)
    sweeping.write("spec.toml", 'config = "-d.toml"\ntraces = ["-"]\n')
    done = told(sweeping.folder, "spec.toml", "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal_only_and_jobs_change_no_row(swept: Workspace) -> None:
    shown = on_terminal(swept.folder, "spec.toml", "--out", "one", "--jobs", 1)
    assert "/32 runs" in shown and "/min" in shown
    assert "0:00:0" in shown  # time left
    # That nothing is shown elsewhere is asserted wherever stderr is compared.
    one, four = (table(swept.folder / out) for out in ("one", "out"))
    assert without_moment(one) == without_moment(four)
    assert one != four  # the comparison sees the wall-clock fields that were left out


@pytest.mark.parametrize("name", ["sweep", "reproduce"])
@pytest.mark.slow
def test_front_door_has_the_command(name: str, front_door: Program) -> None:
    finished = front_door(name, "--help")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert f"cavern {name} [OPTIONS]" in finished.stdout
    assert f"\n  {name} " in front_door("--help").stdout


def test_columns_keep_what_was_in_the_rows(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"whole": 1, "mixed": 1, "word": "single", "list": [{"a": 1}], "none": None},
        {"whole": 2**62, "mixed": 0.5, "word": ["single", "idle"], "list": [{"a": 0.5}], "late": 3},
    ]
    write_parquet(rows, tmp_path / "t.parquet")
    back = pq.read_table(tmp_path / "t.parquet").to_pylist()
    assert [row["whole"] for row in back] == [1, 2**62]
    assert [row["mixed"] for row in back] == [1.0, 0.5]
    assert [json.loads(row["word"]) for row in back] == ["single", ["single", "idle"]]
    assert [row["list"] for row in back] == [[{"a": 1}], [{"a": 0.5}]]
    assert [row["late"] for row in back] == [None, 3] and back[0]["none"] is None


def test_a_table_has_the_order_of_its_description_and_what_its_runs_warn_of(tmp_path: Path) -> None:
    told = [{"columns": ["vary.buffer.size"], "values": [["1MiB"], ["2MiB"], ["8MiB"]]}]
    warnings = {"8MiB": ["A.", "B 2."], "1MiB": []}
    rows = rows_of(
        [
            Outcome(
                Run(Case(Path("cave.toml"), Input(Path("t.csv")), (), {"buffer.size": size}), size),
                0,
                summary={"run": {"warnings": texts, "id": "x"}, "ftl": {"erases": 3}},
            )
            for size, texts in warnings.items()
        ]
    )
    write_parquet(rows, tmp_path / "table.parquet", {"title": "T", "axes": told})
    write_csv(rows, tmp_path / "table.csv")
    with open(tmp_path / "table.csv", newline="", encoding="utf-8") as file:
        assert [row["run.warnings"] for row in csv.DictReader(file)] == ["A. | B 2.", ""]
    read = read_table(tmp_path)
    assert [axis.texts for axis in read.axes] == [["1MiB", "8MiB"]]
    assert reservations(read, []) == ["buffer.size 8MiB: A.", "buffer.size 8MiB: B 2."]
    # Without what is told, it is the order of the rows.
    write_parquet(rows, tmp_path / "table.parquet", {"axes": [{"columns": 3}, 7]})
    assert [axis.texts for axis in read_table(tmp_path).axes] == [["8MiB", "1MiB"]]


def test_errno_of_a_missing_folder_is_not_swallowed() -> None:
    # suppress(OSError) in on_terminal stands for one error only: the terminal's other end closed.
    ours, theirs = pty.openpty()
    os.close(theirs)
    with pytest.raises(OSError) as caught:
        os.read(ours, 1)
    assert caught.value.errno == errno.EIO
    os.close(ours)
