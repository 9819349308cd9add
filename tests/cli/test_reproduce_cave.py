"""./cavern reproduce cave: figures and claims agree with the runs, and fail with other ones."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from papers import cave
from papers.cave import fit
from papers.cave.traces import (
    QUICK_WHOLE_LIMIT,
    REFERENCE_GROUP,
    WHOLE_GROUP,
    played_traces,
)
from papers.experiment import Claim, Table, check_claims
from tests.cli.programs import BIN, ROOT, Json, Program
from tests.cli.reproduced import (
    CLAIM_FIELDS,
    Key,
    Rows,
    check_kept,
    check_pictures,
    figure_rows,
    judged,
    quick_results,
    summaries,
    table_of,
)
from tests.cli.test_reproduce import differences

#: The first word of a trace's file name for the short name in the figures.
SHORT = {
    "oltp-mysql-1h": "mysql",
    "oltp-mssql-51min": "mssql",
    "cave-sysmark-fitted": "sysmark-fit",
    "cave-sysmark-whole-fitted": "sysmark-whole-fit",
}
WHOLE = "sysmark-whole-fit"
FIGURES = (
    "table3",
    "traces",
    "figure2-example",
    "figure2-traces",
    "figure4",
    "figure5",
    "figure5-whole",
    "figure6",
    "figure6-whole",
    "figure7",
    "figure7-whole",
    "log-blocks",
    "homes",
    "readings",
    "few-log-blocks",
    "assumed",
)
LOWER = "the proposed method always has the lower execution time"
SAVED = "execution time saved with block LRU on SYSMARK"
SIMILAR = "at 16MiB the hit ratios are similar"
GROWS = "the hit ratio grows with the buffer"
TWO_PAGES = "1-channel FTL: valid pages copied / blocks erased"
COPIES_MORE = (
    "a collection of the multi-channel FTL copies more pages than one of the 1-channel FTL"
)
RARELY = "pages rarely have to move because their block comes to another die"


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of `reproduce cave --quick`."""
    return quick_results("cave", tmp_path_factory)


def kib(size: str) -> int:
    return int(size[:-3]) * {"KiB": 1, "MiB": 1024}[size[-3:]]


def drive_key(summary: Json) -> Key:
    """(trace, order, buffer, drive) of a run of Figures 5 to 7, from what the run itself says."""
    config = summary["config"]
    drive = {"mcsplit": "conventional", "bast": "proposed"}[config["ftl"]["scheme"]]
    size = config["buffer"]["size"]
    trace = SHORT[Path(summary["trace"]).name.split(".")[0]]
    return trace, config["buffer"]["policy"], size, drive


def mode_of(summary: Json) -> str:
    return summary["config"]["alloc"].get("block-round-robin", {}).get("mode", "")


def of_figures(summary: Json) -> bool:
    """Whether the run is not one of the example, or of what was assumed of stand-ins."""
    name = Path(summary["trace"]).name.removesuffix(".xz").rpartition(".")[0]
    played = SHORT.get(name)
    of_whole = played == WHOLE and summary["sim"]["requests"] < QUICK_WHOLE_LIMIT
    return bool(played) and not of_whole


def recomputed(folder: Path) -> dict[str, Rows]:
    """The numbers of Figures 4 to 7, counted anew from the summaries and nothing else."""
    names = [f"figure{number}{of}" for number in (5, 6, 7) for of in ("", "-whole")]
    found: dict[str, Rows] = {name: {} for name in ("figure4", *names)}
    for summary in filter(of_figures, summaries(folder)):
        buffer, ftl = summary["buffer"], summary["ftl"]
        written = buffer["write_hits"] + buffer["write_misses"]
        if ftl["scheme"] == "page":
            trace = SHORT[Path(summary["trace"]).name.split(".")[0]]
            lru = summary["config"]["buffer"].get("ref", {}).get("refill") == "lru"
            order = buffer["policy"] + ("-lru" if lru and buffer["policy"] == "ref" else "")
            key: Key = (trace, order, str(buffer["pages"] * 2))
            found["figure4"][key] = {"write_hit_ratio": buffer["write_hits"] / written}
            continue
        key = drive_key(summary)
        of, homes = ("-whole", "gather") if key[0] == WHOLE else ("", "move")
        shown = key[3] == "conventional" or mode_of(summary) == homes
        if shown and summary["config"]["ftl"]["log_blocks"] == 1024:
            whole = (ftl["write_time_ns"] + ftl["gc_time_ns"]) / 1e9
            found[f"figure5{of}"][key] = {"write_hit_ratio": buffer["write_hits"] / written}
            found[f"figure6{of}"][key] = {
                "write_s": ftl["write_time_ns"] / 1e9,
                "collection_s": ftl["gc_time_ns"] / 1e9,
                "execution_s": whole,
            }
            found[f"figure7{of}"][key] = {"collection_share": ftl["gc_time_ns"] / 1e9 / whole}
    return found


