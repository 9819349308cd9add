"""Lockstep over long random and recorded streams, and what they cover of the arbiter."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from cavern.simulator import BUILD, ENVIRONMENT, ROOT

from tb import coverage
from tb.formal.designs import CHANNEL, SHARED, WEIGHTED_FAMILY

pytestmark = pytest.mark.slow

BIN = BUILD / "bin"
SOAK = BIN / "cavern-arbiter-soak"
GRANTS = 10_000_000 if os.environ.get("CAVERN_TEST_FULL") else 500_000
LINE = re.compile(r".*: (?P<grants>\d+) grants in (?P<edges>\d+) edges, (?P<mismatches>\d+) mism.*")
TRACE = ROOT / "traces" / "oltp-mysql-1h.csv.xz"


def soak(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(SOAK), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)


def grants_in(printed: list[str]) -> int:
    """Sum of all lines, which report no mismatch."""
    lines = [LINE.fullmatch(line) for line in printed]
    assert lines and all(line and int(line["mismatches"]) == 0 for line in lines), printed
    return sum(int(line["grants"]) for line in lines if line)


@pytest.mark.parametrize("policy", coverage.POLICIES)
@pytest.mark.parametrize("slots", [1, 2, 3, 4, 8, 16])
def test_rtl_and_twin_agree_over_long_streams(slots: int, policy: str) -> None:
    finished = soak("random", slots, policy, GRANTS)
    assert finished.returncode == 0, finished.stderr
    printed = finished.stdout.splitlines()
    assert len(printed) == 5
    assert grants_in(printed) >= GRANTS
    print(f"{slots} slots, {policy}: {grants_in(printed)} grants compared")


@pytest.fixture(scope="module", params=coverage.POLICIES)
def streams(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Recordings of the eight arbiters of a drive that plays the demo's trace."""
    folder = tmp_path_factory.mktemp("streams")
    settings = {
        "workload.out_of_range": "wrap",
        "channel.arbiter": "lockstep",
        "channel.policy": request.param,
        "channel.age_limit": 12715,
    }
    command = [str(BIN / "cavern-sim-recording"), "run", str(ROOT / "configs" / "cave.toml")]
    command += ["--out", str(folder / "out"), "--quiet", "--trace", str(TRACE)]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    environment = {**ENVIRONMENT, "CAVERN_STREAMS": str(folder)}
    subprocess.run(command, env=environment, check=True, timeout=120)
    found = sorted(folder.glob("*.stream"))
    assert len(found) == 8
    return found


def test_recorded_streams_replay_without_the_drive(streams: list[Path]) -> None:
    finished = soak("replay", *streams)
    assert finished.returncode == 0, finished.stderr
    assert grants_in(finished.stdout.splitlines()) > 100_000
    summary = (streams[0].parent / "out" / "summary.json").read_text()
    compared = sum(int(n) for n in re.findall(r'"compared": *(\d+)', summary))
    assert grants_in(finished.stdout.splitlines()) == compared


def test_a_recording_of_other_grants_is_a_difference(streams: list[Path], tmp_path: Path) -> None:
    # Of another policy, of another age limit: the grants in the file are no longer the arbiter's.
    head, _, edges = streams[0].read_bytes().partition(b"\n")
    magic, ways, policy, limit = head.split()
    other = tmp_path / "other.stream"
    other.write_bytes(
        b" ".join([magic, ways, b"0" if policy == b"1" else b"1", b"1"]) + b"\n" + edges
    )
    finished = soak("replay", other)
    assert finished.returncode == 1
    assert "the recorded grant was another" in finished.stderr


def test_what_is_no_stream_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.stream").write_text("time_us,op,offset,size\n")
    finished = soak("replay", tmp_path / "no.stream")
    assert finished.returncode == 2
    assert finished.stderr.startswith(f"error: {tmp_path / 'no.stream'}:")
    assert len(finished.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments", [(), ("random", 4, "fair", 10), ("random", 17, "round-robin", 10), ("random", 4)]
)
def test_bad_arguments_are_refused(arguments: tuple[object, ...]) -> None:
    assert soak(*arguments).returncode == 2


# The random streams are of all policies, and so reach everything with the recordings of any one.
@pytest.mark.parametrize("streams", coverage.POLICIES[:1], indirect=True)
def test_every_line_and_toggle_is_reached(streams: list[Path]) -> None:
    report, printed = coverage.measure(20_000, streams)
    assert grants_in(printed) >= len(coverage.POLICIES) * len(coverage.WAYS) * 20_000
    print("\n".join(report.lines()))
    assert report.unexplained() == []
    assert report.idle_exclusions() == []
    for source in coverage.SOURCES:
        assert len(report.points("line", source)) >= 5
        assert len(report.points("toggle", source)) > 600
        assert len({point.shape for point in report.points("toggle", source)}) >= 5
    assert len(report.points("line")) > 45
    assert report.missed("line") == []


def test_what_is_not_reached_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "POLICIES", ("round-robin",))
    monkeypatch.setattr(coverage, "WAYS", (4, 16))
    report, _ = coverage.measure(5)
    missed = report.unexplained()
    assert len(missed) > 10
    assert all(report.counts[point] == 0 for point in missed)
    # The shape of one way and the weighted arbiter have not been run: the reasons about them
    # excuse nothing.
    idle = [why for why in report.idle_exclusions() if "only way" in why or "credits" in why]
    assert len(idle) == 3


def test_the_second_design_is_covered_by_its_own_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "POLICIES", ("weighted-round-robin",))
    monkeypatch.setattr(coverage, "WAYS", (4,))
    few, _ = coverage.measure(5)
    # The other design's source is not among the models that ran.
    assert {p.source for p in few.unexplained()} == {*SHARED, WEIGHTED_FAMILY.source}
    assert {point.shape for point in few.points("toggle")} == {"N4_P2"}
    many, _ = coverage.measure(20_000)
    assert many.unexplained() == []


def test_a_line_no_run_reaches_is_missed() -> None:
    channel = CHANNEL.source
    report = coverage.Report(
        {
            coverage.Point(channel, "line", 60, "", ""): 0,
            coverage.Point(channel, "line", 61, "", ""): 3,
            coverage.Point(channel, "toggle", 34, "age_limit_i[7]", "N4_P1"): 0,
        }
    )
    assert report.unexplained() == [coverage.Point(channel, "line", 60, "", "")]
    assert report.lines()[0].startswith("channel_arbiter.sv: line: 1 of 2 reachable (50.0 %)")
