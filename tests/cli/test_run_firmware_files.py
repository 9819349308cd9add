"""`cavern run --firmware-profile` and its like: what the firmware of a drive did, and when."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cavern.simulator import BUILD

from tests.cli.programs import CONFIGS, DEMO_TRACE, Json, Program, sets, tree
from tests.cli.test_cpu_firmware import ALONE, CYCLE_NS, SMALL
from tests.cli.test_determinism import without_wall_clock
from tests.cli.test_firmware_coverage import expected_lines, lines_of
from tests.cli.test_requests import load

FIRMWARE = BUILD / "firmware"
IMAGE = FIRMWARE / "drive.elf"
TALKING = FIRMWARE / "drive_talking.elf"
FILES = ("profile", "coverage", "trace", "log")
#: "# 1692208996 922168747 request 65, read of 10 logical pages from 81334 on"
HEADER = re.compile(r"^# +(\d+|-) +(\d+) request (\d+), (\w+) of (\d+) logical pages from (\d+) on")


def workload(limit: int) -> list[object]:
    return ["--trace", DEMO_TRACE, "--limit", limit, *SMALL]


def run(
    simulator: Program, name: str, *more: object, files: tuple[str, ...] = FILES, limit: int = 200
) -> tuple[Json, dict[str, str]]:
    """The summary, and the files by name; those of the requests, too."""
    options: list[object] = []
    for file in files:
        options += [f"--firmware-{file}", f"{name}.{file}"]
    timed = () if "fidelity=untimed" in more else ("--requests", f"{name}.requests")
    summary = simulator.simulate(
        CONFIGS / "conventional.toml", name, *workload(limit), *timed, *options, *more
    )
    return summary, {
        path.suffix[1:]: path.read_text() for path in simulator.folder.glob(f"{name}.*")
    }


def cycles_of(folded: str) -> int:
    return sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())


def left_ns(timeline: Path, at_ns: float) -> float:
    """Of the request that the processor is busy with: what it has to do for it from then on."""
    events = json.loads(timeline.read_text())["traceEvents"]
    work = [event for event in events if "request" in event.get("args", {}) and "dur" in event]
    (now,) = [
        event
        for event in work
        if "waited_ns" in event["args"] and 0 <= at_ns / 1000 - event["ts"] < event["dur"]
    ]
    (after,) = [event for event in work if event["name"] == f"after {now['name']}"]
    return float(1000 * (after["ts"] + after["dur"]) - at_ns)


def rows_of(files: dict[str, str], simulator: Program, name: str) -> dict[int, Any]:
    return {row["id"]: row for row in load(simulator.folder / f"{name}.requests")}


def without_files(summary: Json) -> Json:
    """What is the same whichever files a run writes."""
    rest = without_wall_clock(summary)
    del rest["run"]["files"]
    return rest


def headers_of(trace: str) -> list[re.Match[str]]:
    return [found for line in trace.splitlines() if (found := HEADER.match(line))]


@pytest.mark.slow
@pytest.mark.parametrize("model", ["iss", "rtl", "lockstep"])
@pytest.mark.parametrize("warmup", [0, 20])
def test_the_profile_has_the_cycles_of_the_summary(
    warmup: int, model: str, simulator: Program
) -> None:
    more = ("--warmup", warmup, "--timeline", "timeline", *sets(cpu__model=model))
    summary, files = run(simulator, "out", *more, files=("profile",), limit=40)
    more_in_summary = summary["cpu"]["cycles"] - cycles_of(files["profile"])
    # What is left of the request that the warm-up ends in is of the run, and none of the profile's.
    if warmup == 0:
        assert more_in_summary == 0
    else:
        sim = summary["sim"]
        left = left_ns(simulator.folder / "timeline", sim["simulated_ns"] - sim["measured_ns"])
        assert more_in_summary * CYCLE_NS == pytest.approx(left, abs=CYCLE_NS)
        assert more_in_summary > 1000
    assert summary["cpu"]["cycles"] > 20_000
    assert re.search(r"^start;main;.*drive_write;\S+ \d+$", files["profile"], re.MULTILINE)
    # What fills the drive is none of the run's, and what was before the warm-up.
    assert "drive_fill" not in files["profile"] and "drive_init" not in files["profile"]


@pytest.mark.slow
def test_files_change_nothing_and_are_the_same_each_time(simulator: Program) -> None:
    iss = sets(cpu__model="iss")
    plain, without = run(simulator, "plain", *iss, files=())
    summary, files = run(simulator, "one", *iss)
    assert without_files(summary) == without_files(plain)
    assert files["requests"] == without["requests"]
    assert run(simulator, "two", *iss)[1] == files
    assert set(files) == {*FILES, "requests"} and files["log"] == ""


def test_the_trace_has_every_instruction_of_every_request(simulator: Program) -> None:
    summary, files = run(simulator, "out", *ALONE, *sets(cpu__model="iss"), limit=60)
    start, *requests = re.split(r"^# .*\n", files["trace"], flags=re.MULTILINE)
    assert "_start" in start.splitlines()[0]
    assert len(requests) == summary["cpu"]["requests"] == 60
    lines = [line for request in requests for line in request.splitlines()]
    assert len(lines) == summary["cpu"]["instructions"]
    # Each ends with the sleep.
    assert all(" wfi " in f"{request.splitlines()[-1]} " for request in requests)
    # The control: a request more or less is seen.
    assert len(lines) - len(requests[0].splitlines()) != summary["cpu"]["instructions"]


def misplaced(headers: list[re.Match[str]], rows: dict[int, Any]) -> list[str]:
    """Requests that the processor takes up at another time than requests.csv says, rounded."""
    wrong = []
    for found in headers:
        row = rows[int(found[3])]
        if abs(int(found[1]) - (row["start_ns"] - row["cpu_ns"])) > 1:
            wrong.append(found[0])
    return wrong


def test_times_are_those_of_the_requests(simulator: Program) -> None:
    """No request meets another, so none waits for the processor."""
    _, files = run(simulator, "out", *ALONE, *sets(cpu__model="iss"), limit=100)
    rows = rows_of(files, simulator, "out")
    headers = headers_of(files["trace"])
    assert [int(found[3]) for found in headers] == list(rows)
    assert misplaced(headers, rows) == []
    for found in headers:
        row = rows[int(found[3])]
        assert int(found[5]) == row["pages"] and found[4][0].upper() == row["op"]
    # The control: those of the request behind.
    shifted = {number: rows.get(number + 1, row) for number, row in rows.items()}
    assert len(misplaced(headers, shifted)) > 90


@pytest.mark.slow
def test_lines_of_the_log_stand_beside_their_requests(simulator: Program) -> None:
    talking = sets(cpu__model="iss", cpu__firmware=TALKING)
    _, files = run(simulator, "out", *talking, limit=150)  # some wait for others
    rows = rows_of(files, simulator, "out")
    waited = [row for row in rows.values() if row["cpu_ns"] > 2 * 100_000]
    printed = [
        (int(found[1]), int(found[2]), int(found[3]))
        for line in files["log"].splitlines()
        if (
            found := re.fullmatch(
                r" *(\d+) +(\d+) write of page (\d+): (?:hit|new), frame \d+", line
            )
        )
    ]
    assert len(printed) == len(files["log"].splitlines()) > 100
    headers = headers_of(files["trace"])
    writes = [
        (found, page)
        for found in headers
        if found[4] == "write"
        for page in range(int(found[6]), int(found[6]) + int(found[5]))
    ]
    assert [page for _, page in writes] == [page for *_, page in printed]
    for (found, _), (at, cycle, _) in zip(writes, printed, strict=True):
        row = rows[int(found[3])]
        # Taken up, printed, decided.
        assert row["arrival_ns"] <= int(found[1]) <= at <= row["start_ns"] + 1
        assert abs((cycle - int(found[2])) * 2.5 - (at - int(found[1]))) <= 1
    assert waited


@pytest.mark.slow
def test_a_window_of_the_trace_has_the_requests_taken_up_in_it(simulator: Program) -> None:
    iss = sets(cpu__model="iss")
    whole, everything = run(simulator, "all", *ALONE, *iss, limit=100)
    headers = headers_of(everything["trace"])
    begin, end = int(headers[30][1]) + 10, int(headers[60][1]) + 10
    window = ("--firmware-trace-from", f"{begin}ns", "--firmware-trace-to", f"{end}ns")
    summary, part = run(simulator, "part", *ALONE, *iss, *window, limit=100)
    assert without_files(summary) == without_files(whole)
    first = everything["trace"].index(headers[31][0])
    last = everything["trace"].index(headers[61][0])
    assert part["trace"] == everything["trace"][first:last]
    # The window is of the trace alone.
    assert part["profile"] == everything["profile"] and part["coverage"] == everything["coverage"]
    # Nobody else needs instructions: the same trace.
    only = run(simulator, "only", *ALONE, *iss, *window, files=("trace",), limit=100)[1]
    assert only["trace"] == part["trace"]


@pytest.mark.slow
def test_coverage_counts_what_the_trace_has(simulator: Program) -> None:
    _, files = run(simulator, "out", *sets(cpu__model="iss"), limit=100)
    rows = [line for line in files["trace"].splitlines() if not line.startswith("#")]
    lines = lines_of(files["coverage"])
    assert lines == expected_lines(IMAGE, "\n".join(rows))
    assert lines != expected_lines(IMAGE, "\n".join(rows[1:]))
    hit = {name for (name, _), count in lines.items() if count}
    assert "firmware/drive/policy.c" in hit


@pytest.mark.slow
def test_a_run_without_time_has_them_too(simulator: Program) -> None:
    untimed = sets(cpu__model="iss", cpu__firmware=TALKING, fidelity="untimed")
    _, files = run(simulator, "out", *untimed, limit=50)
    assert all(line.split()[0] == "-" for line in files["log"].splitlines())
    assert headers_of(files["trace"]) and {found[1] for found in headers_of(files["trace"])} == {
        "-"
    }
    assert re.search(r"drive_write;\S+ \d+$", files["profile"], re.MULTILINE)
    assert "drive_init" not in files["profile"]


def test_firmware_that_misbehaves_leaves_what_shows_it(simulator: Program) -> None:
    image = FIRMWARE / "drive_manners.elf"
    bad = sets(cpu__model="iss", cpu__firmware=image, buffer__size="10KiB")
    options = [part for file in FILES for part in (f"--firmware-{file}", file)]
    run_of = ("run", CONFIGS / "conventional.toml", "--quiet", "--out", "out", *workload(10))
    done = simulator(*run_of, "--requests", "requests", *options, *bad)
    assert done.returncode == 2 and "(0x12345678)" in done.stderr
    assert set(tree(simulator.folder)) == set(FILES)
    trace = (simulator.folder / "trace").read_text().splitlines()
    assert "misbehave" in trace[-1] and any("request 0, " in line for line in trace)


# ---- what is refused -----------------------------------------------------------------------------


def refused(simulator: Program, *more: object) -> str:
    before = tree(simulator.folder)
    run_of = ("run", CONFIGS / "conventional.toml", "--quiet", "--out", "out", *workload(10))
    done = simulator(*run_of, *more)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert tree(simulator.folder) == before
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("model", ["none", "cost"])
@pytest.mark.parametrize("file", FILES)
def test_there_has_to_be_a_processor(file: str, model: str, simulator: Program) -> None:
    assert refused(simulator, f"--firmware-{file}", file, *sets(cpu__model=model)) == (
        f"error: <command line>:1: --firmware-{file} needs a processor that executes firmware, "
        f'and cpu.model is "{model}"; add --set cpu.model=iss (or rtl, lockstep)'
    )


def test_no_file_is_written_twice(simulator: Program) -> None:
    iss = sets(cpu__model="iss")
    line = refused(simulator, "--firmware-log", "a", "--firmware-trace", "./a", *iss)
    assert 'would write over "' in line and "--firmware-" in line
    assert "--requests" in refused(simulator, "--requests", "a", "--firmware-log", "a", *iss)


def test_windows_are_checked(simulator: Program) -> None:
    iss = sets(cpu__model="iss")
    window = ("--firmware-trace-from", "2ms", "--firmware-trace-to", "1ms")
    line = refused(simulator, "--firmware-trace", "t", *window, *iss)
    assert "--firmware-trace-from lies after --firmware-trace-to; give the earlier time" in line
    assert "--firmware-trace" in refused(simulator, *window[:2], *iss)
    untimed = sets(fidelity="untimed")
    line = refused(simulator, "--firmware-trace", "t", *window[2:], *iss, *untimed)
    assert "--firmware-trace-to shows times, and the run has none; add --set fidelity=at" in line


def test_coverage_needs_lines(simulator: Program) -> None:
    stripped = simulator.folder / "stripped.elf"
    words = ["riscv64-unknown-elf-strip", "--strip-debug", "-o", str(stripped), str(IMAGE)]
    subprocess.run(words, check=True)
    iss = sets(cpu__model="iss", cpu__firmware=stripped)
    line = refused(simulator, "--firmware-coverage", "lines", *iss)
    assert line.startswith("error: <command line>:")
    assert line.endswith(f'"{stripped}": has no lines of its source; compile it with -g')


def test_a_file_that_cannot_be_written_is_an_error(simulator: Program) -> None:
    iss = sets(cpu__model="iss")
    assert "no/folder/f:1: cannot be written" in refused(
        simulator, "--firmware-profile", Path("no/folder/f"), *iss
    )