@pytest.mark.slow
def test_every_figure_has_data_and_two_pictures(quick: Path) -> None:
    check_pictures(quick, FIGURES, 3)


@pytest.mark.slow
def test_figures_show_what_the_runs_counted(quick: Path) -> None:
    found = recomputed(quick)
    assert len(found["figure4"]) == 4 * 6 * 3 and len(found["figure5"]) == 3 * 2 * 2 * 2
    assert len(found["figure6-whole"]) == 2 * 2 * 2
    for name, rows in found.items():
        shown = figure_rows(quick, name, 3 if name == "figure4" else 4)
        assert differences(rows, shown) == [], name
    # The control: a single number changed in its third digit is found, and so is a row too few.
    shown = figure_rows(quick, "figure6", 4)
    key = next(iter(shown))
    shown[key]["execution_s"] = (shown[key]["execution_s"] or 0) * 1.004
    assert differences(found["figure6"], shown) == [key]
    del shown[key]
    assert differences(found["figure6"], shown) == [key]


def by_reading(folder: Path) -> dict[Key, float]:
    """Execution time saved by (trace, order, buffer, reading), counted anew."""
    times: dict[Key, dict[str, float]] = {}
    for summary in filter(of_figures, summaries(folder)):
        ftl = summary["ftl"]
        if ftl["scheme"] == "page" or summary["config"]["ftl"]["log_blocks"] != 1024:
            continue
        *key, drive = drive_key(summary)
        for how, field in (("makespan", "gc_time_ns"), ("sum", "gc_time_sum_ns")):
            whole = ftl["write_time_ns"] + ftl[field]
            every = ["move", "sticky", "gather"]  # the conventional drive is in all of them
            for homes in every if drive == "conventional" else [mode_of(summary)]:
                times.setdefault((*key, f"{homes}, {how}"), {})[drive] = whole
    return {key: 1 - t["proposed"] / t["conventional"] for key, t in times.items()}


@pytest.mark.slow
def test_every_reading_is_counted_and_judged(quick: Path) -> None:
    found = by_reading(quick)
    shown = figure_rows(quick, "readings", 4)
    assert len(found) == len(shown) == 4 * 2 * 2 * 6
    for key, saved in found.items():
        assert shown[key]["reduction"] == pytest.approx(saved, rel=1e-9)
    # Readings differ, and none is another one shown twice.
    for a in {key[3] for key in found}:
        for b in {key[3] for key in found} - {a}:
            assert any(found[(*key[:3], a)] != found[(*key[:3], b)] for key in found), (a, b)
    claims = {claim["claim"]: claim for claim in json.loads((quick / "claims.json").read_text())}
    names = list(dict.fromkeys(key[3] for key in shown))

    def holding(claim: Json) -> list[str]:
        """The senses in which it holds, of reading alone and of the whole stand-ins."""
        own = ["move, makespan"] if claim["holds"] else []
        return own + [other["name"] for other in claim["others"] if other["holds"]]

    def expected(good: Any, reference: Any, whole: Any) -> set[str]:
        return {
            name if of is reference else f"{WHOLE_GROUP}; {name}"
            for of in (reference, whole)
            for name in names
            if all(good(saved) for key, saved in found.items() if key[3] == name and of(key))
        }

    plain = {*names, *(f"{WHOLE_GROUP}; {name}" for name in names)}
    every = expected(lambda saved: saved > 0, lambda k: k[0] != WHOLE, lambda k: k[0] == WHOLE)
    assert set(holding(claims[LOWER])) & plain == every
    of = [("sysmark-fit", "lru-block"), (WHOLE, "lru-block")]
    inside = expected(
        lambda saved: 0.555 <= saved <= 0.974, lambda k: k[:2] == of[0], lambda k: k[:2] == of[1]
    )
    assert set(holding(claims[SAVED])) & plain == inside
    assert inside and inside != plain and not claims[SAVED]["holds"]
    assert claims[SAVED]["verdict"] == "holds with another reading"
    # The paper's assumption is not judged by readings in which no page can move.
    assert claims[RARELY]["kind"] == "assumption"
    assert not any("gather" in o["name"] or "sticky" in o["name"] for o in claims[RARELY]["others"])


