"""./cavern reproduce ncq: figures and claims agree with the runs, and fail without pinning."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from papers import ncq
from papers.experiment import Claim
from papers.ncq.judged import (
    ABOVE,
    MORE,
    NECESSARY,
    QUEUE,
    SHRINKS,
    bandwidth_claim,
    hits_claim,
    iops_claim,
    largest,
    near,
    shrinks,
)
from papers.ncq.runs import FLASH_NS, flash_times
from papers.units import kibibytes, time_ns
from tests.cli.programs import BIN, ROOT, Json, Program, sets
from tests.cli.reproduced import (
    CLAIM_FIELDS,
    check_kept,
    check_other_verdicts,
    check_pictures,
    figure_rows,
    judged,
    quick_results,
    summaries,
    table_of,
)

FIGURES = ("figure3", "figure4", "figure5", "gains", "fitted", "ranges", "loads", "ncq-deep")
GAINED, FASTER = hits_claim("workload1"), bandwidth_claim("workload1")
#: What the quick runs show to hold without another reading or workload, and pins bring about.
BY_PINS = (ABOVE, GAINED, MORE, SHRINKS, FASTER, iops_claim("workload1"), NECESSARY)


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of `reproduce ncq --quick`."""
    return quick_results("ncq", tmp_path_factory)


def of_figures(summary: Json) -> bool:
    """Whether the run belongs to Figures 3 to 5, from what it says itself."""
    config = summary["config"]
    times = config["nand"]["t_program"] in (["8us"], "8us") or config["nand"]["channels"] != 4
    return (
        config["host"]["interface"] == "sata"
        and summary["sim"]["fidelity"] == "at"
        and config["workload"]["speedup"] == 1
        and config["host"]["generation"] == (3 if config["nand"]["channels"] == 4 else 2)
        and times
        and not config["buffer"]["ncq_literal_minmax"]
        and summary["trace"].endswith("-16MiB.toml")
    )


def key_of(summary: Json) -> tuple[str, ...]:
    config, nand = summary["config"], summary["config"]["nand"]
    drive = f"{nand['channels']}×{nand['ways']}"
    return (
        Path(summary["trace"]).name.split("-")[0],
        "FlashSim" if drive == "4×1" else drive,
        str(kibibytes(config["buffer"]["size"])),
        "aware" if config["buffer"]["ncq_aware"] else "lru",
    )


@pytest.mark.slow
def test_every_figure_has_data_and_two_pictures(quick: Path) -> None:
    check_pictures(quick, FIGURES)


@pytest.mark.slow
def test_figures_show_what_the_runs_counted(quick: Path) -> None:
    runs = {key_of(summary): summary for summary in summaries(quick) if of_figures(summary)}
    assert len(runs) == 2 * 3 * 3 * 2
    for name, column, value in (
        (
            "figure3",
            "hit_ratio",
            lambda s: (
                s["buffer"]["write_hits"]
                / (s["buffer"]["write_hits"] + s["buffer"]["write_misses"])
            ),
        ),
        ("figure4", "bandwidth_bps", lambda s: s["host"]["bandwidth_bps"] / 1e6),
        ("figure5", "iops", lambda s: s["host"]["iops"]),
    ):
        shown = figure_rows(quick, name, 4)
        assert shown.keys() == runs.keys()
        for key, numbers in shown.items():
            assert numbers[column] == pytest.approx(value(runs[key]), rel=1e-9), (name, key)
    # Records have one size, so Figure 5 is Figure 4 in other units.
    speeds = figure_rows(quick, "figure4", 4)
    for key, numbers in figure_rows(quick, "figure5", 4).items():
        record = {"workload1": 256, "workload2": 1024}[key[0]] * 1024
        assert (numbers["iops"] or 0) * record / 1e6 == pytest.approx(speeds[key]["bandwidth_bps"])


