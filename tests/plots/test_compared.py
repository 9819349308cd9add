"""Runs with several seeds side by side, and the table for other programs and for papers."""

from __future__ import annotations

import csv
import html
import io
import itertools
import json
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cavern.__main__ import main
from cavern.errors import InputError
from cavern.plots.compared import PRINTED, compared
from cavern.plots.figures.comparison import in_two_lines
from cavern.plots.finding import folders_of, load_groups, load_runs
from cavern.plots.metrics import METRICS
from cavern.plots.tables import headline
from cavern.sweeps.repeat import record
from cavern.sweeps.table import write_parquet
from cavern.verdicts.intervals import mean_of

from tests.plots.made_runs import RunMaker

Json = dict[str, Any]
Change = Callable[[Json], None]
MEAN = "host.write.lat_ns.mean"


def noisy(summary: Json, rng: random.Random, share: float) -> None:
    """Every measure but the number of requests, each on its own, by a normal share."""
    for one in METRICS:
        if one.field == "sim.requests":
            continue
        *path, name = one.field.split(".")
        place = summary
        for part in path:
            place = place.setdefault(part, {})
        place[name] = place.get(name, 1000.0) * (1 + rng.gauss(0, share))


def repeated(
    runs: RunMaker,
    name: str,
    first: int,
    slower: float = 1.0,
    seeds: int = 10,
    share: float = 0.01,
    more: Change = lambda summary: None,
) -> Path:
    def change(summary: Json) -> None:
        summary["config"] |= {"name": name, "seed": seed}
        noisy(summary, random.Random(f"{seed}"), share)
        summary["host"]["write"]["lat_ns"]["mean"] *= slower
        more(summary)

    for seed in range(first, first + seeds):
        runs.write(f"{name}/seed-{seed}", change, extras=False)
    folder = runs.base / name
    told = {"schema": "cavern.repeat/1", "seeds": list(range(first, first + seeds))}
    (folder / "repeat.json").write_text(json.dumps(told))
    return folder


def verdicts(*folders: Path) -> dict[str, str]:
    lines = compared(load_groups(folders))
    return {line.metric.field: line.figures[1].verdict for line in lines if line.figures[1].verdict}


def test_what_differs_is_found_and_equal_designs_differ_in_nothing(runs: RunMaker) -> None:
    base = repeated(runs, "base", 1)
    assert verdicts(base, repeated(runs, "slower", 11, 1.05)) == {MEAN: "worse"}
    assert verdicts(base, repeated(runs, "faster", 21, 0.95)) == {MEAN: "better"}
    pairs = [verdicts(base, repeated(runs, f"same{n}", 10 * n + 1)) for n in range(3, 13)]
    assert sum(bool(told) for told in pairs) <= 1
    # A difference of which nobody doubts that it is there, and which is none that matters.
    assert not verdicts(base, repeated(runs, "near", 1, 1.004, share=1e-5))
    # One run against ten says nothing.
    assert not verdicts(base, base / "seed-1")