@pytest.mark.slow
def test_example_of_figure_2_is_counted_by_hand(quick: Path) -> None:
    shown = figure_rows(quick, "figure2-example", 2)
    # Left: pages 0 and 2 follow 1 and 3 to the new die, one block is erased. With log blocks all
    # four pages are written anew, data and log block erased. Right: 16 pages, four blocks of each.
    assert {key[0]: (row["copies"], row["erases"]) for key, row in shown.items()} == {
        "BAST, move": (2, 1),
        "BAST, merge": (4, 2),
        "MCSplit, merge": (16, 8),
    }


@pytest.mark.slow
def test_fitted_workload_is_near_the_table_of_the_paper(quick: Path) -> None:
    shown = figure_rows(quick, "table3", 2)
    assert {key[1] for key in shown} == {"random", "mean_kb", "storage_gb", "written_gb"}
    assert {key[0] for key in shown} == {"sysmark-fit", WHOLE}
    for key, row in shown.items():
        bound = 0.08 if key[1] == "storage_gb" else 0.05  # GB of 10^9 bytes or of 2^30
        if key[1] != "written_gb":  # it is played in part
            assert row["played"] == pytest.approx(row["table3"], rel=bound), key
        assert row["played"] != row["table3"]  # measured, not copied


def test_whole_stand_in_writes_as_much_as_the_trace() -> None:
    whole = next(p for p in played_traces(quick=False) if p.name == WHOLE)
    found = fit.measure(whole.input, whole.limit, BIN / "cavern-sim")
    assert found.written_gb == pytest.approx(fit.TABLE_3["sysmark"].written_gb, rel=0.01)


def test_traces_unlike_those_of_table_3_are_found_by_what_they_are() -> None:
    like = fit.Characteristics(0.9, 10, 5, 0.1)
    assert fit.like(like)
    for less in (
        replace(like, random=0.45),  # below SYSMARK's 47 %
        replace(like, random=0.9998),
        replace(like, written_gb=0.0167),  # less than 16 MiB
    ):
        assert not fit.like(less)
    assert fit.like(replace(like, random=0.469)) and fit.like(replace(like, written_gb=0.0168))


@pytest.mark.slow
def test_scope_of_traces_is_counted(quick: Path) -> None:
    shown = figure_rows(quick, "traces", 2)
    inside = {key[0] for key, row in shown.items() if row["like_table3"]}
    assert inside == {"mysql", "sysmark-fit", WHOLE}
    assert (shown["mssql", REFERENCE_GROUP]["random"] or 1) < 0.46  # mostly a sequential stream


@pytest.mark.slow
def test_claims_have_the_fields_of_the_contract(quick: Path) -> None:
    claims = json.loads((quick / "claims.json").read_text())
    for claim in claims:
        assert tuple(claim) == CLAIM_FIELDS
        assert claim["paper"] == "CAVE (SAC 2011)" and isinstance(claim["holds"], bool)
        assert claim["claim"] and claim["where"] and claim["ours"] is not None
        assert claim["decided_by"] and isinstance(claim["note"], str)
        # A claim that fails says where.
        assert claim["holds"] or claim["note"] or "%" in str(claim["ours"])
        names = [other["name"] for other in claim["others"]]
        assert len(set(names)) == len(names) and "" not in names
    assert max(Counter((claim["where"], claim["claim"]) for claim in claims).values()) == 1
    # All outcomes occur: judging is not a foregone conclusion.
    assert {claim["holds"] for claim in claims} == {True, False}
    assert {claim["verdict"] for claim in claims} >= {"holds", "holds with another reading"}
    assert Counter(claim["kind"] for claim in claims) == {"claim": 20, "assumption": 1}


@pytest.mark.slow
def test_what_was_assumed_is_varied(quick: Path) -> None:
    fitted = {entry["name"]: entry for entry in json.loads((quick / "fitted.json").read_text())}
    assert set(fitted) == {"popularity", "cluster", "working set", "length", "log blocks"}
    claims = json.loads((quick / "claims.json").read_text())
    for name, entry in fitted.items():
        on = {claim["claim"] for claim in claims if name in claim["fitted"]}
        assert {outcome["claim"] for outcome in entry["outcomes"]} == on and on
        values = {outcome["value"] for outcome in entry["outcomes"]}
        assert entry["value"] in values and len(values) >= 2
        # What is varied makes a difference somewhere.
        assert any(
            len({o["ours"] for o in entry["outcomes"] if o["claim"] == claim}) > 1 for claim in on
        )
    # The control: without the other values the check refuses the claims.
    rows = [row for row in table_of(quick) if row["vary.group"] in ("", REFERENCE_GROUP)]
    table = Table(rows, BIN / "cavern-sim")
    with pytest.raises(LookupError, match="'log blocks', which is not listed"):
        check_claims(list(cave.claims(table)), [])