@pytest.mark.slow
def test_deep_queues_were_full(quick: Path) -> None:
    shown = figure_rows(quick, "ncq-deep", 3)
    assert {key[1] for key in shown} == {"0", "32", "1024"}
    for (trace, depth, _), numbers in shown.items():
        # Little's law: as many outstanding as asked for. The quick run of records is too short.
        if depth != "0" and trace != "records":
            outstanding = (numbers["iops"] or 0) * (numbers["mean_ms"] or 0) / 1e3
            assert outstanding == pytest.approx(int(depth), rel=0.35)


@pytest.mark.slow
def test_the_whole_run_is_said_beside_another_verdict(quick: Path) -> None:
    check_other_verdicts(quick, "ncq")


@pytest.mark.slow
def test_claims_have_the_fields_of_the_contract(quick: Path) -> None:
    claims = json.loads((quick / "claims.json").read_text())
    assert len({claim["claim"] for claim in claims}) == len(claims)
    assert [claim["kind"] for claim in claims].count("claim") == 12
    for claim in claims:
        assert tuple(claim) == CLAIM_FIELDS
        assert isinstance(claim["holds"], bool) and claim["where"] and claim["ours"] is not None
        assert claim["holds"] or claim["note"]
        assert claim["decided_by"]
        assert (claim["kind"] == "claim") == bool(claim["fitted"])
        if claim["kind"] == "claim":
            # The verdict before is reported beside the new one.
            assert any("before: " in other["name"] for other in claim["others"]), claim["claim"]
    assert {claim["holds"] for claim in claims} == {True, False}


@pytest.mark.slow
def test_what_a_fitted_value_was_chosen_for_holds_by_fit(quick: Path) -> None:
    claims = {c["claim"]: c for c in json.loads((quick / "claims.json").read_text())}
    by_fit = {name for name, claim in claims.items() if claim["verdict"] == "holds by fit"}
    assert by_fit == {GAINED, FASTER, iops_claim("workload1"), QUEUE}
    # Each value was chosen for something, and says so.
    values = {value["name"]: value for value in json.loads((quick / "fitted.json").read_text())}
    assert {name for claim in by_fit for name in claims[claim]["fit_by"]} == values.keys()
    assert all("chosen " in value["why"] for value in values.values())


@pytest.mark.slow
def test_each_claim_is_judged_over_the_fitted_values(quick: Path) -> None:
    fitted = json.loads((quick / "fitted.json").read_text())
    claims = {c["claim"]: c for c in json.loads((quick / "claims.json").read_text())}
    assert {value["value"] for value in fitted} == {"0.8", "16MiB", "3"}
    seen = 0
    for value in fitted:
        for outcome in value["outcomes"]:
            claim = claims[outcome["claim"]]
            assert value["name"] in claim["fitted"]
            if outcome["value"] == value["value"]:
                held = claim["holds"] or bool(claim["reading"])
                assert outcome["holds"] == held, outcome
                seen += 1
    assert seen == 3 * 11 + 1
    # The range is wide enough to matter.
    assert any(not outcome["holds"] for outcome in fitted[0]["outcomes"])


@pytest.mark.slow
def test_a_broken_row_fails_the_claims_about_it(quick: Path) -> None:
    rows = table_of(quick)
    before = judged(ncq, rows)
    for claim in BY_PINS:
        assert before[claim].holds, claim

    def broken(change: dict[str, Any], **labels: object) -> dict[str, Claim]:
        """Judged again with all NCQ-aware runs of these labels made worse."""
        wanted = {f"vary.{key}": value for key, value in labels.items()}
        worse = [
            row | {name: row[name] * factor for name, factor in change.items()}
            if all(row.get(name) == value for name, value in wanted.items())
            else row
            for row in rows
        ]
        assert worse != rows
        return judged(ncq, worse)

    after = broken({"buffer.hit_ratio": 0.5}, part="figures", policy="aware")
    assert not after[ABOVE].holds and "workload1, 1MiB" in after[ABOVE].note
    assert not after[GAINED].holds
    assert after[FASTER].holds and after[NECESSARY].holds  # judged by other fields, other runs
    after = broken({"buffer.hit_ratio": 0.5}, part="full", policy="aware")
    assert not after[NECESSARY].holds and after[GAINED].holds
    after = broken({"host.bandwidth_bps": 0.9}, part="figures", policy="aware")
    assert not after[FASTER].holds and after[GAINED].holds
    # By busy time it is as fast as before.
    assert after[FASTER].verdict == "holds with another reading"


