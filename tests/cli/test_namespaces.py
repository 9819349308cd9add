"""Streams and zones: what a host says, and what a drive makes of it."""

from __future__ import annotations

import pytest

from tests.cli.programs import ROOT, Json, Program, Workspace, sets

CONFIG = ROOT / "configs" / "fdp.toml"
TWO_LIFETIMES = ROOT / "traces" / "workloads" / "two-lifetimes.toml"
ZNS = ROOT / "configs" / "zns.toml"
ZONES = ROOT / "traces" / "workloads" / "zones.toml"
STREAMS = """\
time_us,op,offset,size
0,W,0,4096
1,W1,4096,4096
2,W65535,8192,4096
3,R,0,4096
"""
FUA = "3.5,WF,0,4096\n3.75,WF2,4096,4096\n"
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
    workspace.write("s.csv", STREAMS + FUA)
    done = simulator("trace", "convert", "s.csv", "again.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert (workspace.folder / "again.csv").read_text() == STREAMS + FUA
    for op in ("R1", "W65536", "W-1", "W1x", "T1", "RF", "WFF"):
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
    assert (done.returncode, done.stderr) == (0, "cavern: 2 requests lost their stream, or FUA\n")
    workspace.write("s.csv", STREAMS.splitlines()[0] + "\n" + FUA)
    done = simulator("trace", "convert", "s.csv", "s.msr", "--to", "msr")
    assert done.stderr == (
        "error: s.csv:2: a write with FUA has no form in msr; csv has one; --lossy leaves it out\n"
    )
    done = simulator("trace", "convert", "s.csv", "s.msr", "--to", "msr", "--lossy")
    assert (done.returncode, done.stderr) == (0, "cavern: 2 requests lost their stream, or FUA\n")


def test_a_write_with_fua_is_answered_when_it_is_in_flash(
    workspace: Workspace, simulator: Program
) -> None:
    head = STREAMS.splitlines()[0]
    latencies = []
    for op in ("W", "WF"):
        workspace.write("s.csv", f"{head}\n0,{op},0,4096\n")
        run = simulator.simulate(ROOT / "configs" / "bench-4k.toml", "out", "--trace", "s.csv")
        latencies.append(run["host"]["write"]["lat_ns"]["max"])
    assert latencies[0] < 100_000 < 200_000 < latencies[1]  # tPROG is 200 us


def test_writes_of_a_job_carry_its_stream(workspace: Workspace, simulator: Program) -> None:
    workspace.write("jobs.toml", JOBS)
    assert simulator("trace", "generate", "jobs.toml", "s.csv").returncode == 0
    lines = (workspace.folder / "s.csv").read_text().splitlines()[1:]
    ops = [line.split(",")[1] for line in lines]
    assert set(ops) == {"R", "W7", "F"}
    workspace.write("jobs.toml", JOBS.replace("stream = 7", "stream = 65536"))
    done = simulator("trace", "generate", "jobs.toml", "s.csv")
    assert done.returncode == 2
    assert "job.stream = 65536 is out of range; a whole number from 0 to 65535" in done.stderr


def run(simulator: Program, name: str, **settings: object) -> Json:
    arguments = ["--workload", TWO_LIFETIMES, *sets(**settings)]
    summary: Json = simulator.simulate(CONFIG, name, *arguments)["ftl"]
    return summary


@pytest.mark.slow
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


#: A zone of zns.toml has 4 MiB.
ZONE_COMMANDS = """\
time_us,op,offset,size
0,A,4194304,16384
1,W,4210688,2048
2,ZF,4194304,0
3,W,4212736,2048
4,ZR,4194304,0
5,ZO,8388608,0
6,ZC,8388608,0
7,A,0,2048
"""


def test_commands_on_zones_are_read_and_written_as_they_were(
    workspace: Workspace, simulator: Program
) -> None:
    workspace.write("z.csv", ZONE_COMMANDS)
    done = simulator("trace", "convert", "z.csv", "again.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert (workspace.folder / "again.csv").read_text() == ZONE_COMMANDS
    for op in ("Z", "ZX", "ZRR", "RA"):
        workspace.write("bad.csv", ZONE_COMMANDS + f"8,{op},0,0\n")
        done = simulator("trace", "convert", "bad.csv", "again.csv")
        assert done.returncode == 2
        assert done.stderr.startswith(f'error: bad.csv:10: op "{op}" is unknown; '), op
    done = simulator("trace", "convert", "z.csv", "z.spc", "--to", "spc")
    assert done.returncode == 2
    assert done.stderr.startswith("error: z.csv:2: a command on a zone has no form in spc; ")


def test_commands_on_zones_end_as_their_zones_say(workspace: Workspace, simulator: Program) -> None:
    workspace.write("z.csv", ZONE_COMMANDS)
    for fidelity in ("at", "untimed"):
        ftl = simulator.simulate(
            ZNS, fidelity, "--trace", "z.csv", *sets(fidelity=fidelity, host__queue_depth=1)
        )["ftl"]
        zoned = ftl["zoned"]
        errors = {name: count for name, count in zoned["errors"].items() if count}
        assert errors == {"is_full": 1}
        assert (zoned["appends"], zoned["resets"], zoned["finishes"]) == (2, 1, 1)
        assert (zoned["opens"], zoned["closes"]) == (1, 1)
        assert (zoned["zones"], zoned["size"]) == (60, 2048)


def zone_run(simulator: Program, name: str, *arguments: object, **settings: object) -> Json:
    settings = {"fidelity": "at", **settings}
    return simulator.simulate(ZNS, name, "--workload", ZONES, *arguments, *sets(**settings))


def test_a_host_that_writes_by_zones_is_never_refused_and_nothing_is_written_twice(
    simulator: Program,
) -> None:
    runs = [
        zone_run(simulator, fidelity, fidelity=fidelity, host__queue_depth=1)
        for fidelity in ("at", "untimed")
    ]
    for run in runs:
        zoned = run["ftl"]["zoned"]
        assert set(zoned["errors"].values()) == {0}
        assert run["ftl"]["waf_pages"] == 1.0
        assert zoned["appends"] == 6000
        # 6000 writes of 64 KiB are 93.75 zones of which the first 32 were empty.
        assert zoned["resets"] == run["host"]["zone"]["count"] > 94 - 32
    assert runs[0]["ftl"]["zoned"] == runs[1]["ftl"]["zoned"]
    assert runs[0]["ftl"]["erases"] == runs[1]["ftl"]["erases"]


def test_a_host_that_knows_no_zones_is_refused(workspace: Workspace, simulator: Program) -> None:
    """The control: the same writes without `zone_size`."""
    lines = [line for line in ZONES.read_text().splitlines() if not line.startswith("zone_")]
    workspace.write("no-zones.toml", "\n".join(lines))
    ftl = simulator.simulate(ZNS, "no-zones", "--workload", "no-zones.toml")["ftl"]
    assert ftl["zoned"]["errors"]["invalid_write"] > 1000
    assert ftl["zoned"]["errors"]["is_full"] > 1000
    assert ftl["waf_pages"] == 1.0


def test_what_zones_do_not_go_with_is_refused(simulator: Program) -> None:
    for settings, said in (
        ({"host__interface": "sata"}, "ftl.scheme with host.interface = sata, which has no zones"),
        ({"precondition__fill": 0.5}, "ftl.scheme = zoned in a drive that is preconditioned"),
        ({"buffer__policy": "bplru"}, "ftl.scheme = zoned with buffer.policy = bplru"),
        ({"ftl__zoned__max_open": 13}, "ftl.zoned.max_open = 13 above ftl.zoned.max_active = 12"),
        ({"alloc__scheme": "cwdp"}, "alloc.scheme = cwdp with ftl.scheme = zoned"),
    ):
        done = simulator("run", ZNS, "--workload", ZONES, "--out", "out", *sets(**settings))
        assert done.returncode == 2
        assert said in done.stderr, done.stderr
