"""A drive of 64 TiB in pages of 4 KiB: more pages than 32 bits number."""

from __future__ import annotations

import json

import pytest

from tests.cli.programs import Program, Workspace

PAGE = 4096
CAPACITY = 64 * 2**40
DRIVE = """\
[nand]
channels = 32
ways = 16
planes = 2
blocks_per_plane = 9216
pages_per_block = 2048
page_size = "4KiB"
spare_size = "128B"
t_read = ["60us"]
t_program = ["600us"]
[ftl]
overprovision = 0.11
[buffer]
size = "1MiB"
"""
PAGES = 64


def both_ends() -> str:
    """Writes pages at both ends of the drive twice, with a flush after each round, and reads."""
    lines = ["time_us,op,offset,size"]
    places = [page * PAGE for page in range(PAGES)]
    places += [CAPACITY - PAGE - place for place in places]
    time = 0
    for op in ("W", "W", "R"):
        for place in places:
            lines.append(f"{time},{op},{place},{PAGE}")
            time += 500
        lines.append(f"{time},F,0,0")
        time += 100_000
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("fidelity", ["untimed", "at"])
@pytest.mark.parametrize("placement", ["plane", "die"])
def test_both_ends_are_written_and_read_from_flash(
    fidelity: str, placement: str, workspace: Workspace, simulator: Program
) -> None:
    workspace.write("large.toml", DRIVE)
    workspace.write("ends.csv", both_ends())
    done = simulator(
        *("run", "large.toml", "--trace", "ends.csv", "--out", "out"),
        *("--set", f"fidelity={fidelity}", "--set", "buffer.policy=none"),
        *("--set", f"ftl.gc_placement={placement}", "--set", "alloc.scheme=stripe-page"),
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads((workspace.folder / "out" / "summary.json").read_text())
    assert summary["ftl"]["host_pages"] == 4 * PAGES
    assert summary["buffer"]["zero_reads"] == 0
    assert summary["checks"]["invariants_checked"] > 4 * PAGES
    assert summary["checks"]["violations"] == 0
    # Maps of 2^34 pages would take 64 GiB each.
    assert summary["sim"]["peak_rss_bytes"] < 200 * 2**20


def test_a_request_behind_the_end_is_refused(workspace: Workspace, simulator: Program) -> None:
    workspace.write("large.toml", DRIVE)
    beyond = 65 * 2**40
    workspace.write("beyond.csv", f"time_us,op,offset,size\n0,W,{beyond},{PAGE}\n")
    done = simulator("run", "large.toml", "--trace", "beyond.csv", "--out", "out")
    assert done.returncode == 2
    assert "ends beyond the drive" in done.stderr
