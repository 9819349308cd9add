"""What may be called better or worse, on every page and in the terminal."""

from __future__ import annotations

import math
from typing import Any

import cavern
import pytest
from cavern.plots.finding import alone
from cavern.plots.metrics import metric
from cavern.plots.report import build_comparison
from cavern.plots.side_by_side import print_comparison
from cavern.plots.tables import headline
from cavern.verdicts.inputs import alike
from cavern.verdicts.noise import differs, shares_differ
from cavern.verdicts.samples import beyond, enough, note
from cavern.verdicts.warnings import told_once

from tests.plots.made_runs import Change, RunMaker, rows_of_writes, writes
from tests.plots.test_report import text_of, tree_of

pytestmark = pytest.mark.usefixtures("no_figures")


# ---- percentiles of few samples ------------------------------------------------------------------


def test_samples_beyond_a_percentile_are_counted_exactly() -> None:
    assert [beyond(7187, field) for field in ("p50", "p99", "p99_9", "p99_99", "mean")] == [
        *(3593, 71, 7, 0, None)
    ]
    # 1 - 0.999 is more than 0.001: a calculation in binary fractions would take one off or add one.
    assert (beyond(10_000, "p99_9"), beyond(9_999, "p99_9")) == (10, 9)
    assert enough(10_000, "p99_9") and not enough(9_999, "p99_9") and enough(1, "mean")
    assert (note(7187, "p99_9"), note(7187, "p99"), note(3, "max")) == ("n=7", "", "")


def test_a_percentile_of_few_requests_has_their_number_and_no_verdict(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    few = [
        runs.load(name, writes(7187, scale), extras=False) for name, scale in (("a", 1), ("b", 2))
    ]
    rows = rows_of_writes(few)
    assert rows["p99.9"] == [("n=7", "", ""), ("n=7", "+100.0 %", "")]
    assert rows["p99"] == [("", "", ""), ("", "+100.0 %", "worse")]
    # The slowest request is one request, however many there are.
    assert rows["max"][1] == ("", "+100.0 %", "")
    # The control: with a few more it is.
    many = [
        runs.load(name, writes(10_000, scale), extras=False) for name, scale in (("c", 1), ("d", 2))
    ]
    assert rows_of_writes(many)["p99.9"] == [("", "", ""), ("", "+100.0 %", "worse")]
    # One of both is enough for no verdict.
    assert rows_of_writes([many[0], few[1]])["p99.9"][1] == ("n=7", "+100.0 %", "")

    cells = [
        cell
        for row in tree_of(build_comparison(alone(few))).iter("tr")
        for cell in row
        if "n=7" in text_of(cell)
    ]
    assert [(text_of(cell), cell.get("class")) for cell in cells] == [
        ("90.0 µs n=7", None),
        ("180 µs n=7+100.0 %", None),
    ]
    print_comparison(alone(few))
    said = capsys.readouterr().out
    assert "180 µs n=7 +100.0 %\n" in said and "n: so many requests lie beyond" in said
    print_comparison(alone(many))
    assert "180 µs +100.0 % worse" in capsys.readouterr().out
    table = cavern.compare(*(run.directory for run in few))
    told = table.loc[["host.write.lat_ns.p99", "host.write.lat_ns.p99_9"]]["b", "verdict"]
    assert list(told) == ["worse", ""]


# ---- least changes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (1000.0, 1004.0, ""),
        (1000.0, 1006.0, "better"),
        (1000.0, 994.0, "worse"),
        (0.0, 1.0, "better"),
    ],
)
def test_a_change_below_the_least_share_is_none(first: float, second: float, verdict: str) -> None:
    assert metric("host.iops").verdict(first, second) == verdict
    assert differs(first, second) is bool(verdict)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (0.1679, 0.1678, ""),
        (0.1679, 0.1688, ""),  # 0.54 % of it, and 0.09 points
        (0.1679, 0.1699, "better"),
        (0.0020, 0.0021, ""),  # a twentieth of nearly nothing
        (0.90, 0.904, ""),
        (0.90, 0.88, "worse"),
    ],
)
def test_a_share_that_changes_by_hundredths_of_a_point_is_neither_better_nor_worse(
    first: float, second: float, verdict: str
) -> None:
    assert metric("buffer.hit_ratio").verdict(first, second) == verdict
    assert shares_differ(first, second) is bool(verdict)


def test_what_is_not_known_differs_from_nothing() -> None:
    assert not differs(math.nan, 1.0) and not shares_differ(0.5, math.nan)
    assert metric("host.iops").verdict(1.0, math.nan) == ""


# ---- unlike inputs -------------------------------------------------------------------------------


