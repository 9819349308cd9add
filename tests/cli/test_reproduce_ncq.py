"""./cavern reproduce ncq: figures and claims agree with the runs, and fail without pinning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explore.reproduce import ncq
from explore.reproduce.experiment import Claim
from explore.reproduce.ncq.judged import near
from tests.cli.programs import BIN, ROOT, Json, Program, sets
from tests.cli.reproduced import (
    CLAIM_FIELDS,
    check_kept,
    check_pictures,
    figure_rows,
    judged,
    quick_results,
    summaries,
    table_of,
)

FIGURES = ("figure3", "figure4", "figure5", "ranges", "loads", "ncq-deep")
ABOVE = "the hit ratio is above that of LRU, in the worst case similar"
GAINED = "workload1: hit ratio gained at 1 MB, in points"
FASTER = "workload1, 1×1 dies: write bandwidth gained at 1 MB, %"


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of `reproduce ncq --quick`."""
    return quick_results("ncq", tmp_path_factory)


def of_figures(summary: Json) -> bool:
    """Whether the run belongs to Figures 3 to 5, from what it says itself."""
    config = summary["config"]
    return (
        config["host"]["interface"] == "sata"
        and summary["sim"]["fidelity"] == "at"
        and config["workload"]["speedup"] == 1
        and summary["trace"].endswith("-16MiB.toml")
    )


def key_of(summary: Json) -> tuple[str, ...]:
    config, nand = summary["config"], summary["config"]["nand"]
    return (
        Path(summary["trace"]).name.split("-")[0],
        f"{nand['channels']}×{nand['ways']}",
        str(summary["buffer"]["pages"] * 2),
        "aware" if config["buffer"]["ncq_aware"] else "lru",
    )


@pytest.mark.slow
def test_every_figure_has_data_and_two_pictures(quick: Path) -> None:
    check_pictures(quick, FIGURES)


@pytest.mark.slow
def test_figures_show_what_the_runs_counted(quick: Path) -> None:
    runs = {key_of(summary): summary for summary in summaries(quick) if of_figures(summary)}
    assert len(runs) == 2 * 2 * 3 * 2
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
def test_claims_have_the_fields_of_the_contract(quick: Path) -> None:
    claims = json.loads((quick / "claims.json").read_text())
    assert len(claims) >= 20
    assert len({claim["claim"] for claim in claims}) == len(claims)
    for claim in claims:
        assert tuple(claim) == CLAIM_FIELDS
        assert isinstance(claim["holds"], bool) and claim["where"] and claim["ours"] is not None
        assert claim["holds"] or claim["note"] or "in percent" in claim["claim"]
    assert {claim["holds"] for claim in claims} == {True, False}


@pytest.mark.slow
def test_a_broken_row_fails_the_claims_about_it(quick: Path) -> None:
    rows = table_of(quick)
    before = judged(ncq, rows)
    assert before[GAINED].holds and before[FASTER].holds
    # Records as large as the buffer, in a small range: the counter-examples there are.
    assert "workload1" not in before[ABOVE].note

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

    after = broken({"buffer.hit_ratio": 0.5}, part="ranges", range="16MiB", policy="aware")
    assert not after[ABOVE].holds and "workload1, records in 16MiB" in after[ABOVE].note
    assert not after[GAINED].holds
    assert after[FASTER].holds  # judged by other runs
    after = broken({"host.bandwidth_bps": 0.9}, part="figures", drive="1×1", policy="aware")
    assert not after[FASTER].holds and after[GAINED].holds


@pytest.mark.slow
def test_without_pins_nothing_is_gained(quick: Path, tmp_path: Path) -> None:
    """The same runs with a device that may pin nothing stand in for the NCQ-aware ones."""
    rows = table_of(quick)
    simulator = Program(BIN / "cavern-sim", tmp_path)
    replaced = 0
    for index, row in enumerate(rows):
        if (
            row.get("vary.part"),
            row.get("vary.range"),
            row.get("vary.size"),
            row.get("vary.policy"),
            row["trace"],
        ) != ("ranges", "16MiB", "1MiB", "aware", "workload1"):
            continue
        config = quick / "runs" / row["run"] / "config.toml"
        assert row["buffer.pins"] > 100
        summary = simulator.simulate(
            config,
            f"unpinned{index}",
            "--workload",
            ROOT / row["input"],
            "--limit",
            3000,
            "--warmup",
            75,
            *sets(buffer__ncq_max_pinned=0.0),
        )
        assert summary["buffer"]["pins"] == 0
        rows[index] = row | {"buffer.hit_ratio": summary["buffer"]["hit_ratio"]}
        replaced += 1
    assert replaced == 3
    claim = judged(ncq, rows)[GAINED]
    assert (claim.ours, claim.holds) == (0.0, False)


@pytest.mark.slow
def test_second_time_nothing_is_run_and_everything_is_the_same(quick: Path, tmp_path: Path) -> None:
    check_kept(quick, ncq, FIGURES, tmp_path)


def test_near_is_a_factor_in_both_directions() -> None:
    assert near(0.04, 0.04) and near(0.05, 0.04) and near(0.03, 0.04)
    assert not near(0.07, 0.04) and not near(0.02, 0.04) and not near(-0.04, 0.04)