def test_repeats_keep_the_rules_of_single_runs(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    def tail(count: int, scale: float) -> Change:
        def change(summary: Json) -> None:
            summary["host"]["write"]["count"] = count
            summary["host"]["write"]["lat_ns"]["p99"] = scale

        return change

    def shorter(summary: Json) -> None:
        summary["sim"]["requests"] += 1

    p99 = "host.write.lat_ns.p99"
    many = [repeated(runs, f"many{n}", 1, more=tail(1000, n)) for n in (100, 200)]
    assert verdicts(*many)[p99] == "worse"
    few = [repeated(runs, f"few{n}", 1, more=tail(999, n)) for n in (100, 200)]
    assert p99 not in verdicts(*few)
    assert main(["compare", *map(str, few)]) == 0
    assert "n=9" in capsys.readouterr().out
    assert not verdicts(many[0], repeated(runs, "other", 11, 1.05, more=shorter))


def test_the_terminal_shows_a_column_for_ten_runs(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [str(repeated(runs, *one)) for one in (("base", 1), ("slower", 11, 1.05))]
    assert main(["compare", *folders]) == 0
    said = capsys.readouterr().out
    (heading,) = re.findall("^Result.*", said, re.MULTILINE)
    (row,) = re.findall("(?<=^Write latency\n)  mean.*", re.sub(" +\n", "\n", said), re.MULTILINE)
    assert heading.split() == ["Result", "base", "slower"]
    mean = r"[\d.]+ ± [\d.]+ µs"
    assert re.fullmatch(rf"  mean +{mean} +{mean} \+\d\.\d % worse", row)
    page = runs.base / "page.html"
    assert main(["compare", *folders, "--out", str(page)]) == 0
    text = page.read_text()
    assert re.search(r"[\d.]+ ± [\d.]+ µs", text) and "worse" in text and "seed-1" not in text
    assert capsys.readouterr().out.startswith(said)
    assert main(["compare", *folders, "--baseline", "slower"]) == 0
    assert re.search(rf"  mean +{mean} +{mean} −\d\.\d % better", capsys.readouterr().out)


def test_repeats_of_a_folder_stand_in_the_order_in_which_they_were_run(runs: RunMaker) -> None:
    moments: list[int] = []

    def change(summary: Json) -> None:
        summary["run"] = {"started": f"2026-01-01T00:00:0{len(moments)}Z"}
        moments.append(1)

    for name in "cab":
        for seed in (1, 2):
            runs.write(f"{name}/seed-{seed}", change, extras=False)
        told = json.dumps({"schema": "cavern.repeat/1", "seeds": [1, 2]})
        (runs.base / name / "repeat.json").write_text(told)
    assert [group.run.directory.name for group in load_groups([runs.base])] == ["c", "a", "b"]


def test_a_repeat_stands_beside_a_sweep_and_neither_is_in_the_order_of_names(
    runs: RunMaker,
) -> None:
    rows = [
        {"run": name, "trace": "a", "vary.drive": name, "status": 0, "error": ""}
        for name in ("plain", "cave")
    ]
    for row in rows:
        runs.write(f"sweep/runs/{row['run']}", extras=False)
    write_parquet(rows, runs.base / "sweep" / "table.parquet")
    both = [repeated(runs, "base", 1, seeds=2), runs.base / "sweep"]
    named = [("base", 2), ("drive plain", 1), ("drive cave", 1)]
    assert [(one.run.name, len(one.runs)) for one in load_groups(both)] == named
    # Without seeds taken as one, each is a run.
    names = [run.name for run in load_runs(both)]
    assert names == ["seed-1", "seed-2", "drive plain", "drive cave"]


def test_json_and_csv_say_what_the_runs_say(runs: RunMaker) -> None:
    groups = load_groups([repeated(runs, "base", 1), repeated(runs, "slow", 11, 1.05)])
    lines = compared(groups)
    told = json.loads(PRINTED["json"](groups, lines))
    assert [one["seeds"] for one in told["runs"]] == [list(range(1, 11)), list(range(11, 21))]
    (one,) = (one for one in told["metrics"] if one["field"] == MEAN)
    assert (one["unit"], one["better"]) == ("ns", "less")
    first, second = one["figures"]
    values = [run.summary.number(MEAN) for run in groups[0].runs]
    assert first["mean"] == pytest.approx(sum(values) / 10)
    assert first["half_width"] == pytest.approx(mean_of(values).half_width)
    assert (first["n"], first["change"], first["verdict"]) == (10, None, None)
    assert second["change"] == pytest.approx(second["mean"] / first["mean"] - 1)
    assert second["verdict"] == "worse" and second["difference_half_width"] < first["mean"] * 0.02
    rows = list(csv.DictReader(io.StringIO(PRINTED["csv"](groups, lines))))
    assert len(rows) == 2 * (len(told["metrics"]) + 2)  # and the reads and writes
    (row,) = (row for row in rows if (row["field"], row["run"]) == (MEAN, "slow"))
    assert float(row["mean"]) == second["mean"] and row["verdict"] == "worse"


def test_single_runs_have_the_verdicts_of_their_table(runs: RunMaker) -> None:
    def change(summary: Json) -> None:
        noisy(summary, random.Random(5), 0.1)
        summary["host"]["read"]["count"] = 0

    groups = load_groups([runs.write("one", extras=False), runs.write("two", change, extras=False)])
    told = [line.figures[1].verdict for line in compared(groups)]
    assert told == [row.cells[1].verdict for row in headline([group.run for group in groups])]
    assert {"better", "worse", ""} == set(told)
    (read,) = (line for line in compared(groups) if line.metric.field == "host.read.lat_ns.p50")
    assert math.isnan(read.figures[1].mean) and read.figures[0].n == 1


def test_latex_is_a_table(runs: RunMaker, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [repeated(runs, "base_1", 1), repeated(runs, "fast&50%", 11, 0.9)]
    assert main(["compare", *map(str, folders), "--latex"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:5] == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r" & base\_1 & fast\&50\% & change \\",
    ]
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"] and "n = 10" in lines[1]
    rows = [line for line in lines[5:-2] if not re.match(r"\\(midrule|multicolumn)", line)]
    assert all(len(re.findall(r"(?<!\\)&", row)) == 3 and row.endswith(r" \\") for row in rows)
    assert all(row.count("$") % 2 == 0 and row.count("{") == row.count("}") for row in rows)
    (mean,) = (row for row in rows if "mathbf" in row)
    number = r"[\d.]+ \\pm [\d.]+"
    assert re.fullmatch(
        rf"mean \(\$\\mu\$s\) & \${number}\$ & \$\\mathbf{{{number}}}\$ & \$-\$\d+\.\d \\% \\\\",
        mean,
    )
    assert not re.search("[^\x00-\x7f]", "".join(rows))


def test_seeds_of_a_sweep_stand_side_by_side_as_one(runs: RunMaker) -> None:
    rows = []
    for size in ("1MiB", "4MiB"):
        for seed in (1, 2, 3):
            runs.write(f"runs/{size}{seed}", extras=False)
            row = {"run": f"{size}{seed}", "vary.buffer.size": size, "seed": seed, "status": 0}
            rows.append({**row, "error": ""})
    write_parquet(rows, runs.base / "table.parquet")
    groups = load_groups([runs.base])
    assert [(group.run.name, len(group.runs)) for group in groups] == [
        ("buffer.size 1MiB", 3),
        ("buffer.size 4MiB", 3),
    ]


def test_a_record_of_the_seeds_is_read_again(runs: RunMaker) -> None:
    folder = repeated(runs, "base", 4, seeds=3)
    (group,) = load_groups([folder])
    (folder / "repeat.json").write_text(record(group, [4, 5, 6]))
    told = json.loads((folder / "repeat.json").read_text())
    assert len(told["metrics"][MEAN]["values"]) == told["n"] == 3
    assert told["metrics"][MEAN]["mean"] == pytest.approx(sum(told["metrics"][MEAN]["values"]) / 3)
    assert [path.name for path in folders_of(folder)] == ["seed-4", "seed-5", "seed-6"]
    for wrong in ("{}", '{"schema":"cavern.repeat/1","seeds":["../x"]}', "[]"):
        (folder / "repeat.json").write_text(wrong)
        with pytest.raises(InputError, match="expected one cavern.repeat/1 object"):
            folders_of(folder)


def test_a_comparison_of_seeds_says_what_its_figures_are_of(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    def warns(summary: Json) -> None:
        seed = summary["config"]["seed"]
        summary["host"]["read"]["count"] = seed
        summary["sim"]["simulated_ns"] = 1e9 * seed
        summary["run"] = {"warnings": ["Only the fourth says it."] if seed == 4 else []}

    both = [repeated(runs, "a", 1, seeds=5, more=warns), repeated(runs, "b", 6, seeds=5)]
    page = runs.base / "page.html"
    assert main(["compare", *map(str, both), "--out", str(page)]) == 0
    said, text = capsys.readouterr().out, html.unescape(page.read_text())
    for told in (said, text):
        assert "± is half of the 95 % interval of the mean (Student's t) of 5 seeds." in told
        assert "Welch's test at 1 % for all measures together" in told
        assert "a: Only the fourth says it." in told
    # No figure of one seed stands for all: neither the time, nor counts that differ.
    assert '<p class="head">a: input, 20 requests, 5 seeds</p>' in text
    # The control: of single runs there is neither.
    assert main(["compare", str(both[0] / "seed-1"), str(both[1] / "seed-6")]) == 0
    assert "±" not in (said := capsys.readouterr().out).replace("±0.0", "") and "Welch" not in said


def test_runs_of_a_sweep_have_names_that_tell_them_apart_beside_their_bars(runs: RunMaker) -> None:
    axes = {
        "drive": ("conventional", "cave"),
        "nand.channels": (2, 8),
        "buffer.size": ("1MiB", "4MiB"),
    }
    rows = [
        {
            "run": f"r{i}",
            "status": 0,
            "error": "",
            **dict(zip([f"vary.{a}" for a in axes], of, strict=True)),
        }
        for i, of in enumerate(itertools.product(*axes.values()))
    ]
    for row in rows:
        runs.write(f"sweep/runs/{row['run']}", extras=False)
    write_parquet(rows, runs.base / "sweep" / "table.parquet")
    names = [one.run.name for one in load_groups([runs.base / "sweep"])]
    assert names[:2] == ["conventional, 2, 1MiB", "conventional, 2, 4MiB"]
    shown = [in_two_lines(name) for name in names]
    assert len(set(shown)) == 8 and all(text.count("\n") < 2 and "…" not in text for text in shown)
    assert (
        in_two_lines("a name of many words that goes on for long") == "a name of many\nwords that …"
    )