@pytest.mark.slow
def test_misses_counted_as_hits_fail_what_held(quick: Path) -> None:
    rows = table_of(quick)
    before = judged(ncq, rows)
    after = judged(ncq, [row | {"buffer.hit_ratio": 1 - row["buffer.hit_ratio"]} for row in rows])
    for claim in (ABOVE, GAINED, hits_claim("workload2"), MORE, SHRINKS, NECESSARY):
        assert before[claim].holds and after[claim].verdict == "does not hold", claim
    assert after[FASTER].holds


@pytest.mark.slow
def test_without_pins_nothing_is_gained(quick: Path, tmp_path: Path) -> None:
    """The same runs with a device that may pin nothing stand in for the NCQ-aware ones."""
    rows = table_of(quick)
    simulator = Program(BIN / "cavern-sim", tmp_path)
    pins = 0
    for index, row in enumerate(rows):
        timed = row.get("vary.part") == "figures" and row.get("vary.factor") == 0.8
        full = row.get("vary.part") == "full"
        if not (timed or full) or row["vary.policy"] != "aware" or row["vary.range"] != "16MiB":
            continue
        pins += row["buffer.pins"]
        again = simulator.simulate(
            quick / "runs" / row["run"] / "config.toml",
            f"unpinned{index}",
            "--workload",
            ROOT / row["input"],
            "--limit",
            row["sim.requests"],
            "--warmup",
            row["sim.requests"] // (10 if timed else 40),
            "--seed",
            row["vary.nth"],
            *sets(buffer__ncq_max_pinned=0.0),
        )
        assert again["buffer"]["pins"] == 0
        rows[index] = row | {
            "buffer.hit_ratio": again["buffer"]["hit_ratio"],
            "host.bandwidth_bps": again["host"]["bandwidth_bps"],
            "host.iops": again["host"]["iops"],
            "host.busy_ns": again["host"]["busy_ns"],
            "ftl.execution_time_ns": again["ftl"]["execution_time_ns"],
        }
    assert pins > 1000
    claims = judged(ncq, rows)
    assert claims[GAINED].ours == "+0.00 points"
    for claim in BY_PINS:
        readings = [other for other in claims[claim].others if other.kind == "reading"]
        assert not claims[claim].holds, claim
        assert not any(other.holds for other in readings), claim


@pytest.mark.nightly  # by day that of look-ups on a drive
def test_second_time_nothing_is_run_and_everything_is_the_same(quick: Path, tmp_path: Path) -> None:
    check_kept(quick, ncq, FIGURES, tmp_path)


def test_near_is_a_factor_in_both_directions() -> None:
    assert near(0.04, 0.04) and near(0.05, 0.04) and near(0.03, 0.04)
    assert not near(0.07, 0.04) and not near(0.02, 0.04) and not near(-0.04, 0.04)


def test_gains_of_nothing_neither_peak_nor_shrink() -> None:
    assert largest([0.04, 0.02, 0.0]) and shrinks([0.04, 0.02, 0.0])
    for gained in ([0.0, 0.0, 0.0], [0.01, 0.04, 0.0]):
        assert not largest(gained) and not shrinks(gained)


def test_scaled_times_are_those_of_the_part() -> None:
    part = tomllib.loads((ROOT / "configs/nand/slc-4k-flashsim.toml").read_text())
    for key, ns in FLASH_NS.items():
        assert time_ns(part["timing"][key.removeprefix("nand.")]) == ns
    assert flash_times(0.8) == {
        "nand.t_read": "800ns",
        "nand.t_program": "8000ns",
        "nand.t_erase": "800000ns",
    }
