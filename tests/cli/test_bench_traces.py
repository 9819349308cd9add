"""What `./cavern bench traces` prints stays within its limits."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from cavern.bench import traces
from cavern.bench.traces import LONG, MOST_GROWTH_MIB, MOST_NS, SHORT, formats, packed, read
from rich.console import Console

from tests.cli.test_python_commands import cavern


@pytest.mark.slow
def test_a_request_costs_little_and_memory_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    # A tenth of what the command reads.
    monkeypatch.setattr(traces, "LONG", LONG // 10)
    monkeypatch.setattr(traces, "FORMAT_REQUESTS", traces.FORMAT_REQUESTS // 10)
    check(traces.traces_bench(Console(file=StringIO())), LONG // 10)


@pytest.mark.nightly
def test_the_command_reads_ten_million(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    done = cavern("bench", "traces", "--json", str(file))
    assert done.returncode == 0, done.stderr
    check(json.loads(file.read_text(encoding="utf-8"))["results"]["traces"], LONG)


def check(figures: dict[str, dict[str, float]], most: int) -> None:
    short, long = (figures[f"csv, {n:,} requests"] for n in (SHORT, most))
    assert (short["requests"], long["requests"]) == (SHORT, most)
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
