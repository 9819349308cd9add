"""cpu.look_up: a page costs what the firmware's look-up takes, which finds what the buffer has."""

from __future__ import annotations

import csv
import lzma
import re
from pathlib import Path

import pytest

from tests.cli.mistakes import is_message
from tests.cli.programs import BIN, ROOT, Json, Program, Workspace, sets

HERE = ROOT / "papers" / "lookup_drive"
TRACE = HERE / "workloads" / "twenty-threads.csv.xz"
CACHE = ROOT / "papers" / "lookup"
COMMAND = 1000
#: A cycle is a nanosecond.
TIMED = sets(
    cpu__model="cost",
    cpu__clock="1GHz",
    cpu__command_cycles=COMMAND,
    cpu__operation_cycles=0,
)
ALONE = sets(workload__arrival="trace", workload__speedup=1e-3)
SG = sets(cpu__look_up="sg", cpu__look_up_groups=127)
#: So many that pages leave.
LIMIT = 20_000
OTHER_BUFFER = (
    "cpu.look_up before a buffer that is not the firmware's data cache; buffer.policy = lru-page, *"
)

Row = dict[str, str]


def measured(look_up: str, groups: int) -> list[float]:
    """A row of cycles.inc: find, compare; reads, writes that hit, miss, evict a dirty page."""
    text = (ROOT / "firmware" / "lookup" / "cost" / "cycles.inc").read_text()
    found = re.search(rf'^{{"{look_up}", {groups}, (.*)}},$', text, re.MULTILINE)
    assert found is not None
    return [float(number) for number in re.findall(r"[\d.]+", found[1])]


def run(simulator: Program, name: str, *arguments: object) -> tuple[Json, list[Row]]:
    summary = simulator.simulate(
        HERE / "drive.toml",
        name,
        "--trace",
        TRACE,
        "--limit",
        LIMIT,
        *arguments,
        "--requests",
        f"{name}.csv",
    )
    with (simulator.folder / f"{name}.csv").open(newline="") as file:
        return summary, list(csv.DictReader(file))


def strange(rows: list[Row], cycles: list[float]) -> list[Row]:
    """The requests of one page whose time on the processor is not that of a DX look-up with the end
    that the buffer had: a hit, a miss, or a miss that evicts a dirty page."""
    find, _, *ends = cycles
    wrong = []
    for row in rows:
        if row["pages"] != "1":
            continue
        of_op = ends[:3] if row["op"] == "R" else ends[3:]
        fitting = of_op[:1] if row["hits"] == "1" else of_op[1:]
        taken = float(row["cpu_ns"]) - COMMAND
        if not any(abs(taken - find - end) <= 0.5 for end in fitting):
            wrong.append(row)
    return wrong


@pytest.mark.slow
def test_a_page_costs_what_its_look_up_was_measured_to_take(simulator: Program) -> None:
    summary, rows = run(simulator, "dx", *ALONE, *TIMED, *sets(cpu__look_up="dx"))
    assert summary["buffer"]["read_hits"] > 100 and summary["buffer"]["write_hits"] > 100
    assert sum(row["pages"] == "1" for row in rows) > 200
    assert strange(rows, measured("DX", 1)) == []
    # The controls: another row of the table, and hits where there were none.
    assert strange(rows, measured("BT", 1))
    assert strange([row | {"hits": "1"} for row in rows], measured("DX", 1))


@pytest.mark.slow
def test_latency_grows_by_the_cycles_and_counts_stay(simulator: Program) -> None:
    ideal = sets(dram__model="ideal")
    free, plain = run(simulator, "none", *ALONE, *ideal, *sets(cpu__model="none"))
    timed, slowed = run(simulator, "sg", *ALONE, *ideal, *TIMED, *SG)
    for one, other in zip(plain, slowed, strict=True):
        grown = float(other["latency_ns"]) - float(one["latency_ns"])
        assert grown == pytest.approx(float(other["cpu_ns"]), abs=1e-3), one["id"]
    for name in ("read_hits", "read_misses", "write_hits", "write_misses"):
        assert timed["buffer"][name] == free["buffer"][name]


@pytest.mark.slow
def test_more_processors_and_a_faster_clock_help_a_slow_look_up(simulator: Program) -> None:
    iops = {}
    for cores, clock in ((1, "100MHz"), (2, "100MHz"), (1, "200MHz")):
        shape = sets(cpu__look_up="sq", cpu__cores=cores, cpu__clock=clock)
        summary, _ = run(simulator, f"sq-{cores}-{clock}", *TIMED, *shape)
        assert summary["cpu"]["utilization"] > 0.95
        iops[cores, clock] = summary["host"]["iops"]
    assert iops[2, "100MHz"] == pytest.approx(2 * iops[1, "100MHz"], rel=0.03)
    assert iops[1, "200MHz"] == pytest.approx(2 * iops[1, "100MHz"], rel=0.03)


def test_the_trace_is_the_workload_of_the_paper(tmp_path: Path) -> None:
    done = Program(BIN / "cavern-lookup", tmp_path)(
        "trace",
        CACHE / "cache.toml",
        "--workload",
        CACHE / "workloads" / "twenty-threads.toml",
        "--set",
        "turns=1000",
        "--out",
        "threads.csv",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert lzma.decompress(TRACE.read_bytes()).decode() == (tmp_path / "threads.csv").read_text()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {"cpu__look_up": "sg", "cpu__look_up_groups": 3},
            "look-up SG has not been measured with 3 groups; cpu.look_up_groups = 1, 2, 4*",
        ),
        (
            {"cpu__look_up": "dx", "cpu__model": "none"},
            "cpu.look_up without cpu.model = cost; cpu.model = cost, or *",
        ),
        (
            {"cpu__look_up": "dx", "buffer__cache_reads": "false"},
            OTHER_BUFFER,
        ),
        (
            {"cpu__look_up": "dx", "buffer__eviction": "linear-threshold"},
            OTHER_BUFFER,
        ),
        (
            {"cpu__look_up": "lm", "buffer__size": "4MiB"},
            "no look-up has been measured with 512 frames; buffer.size = 128MiB, which is 16384 *",
        ),
        (
            {"cpu__look_up": "lm", "nand__blocks_per_plane": 900},
            "cpu.look_up before a drive of 132710400 pages; * at most 33553000 pages*",
        ),
        ({"cpu__look_up": "xx"}, '*"xx"*'),
    ],
)
def test_what_cannot_be_looked_up_is_refused(
    settings: dict[str, object], told: str, workspace: Workspace, simulator: Program
) -> None:
    given = sets(**{"cpu__model": "cost", **settings})
    arguments = ["run", HERE / "drive.toml", "--trace", TRACE, "--out", "out", *given]
    done = simulator(*arguments)
    assert is_message(done.stderr, f"*:#: {told}"), done.stderr
    assert done.returncode == 2 and not (simulator.folder / "out").exists()
