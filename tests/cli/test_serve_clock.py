"""What the clocks of `cavern serve` show a client: latencies of the model, as fio sees them."""

from __future__ import annotations

import csv
import json
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from tests.cli.programs import BIN, CONFIGS, Json, Program, Workspace, sets
from tests.cli.serving import SMALL, serving

#: A run of fio that ends before Linux takes the processor from real-time programs, which may have
#: 950 ms of each second.
SHORT = "800ms"
QUANTILES = (50, 90)
#: Linux: the longest wake-up of a processor that a program asks for. For root alone.
WAKE_UP_LIMIT = Path("/dev/cpu_dma_latency")


@pytest.fixture
def drive(workspace: Workspace) -> Path:
    return workspace.write("small.toml", SMALL)


def real_time() -> tuple[str, ...]:
    """What starts a program that no other disturbs, where that is permitted."""
    chrt = shutil.which("chrt")
    if chrt is None or subprocess.run([chrt, "-f", "10", "true"], check=False).returncode != 0:
        return ()
    return (chrt, "-f", "10")


def fio_job(simulator: Program, *arguments: object, **job: object) -> Json:
    """One job of fio on a served drive; its entry of the output."""
    words = {
        "name": "job",
        "ioengine": "nbd",
        "uri": '"$uri"',
        "percentile_list": ":".join(str(each) for each in QUANTILES),
        "output-format": "json",
        "output": "fio.json",
        **job,
    }
    command = " ".join(["fio", *(f"--{key}={value}" for key, value in words.items())])
    first, *rest = (*real_time(), BIN / "cavern-sim")
    server = Program(Path(first), simulator.folder)
    done = server(*rest, "serve", *arguments, "--out", "served", "--quiet", "--run", command)
    assert done.returncode == 0, done
    text = (simulator.folder / "fio.json").read_text()
    return json.loads(text[text.index("{") :])["jobs"][0]


class Seen:
    """Latencies of one job in ns: what fio has seen on the wall, and the model of the same run."""

    def __init__(self, simulator: Program, config: object, factor: float, **job: object) -> None:
        options = sets(precondition__fill=0.9, nand__blocks_per_plane=100)
        time = "real" if factor == 1 else f"dilated={factor}"
        log = ("--requests", "requests.csv", "--time", time)
        self.job = fio_job(simulator, config, *log, *options, **job)
        op = "read" if self.job["read"]["total_ios"] else "write"
        self.clat = self.job[op]["clat_ns"]
        self.factor = factor
        with (simulator.folder / "requests.csv").open() as lines:
            rows = [row for row in csv.DictReader(lines) if row["op"] == op[0].upper()]
        size = int(self.job[op]["io_bytes"]) // int(self.job[op]["total_ios"])
        self.modelled = sorted(int(row["latency_ns"]) for row in rows if int(row["size"]) == size)
        assert len(self.modelled) >= self.job[op]["total_ios"] > 100

    def error(self, quantile: int, factor: float | None = None) -> float:
        """By which share a quantile that fio has seen is beyond the model's."""
        key = next(key for key in self.clat["percentile"] if float(key) == quantile)
        modelled = self.modelled[len(self.modelled) * quantile // 100]
        return self.clat["percentile"][key] / (factor or self.factor) / modelled - 1

    def error_of_mean(self) -> float:
        modelled = sum(self.modelled) / len(self.modelled)
        return self.clat["mean"] / self.factor / modelled - 1

    def error_of_least(self, factor: float | None = None) -> float:
        return self.clat["min"] / (factor or self.factor) / self.modelled[0] - 1


@pytest.mark.slow
def test_dilated_time_shows_the_latency_of_the_model(drive: Path, simulator: Program) -> None:
    """Reads of a page from an idle drive take the same time each. The shortest that fio has seen is
    one that other programs of this machine did not delay."""
    seen = Seen(
        simulator, drive, 40, rw="randread", bs="2k", iodepth=1, size="4M", time_based=1, runtime=2
    )
    assert seen.modelled[-1] - seen.modelled[0] < 0.01 * seen.modelled[0]
    assert abs(seen.error_of_least()) < 0.02
    assert abs(seen.error_of_least(factor=40 * 1.05)) > 0.02  # the control
    served = json.loads((simulator.folder / "served" / "serve.json").read_text())
    assert sorted(served["transport_ns"]) == ["long_wait", "short_wait"]
    assert all(1_000 < each <= 100_000 for each in served["transport_ns"].values())
    assert served["late_ns"]["p50"] <= served["late_ns"]["max"] < seen.clat["max"]


def wake_up_limit() -> int | None:
    """Of this machine, in us: what the kernel keeps to. None where it may not be asked for."""
    try:
        with WAKE_UP_LIMIT.open("r+b", buffering=0) as limit:
            return int(struct.unpack("i", limit.read(4))[0])
    except OSError:
        return None


def test_processors_stay_awake_where_the_clock_is_the_wall(drive: Path, simulator: Program) -> None:
    permitted = wake_up_limit() is not None
    for time, awake in (("dilated=10", permitted), ("free", False)):
        with serving(simulator, drive, "--time", time, "--quiet") as served:
            if awake:
                assert wake_up_limit() == 0
            served.stop()
        told = json.loads((served.out / "serve.json").read_text())
        assert told["processors_awake"] is awake


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rw", "depth"), [("randread", 1), ("randread", 8), ("randread", 32), ("randwrite", 32)]
)
def test_ten_times_slower_is_the_model_within_two_percent(
    rw: str, depth: int, simulator: Program
) -> None:
    """Other programs can only make it later: the best of five attempts counts."""
    attempts = []
    for _ in range(5):
        seen = Seen(
            simulator,
            CONFIGS / "conventional.toml",
            10,
            rw=rw,
            bs="4k",
            iodepth=depth,
            size="8M",
            time_based=1,
            runtime=SHORT,
        )
        errors = [abs(seen.error(each)) for each in QUANTILES]
        assert max(abs(seen.error(each, factor=10.5)) for each in QUANTILES) > 0.02  # the control
        attempts.append((max(errors), abs(seen.error_of_mean())))
        if attempts[-1][0] < 0.02 and attempts[-1][1] < 0.03:
            return
    raise AssertionError(attempts)


@pytest.mark.nightly
def test_real_time_is_near_the_model(simulator: Program) -> None:
    errors = []
    for _ in range(5):
        seen = Seen(
            simulator,
            CONFIGS / "conventional.toml",
            1,
            rw="randread",
            bs="4k",
            iodepth=1,
            size="8M",
            time_based=1,
            runtime=SHORT,
        )
        assert abs(seen.error(50, factor=1.5)) > 0.1  # the control
        errors.append(seen.error(50))
        if abs(errors[-1]) < 0.1:
            return
    raise AssertionError(errors)


@pytest.mark.nightly
@pytest.mark.parametrize("rw", ["randread", "randwrite"])
@pytest.mark.parametrize("config", ["bench-4k", "tlc-nvme", "conventional"])
def test_a_free_clock_answers_60000_requests_in_a_second(
    config: str, rw: str, simulator: Program
) -> None:
    """On two processors of 2.5 GHz that nothing else uses: the best of five attempts counts."""
    rates = []
    for _ in range(5):
        job = fio_job(
            simulator,
            *(CONFIGS / f"{config}.toml", "--time", "free", *sets(precondition__fill=0.001)),
            rw=rw,
            bs="4k",
            iodepth=32,
            size="64M",
            time_based=1,
            runtime=SHORT,
        )
        rates.append(job["read"]["iops"] + job["write"]["iops"])
        if rates[-1] > 60_000:
            return
    raise AssertionError(rates)
