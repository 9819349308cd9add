"""SDRAM parts, channels, ranks, scheduling and the map's accesses, in whole drives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.programs import BIN, CONFIGS, ROOT, Json, Program, sets
from tests.cli.validated import validate

#: Everything lies in the write buffer, and the host is faster than any SDRAM.
HITS = """\
[[job]]
name = "hits"
rw = "randrw"
bs = "{bs}"
size = "2MiB"
number_ios = 20000
iodepth = 32
"""
FAST = sets(
    host__interface="direct", host__bandwidth="100GB/s", host__duplex="full", dram__size="256MiB"
)
#: Misses, and writes that leave the buffer.
MISSES = """\
[[job]]
name = "misses"
rw = "randrw"
bs = "4KiB"
size = "32MiB"
number_ios = 6000
iodepth = 32
"""
SMALL = sets(buffer__size="256KiB", nand__blocks_per_plane=64, dram__size="256MiB")


def run(folder: Path, workload: str, name: str, *arguments: object) -> Json:
    file = folder / "workload.toml"
    file.write_text(workload, encoding="utf-8")
    program = Program(BIN / "cavern-sim", folder)
    return program.simulate(CONFIGS / "bench-4k.toml", name, "--workload", file, *arguments)


def decided(summary: Json) -> Json:
    return {
        "ftl": {key: summary["ftl"][key] for key in ("gc_pages", "erases", "waf_pages")},
        "hits": summary["buffer"]["hit_ratio"],
    }


def bound_by_sdram(folder: Path, name: str, **settings: object) -> float:
    summary = run(folder, HITS.format(bs="4KiB"), name, *FAST, *sets(**settings))
    bandwidth: float = summary["dram"]["bandwidth_bps"]
    return bandwidth


PARTS = ["ddr3-1600", "ddr3-1600-2gb-x16", "ddr4-3200", "lpddr4-3200"]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_changes_times_alone(tmp_path: Path, part: str) -> None:
    plain = run(tmp_path, MISSES, "plain", *SMALL)
    other = run(
        tmp_path,
        MISSES,
        "other",
        *SMALL,
        *sets(dram__part=part, dram__channels=2, dram__ranks=2, dram__scheduling="fr-fcfs"),
    )
    assert decided(other) == decided(plain)
    assert other["dram"]["row_open_ns"] > 0
    # Which reads find a page that is on its way to flash depends on time.
    assert other["dram"]["bytes"] == pytest.approx(plain["dram"]["bytes"], rel=0.01)


def test_channels_and_a_faster_part_move_more(tmp_path: Path) -> None:
    one = bound_by_sdram(tmp_path, "one", dram__scheduling="fr-fcfs")
    two = bound_by_sdram(tmp_path, "two", dram__scheduling="fr-fcfs", dram__channels=2)
    ddr4 = bound_by_sdram(tmp_path, "ddr4", dram__scheduling="fr-fcfs", dram__part="ddr4-3200")
    assert 0.85 * 6.4e9 < one < 6.4e9
    assert two > 1.6 * one
    assert ddr4 > 1.6 * one


def test_small_accesses_gain_where_they_compete(tmp_path: Path) -> None:
    """Rows are found open more often; the order of arrival is the negative control."""
    ahead = run(tmp_path, HITS.format(bs="512B"), "ahead", *FAST)["dram"]
    settings = sets(dram__scheduling="fr-fcfs")
    compete = run(tmp_path, HITS.format(bs="512B"), "compete", *FAST, *settings)["dram"]
    assert compete["bytes"] == ahead["bytes"]
    assert compete["row_conflicts"] < ahead["row_conflicts"]


def test_map_entries_are_accesses(tmp_path: Path) -> None:
    plain = run(tmp_path, MISSES, "plain", *SMALL)
    with_map = run(tmp_path, MISSES, "map", *SMALL, *sets(dram__map_traffic="true"))
    assert decided(with_map) == decided(plain)
    assert plain["dram"]["map_reads"] == plain["dram"]["map_writes"] == 0
    dram = with_map["dram"]
    buffer = with_map["buffer"]
    programs = sum(die["programs"] for die in with_map["dies"])
    assert dram["map_writes"] == programs > 1000
    assert dram["map_reads"] == buffer["read_misses"] > 1000
    entries = dram["map_reads"] + dram["map_writes"]
    assert dram["bytes"] - 4 * entries == pytest.approx(plain["dram"]["bytes"], rel=0.01)
    # Each of one burst, and other rows than the data.
    assert (
        dram["read_bursts"] + dram["write_bursts"] == (dram["bytes"] - 4 * entries) / 32 + entries
    )
    assert dram["activates"] > plain["dram"]["activates"] + entries / 2


def test_a_map_needs_room(tmp_path: Path) -> None:
    program = Program(BIN / "cavern-sim", tmp_path)
    refused = program("config", "show", CONFIGS / "bench-4k.toml", *sets(dram__map_traffic="true"))
    assert refused.returncode == 2
    assert "a map of 64MiB beside a buffer of 16MiB in an SDRAM of 64MiB" in refused.stderr


def test_the_document_states_the_error_of_the_default(tmp_path: Path) -> None:
    _, rows = validate(tmp_path / "rows.json", "--only", "sdram")
    errors = [row["error"] for row in rows if row["source"] == "the same drive with fr-fcfs"]
    assert len(errors) == 6 and all(row["holds"] for row in rows)
    # What is compared are two ways: the longest waits tell them apart.
    assert errors[2] < -0.2
    text = (ROOT / "docs" / "add-a-part.md").read_text(encoding="utf-8")
    table = text.partition("| `ahead` against `fr-fcfs` |")[2].partition("\n\n")[0]
    told = [float(word.replace("−", "-")) for word in re.findall(r"([+−][\d.]+) %", table)]
    assert [100 * error for error in errors] == pytest.approx(told, abs=0.051)
