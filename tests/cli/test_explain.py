"""One request's life: explain adds up, and the timeline shows what requests.csv says."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cavern.__main__ import main as plots
from cavern.errors import InputError
from cavern.plots.die_work import DieWork
from cavern.plots.life import find_life, slowest_lives
from cavern.plots.results import Run, Summary

from tests.cli.programs import BIN, CONFIGS, DEMO_TRACE, Json, Program, sets
from tests.cli.test_requests import load as load_requests

HOST, DIES = 3, 2
REQUESTS = 600
BUSY = sets(
    workload__out_of_range="wrap",
    workload__arrival="closed",
    nand__blocks_per_plane=64,
    precondition__fill=1,
    buffer__size="1MiB",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A busy run with everything that says something about requests."""
    place = tmp_path_factory.mktemp("life")
    (place / "run").mkdir()
    program = Program(BIN / "cavern-sim", place)
    logs = {
        "--requests": "requests.csv",
        "--timeline": "timeline.json",
        "--perfetto": "timeline.pftrace.gz",
    }
    options = [part for option, name in logs.items() for part in (option, f"run/{name}")]
    program.simulate(
        CONFIGS / "cave.toml", "run", "--trace", DEMO_TRACE, "--limit", REQUESTS, *BUSY, *options
    )
    return place / "run"


@pytest.fixture(scope="module")
def events(folder: Path) -> list[Json]:
    return json.loads((folder / "timeline.json").read_text())["traceEvents"]


@pytest.mark.slow
def test_the_life_of_every_request_of_the_demo_trace_adds_up(simulator: Program) -> None:
    simulator.simulate(
        CONFIGS / "cave.toml",
        "out",
        "--trace",
        DEMO_TRACE,
        "--requests",
        "requests.csv",
        *sets(workload__out_of_range="wrap"),
    )
    path = simulator.folder / "requests.csv"
    every = slowest_lives(path, 100_000)
    assert len(every) == 80_794
    for life in every:
        assert sum(stage.length_ns for stage in life.stages) == life.latency_ns
        assert all(stage.length_ns >= 0 for stage in life.stages)
    # The negative control: one nanosecond is missed.
    lines = path.read_text().splitlines()
    fields = lines[77].split(",")
    fields[7] = str(int(fields[7]) + 1)
    lines[77] = ",".join(fields)
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"requests.csv:78: the parts add up to"):
        slowest_lives(path, 1)


@pytest.mark.slow
def test_explain_says_where_the_time_went(
    folder: Path, events: list[Json], capsys: pytest.CaptureFixture[str]
) -> None:
    (slowest,) = slowest_lives(folder / "requests.csv", 1)
    assert plots(["explain", str(slowest.number), str(folder)]) == 0
    told = capsys.readouterr().out
    assert f"\nRequest {slowest.number}: {slowest.op} of {slowest.size:,} bytes" in told
    for stage in slowest.stages:
        assert f"{stage.length_ns:,} ns" in told and f"  {stage.name} " in told
    assert f"{slowest.latency_ns:,} ns" in told
    assert slowest.longest.what in told
    done = DieWork(events, 0, float("inf")).of(slowest.number)
    assert done and f"It brought {len(done)} operations of dies:" in told
    picture = ElementTree.parse(folder / f"explain-{slowest.number}.svg").getroot()
    bars = [bar.get("class") for bar in picture.iter("{http://www.w3.org/2000/svg}rect")]
    assert bars.count("own") == sum(one.origin == "host" for one in done)
    assert bars.count("bar") > sum(stage.length_ns > 0 for stage in slowest.stages)
    # A later run removes what names this one.
    identity = Run(folder, "", Summary(folder / "summary.json")).identity
    assert f"cavern-run {identity}" in (folder / f"explain-{slowest.number}.svg").read_text()[:4096]


#: Two of a kind: full, so that it collects; and new.
SMALL = sets(
    nand__channels=1,
    nand__ways=2,
    nand__blocks_per_plane=32,
    ftl__overprovision=0.2,
    buffer__size="64KiB",
)
FULL = sets(precondition__fill=1, precondition__overwrite=1)
WRITES = """[[job]]
name = "writes"
rw = "randwrite"
bs = "2KiB"
size = "6MiB"
number_ios = 600
iodepth = 16
"""


