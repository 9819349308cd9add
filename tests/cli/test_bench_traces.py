"""What `./cavern bench traces` prints stays within its limits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cavern.bench.traces import LONG, MOST_GROWTH_MIB, MOST_NS, SHORT, formats, packed, read

from tests.cli.test_python_commands import cavern


@pytest.mark.slow
def test_a_request_costs_little_and_memory_does_not_grow(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    done = cavern("bench", "traces", "--json", str(file))
    assert done.returncode == 0, done.stderr
    figures = json.loads(file.read_text(encoding="utf-8"))["results"]["traces"]
    short, long = (figures[f"csv, {n:,} requests"] for n in (SHORT, LONG))
    assert (short["requests"], long["requests"]) == (SHORT, LONG)
    assert short["ns/request"] < MOST_NS
    assert long["ns/request"] < MOST_NS
    assert abs(long["peak RSS, MiB"] - short["peak RSS, MiB"]) < MOST_GROWTH_MIB
    assert {*formats()[1:], "csv, gzip", "csv, xz"} <= set(figures)


def test_a_trace_that_is_costly_to_read_is_seen_to_be(tmp_path: Path) -> None:
    # The control: lines nobody counts make the requests between them dear, and memory is measured.
    lines = "\n" * 50
    text = "time_us,op,offset,size\n" + "".join(f"{i},W,0,4096\n{lines}" for i in range(20_000))
    plain = tmp_path / "sparse.csv"
    plain.write_text(text, encoding="utf-8")
    assert read(plain, runs=3)["ns/request"] > MOST_NS
    assert read(packed(plain, ".same", bytes), runs=1)["peak RSS, MiB"] > 1
