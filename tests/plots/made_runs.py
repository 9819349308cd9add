"""Tiny runs made by the tests themselves, with numbers that can be checked by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cavern.plots.finding import load_runs
from cavern.plots.results import Run
from cavern.plots.tables import headline

Change = Callable[[dict[str, Any]], None]

HEADER = (
    "id,op,offset,size,arrival_ns,start_ns,complete_ns,latency_ns,"
    "queue_ns,frame_wait_ns,flash_ns,transfer_ns,pages,hits,cpu_ns"
)


def request_row(
    number: int, op: str, arrival: int, parts: tuple[int, int, int, int], pages: int, hits: int
) -> str:
    latency = sum(parts)
    start, end = arrival + parts[0], arrival + latency
    fields = [number, op, 4096 * number, 2048 * pages, arrival, start, end, latency]
    return ",".join(map(str, [*fields, *parts, pages, hits, 0]))


def request_rows() -> list[str]:
    """Writes of 10, 20, … 100 us each ms, and reads of 1 ms between."""
    rows = []
    for i in range(10):
        parts = (1000 * i, 2000 * i, 3000 * i, 10_000 + 4000 * i)
        rows.append(request_row(2 * i, "W", 1_000_000 * i, parts, 4, 1))
        rows.append(
            request_row(2 * i + 1, "R", 1_000_000 * i + 500_000, (0, 0, 900_000, 100_000), 2, 1)
        )
    return rows


def host(count: int, scale: int = 1) -> dict[str, Any]:
    latency = dict(mean=50_000, min=10_000, p50=40_000, p90=60_000, p95=70_000)
    latency |= dict(p99=80_000, p99_9=90_000, p99_99=95_000, max=100_000)
    latency = {name: value * scale for name, value in latency.items()}
    return dict(count=count, bytes=4096 * count, lat_ns=latency)


def make_summary(name: str = "tiny") -> dict[str, Any]:
    channels, ways = 2, 2
    return dict(
        schema="cavern.summary/1",
        complete=True,
        config=dict(
            name=name,
            seed=1,
            buffer=dict(policy="lru-page", eviction=["single"], size=65536),
            alloc=dict(scheme="stripe-page"),
            ftl=dict(scheme="page", overprovision=0.07),
            nand=dict(channels=channels, ways=ways),
            channel=dict(arbiter="lockstep"),
        ),
        seed=1,
        sim=dict(simulated_ns=10_000_000, requests=20),
        host=dict(
            read=host(10, 10),
            write=host(10),
            trim=host(0),
            flush=host(0),
            iops=2000.0,
            bandwidth_bps=8_000_000.0,
        ),
        buffer=dict(hit_ratio=0.5, write_hit_ratio=0.25, eviction_events=7, evicted_pages=9),
        ftl=dict(
            execution_time_ns=4_000_000,
            write_time_ns=3_000_000,
            gc_time_ns=1_000_000,
            gc_time_sum_ns=6_000_000,
            waf=1.25,
            waf_pages=1.25,
            gc_pages=5,
            gc_runs=3,
            erases=3,
        ),
        channels=[
            dict(
                id=channel,
                utilization=0.4 + 0.1 * channel,
                grants=100,
                wait_ns=dict(mean=10, max=99),
                arbiter="lockstep",
                lockstep=dict(compared=100, mismatches=0),
            )
            for channel in range(channels)
        ],
        dies=[
            dict(channel=channel, way=way, utilization=0.01 * (10 * channel + way))
            for channel in range(channels)
            for way in range(ways)
        ],
        checks=dict(invariants_checked=10, violations=0),
    )


def span(pid: int, tid: int, name: str, ts: float, dur: float, **args: Any) -> dict[str, Any]:
    args = {"lpn": 1, "origin": "host"} | args
    return dict(ph="X", pid=pid, tid=tid, name=name, ts=ts, dur=dur, args=args)


def power_rows() -> list[str]:
    """Ten periods of 1 ms: NAND 0.1, 0.2, … W, SDRAM 0.5 W, the rest not known."""
    return [f"{1_000_000 * i},1000000,{0.1 * (i + 1):.6g},,0.5,," for i in range(10)]


def make_events() -> list[dict[str, Any]]:
    """A program on each die of channel 0, later an erase with its command on channel 1."""
    events: list[dict[str, Any]] = [
        dict(ph="M", pid=pid, name="process_name", args=dict(name=name))
        for pid, name in ((1, "channels"), (2, "dies"), (3, "host"))
    ]
    for way in (0, 1):
        start = 100.0 + 70 * way
        events.append(
            dict(ph="i", pid=1, tid=0, name="grant", ts=start, args=dict(way=way, waited_ns=0))
        )
        events.append(span(1, 0, "command", start, 0.21, way=way))
        events.append(span(1, 0, "data in", start + 0.21, 63.36, way=way))
        events.append(span(2, way, "tPROG", start + 63.57, 200, channel=0, way=way))
    events.append(span(1, 1, "command", 5000.0, 0.21, way=1, origin="gc"))
    events.append(span(2, 3, "tBERS", 5000.21, 1500, channel=1, way=1, origin="gc"))
    for ts, depth in ((0.0, 1), (150.0, 3), (400.0, 0)):
        events.append(dict(ph="C", pid=3, tid=0, name="queue depth", ts=ts, args=dict(value=depth)))
    return events


class RunMaker:
    """Writes run directories; every part can be replaced or left out (None)."""

    def __init__(self, base: Path) -> None:
        self.base = base

    def write(
        self,
        name: str = "tiny",
        change: Change | None = None,
        rows: list[str] | None = None,
        events: list[dict[str, Any]] | None = None,
        extras: bool = True,
    ) -> Path:
        directory = self.base / name
        directory.mkdir(parents=True)
        summary = make_summary(directory.name)
        if change:
            change(summary)
        (directory / "summary.json").write_text(json.dumps(summary, indent=1))
        if extras:
            rows = request_rows() if rows is None else rows
            (directory / "requests.csv").write_text("\n".join([HEADER, *rows, ""]))
            header = "time_ns,period_ns,nand_w,bus_w,dram_w,link_w,controller_w"
            (directory / "power.csv").write_text("\n".join([header, *power_rows(), ""]))
            events = make_events() if events is None else events
            trace = dict(displayTimeUnit="ns", traceEvents=events)
            (directory / "timeline.json").write_text(json.dumps(trace, indent=1))
        return directory

    def load(self, *arguments: Any, **options: Any) -> Run:
        return load_runs([self.write(*arguments, **options)])[0]


def writes(count: int, scale: float = 1.0) -> Change:
    """So many writes, with latencies of so many times those of other runs."""

    def change(summary: dict[str, Any]) -> None:
        write = summary["host"]["write"]
        write["count"] = count
        write["lat_ns"] = {name: scale * value for name, value in write["lat_ns"].items()}

    return change


def rows_of_writes(runs: list[Run]) -> dict[str, list[tuple[str, str, str]]]:
    """The rows below "Write latency"."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    group = ""
    for row in headline(runs):
        group = row.group or group
        if group == "Write latency":
            found[row.label] = [(cell.note, cell.change, cell.verdict) for cell in row.cells]
    return found
