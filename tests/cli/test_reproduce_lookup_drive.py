"""./cavern reproduce lookup-drive: figure and claims agree with the runs, and fail with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from papers import lookup_drive
from papers.lookup_drive.runs import FREE, QUICK_LOOK_UPS, QUICK_SHAPES
from tests.cli.programs import Json
from tests.cli.reproduced import (
    check_kept,
    check_pictures,
    figure_rows,
    judged,
    quick_results,
    summaries,
    table_of,
)

FIGURES = ("lookup-drive",)
SHAPES = len(QUICK_SHAPES)
ML_FASTER = "a drive with ML is faster than with LM"
SQ_FASTER = "a drive with SQ is faster than with ML"
SG_FASTER = "a drive with SG is faster than with SQ"
DX_ENOUGH = "with DX the drive is as fast as without a processor wherever any look-up is"


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of `reproduce lookup-drive --quick`."""
    return quick_results("lookup-drive", tmp_path_factory)


def key_of(summary: Json) -> tuple[str, ...]:
    cpu = summary["config"]["cpu"]
    if cpu["model"] == "none":
        return FREE, "1", "1", "0"
    mhz = {"100MHz": "100", "400MHz": "400", "1GHz": "1000", "1000MHz": "1000"}[cpu["clock"]]
    return cpu["look_up"].upper(), str(cpu["look_up_groups"]), str(cpu["cores"]), mhz


@pytest.mark.slow
def test_the_figure_shows_what_the_runs_measured(quick: Path) -> None:
    check_pictures(quick, FIGURES, SHAPES * len(QUICK_LOOK_UPS) + 1)
    shown = figure_rows(quick, "lookup-drive", 4)
    runs = {key_of(summary): summary for summary in summaries(quick)}
    assert shown.keys() == runs.keys() and len(runs) == SHAPES * len(QUICK_LOOK_UPS) + 1
    fastest = runs[FREE, "1", "1", "0"]["host"]["iops"]
    for key, numbers in shown.items():
        host = runs[key]["host"]
        assert numbers["iops"] == pytest.approx(host["iops"])
        assert numbers["of_free"] == pytest.approx(host["iops"] / fastest)
        for op in ("read", "write"):
            for which in ("mean", "p99"):
                ours = numbers[f"{op}_{which}_us"]
                assert ours == pytest.approx(host[op]["lat_ns"][which] / 1e3)


@pytest.mark.slow
def test_a_slow_search_bounds_the_drive_by_its_cycles(quick: Path) -> None:
    # Where the processors are busy all the time, the drive does as many commands as they can.
    shown = figure_rows(quick, "lookup-drive", 4)
    bound = 0
    for (_, _, cores, mhz), numbers in shown.items():
        if (numbers["utilization"] or 0) > 0.99:
            most = int(cores) * int(mhz) * 1e6 / (numbers["cycles_per_command"] or 1)
            assert numbers["iops"] == pytest.approx(most, rel=0.03)
            bound += 1
    assert bound >= 8
    assert numbers_of(shown, "LM") < numbers_of(shown, "ML") < numbers_of(shown, "DX")


def numbers_of(shown: dict[tuple[str, ...], dict[str, float | None]], look_up: str) -> float:
    return shown[look_up, "1", "1", "100"]["iops"] or 0


@pytest.mark.slow
def test_what_is_decided_does_not_depend_on_the_processor(quick: Path) -> None:
    # Requests are decided in their order: a list of one group keeps what the buffer keeps.
    hits = {
        (summary["buffer"]["read_hits"], summary["buffer"]["write_hits"])
        for summary in summaries(quick)
        if summary["config"]["cpu"]["look_up_groups"] in (1, 127)
    }
    spread = [max(each) - min(each) for each in zip(*hits, strict=True)]
    least = min(sum(each) for each in hits)
    assert least > 500 and sum(spread) <= 0.03 * least


@pytest.mark.slow
def test_claims_hold_by_the_runs_and_fail_by_others(quick: Path) -> None:
    rows = table_of(quick)
    before = judged(lookup_drive, rows)
    assert before[ML_FASTER].holds and before[SG_FASTER].holds and before[DX_ENOUGH].holds

    def slowed(look_up: str, factor: float) -> list[Json]:
        return [
            row | {"host.iops": row["host.iops"] * factor}
            if row["vary.look_up"] == look_up
            else row
            for row in rows
        ]

    assert not judged(lookup_drive, slowed("ML", 0.1))[ML_FASTER].holds
    assert judged(lookup_drive, slowed("SQ", 100))[SQ_FASTER].holds
    assert not judged(lookup_drive, slowed("SQ", 0.5))[SQ_FASTER].holds
    assert not judged(lookup_drive, slowed("DX", 0.5))[DX_ENOUGH].holds
    assert not judged(lookup_drive, slowed("SG", 0.01))[SG_FASTER].holds


@pytest.mark.slow
def test_second_time_nothing_is_run_and_everything_is_the_same(quick: Path, tmp_path: Path) -> None:
    check_kept(quick, lookup_drive, FIGURES, tmp_path)
