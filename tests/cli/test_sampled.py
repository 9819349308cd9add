"""Runs of which windows alone have time (fidelity = "sampled")."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from tests.cli.mistakes import is_message
from tests.cli.programs import BIN, CONFIGS, DEMO_TRACE, Json, Program, Workspace
from tests.cli.sweeps import told

JOB = """\
[[job]]
rw = "randrw"
rwmixread = 70
bs = "{bs}"
size = "{size}"
number_ios = {requests}
iodepth = {depth}
"""

#: Steady states, with workloads that keep them so: a buffer of its own size, none, a collecting TLC
#: drive whose pages leave its buffer ahead of need, and one whose buffer is full all the time.
STATES: dict[str, tuple[str, dict[str, object], dict[str, object]]] = {
    "buffer": ("bench-4k", {}, {"bs": "4KiB", "size": "12GiB", "depth": 32}),
    "no buffer": ("reference-4k", {}, {"bs": "4KiB", "size": "12GiB", "depth": 32}),
    "collecting": (
        "steady-tlc",
        {"nand.blocks_per_plane": 64},
        {"bs": "4KiB", "size": "12GiB", "depth": 32},
    ),
    "full buffer": (
        "tlc-nvme",
        {"precondition.fill": 0.8, "nand.blocks_per_plane": 40, "ftl.overprovision": 0.2},
        {"bs": "16KiB", "size": "30GiB", "depth": 256},
    ),
}


def job(workspace: Workspace, requests: int, **of: object) -> Path:
    return workspace.write("job.toml", JOB.format(requests=requests, **of))


def asked(settings: dict[str, object]) -> list[str]:
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


def run(workspace: Workspace, drive: str, *words: object, **settings: object) -> Json:
    program = Program(BIN / "cavern-sim", workspace.folder)
    said = asked({"workload.out_of_range": "wrap", **settings})
    return program.simulate(CONFIGS / f"{drive}.toml", "out", *words, *said)


def refused(workspace: Workspace, *words: object, **settings: object) -> str:
    """What is said of a sampled run that is none; it leaves nothing."""
    program = Program(BIN / "cavern-sim", workspace.folder)
    said = asked({"fidelity": "sampled", **settings})
    done = program("run", CONFIGS / "bench-4k.toml", "--out", "none", *words, *said)
    assert done.returncode == 2 and not (workspace.folder / "none").exists()
    return done.stderr


def within(value: float, interval: Json, margin: float = 0.0) -> bool:
    return bool(interval["low"] * (1 - margin) <= value <= interval["high"] * (1 + margin))


def covered(
    workspace: Workspace, state: str, requests: int, seeds: int, margin: float = 0.0
) -> dict[str, int]:
    """How many of so many samples have the figure of the whole run in their interval, or no further
    from it than that share."""
    drive, settings, of = STATES[state]
    workload = job(workspace, requests, **of)
    hits = {"iops": 0, "read": 0, "write": 0}
    for seed in range(1, seeds + 1):
        words = ("--workload", workload, "--seed", seed)
        whole = run(workspace, drive, *words, **settings)["host"]
        sampled = run(workspace, drive, *words, **settings, fidelity="sampled")["sampled"]
        hits["iops"] += within(whole["iops"], sampled["iops"], margin)
        for op in ("read", "write"):
            hits[op] += within(whole[op]["lat_ns"]["mean"], sampled[op]["mean"], margin)
    return hits


@pytest.mark.parametrize("state", STATES)
def test_the_whole_run_lies_in_the_interval(workspace: Workspace, state: str) -> None:
    hits = covered(workspace, state, 60_000, 1, margin=0.05)
    if state == "collecting":
        del hits["write"]  # docs/sampled.md: of a run so short they are too long
    assert min(hits.values()) == 1, hits


@pytest.mark.nightly
@pytest.mark.parametrize("state", STATES)
def test_the_whole_run_lies_in_nine_of_ten_intervals(workspace: Workspace, state: str) -> None:
    hits = covered(workspace, state, 400_000, 10)
    assert min(hits.values()) >= 9, hits


def test_windows_of_a_trace_at_its_own_times(workspace: Workspace) -> None:
    words = ("--trace", DEMO_TRACE)
    whole = run(workspace, "bench-4k", *words)["host"]
    sampled = run(workspace, "bench-4k", *words, **{"fidelity": "sampled", "sampled.windows": 100})
    assert sampled["sampled"]["iops"] is None  # the trace says when
    assert sampled["host"]["iops"] == pytest.approx(whole["iops"], rel=1e-3)
    assert within(whole["write"]["lat_ns"]["mean"], sampled["sampled"]["write"]["mean"])
    # A percentile of all requests is within 1/2048.
    assert within(whole["read"]["lat_ns"]["p99"], sampled["sampled"]["read"]["p99"], 1 / 2048)


def test_without_warm_up_windows_are_biased(workspace: Workspace) -> None:
    """Dies that have nothing to do answer sooner."""
    drive, settings, of = STATES["full buffer"]
    words = ("--workload", job(workspace, 100_000, **of))
    cold = {**settings, "fidelity": "sampled", "sampled.warmup_depths": 0}
    whole = run(workspace, drive, *words, **settings)["host"]
    sampled = run(workspace, drive, *words, **cold)
    assert sampled["host"]["iops"] > 1.1 * whole["iops"]
    assert not within(whole["iops"], sampled["sampled"]["iops"])


def test_counts_are_those_of_a_run_without_time(workspace: Workspace) -> None:
    for drive, settings, of in (STATES["buffer"], STATES["collecting"]):
        words = ("--workload", job(workspace, 20_000, **of), "--warmup", 1_000)
        sampled = run(workspace, drive, *words, **settings, fidelity="sampled")
        untimed = run(workspace, drive, *words, **settings, fidelity="untimed")
        assert all(sampled[section] == untimed[section] for section in ("buffer", "ftl", "flash"))
        for op in ("read", "write", "trim", "flush", "zone"):
            assert all(
                sampled["host"][op][key] == untimed["host"][op][key] for key in ("count", "bytes")
            )
        assert sampled["sampled"]["measured_requests"] == 30 * 256


def but_the_moment(summary: Json) -> Json:
    sim = {key: value for key, value in summary["sim"].items() if "wall" not in key}
    del sim["peak_rss_bytes"]
    return {**summary, "sim": sim, "run": None, "config": None}


def test_the_number_of_processes_changes_nothing(workspace: Workspace) -> None:
    for drive, settings, of in (STATES["no buffer"], STATES["collecting"]):
        words = ("--workload", job(workspace, 20_000, **of))
        runs = [
            run(
                workspace,
                drive,
                *words,
                **settings,
                **{"fidelity": "sampled", "sampled.jobs": jobs},
            )
            for jobs in (1, 4)
        ]
        assert but_the_moment(runs[0]) == but_the_moment(runs[1])


def test_a_second_round_brings_the_error_that_is_asked_for(workspace: Workspace) -> None:
    _, _, of = STATES["no buffer"]
    words = ("--workload", job(workspace, 200_000, **of))
    coarse = {"fidelity": "sampled", "sampled.windows": 10, "sampled.requests": 100}
    first = run(workspace, "reference-4k", *words, **coarse)["sampled"]
    asked = first["error"] / 2
    fine = run(workspace, "reference-4k", *words, **coarse, **{"sampled.error": asked})["sampled"]
    assert first["rounds"] == 1 and fine["rounds"] == 2
    assert fine["windows"] > 30
    assert fine["error"] < 1.3 * asked
    enough = run(workspace, "reference-4k", *words, **coarse, **{"sampled.error": 0.9})["sampled"]
    assert enough["rounds"] == 1 and enough["windows"] == 10


def test_a_second_round_plays_the_whole_trace(workspace: Workspace) -> None:
    """A file that two processes read has one position."""
    coarse = {"fidelity": "sampled", "sampled.windows": 10}
    words = ("--trace", DEMO_TRACE)
    first = run(workspace, "bench-4k", *words, **coarse)["sampled"]
    both = run(workspace, "bench-4k", *words, **coarse, **{"sampled.error": 0.15})["sampled"]
    assert first["rounds"] == 1 and both["rounds"] == 2
    assert both["windows"] == math.ceil(1.1 * (first["error"] / 0.15) ** 2 * 10) > 20


def test_jobs_of_fio_are_sampled(workspace: Workspace) -> None:
    both = "[global]\nbs=4k\nsize=64m\niodepth=8\nioengine=libaio\n"
    jobs = f"{both}[a]\nrw=randread\n[b]\nrw=randwrite\n"
    words = ("--workload", workspace.write("jobs.fio", jobs))
    settings: dict[str, Any] = {"precondition.fill": 0.1}
    whole = run(workspace, "bench-4k", *words, **settings)["host"]
    sampled = run(workspace, "bench-4k", *words, **settings, fidelity="sampled")
    assert sampled["sim"]["requests"] == 32768
    assert within(whole["read"]["lat_ns"]["mean"], sampled["sampled"]["read"]["mean"], 0.1)


REFUSED: dict[str, tuple[dict[str, object], str]] = {
    "power": (
        {"power_loss.cuts": 3, "ftl.scheme": "page"},
        "fidelity = sampled with a loss of power; one of them",
    ),
    "data": (
        {"data.store": "fingerprint"},
        "fidelity = sampled with data.store; data.store = none",
    ),
    "firmware": (
        {"cpu.decides": "firmware"},
        "fidelity = sampled where firmware decides or runs; "
        "cpu.decides = core and cpu.model = none or cost",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_window_cannot_take_over_is_refused(workspace: Workspace, what: str) -> None:
    settings, message = REFUSED[what]
    said = refused(workspace, "--trace", DEMO_TRACE, **settings)
    assert is_message(said, f"<command line>:#: {message}")


def test_a_pace_is_refused(workspace: Workspace) -> None:
    workload = workspace.write("jobs.fio", "[a]\nrw=randread\nsize=1m\nthinktime=100\n")
    assert is_message(
        refused(workspace, "--workload", workload),
        f'{workload}:1: requests of job "a" depend on time, which a sampled run does not have '
        'between its windows; a number of requests without pauses, or fidelity = "at"',
    )


def test_a_log_of_times_is_refused(workspace: Workspace) -> None:
    assert is_message(
        refused(workspace, "--trace", DEMO_TRACE, "--requests", "r.csv"),
        "<command line>:1: --requests shows times, and the run has some of them; "
        "add --set fidelity=at",
    )


def test_a_log_of_decisions_is_refused(workspace: Workspace) -> None:
    assert is_message(
        refused(workspace, "--trace", DEMO_TRACE, "--decisions", "d.jsonl"),
        "<command line>:1: --decisions of a sampled run; "
        "add --set fidelity=untimed, which decides the same",
    )


def test_a_pipe_is_refused_that_does_not_say_how_many_requests_it_has(workspace: Workspace) -> None:
    assert is_message(
        refused(workspace, "--trace", "/dev/stdin", "--format", "csv"),
        "/dev/stdin:1: a pipe does not say how many requests it has; a file",
    )


def test_pages_of_sweeps_have_the_intervals(workspace: Workspace) -> None:
    job(workspace, 6000, bs="4KiB", size="1GiB", depth=8)
    head = f'config = "{CONFIGS}/bench-4k.toml"\nworkloads = ["job.toml"]\n'
    for name, asked_for in (("sampled", '"sampled"'), ("whole", '"at"')):
        spec = f"{head}[set]\nfidelity = {asked_for}\nsampled.windows = 8\nsampled.requests = 64\n"
        workspace.write(f"{name}.toml", f"{spec}[vary]\nnand.channels = [1, 2, 4]\n")
        assert told(workspace.folder, f"{name}.toml", "--out", name).returncode == 0
        page = (workspace.folder / name / "report.html").read_text(encoding="utf-8")
        said = ("± ", "±: half of the interval in which the figure of the whole run lies.")
        assert [text in page for text in said] == [name == "sampled"] * 2
