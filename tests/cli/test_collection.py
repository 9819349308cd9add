"""Collection, wear and failing blocks in whole drives, timed and not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cavern.simulator import simulate

from tests.cli.programs import CONFIGS, ROOT, Json, Program

WORKLOADS = ROOT / "traces" / "workloads"
DRIVE: dict[str, object] = {
    "buffer.size": "64KiB",
    "nand.channels": 2,
    "nand.ways": 2,
    "nand.blocks_per_plane": 64,
    "ftl.overprovision": 0.25,
    "precondition.fill": 1.0,
}
WORKLOAD = """[[job]]
rw = "randwrite"
bs = "2KiB"
size = "24MiB"
number_ios = 20000
iodepth = 8
"""
FAILING: dict[str, object] = {
    "nand.program_failures": 5e-5,
    "nand.erase_failures": 5e-3,
    "nand.bad_blocks": 0.02,
}


def run(folder: Path, *, workload: str = WORKLOAD, trace: str = "", **overrides: Any) -> Json:
    """`overrides`: keys with __ for the dot."""
    source = folder / ("trace.csv" if trace else "workload.toml")
    source.write_text(trace or workload, encoding="utf-8")
    keys = {key.replace("__", "."): value for key, value in overrides.items()}
    return simulate(
        CONFIGS / "cave-base.toml",
        folder / "out",
        overrides={**DRIVE, **keys},
        arguments=["--trace" if trace else "--workload", str(source)],
    ).summary


def dotted(keys: dict[str, object]) -> dict[str, Any]:
    return {key.replace(".", "__"): value for key, value in keys.items()}


@pytest.mark.parametrize(
    "options",
    [
        FAILING,
        {"ftl.wear_leveling": "static", "ftl.wear_threshold": 3},
        {"ftl.hot_cold": True, "ftl.gc_policy": "cost-benefit"},
        {"ftl.gc_policy": "random", "ftl.gc_unit": "pages", "ftl.gc_low": 256, "ftl.gc_high": 512},
        {
            **FAILING,
            "ftl.wear_leveling": "static",
            "ftl.wear_threshold": 3,
            "ftl.hot_cold": True,
            "ftl.gc_policy": "d-choices",
        },
        {"ftl.gc_pace": "paced", "ftl.gc_placement": "drive"},
        {
            **FAILING,
            "ftl.gc_pace": "paced",
            "ftl.wear_leveling": "static",
            "ftl.wear_threshold": 3,
            "ftl.hot_cold": True,
        },
    ],
    ids=[
        "failing",
        "leveled",
        "hot-cold",
        "lee-chung",
        "everything",
        "paced-drive",
        "paced-everything",
    ],
)
def test_time_changes_no_decision(tmp_path: Path, options: dict[str, object]) -> None:
    timed = run(tmp_path, **dotted(options))
    untimed = run(tmp_path, fidelity="untimed", **dotted(options))
    assert timed["ftl"] == untimed["ftl"]
    assert timed["checks"]["violations"] == 0
    ftl = timed["ftl"]
    assert ftl["gc_pages"] > 1000
    if "nand.bad_blocks" in options:
        assert ftl["failed_programs"] > 0 and ftl["failed_erases"] > 0
        assert ftl["rescued_pages"] > 0
        assert ftl["bad_blocks"]["factory"] > 0
        grown = ftl["failed_programs"] + ftl["failed_erases"]
        assert ftl["bad_blocks"]["grown"] >= grown  # and those of preconditioning
    else:
        assert ftl["bad_blocks"] == {"factory": 0, "grown": 0}
    # The dies did what was counted.
    programs = sum(
        ftl[key]
        for key in ("host_pages", "gc_pages", "wear_pages", "rescued_pages", "failed_programs")
    )
    assert sum(die["programs"] for die in timed["dies"]) == programs
    assert sum(die["erases"] for die in timed["dies"]) == ftl["erases"]
    assert ftl["waf_pages"] == pytest.approx(programs / ftl["host_pages"])
    assert ftl["waf"] == pytest.approx(ftl["programmed_bytes"] / timed["host"]["write"]["bytes"])


def bursts(writes: int, every_us: int, count: int) -> str:
    """Bursts of writes to scattered pages, with silence between them."""
    lines = ["time_us,op,offset,size"]
    page = 1
    for burst in range(count):
        for i in range(writes):
            page = (page * 75 + 74) % 65537
            lines.append(f"{burst * every_us + i * 10},W,{page % 12288 * 2048},2048")
    return "\n".join(lines) + "\n"


def test_collection_in_the_silences_takes_it_out_of_the_writes(tmp_path: Path) -> None:
    trace = bursts(writes=128, every_us=200_000, count=60)
    plain = run(tmp_path, trace=trace, buffer__policy="none")
    ahead = run(tmp_path, trace=trace, buffer__policy="none", ftl__gc_background=6)
    never = run(
        tmp_path,
        trace=trace,
        buffer__policy="none",
        ftl__gc_background=6,
        ftl__gc_background_after="1s",
    )
    assert plain["ftl"]["gc_runs"] > 50 and ahead["ftl"]["gc_runs"] > 50
    latency = [summary["host"]["write"]["lat_ns"] for summary in (plain, ahead, never)]
    assert latency[1]["p99"] < latency[0]["p99"] / 2
    assert latency[1]["mean"] < latency[0]["mean"] / 2
    # Where no silence is long enough nothing changes but what follows the last write.
    assert latency[2] == latency[0]
    untimed = run(
        tmp_path, trace=trace, buffer__policy="none", ftl__gc_background=6, fidelity="untimed"
    )
    assert untimed["ftl"]["gc_runs"] == plain["ftl"]["gc_runs"]


@pytest.mark.slow
def test_decisions_name_blocks_retired_and_leveled(tmp_path: Path) -> None:
    log = tmp_path / "decisions.jsonl"
    workload = tmp_path / "workload.toml"
    cold = WORKLOAD.replace("24MiB", "4MiB").replace("20000", "40000")  # most blocks rest
    workload.write_text(cold, encoding="utf-8")
    options = {**DRIVE, **FAILING, "ftl.wear_leveling": "static", "ftl.wear_threshold": 3}
    summary = simulate(
        CONFIGS / "cave-base.toml",
        tmp_path / "out",
        overrides={**options, "fidelity": "untimed"},
        arguments=["--workload", str(workload), "--decisions", str(log)],
    ).summary
    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    ftl = summary["ftl"]
    retired = [event for event in events if event["ev"] == "retire"]
    assert len(retired) == ftl["failed_programs"] + ftl["failed_erases"]
    places = {(event["channel"], event["way"], event["plane"], event["block"]) for event in retired}
    assert len(places) == len(retired)
    assert sum(e["copies"] for e in events if e["ev"] == "wear") == ftl["wear_pages"] > 0
    origins = [event["origin"] for event in events if event["ev"] == "program"]
    assert origins.count("wear") == ftl["wear_pages"]
    assert origins.count("rescue") == ftl["rescued_pages"] > 0


def test_lifetime_follows_from_endurance_wear_and_amplification(tmp_path: Path) -> None:
    summary = run(tmp_path, nand__endurance=5000)
    ftl, wear = summary["ftl"], summary["ftl"]["wear"]
    erases_a_byte = ftl["erases"] / ftl["host_bytes"]
    even = 5000 * 4 * 64 / erases_a_byte
    assert ftl["lifetime"]["endurance"] == 5000
    assert ftl["lifetime"]["host_bytes"] == pytest.approx(even)
    assert ftl["lifetime"]["host_bytes_first_block"] == pytest.approx(
        even * wear["mean"] / wear["max"]
    )
    assert run(tmp_path, nand__endurance=0)["ftl"]["lifetime"] is None


def test_preconditioning_until_steady_is_reported(tmp_path: Path) -> None:
    summary = run(tmp_path, fidelity="untimed", precondition__until="steady")
    result = summary["precondition"]
    assert result["steady"]
    assert result["rounds"] == len(result["waf"]) >= 5
    last = result["waf"][-5:]
    mean = sum(last) / 5
    assert result["window"]["mean"] == pytest.approx(mean)
    assert result["window"]["range"] == pytest.approx((max(last) - min(last)) / mean)
    assert summary["ftl"]["waf_pages"] == pytest.approx(mean, rel=0.05)
    # From a sequential fill alone the same writes cost less at first.
    fresh = run(tmp_path, fidelity="untimed")
    assert fresh["precondition"] is None
    assert fresh["ftl"]["waf_pages"] < 0.95 * mean


def test_a_list_of_faults_takes_blocks_out_of_use(tmp_path: Path) -> None:
    faults = tmp_path / "faults.txt"
    faults.write_text("factory 0\nfactory 64 # the first of the second die\n", encoding="utf-8")
    summary = run(tmp_path, nand__fault_list=faults)
    assert summary["ftl"]["bad_blocks"] == {"factory": 2, "grown": 0}
    assert summary["ftl"]["wear"]["min"] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["nand.retire_worn=true", "nand.endurance=0"],
            "nand.retire_worn = true and no nand.endurance; say how many erases are good",
        ),
        (
            ["ftl.hot_cold=true", "ftl.gc_unit=pages"],
            "ftl.hot_cold with ftl.gc_shared_frontier or ftl.gc_unit = pages; one of them",
        ),
        (
            ["ftl.scheme=bast", "alloc.scheme=stripe-block", "nand.bad_blocks=0.1"],
            "bad blocks or failures with ftl.scheme = bast; ftl.scheme = page",
        ),
        (
            ["ftl.scheme=bast", "alloc.scheme=stripe-block", "ftl.wear_leveling=static"],
            "ftl.wear_leveling, hot_cold or refresh with ftl.scheme = bast; ftl.scheme = page",
        ),
        (
            ["ftl.scheme=dftl", "alloc.scheme=stripe-page", "ftl.hot_cold=true"],
            "ftl.hot_cold with ftl.scheme = dftl; ftl.scheme = page",
        ),
        (
            ["ftl.scheme=superblock", "alloc.scheme=stripe-block", "ftl.gc_background=4"],
            "ftl.gc_background with ftl.scheme = superblock, whose superblocks share no log "
            "blocks that could be merged ahead; ftl.gc_background = 0",
        ),
        (
            ["ftl.scheme=last", "alloc.scheme=stripe-block", "nand.fault_list=faults.txt"],
            "bad blocks or failures with ftl.scheme = last; ftl.scheme = page",
        ),
        (
            ["ftl.scheme=mcsplit", "alloc.scheme=stripe-page", "ftl.gc_pace=paced"],
            "ftl.gc_pace = paced with ftl.scheme = mcsplit; ftl.scheme = page or dftl",
        ),
        (
            ["ftl.scheme=fast", "alloc.scheme=stripe-block", "ftl.gc_placement=die"],
            "a wider ftl.gc_placement than plane with ftl.scheme = fast; ftl.scheme = page",
        ),
        (
            ["ftl.gc_pace=paced", "ftl.gc_unit=pages"],
            "ftl.gc_pace = paced with ftl.gc_unit = pages; one of them",
        ),
        (
            ["ftl.gc_placement=drive", "nand.erase_failures=1e-5"],
            "bad blocks or failures with planes that ftl.gc_placement joins; "
            "ftl.gc_placement = plane",
        ),
        (["nand.bad_blocks=0.2"], "blocks per plane of 8192;"),
        (
            ["nand.fault_list=/nowhere"],
            "error: /nowhere:1: the list of faults cannot be read; name a file that exists",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    simulator: Program, tmp_path: Path, options: list[str], message: str
) -> None:
    (tmp_path / "workload.toml").write_text(WORKLOAD, encoding="utf-8")
    sets = [word for option in options for word in ("--set", option)]
    done = simulator("run", CONFIGS / "cave-base.toml", "--workload", "workload.toml", *sets)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_worn_out_drive_says_so_and_leaves_nothing(simulator: Program, tmp_path: Path) -> None:
    (tmp_path / "workload.toml").write_text(WORKLOAD, encoding="utf-8")
    sets = [f"{key}={value}" for key, value in DRIVE.items()] + ["nand.program_failures=0.01"]
    for fidelity in ("at", "untimed"):
        done = simulator(
            "run",
            CONFIGS / "cave-base.toml",
            "--workload",
            "workload.toml",
            "--out",
            "worn",
            "--set",
            f"fidelity={fidelity}",
            *[word for one in sets for word in ("--set", one)],
        )
        assert done.returncode == 2
        assert "is worn out: " in done.stderr
        assert not (tmp_path / "worn").exists()


@pytest.mark.parametrize("fidelity", ["at", "untimed"])
@pytest.mark.parametrize(
    ("allocation", "policy"),
    [("stripe-page", "none"), ("block-round-robin", "lru-page"), ("least-loaded", "lru-page")],
)
def test_a_drive_that_wears_out_in_the_run_ends_it_alike(
    simulator: Program, tmp_path: Path, fidelity: str, allocation: str, policy: str
) -> None:
    workload = WORKLOAD.replace("24MiB", "12MiB").replace("20000", "100000")
    (tmp_path / "workload.toml").write_text(workload, encoding="utf-8")
    overrides = {
        **DRIVE,
        "nand.endurance": 12,
        "nand.retire_worn": "true",
        "fidelity": fidelity,
        "alloc.scheme": allocation,
        "buffer.policy": policy,
    }
    sets = [f"--set={key}={value}" for key, value in overrides.items()]
    logs = ["--decisions", "decisions.jsonl"]
    done = simulator(
        "run",
        CONFIGS / "cave-base.toml",
        "--workload",
        "workload.toml",
        "--out",
        "worn",
        *logs,
        *sets,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: <drive>:1: ")
    assert " is worn out: " in done.stderr and "; fewer failures, a shorter run" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"workload.toml"}


@pytest.mark.slow
def test_a_block_shared_with_the_host_mixes_pages_where_copies_are_paced(tmp_path: Path) -> None:
    """docs/collection.md says it of these runs: a burst copies victims whole, in a row."""
    command = "for pace in burst paced; do for shared in false true; do"
    told = (ROOT / "docs" / "collection.md").read_text(encoding="utf-8").partition(command)[2]
    table = told.partition("with `ftl.gc_shared_frontier` |")[2].partition("\n\n")[0]
    figures = [float(word) for word in re.findall(r"\| (\d\.\d\d)", table)]
    measured = [
        simulate(
            CONFIGS / "collection.toml",
            tmp_path / f"{pace}-{shared}",
            overrides={"ftl.gc_pace": pace, "ftl.gc_shared_frontier": shared},
            arguments=["--workload", str(WORKLOADS / "skewed-write.toml")],
        ).summary["ftl"]["waf_pages"]
        for pace in ("burst", "paced")
        for shared in (False, True)
    ]
    assert measured == pytest.approx(figures, abs=0.006)
    burst, burst_shared, paced, paced_shared = measured
    assert burst_shared < 1.05 * burst and paced_shared > 2 * paced