@pytest.mark.slow
def test_claims_are_judged_by_the_runs(quick: Path) -> None:
    times = recomputed(quick)["figure6"]
    claims = {claim["claim"]: claim for claim in json.loads((quick / "claims.json").read_text())}

    def saved(*key: str) -> float:
        before, after = (
            times[(*key, drive)]["execution_s"] or 0 for drive in ("conventional", "proposed")
        )
        return 1 - after / before

    cells = sorted({key[:3] for key in times})
    lower = [key for key in cells if saved(*key) > 0]
    claim = claims[LOWER]
    assert claim["ours"] == f"in {len(lower)} of {len(cells)} cases"
    assert claim["holds"] == (len(lower) == len(cells))
    ends = [saved("sysmark-fit", "lru-block", size) for size in ("128KiB", "16MiB")]
    claim = claims[SAVED]
    for end in ends:
        assert f"{100 * end:.1f} %" in claim["ours"]
    assert claim["holds"] == all(0.555 <= end <= 0.974 for end in ends)


@pytest.mark.nightly  # by day that of look-ups on a drive
def test_second_time_nothing_is_run_and_everything_is_the_same(quick: Path, tmp_path: Path) -> None:
    check_kept(quick, cave, FIGURES, tmp_path)


def changed(rows: list[Json], change: Any, **labels: object) -> dict[str, Claim]:
    """Judged again with the runs of these labels replaced."""
    wanted = {f"vary.{key}": value for key, value in labels.items()}

    def is_wanted(row: Json) -> bool:
        return all(row.get(name) == value for name, value in wanted.items())

    other = [row | change(row) if is_wanted(row) else row for row in rows]
    assert other != rows
    return judged(cave, other)


@pytest.mark.slow
def test_with_hit_counting_broken_claims_that_held_fail(quick: Path) -> None:
    rows = table_of(quick)
    before = judged(cave, rows)
    assert before[SIMILAR].holds and before[GROWS].holds

    # CAVE's victims count as hits no more: half of them are lost.
    def half(row: Json) -> Json:
        return {"buffer.write_hit_ratio": row["buffer.write_hit_ratio"] / 2}

    after = changed(rows, half, part="drives", drive="proposed")
    assert after[SIMILAR].verdict == "does not hold" and after[GROWS].holds
    # A large buffer that counts no hits.
    after = changed(rows, lambda row: {"buffer.write_hit_ratio": 0.0}, part="hits", size="16MiB")
    assert not after[GROWS].holds and after[SIMILAR].holds


@pytest.mark.slow
def test_with_the_move_broken_claims_that_held_fail(quick: Path, tmp_path: Path) -> None:
    """Figure 2 played by a drive whose blocks stay where they are; and one that gathers nothing."""
    rows = table_of(quick)
    assert judged(cave, rows)[TWO_PAGES].holds
    case = next(one for one in cave.plan(True) if one.labels.get("drive") == "BAST, move")
    command = [word.replace('"move"', '"sticky"') for word in case.arguments()]
    assert command != case.arguments()
    done = Program(BIN / "cavern-sim", ROOT)(*command, "--out", tmp_path / "run", "--quiet")
    assert done.returncode == 0, done.stderr
    ftl = json.loads((tmp_path / "run" / "summary.json").read_text())["ftl"]
    stayed = {f"ftl.{name}": ftl[name] for name in ("merge_pages", "gc_pages", "erases")}
    assert not changed(rows, lambda row: stayed, part="example", drive="BAST, move")[
        TWO_PAGES
    ].holds

    # Merges of one block cost what merges of eight do.
    def striped(row: Json) -> Json:
        names = ("ftl.merge_pages", "ftl.gc_time_ns", "ftl.gc_time_sum_ns")
        return {name: row[name] * 20 for name in names}

    before, after = judged(cave, rows), changed(rows, striped, part="drives", drive="proposed")
    for claim in (COPIES_MORE, SAVED, LOWER):
        assert before[claim].verdict != "does not hold"
        assert after[claim].verdict == "does not hold"