@pytest.fixture(scope="module")
def writers(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Runs full/ and new/ with their requests, and nothing about their dies."""
    program = Program(BIN / "cavern-sim", tmp_path_factory.mktemp("writers"))
    (program.folder / "writes.toml").write_text(WRITES)
    for name, more in (("full", FULL), ("new", [])):
        (program.folder / name).mkdir()
        options = ["--requests", f"{name}/requests.csv", *SMALL, *more]
        program.simulate(CONFIGS / "conventional.toml", name, "--workload", "writes.toml", *options)
    return program


def explained(capsys: pytest.CaptureFixture[str], *words: object) -> list[str]:
    assert plots(["explain", *map(str, words)]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_slow_write_of_a_drive_that_collects_is_collection(
    writers: Program, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run lacks a timeline: it runs again for that, and its own files stay."""
    monkeypatch.chdir(writers.folder)
    before = {path: path.read_bytes() for path in Path("full").iterdir()}
    said = explained(capsys, "slowest", "full")
    assert said[0].startswith("Collection on "), said[0]
    part, whole = (float(one.split()[0]) for one in said[0].partition(": ")[2].split(" of "))
    assert part > whole / 2
    assert any(
        re.fullmatch(r"  die \d\.\d +collection: .*[1-9]\d* erases? .*", line) for line in said
    )
    assert {path: path.read_bytes() for path in before} == before
    assert explained(capsys, "slowest", "full") == said  # of what is in full/explain
    # The control: a new drive has nothing to collect, and another verdict.
    fresh = explained(capsys, "slowest", "new")
    assert fresh[0].startswith("Programs of the write buffer on "), fresh[0]
    assert not any("collection" in line for line in fresh)


def test_nothing_runs_again_where_it_is_not_to(
    writers: Program, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(writers.folder)
    shutil.rmtree("new/explain", ignore_errors=True)
    said = explained(capsys, "--top", 3, "new", "--no-rerun")
    assert said[1].rpartition("  ")[2].startswith("Waiting for a free frame")
    assert "`./cavern explain --top 3 new --rerun` runs it again" in said[-1]
    # What is another run by now is not believed.
    (writers.folder / "writes.toml").write_text(WRITES.replace("600", "601"))
    assert plots(["explain", "slowest", "new", "--rerun"]) == 2
    (writers.folder / "writes.toml").write_text(WRITES)
    assert "what ran again is run " in capsys.readouterr().err


def test_explain_refuses_what_is_not_there(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plots(["explain", str(REQUESTS), str(folder)]) == 2
    told = capsys.readouterr().err
    known = f"no request {REQUESTS}; the last is {REQUESTS - 1}"
    assert told.startswith(f"error: {folder}/requests.csv:1: {known}")
    assert plots(["explain", "1", str(folder / "nowhere")]) == 2
    with pytest.raises(InputError):
        find_life(folder / "requests.csv", 5000)


def test_slices_of_the_timeline_are_the_requests(folder: Path, events: list[Json]) -> None:
    rows = {int(row["id"]): row for row in load_requests(folder / "requests.csv")}
    slices = [e for e in events if e["ph"] == "X" and e["pid"] == HOST]
    assert {e["args"]["request"] for e in slices} == set(rows)
    assert len(slices) == len(rows)
    names = {"R": "read", "W": "write"}
    for event in slices:
        row = rows[event["args"]["request"]]
        assert event["name"] == f"{names[row['op']]} {row['id']}"
        assert abs(event["ts"] * 1e3 - int(row["arrival_ns"])) <= 1
        assert abs(event["dur"] * 1e3 - int(row["latency_ns"])) <= 1
        assert event["args"]["offset"] == int(row["offset"])
        assert event["args"]["bytes"] == int(row["size"])


def overlapping(slices: list[Json]) -> int:
    lanes = defaultdict(list)
    for event in slices:
        lanes[event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    count = 0
    for times in lanes.values():
        times.sort()
        count += sum(b[0] < a[1] - 1e-6 for a, b in zip(times, times[1:], strict=False))
    return count


def test_requests_on_one_track_do_not_overlap(events: list[Json]) -> None:
    slices = [e for e in events if e["ph"] == "X" and e["pid"] == HOST]
    assert overlapping(slices) == 0
    assert overlapping([{**event, "tid": 1} for event in slices]) > 0


@pytest.mark.slow
def test_each_flow_goes_from_a_request_to_its_operations(folder: Path, events: list[Json]) -> None:
    begins = {e["id"]: e for e in events if e["ph"] == "s"}
    steps = [e for e in events if e["ph"] == "t"]
    slices = {e["args"]["request"]: e for e in events if e["ph"] == "X" and e["pid"] == HOST}
    assert set(begins) == set(slices)
    for request, begin in begins.items():
        assert (begin["ts"], begin["tid"]) == (slices[request]["ts"], slices[request]["tid"])
    operations = [e for e in events if e["ph"] == "X" and e["pid"] == DIES]
    expected = sorted(
        (request, e["tid"], e["ts"]) for e in operations for request in e["args"]["requests"]
    )
    assert expected == sorted((e["id"], e["tid"], e["ts"]) for e in steps)
    assert len(expected) > 500
    # Nothing is done for a request before it arrives.
    assert all(ts >= slices[request]["ts"] for request, _, ts in expected)
    # A read of a page that is not in the buffer has its tR within its own time.
    work = DieWork(events, 0, float("inf"))
    rows = {int(row["id"]): row for row in load_requests(folder / "requests.csv")}
    reads = [r for r in rows.values() if r["op"] == "R" and int(r["flash_ns"]) > 0]
    assert len(reads) > 20
    for row in reads:
        came, went = int(row["arrival_ns"]) / 1e3, int(row["complete_ns"]) / 1e3
        mine = [o for o in work.of(int(row["id"])) if o.name == "tR"]
        assert any(came <= o.begin / 1e3 and o.end / 1e3 <= went for o in mine)


# ---- Perfetto's own format ----------------------------------------------------------------------


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a protocol buffer: number, and integer or bytes."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
        elif kind == 1:
            yield key >> 3, int.from_bytes(message[at : at + 8], "little")
            at += 8
        else:
            assert kind == 2
            length = varint()
            yield key >> 3, message[at : at + length]
            at += length


def test_the_perfetto_file_has_the_same_slices_and_flows(folder: Path, events: list[Json]) -> None:
    tracks: dict[int, str] = {}
    open_slices: dict[int, tuple[int, str, list[int]]] = {}
    slices = []
    for number, packet in fields(gzip.decompress((folder / "timeline.pftrace.gz").read_bytes())):
        assert number == 1 and isinstance(packet, bytes)
        parts = dict(fields(packet))
        if 60 in parts:
            descriptor = dict(fields(parts[60]))  # type: ignore[arg-type]
            tracks[descriptor[1]] = descriptor[2].decode()  # type: ignore[index, union-attr]
            continue
        event = list(fields(parts[11]))  # type: ignore[arg-type]
        single = dict(event)
        track, time = single[11], parts[8]
        assert isinstance(track, int) and isinstance(time, int) and track in tracks
        if single[9] == 1:
            flows = [value - 1 for key, value in event if key == 47 and isinstance(value, int)]
            assert track not in open_slices
            open_slices[track] = (time, single[23].decode(), flows)  # type: ignore[union-attr]
        elif single[9] == 2:
            begin, name, flows = open_slices.pop(track)
            slices.append((tracks[track], name, begin, time, tuple(flows)))
    assert not open_slices
    names = {
        (e["pid"], e["tid"]): e["args"]["name"]
        for e in events
        if e["ph"] == "M" and e["name"] == "thread_name"
    }
    expected = []
    for e in events:
        if e["ph"] != "X":
            continue
        begin = int(e["ts"] * 1e3 + 0.5)
        end = int((e["ts"] + e["dur"]) * 1e3 + 0.5)
        flows = e["args"].get("requests", []) if e["pid"] == DIES else []
        flows = [e["args"]["request"]] if e["pid"] == HOST else flows
        expected.append((names[e["pid"], e["tid"]], e["name"], begin, end, tuple(flows)))
    assert len(slices) == len(expected)
    for one, other in zip(sorted(slices), sorted(expected), strict=True):
        assert (one[0], one[1], one[4]) == (other[0], other[1], other[4])
        assert abs(one[2] - other[2]) <= 1 and abs(one[3] - other[3]) <= 1


@pytest.mark.slow
def test_a_page_lists_the_slowest(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert plots(["report", str(folder), "--slowest", "20", "--out", str(page)]) == 0
    text = page.read_text()
    assert "Slowest requests" in text
    table = text.partition('<table class="slowest">')[2].partition("</table>")[0]
    assert table.count('<tr><th scope="row">') == 20
    (slowest,) = slowest_lives(folder / "requests.csv", 1)
    assert f'<tr><th scope="row">{slowest.number} (' in table.partition("</tr>")[2][:400]
    assert plots(["report", str(folder), "--out", str(page)]) == 0
    assert "Slowest requests" not in page.read_text()
