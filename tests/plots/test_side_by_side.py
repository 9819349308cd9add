"""Runs side by side: what a reader is told of them, and in which order."""

from __future__ import annotations

import csv
import io
import itertools
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from cavern.__main__ import main
from cavern.plots.about import head_lines
from cavern.plots.compared import compared, csv_text
from cavern.plots.figures import COMPARISON_FIGURES, RUN_FIGURES
from cavern.plots.figures.options import Options
from cavern.plots.finding import alone, load_runs
from cavern.plots.metrics import METRICS, metric
from cavern.plots.report import build_comparison, build_report
from cavern.plots.results import Run
from cavern.plots.tables import headline

from tests.plots.made_runs import Change, RunMaker, host, rows_of_writes, writes
from tests.plots.test_report import text_of, tree_of

pytestmark = pytest.mark.usefixtures("no_figures")


# ---- what is said above the table ----------------------------------------------------------------


def drive(pages: int, unit: str = "page") -> Change:
    def change(summary: dict[str, Any]) -> None:
        summary["trace"] = "traces/oltp.csv.xz"
        summary["ftl"]["logical_pages"] = pages
        summary["config"]["ftl"]["unit"] = unit
        summary["config"]["nand"]["page_size"] = "2KiB"

    return change


def test_head_lines_name_input_and_drive(runs: RunMaker) -> None:
    one = runs.load("one", drive(15_602_810), extras=False)
    lines = head_lines(alone([one, runs.load("two", drive(15_602_810), extras=False)]))
    assert lines == [
        "oltp.csv.xz, 20 requests (10 reads, 10 writes), 10.0 ms simulated",
        "2 × 2 dies, 29.8 GiB",
    ]
    # A drive of another unit is another drive, and has its own line.
    other = runs.load("other", drive(1 << 20, "512B"), extras=False)
    assert head_lines(alone([one, other]))[1:] == [
        "one: 2 × 2 dies, 29.8 GiB",
        "other: 2 × 2 dies, 512 MiB",
    ]
    # Runs of one drive share it, and of many drives some are named.
    third = runs.load("third", drive(1 << 20, "512B"), extras=False)
    assert head_lines(alone([one, other, third]))[2] == "other, third: 2 × 2 dies, 512 MiB"
    many = [runs.load(f"d{i}", drive(1 << (20 + i)), extras=False) for i in range(6)]
    assert head_lines(alone(many))[-2:] == ["d3: 2 × 2 dies, 16.0 GiB", "and 2 more runs"]
    # Of more runs than can be named their number is told.
    assert "2 runs: 2 × 2 dies, 512 MiB" in head_lines(alone([one, other, third, *many]))
    page = build_comparison(alone([one, other]))
    assert page.index("oltp.csv.xz, 20 requests") < page.index('id="headline"')


def test_rates_and_latencies_come_before_the_measure_of_one_paper(runs: RunMaker) -> None:
    labels = [row.label for row in headline([runs.load(extras=False)])]
    assert labels[:2] == ["Requests per second (IOPS)", "Bandwidth"]
    assert labels.index("p99.9") < labels.index("Execution time of the flash array")


def test_reports_say_collection_as_the_documents_do() -> None:
    said = [word for one in METRICS for word in (one.label, one.row)]
    said += [
        word for one in (*RUN_FIGURES, *COMPARISON_FIGURES) for word in (one.title, one.caption)
    ]
    other = re.compile(r"garbage|\bGCs?\b")
    assert [text for text in said if other.search(text)] == []
    assert other.search("Pages copied by GC") and len(said) > 50


def started(moment: str) -> Change:
    return lambda summary: summary.update(run={"started": moment})