def played(sha256: str | None, requests: int = 20, iops: float = 2000.0) -> Change:
    def change(summary: dict[str, Any]) -> None:
        summary["trace"] = "a.csv"
        summary["run"] = {"input": {"sha256": sha256}}
        summary["sim"]["requests"] = requests
        summary["host"]["iops"] = iops

    return change


def test_runs_that_played_something_else_are_neither_better_nor_worse(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded = [
        runs.load(name, played(*how), extras=False)
        for name, how in {
            "first": ("aa", 20, 2000.0),
            "same": ("aa", 20, 4000.0),
            "other": ("bb", 20, 4000.0),
            "shorter": ("aa", 2, 4000.0),
        }.items()
    ]
    rows = {row.label: row.cells for row in headline(loaded)}
    rates = rows["Requests per second (IOPS)"]
    assert [cell.change for cell in rates] == ["", "+100.0 %", "+100.0 %", "+100.0 %"]
    # The control is the run that played the same: those beside it do not take its verdict.
    assert [cell.verdict for cell in rates] == ["", "better", "", ""]
    page = build_comparison(alone([loaded[0], loaded[2]]))
    assert not any(
        cell.get("class") in ("better", "worse") for cell in tree_of(page).iter("td")
    ) and any(
        cell.get("class") == "better"
        for cell in tree_of(build_comparison(alone(loaded))).iter("td")
    )
    print_comparison(alone([loaded[0], loaded[2]]))
    said = capsys.readouterr().out
    assert "did not play the same" in said and "% better" not in said
    assert list(cavern.compare(*(run.directory for run in loaded)).loc["host.iops"]) == [
        *(2000.0, 4000.0, 1.0, "better", 4000.0, 1.0, "", 4000.0, 1.0, "")
    ]
    # A summary of an older program has no hash; the names and numbers decide.
    assert alike({"trace": "x/a.csv"}.get, {"trace": "y/a.csv"}.get)
    assert not alike({"trace": "x/a.csv"}.get, {"trace": "x/b.csv"}.get)
    for field in ("run.input.limit", "run.input.warmup"):
        one, other = ({"trace": "a.csv", field: number} for number in (100, 200))
        assert alike(one.get, one.get) and not alike(one.get, other.get)


# ---- warnings ------------------------------------------------------------------------------------


def test_a_warning_is_told_once_with_the_runs_that_have_it() -> None:
    told = told_once(
        [
            ("one", ["40446 pages were read.", "No write."]),
            ("two", ["39 pages were read."]),
            ("three", ["40446 pages were read.", "Of 1.5 s, none.", "No write."]),
        ]
    )
    assert told == [
        "all 3 runs: 39 to 40446 pages were read.",
        "one, three: No write.",
        "three: Of 1.5 s, none.",
    ]
    assert told_once([("alone", ["No write."])]) == ["No write."]
    # Thousands may be separated, and a percentile is a name: p99 of few is not p99.9 of few.
    told = told_once([("one", ["39 pages."]), ("two", ["40,446 pages."]), ("three", ["9 pages."])])
    assert told == ["all 3 runs: 9 to 40,446 pages."]
    kinds = told_once([("one", ["p99 of 7."]), ("two", ["p99.9 of 8."])])
    assert kinds == ["one: p99 of 7.", "two: p99.9 of 8."]
    many = [(f"run {place}", ["No read."] if place < 5 else []) for place in range(1000)]
    assert told_once(many) == ["5 of 1,000 runs: No read."]
    assert told_once([("one", []), ("two", [])]) == []


def test_warnings_follow_the_results_folded_in_every_comparison(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    def warned(summary: dict[str, Any]) -> None:
        summary["run"] = {"warnings": ["40 pages were read."]}

    both = [runs.load(name, warned, extras=False) for name in ("one", "two")]
    page = build_comparison(alone(both))
    assert page.count("40 pages were read.") == 1
    assert page.index("</table>") < page.index('<details class="reservations">')
    assert 'class="warning"' not in page
    print_comparison(alone(both))
    assert capsys.readouterr().out.count("warning: both runs: 40 pages were read.\n") == 1


def test_what_makes_numbers_wrong_is_said_first_in_every_comparison(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    def cut(summary: dict[str, Any]) -> None:
        summary["complete"] = False

    both = [runs.load("whole", extras=False), runs.load("part", cut, extras=False)]
    said = "part: The run was interrupted; the numbers cover what was simulated until then."
    page = build_comparison(alone(both))
    assert 0 < page.index(f'<p class="warning" role="alert">{said}') < page.index('id="headline"')
    print_comparison(alone(both))
    assert capsys.readouterr().out.startswith(f"{said}\n")
    assert "interrupted" not in build_comparison(alone(both[:1]))
