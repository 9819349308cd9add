"""The table of flows in a report: jobs, or traces played at the same time."""

from __future__ import annotations

from typing import Any

from cavern.plots.figures.options import Options
from cavern.plots.report import build_report, flows_of

from tests.plots.made_runs import RunMaker


def of_two_flows(summary: dict[str, Any]) -> None:
    def kind(count: int, latency: int) -> dict[str, Any]:
        times = dict.fromkeys(("mean", "p50", "p99", "p99_9", "max"), latency)
        return {"count": count, "bytes": count * 4096, "lat_ns": times}

    summary["host"]["jobs"] = [
        {"id": 0, "name": "db", "read": kind(300, 90_000), "write": kind(20, 400_000)},
        {"id": 1, "name": "a <log>", "read": kind(0, 0), "write": kind(500, 700_000)},
    ]


def test_flows_of_a_run_have_a_table(runs: RunMaker) -> None:
    run = runs.load("two", change=of_two_flows)
    rows = flows_of(run)
    assert [row.label for row in rows] == ["db, reads", "db, writes", "a <log>, writes"]
    assert [cell.text for cell in rows[0].cells] == ["300", "1.17 MiB", *["90.0 µs"] * 5]
    page = build_report([run], Options())
    assert "<h3>Flows</h3>" in page and "a &lt;log&gt;, writes" in page
    alone = runs.load("one")
    assert flows_of(alone) == [] and "<h3>Flows</h3>" not in build_report([alone], Options())