def test_the_baseline_of_a_folder_is_the_run_that_was_first(
    runs: RunMaker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, moment in (("cave", "2026-01-01T10:05:00Z"), ("plain", "2026-01-01T10:00:00Z")):
        runs.write(f"all/{name}", started(moment), extras=False)
    folder = tmp_path / "all"
    assert [run.name for run in load_runs([folder])] == ["plain", "cave"]
    assert [run.name for run in load_runs([folder], "cave")] == ["cave", "plain"]
    # Short runs begin in one second; the last one wrote its summary last.
    for name in ("z", "y", "x"):
        runs.write(f"short/{name}", started("2026-01-01T10:00:00Z"), extras=False)
    for age, name in enumerate(("z", "y", "x")):
        os.utime(tmp_path / "short" / name / "summary.json", ns=(age, age))
    assert [run.name for run in load_runs([tmp_path / "short"])] == ["z", "y", "x"]
    # Arguments have the order of the user.
    named = [folder / "cave", folder / "plain"]
    assert [run.name for run in load_runs(named)] == ["cave", "plain"]
    page = build_comparison(alone(load_runs([folder])))
    heads = [text_of(head) for head in tree_of(page).iter("th") if head.get("scope") == "col"]
    assert heads[:3] == ["Result", "plainbaseline", "cave"]
    assert "The baseline is plain; " in page
    assert main(["compare", str(folder)]) == 0
    assert capsys.readouterr().out.startswith("Baseline: plain. --baseline NAME")


def test_runs_in_deeper_folders_are_said_to_be_left_out(
    runs: RunMaker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("out/one", "out/two", "out/sweep/a", "out/sweep/b/c", "out/old/d"):
        runs.write(name, extras=False)
    said = (
        f"Left out: 3 runs in deeper folders, in {tmp_path}/out/old, {tmp_path}/out/sweep, "
        f"{tmp_path}/out/sweep/b."
    )
    page = tmp_path / "page.html"
    assert main(["compare", str(tmp_path / "out"), "--out", str(page)]) == 0
    assert said in capsys.readouterr().out and said in page.read_text()
    assert main(["compare", str(tmp_path / "out" / "one")]) == 0
    assert "Left out" not in capsys.readouterr().out
    assert main(["compare", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f"error: {tmp_path}:1: holds no run; expected a folder of runs, such as {tmp_path}/out, "
        f"{tmp_path}/out/old, {tmp_path}/out/sweep, {tmp_path}/out/sweep/b\n"
    )


# ---- rows and cells ------------------------------------------------------------------------------


def collected(pages: float, total: float, written: float) -> Change:
    def change(summary: dict[str, Any]) -> None:
        summary["ftl"] |= dict(waf=1.25, waf_pages=pages, gc_pages=0, gc_runs=0)
        summary["ftl"] |= dict(execution_time_ns=total, write_time_ns=written)
        summary["ftl"]["gc_time_ns"] = total - written

    return change


def test_rows_that_say_nothing_are_left_out(runs: RunMaker) -> None:
    def labels(*loaded: Run) -> set[str]:
        return {row.label for row in headline(loaded)}

    quiet = runs.load("quiet", collected(1.25, 5e6, 5e6), extras=False)
    silent = {"… counted in pages", "Pages copied by collection", "Blocks collected"}
    silent |= {"… page writes", "… collection"}
    assert not silent & labels(quiet)
    # The control: one run of several that has something to say is enough.
    assert labels(quiet, runs.load("busy", collected(1.5, 5e6, 4e6), extras=False)) >= {
        *("… counted in pages", "… page writes", "… collection")
    }
    copies = silent - {"… counted in pages"}
    assert copies <= labels(quiet, runs.load("other", extras=False))


def test_a_run_without_time_has_no_rates_and_is_not_the_fastest(runs: RunMaker) -> None:
    def untimed(summary: dict[str, Any]) -> None:
        summary["sim"] |= dict(fidelity="untimed", simulated_ns=0)
        summary["host"] |= dict(iops=0, bandwidth_bps=0, write=host(2000, 0), read=host(2000, 0))

    def timed(summary: dict[str, Any]) -> None:
        summary["sim"]["fidelity"] = "at"
        summary["host"] |= dict(write=host(2000), read=host(2000))

    loaded = [runs.load("at", timed, extras=False), runs.load("untimed", untimed, extras=False)]
    cells = {(row.label, row.cells[1].text, row.cells[1].verdict) for row in headline(loaded)}
    assert {("Requests per second (IOPS)", "–", ""), ("p99", "–", ""), ("mean", "–", "")} <= cells
    assert ("Simulated time", "–", "") in cells
    assert not any(verdict for _, _, verdict in cells)
    lines = head_lines(alone(loaded))
    assert "10.0 ms simulated" in lines[0] and "simulated" not in lines[1]


def sampled(scale: float, low: float, high: float) -> Change:
    """A run of which windows had time: 2,000 writes measured, of means between these (us)."""

    def change(summary: dict[str, Any]) -> None:
        writes(100_000, scale)(summary)
        summary["sim"]["fidelity"] = "sampled"
        interval = dict(low=1000 * low, high=1000 * high)
        write = dict(count=2_000, mean=interval, p50=interval, p99_9=interval)
        summary["sampled"] = dict(confidence=0.95, iops=None, write=write)

    return change


def test_a_sampled_run_differs_where_its_interval_does(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = itertools.count()

    def told(*changes: Change) -> tuple[str, str, str]:
        loaded = [runs.load(f"run {next(numbers)}", one, extras=False) for one in changes]
        *_, row = (row for row in headline(loaded) if row.label == "mean")  # that of writes
        return row.cells[1].interval, row.cells[1].change, row.cells[1].verdict

    whole = writes(100_000)
    assert told(whole, sampled(1.1, 45, 65)) == ("(45.0 µs – 65.0 µs)", "+10.0 %", "")
    assert told(whole, sampled(1.2, 55, 65)) == ("(55.0 µs – 65.0 µs)", "+20.0 %", "worse")
    assert told(sampled(1.0, 45, 55), sampled(1.2, 54, 66))[2] == ""
    assert told(sampled(1.0, 45, 55), sampled(1.2, 56, 66))[2] == "worse"
    # Percentiles have the samples of what was measured, and the greatest is not that of the run.
    (tail,) = rows_of_writes([runs.load("tail", sampled(1.0, 45, 55), extras=False)])["p99.9"]
    assert tail[0] == "n=2"
    assert "max" not in rows_of_writes([runs.load("greatest", sampled(1.0, 45, 55), extras=False)])
    folders = [str(runs.load(name, sampled(1.0, 45, 55), extras=False).directory) for name in "ab"]
    assert main(["compare", *folders]) == 0
    said = "In brackets: where the figure of the whole run lies, at 95 %. Where intervals overlap"
    assert said in capsys.readouterr().out


def test_a_run_that_programmed_nothing_has_no_write_amplification(runs: RunMaker) -> None:
    def of(waf: float) -> Change:
        return lambda summary: summary["ftl"].update(waf=waf, waf_pages=waf)

    label = "Write amplification (WAF)"
    loaded = [runs.load(f"of {waf}", of(waf), extras=False) for waf in (2.0, 0.0, 1.0)]
    (row,) = (row for row in headline(loaded) if row.label == label)
    assert [(cell.text, cell.verdict) for cell in row.cells] == [
        *(("2.000", ""), ("–", ""), ("1.000", "better"))
    ]
    # In a table for programs it is no number either.
    lines = compared(alone(loaded))
    told = [one for one in csv.DictReader(io.StringIO(csv_text(alone(loaded), lines)))]
    assert [one["mean"] for one in told if one["field"] == "ftl.waf"] == ["2.0", "", "1.0"]


def test_counts_that_are_no_numbers_do_no_harm(runs: RunMaker) -> None:
    def unknown(summary: dict[str, Any]) -> None:
        summary["host"]["write"]["count"] = None
        summary["ftl"]["logical_pages"] = None
        summary["sim"]["requests"] = None

    both = [runs.load("known", extras=False), runs.load("unknown", unknown, extras=False)]
    assert rows_of_writes(both)["p99"][1] == ("", "", "")
    assert head_lines(alone(both)) == [
        "known: input, 20 requests (10 reads, 10 writes), 10.0 ms simulated",
        "unknown: input, 10.0 ms simulated",
        "2 × 2 dies",
    ]


def test_a_change_that_the_figures_do_not_show_is_not_said(runs: RunMaker) -> None:
    def later(summary: dict[str, Any]) -> None:
        summary["sim"]["simulated_ns"] += 1

    def evicts(summary: dict[str, Any]) -> None:
        summary["buffer"]["evicted_pages"] = 444_544

    def evicts_more(summary: dict[str, Any]) -> None:
        evicts(summary)
        summary["buffer"]["evicted_pages"] += 96

    nearly = [runs.load("x", evicts, extras=False), runs.load("y", evicts_more, extras=False)]
    (pages,) = [row.cells for row in headline(nearly) if row.label == "Evicted pages"]
    assert [(cell.text, cell.change) for cell in pages] == [("444,544", ""), ("444,640", "")]
    both = [runs.load("one", extras=False), runs.load("two", later, extras=False)]
    assert all(cell.change == "" for row in headline(both) for cell in row.cells)


def test_each_value_has_the_unit_that_suits_it(runs: RunMaker) -> None:
    def moves(rate: float, time: float) -> Change:
        def change(summary: dict[str, Any]) -> None:
            summary["host"]["bandwidth_bps"] = rate
            summary["sim"]["simulated_ns"] = time

        return change

    mixed = [
        runs.load("large", moves(2e10, 41e9), extras=False),
        runs.load("small", moves(8190.0, 20e9), extras=False),
    ]
    rows = {row.label: [cell.text for cell in row.cells] for row in headline(mixed)}
    assert rows["Bandwidth"] == ["20.0 GB/s", "8.19 kB/s"]
    # Where all can be read in one unit, they have one.
    assert rows["Simulated time"] == ["41.0 s", "20.0 s"]
    assert metric("sim.simulated_ns").common([41e9, 0.2e9]) == 41e9
    assert metric("sim.simulated_ns").common([41e9, 0.0]) == 41e9


# ---- the numbers ---------------------------------------------------------------------------------


def test_the_numbers_of_the_table_can_be_saved(runs: RunMaker) -> None:
    both = [runs.load("one, of two", extras=False), runs.load("two", writes(7187), extras=False)]
    text = csv_text(alone(both), compared(alone(both)))
    rows = {(row["field"], row["run"]): row for row in csv.DictReader(io.StringIO(text))}
    told = {key: (row["mean"], row["unit"]) for key, row in rows.items()}
    assert told["host.write.count", "one, of two"] == ("10.0", "1")
    assert told["host.write.count", "two"] == ("7187.0", "1")
    assert told["host.write.lat_ns.p99_9", "two"] == ("90000.0", "ns")
    assert told["host.bandwidth_bps", "two"] == ("8000000.0", "B/s")
    # What no run measures has no row.
    assert ("energy_j.total", "two") not in rows
    page = tree_of(build_comparison(alone(both)))
    (link,) = [a for a in page.iter("a") if a.get("download") == "cavern-comparison.csv"]
    assert unquote(str(link.get("href")).split(",", 1)[1]) == text


def test_figures_of_many_runs_are_folded(runs: RunMaker) -> None:
    many = [runs.load(f"r{i}", extras=False) for i in range(5)]

    def folded(*some: Run) -> int:
        return [
            text_of(one) for one in tree_of(build_report(some, Options())).iter("summary")
        ].count("Its figures")

    assert (folded(*many), folded(*many[:4])) == (5, 0)


def test_a_page_calls_the_commit_that_of_the_program(runs: RunMaker) -> None:
    def identified(summary: dict[str, Any]) -> None:
        summary["run"] = {"id": "20d4", "version": "0.2.0", "commit": "e6f7530", "started": "now"}

    page = build_report([runs.load("with", identified, extras=False)], Options())
    assert "Run 20d4 of Cavern 0.2.0, program of commit e6f7530, begun now." in page
