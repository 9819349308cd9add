"""summary.json: what is refused and where, and how runs are found and named."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from cavern.errors import InputError, NotAvailableError
from cavern.plots.finding import load_runs
from cavern.plots.results import Summary

from tests.plots.made_runs import RunMaker, make_summary


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "summary.json"
    file.write_text(text)
    return file


def test_numbers_are_found_by_dotted_name(tmp_path: Path) -> None:
    summary = Summary(write(tmp_path, json.dumps(make_summary())))
    assert summary.number("host.write.lat_ns.p99") == 80_000
    assert summary.row_number("dies", 3, "utilization") == pytest.approx(0.11)
    assert summary.get("config.nand.channels") == 2
    assert summary.get("config.nand.planes", "none") == "none"


def test_null_is_not_measured_rather_than_zero(tmp_path: Path) -> None:
    data = make_summary()
    data["ftl"]["waf"] = None
    assert math.isnan(Summary(write(tmp_path, json.dumps(data))).number("ftl.waf"))


def test_missing_number_names_the_line_of_its_section(tmp_path: Path) -> None:
    data = make_summary()
    del data["host"]["write"]["lat_ns"]["p99"]
    file = write(tmp_path, json.dumps(data, indent=1))
    lines = file.read_text().splitlines()
    write_line = next(n for n, line in enumerate(lines, 1) if '"write": {' in line)
    expected = next(n for n, line in enumerate(lines, 1) if n > write_line and '"lat_ns"' in line)
    with pytest.raises(InputError) as caught:
        Summary(file).number("host.write.lat_ns.p99")
    assert caught.value.line == expected
    assert '"host.write.lat_ns.p99" is missing' in caught.value.what


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 1, "the file ends in the middle"),
        ('{"schema":\n "cavern.summary/1",\n "config": {', 3, "the file ends in the middle"),
        ('{"schema":\n nonsense}', 2, "not JSON"),
        ("[1, 2]", 1, "not an object"),
        ('{\n"schema": "other/3"}', 2, 'schema is "other/3"'),
        ("{}", 1, "schema is null"),
        ('{"schema": "cavern.summary/1"}', 1, 'section "config" is missing'),
    ],
)
def test_wrong_file_names_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(InputError) as caught:
        Summary(write(tmp_path, text))
    assert caught.value.line == line
    assert caught.value.what.startswith(what)


@pytest.mark.parametrize("value", ["fast", True, [1]])
def test_a_figure_that_is_no_number_is_refused(tmp_path: Path, value: Any) -> None:
    data = make_summary()
    data["host"]["iops"] = value
    with pytest.raises(InputError, match='"host.iops" is'):
        Summary(write(tmp_path, json.dumps(data))).number("host.iops")


def test_directory_of_runs_stands_for_all_of_them(runs: RunMaker, tmp_path: Path) -> None:
    for name in ("b", "a"):
        runs.write(name, extras=False)
    (tmp_path / "empty").mkdir()
    assert [run.directory.name for run in load_runs([tmp_path])] == ["a", "b"]
    assert [run.directory.name for run in load_runs([tmp_path / "b", tmp_path])] == ["b", "a"]


def test_baseline_comes_first_and_the_rest_keeps_its_order(runs: RunMaker) -> None:
    found = [runs.write(name, extras=False) for name in ("c", "a", "b")]
    assert [run.name for run in load_runs(found)] == ["c", "a", "b"]
    for wanted in ("b", str(found[2])):
        assert [run.name for run in load_runs(found, wanted)] == ["b", "c", "a"]
    with pytest.raises(InputError, match='--baseline "d" is none of the runs; expected one of'):
        load_runs(found, "d")


def test_runs_of_one_configuration_are_told_apart_by_directory(runs: RunMaker) -> None:
    def same(summary: dict[str, Any]) -> None:
        summary["config"]["name"] = "drive"

    found = [runs.write(name, same, extras=False) for name in ("x/one", "y/one", "z/two")]
    assert [run.name for run in load_runs(found)] == ["x/one", "y/one", "two"]
    assert [run.name for run in load_runs(found[:1])] == ["drive"]


def test_absent_files_are_no_fault_but_said(runs: RunMaker) -> None:
    run = runs.load(extras=False)
    with pytest.raises(NotAvailableError, match="--requests"):
        _ = run.requests
    with pytest.raises(NotAvailableError, match="--timeline"):
        _ = run.timeline
