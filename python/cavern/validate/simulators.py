"""Figures of independent simulators: the whole drive, and the SDRAM alone."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator

from cavern.errors import SimulatorError
from cavern.simulator import BUILD, ROOT, Run
from cavern.validate.bench import Bench, Job
from cavern.validate.row import Row

STREAMS = ROOT / "tests" / "reference" / "ssd"


def simulator_rows(bench: Bench) -> Iterator[Row]:
    """The whole drive against independent simulators, same request streams."""

    def closed(depth: int) -> dict[str, object]:
        return {"workload.arrival": "closed", "workload.depth": depth}

    def mean(op: str, key: str = "mean") -> Callable[[Run], float]:
        return lambda run: run.summary["host"][op]["lat_ns"][key] / 1e3

    read_rates: list[tuple[str, dict[str, object], float]] = [
        ("226", {"workload.speedup": 0.87, "precondition.fill": 1.0}, 123.0),
        ("260", {"workload.speedup": 1.0, "precondition.fill": 1.0}, 210.0),
    ]
    cases: list[tuple[str, str, dict[str, object], str, Callable[[Run], float], float, float, str]]
    cases = [
        (
            "x1 random write 4 KiB, depth 1, mean",
            "x1_rw_qd1",
            closed(1),
            "us",
            mean("write"),
            222.1,
            0.01,
            "MQSim 222.1, SimpleSSD 223.0",
        ),
        (
            "x2 random read 4 KiB, depth 1, mean",
            "x2_rr_qd1",
            {**closed(1), "precondition.fill": 1.0},
            "us",
            mean("read"),
            47.1,
            0.01,
            "MQSim 47.1, SimpleSSD 46.6",
        ),
        (
            "x3 random write 4 KiB, depth 32",
            "x3_rw_qd32",
            closed(32),
            "IOPS",
            lambda run: run.summary["host"]["iops"],
            84_964,
            0.03,
            "MQSim 84,964, SimpleSSD 85,066",
        ),
        (
            "x8 random write, Poisson 50 k/s, mean",
            "x8_rw_ol50k",
            {},
            "us",
            mean("write"),
            281.3,
            0.03,
            "MQSim 281.3, SimpleSSD 282.1, DiskSim 286.1",
        ),
        (
            "x8 random write, Poisson 50 k/s, p99",
            "x8_rw_ol50k",
            {},
            "us",
            mean("write", "p99"),
            704.0,
            0.03,
            "MQSim 704, SimpleSSD 698",
        ),
        *(
            (
                f"x9 random read, Poisson {rate} k/s, mean",
                "x9_rr_ol260k",
                speed,
                "us",
                mean("read"),
                expected,
                0.03,
                f"MQSim {expected:g}",
            )
            for rate, speed, expected in read_rates
        ),
    ]
    for what, stream, overrides, unit, measure, expected, bound, source in cases:
        run = bench.run(
            "reference-4k.toml", overrides, arguments=["--trace", str(STREAMS / f"{stream}.csv.xz")]
        )
        yield Row(what, unit, measure(run), expected, bound, source)


def ahead_rows(bench: Bench) -> Iterator[Row]:
    """`ahead`, which is the default, against `fr-fcfs`, which is compared with simulators above. A
    page that finds nothing queued is timed whole when it comes, so that nothing overtakes it: the
    longest waits are missing. First where the SDRAM is the limit, which is the worst; then where it
    is not. The bounds are the errors that docs/add-a-part.md states."""
    hits: Job = {"rw": "randrw", "bs": "4KiB", "size": "2MiB", "number_ios": 20_000, "iodepth": 32}
    mixed: Job = {"rw": "randrw", "rwmixread": 70, "bs": "4KiB", "size": "1GiB", "iodepth": 32}
    fast = {"host.bandwidth": "100GB/s", "dram.size": "256MiB"}
    for what, job, settings, bounds in (
        ("4 KiB hits in a drive bound by the SDRAM", hits, fast, (0.03, 0.03, 0.45)),
        (
            "4 KiB, 70 % reads, bound by the flash",
            {**mixed, "number_ios": 20_000},
            {"precondition.fill": 0.1},
            (0.01, 0.01, 0.02),
        ),
    ):
        ours, checked = (
            bench.run("bench-4k.toml", {**settings, "dram.scheduling": how}, job=job).summary
            for how in ("ahead", "fr-fcfs")
        )
        rate, known_rate = ours["host"]["iops"], checked["host"]["iops"]
        yield Row(what, "IOPS", rate, known_rate, bounds[0], "the same drive with fr-fcfs")
        for measure, bound in zip(("mean", "p99"), bounds[1:], strict=True):
            time, known = (run["host"]["write"]["lat_ns"][measure] for run in (ours, checked))
            what = f"the same, {measure} of writes"
            yield Row(what, "us", time / 1e3, known / 1e3, bound, "the same drive with fr-fcfs")


def dram_rows() -> Iterator[Row]:
    """The SDRAM alone, as its own program measures and compares it."""
    program = BUILD / "bin" / "cavern-dram-reference"
    finished = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    if finished.returncode not in (0, 1):
        raise SimulatorError(finished.returncode, finished.stderr.strip())
    for row in json.loads(finished.stdout)["rows"]:
        yield Row(
            f"{row['stream']}, {row['variant']}: {row['quantity']}",
            row["unit"],
            row["ours"],
            row["reference"],
            row["bound"],
            row["source"],
        )
