"""Streams of writes, and what a drive with reclaim unit handles makes of them."""

from __future__ import annotations

from tests.cli.programs import ROOT, Json, Program, Workspace, sets

CONFIG = ROOT / "configs" / "fdp.toml"
TWO_LIFETIMES = ROOT / "traces" / "workloads" / "two-lifetimes.toml"
STREAMS = """\
time_us,op,offset,size
0,W,0,4096
1,W1,4096,4096
2,W65535,8192,4096
3,R,0,4096
"""
JOBS = """\
[[job]]
rw = "rw"
size = "1MiB"
number_ios = 40
stream = 7
fsync = 10
"""


def test_streams_are_read_and_written_as_they_were(
    workspace: Workspace, simulator: Program
) -> None:
    workspace.write("s.csv", STREAMS)
    done = simulator("trace", "convert", "s.csv", "again.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert (workspace.folder / "again.csv").read_text() == STREAMS
    for op in ("R1", "W65536", "W-1", "W1x", "T1"):
        workspace.write("bad.csv", STREAMS + f"4,{op},0,4096\n")
        done = simulator("trace", "convert", "bad.csv", "again.csv")
        assert done.returncode == 2
        assert done.stderr.startswith(f'error: bad.csv:6: op "{op}" is unknown; '), op


def test_a_format_without_streams_leaves_them_out_only_if_told(
    workspace: Workspace, simulator: Program
) -> None:
    workspace.write("s.csv", STREAMS)
    done = simulator("trace", "convert", "s.csv", "s.msr", "--to", "msr")
    assert done.returncode == 2
    assert done.stderr == (
        "error: s.csv:3: a stream has no form in msr; csv has one; --lossy leaves it out\n"
    )
    done = simulator("trace", "convert", "s.csv", "s.msr", "--to", "msr", "--lossy")
    assert (done.returncode, done.stderr) == (0, "cavern: 2 requests lost their stream\n")


def test_writes_of_a_job_carry_its_stream(workspace: Workspace, simulator: Program) -> None:
    workspace.write("jobs.toml", JOBS)
    assert simulator("trace", "generate", "jobs.toml", "s.csv").returncode == 0
    lines = (workspace.folder / "s.csv").read_text().splitlines()[1:]
    ops = [line.split(",")[1] for line in lines]
    assert set(ops) == {"R", "W7", "F"}
    workspace.write("jobs.toml", JOBS.replace("stream = 7", "stream = 65536"))
    done = simulator("trace", "generate", "jobs.toml", "s.csv")
    assert done.returncode == 2
    assert "stream is no whole number from 0 to 65535" in done.stderr


def run(simulator: Program, name: str, **settings: object) -> Json:
    arguments = ["--workload", TWO_LIFETIMES, *sets(**settings)]
    summary: Json = simulator.simulate(CONFIG, name, *arguments)["ftl"]
    return summary


def test_handles_keep_data_of_two_lifetimes_apart(simulator: Program) -> None:
    apart = run(simulator, "apart")
    mixed = run(simulator, "mixed", host__fdp__handles=0)
    default = run(simulator, "default", host__fdp__handles=1)
    assert apart["waf_pages"] < 1.03
    assert mixed["waf_pages"] > 1.2
    assert "fdp" not in mixed
    fdp = apart["fdp"]
    assert [handle["waf_pages"] < 1.05 for handle in fdp["handles"]] == [True, True]
    assert fdp["invalid_identifiers"] == 0
    for count in ("host_pages", "moved_pages", "programs"):
        assert fdp["total"][count] == sum(handle[count] for handle in fdp["handles"])
    assert fdp["total"]["host_pages"] == apart["host_pages"]
    assert fdp["total"]["moved_pages"] == apart["gc_pages"]
    assert fdp["total"]["waf_pages"] == apart["waf_pages"]
    # With one handle stream 1 names none.
    assert default["fdp"]["invalid_identifiers"] == 300_000
    assert default["waf_pages"] > 1.2


def test_handles_do_the_same_with_and_without_time(simulator: Program) -> None:
    small: dict[str, object] = {
        "nand__blocks_per_plane": 64,
        "buffer__size": "64KiB",
        "host__queue_depth": 1,
        "workload__out_of_range": "wrap",
        "host__fdp__isolation": "persistently",
    }
    arguments = ["--workload", TWO_LIFETIMES, "--limit", 40_000]
    runs = [
        simulator.simulate(CONFIG, name, *arguments, *sets(fidelity=name, **small))
        for name in ("at", "untimed")
    ]
    assert runs[0]["ftl"]["fdp"] == runs[1]["ftl"]["fdp"]
    assert runs[0]["ftl"]["gc_pages"] == runs[1]["ftl"]["gc_pages"] > 0
    assert runs[0]["buffer"]["write_hits"] == runs[1]["buffer"]["write_hits"] > 0
