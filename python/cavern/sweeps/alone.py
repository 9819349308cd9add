"""`./cavern run ... --alone`: each flow of a run also by itself, and what the others cost it.

A slow-down is the mean latency beside the others over that alone, as Tavakkol et al. have it (FLIN,
ISCA 2018; MQSim, FAST 2018), and fairness the least slow-down over the largest. Jain's index (Jain
et al., DEC TR-301, 1984) is of the rates of progress, which are the inverse of slow-downs; weighted
speed-up is their sum (Snavely and Tullsen, ASPLOS 2000).
"""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.plots.files import make_directory, write_file
from cavern.plots.results import Summary
from cavern.plots.texts import time_text
from cavern.sweeps.execute import only_one, play_all
from cavern.sweeps.repeat import Words

SCHEMA = "cavern.alone/1"
ALONE = "alone.json"
TOGETHER = "together"
KINDS = ("read", "write")
_COUNTS = ("counts the requests of all flows", "number_ios of each job, or shorter traces")
#: Options of a run that mean something else of a flow by itself: what is wrong, what is right.
_REFUSED = {
    "--limit": _COUNTS,
    "--warmup": _COUNTS,
    "--flow": ("plays one of the flows", "all of them"),
}


@dataclass(frozen=True)
class Flow:
    """Reads and writes of one flow. Latencies are means over both, in ns; `p99_ns` is the larger of
    the two kinds."""

    name: str
    requests: int
    mean_ns: float
    p99_ns: float
    alone_mean_ns: float
    alone_p99_ns: float

    @property
    def slowdown(self) -> float:
        return self.mean_ns / self.alone_mean_ns if self.alone_mean_ns else math.nan


@dataclass(frozen=True)
class Shared:
    """All flows of a run."""

    flows: tuple[Flow, ...]

    @property
    def slowdowns(self) -> list[float]:
        return [one.slowdown for one in self.flows if math.isfinite(one.slowdown)]

    @property
    def fairness(self) -> float:
        return min(self.slowdowns) / max(self.slowdowns)

    @property
    def weighted_speedup(self) -> float:
        return sum(1 / one for one in self.slowdowns)

    @property
    def jain(self) -> float:
        progress = [1 / one for one in self.slowdowns]
        return sum(progress) ** 2 / (len(progress) * sum(one * one for one in progress))

    def record(self) -> str:
        flows = [{**asdict(one), "slowdown": _number(one.slowdown)} for one in self.flows]
        told: dict[str, Any] = {"schema": SCHEMA, "flows": flows}
        if self.slowdowns:
            for name in ("fairness", "jain", "weighted_speedup"):
                told[name] = getattr(self, name)
        return json.dumps(told, indent=2, ensure_ascii=False) + "\n"

    def table(self) -> str:
        heads = ("flow", "requests", "mean", "alone", "slow-down", "p99", "alone")
        rows = [heads] + [
            (
                one.name,
                f"{one.requests:,}",
                time_text(one.mean_ns),
                time_text(one.alone_mean_ns),
                f"{one.slowdown:.2f}",
                time_text(one.p99_ns),
                time_text(one.alone_p99_ns),
            )
            for one in self.flows
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
        lines = [
            "  ".join(
                text.ljust(width) if column == 0 else text.rjust(width)
                for column, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        if self.slowdowns:
            lines.append(
                f"fairness {self.fairness:.3f} (least by largest slow-down), Jain's index "
                f"{self.jain:.3f}, weighted speed-up {self.weighted_speedup:.2f} of "
                f"{len(self.slowdowns)}"
            )
        return "\n".join(lines)


def play(words: Words, out: Path) -> Shared:
    """Plays all flows together into `out`/together and each by itself into `out`/NAME-alone, as
    many at a time as there are cores, and writes `out`/alone.json. Raises SimulatorError with the
    first that fails, InputError where there are no flows that are told apart."""
    words.check(out)
    for option, _ in words.pairs:
        if option in _REFUSED:
            what, right = _REFUSED[option]
            raise InputError("<command line>", 1, f"{option} {what}", f"--alone takes {right}")
    with only_one(out):
        make_directory(out)
        together = out / TOGETHER
        play_all([_command(words, out, together)])
        jobs = _jobs(together)
        names = [str(job["name"]) for job in jobs]
        folders = [out / _folder(name) for name in names]
        commands = [
            [*_command(words, out, folder), "--flow", name]
            for name, folder in zip(names, folders, strict=True)
        ]
        play_all(commands)
        flows = tuple(
            _flow(job, next(one for one in _jobs(folder) if one["id"] == job["id"]))
            for job, folder in zip(jobs, folders, strict=True)
        )
        shared = Shared(flows)
        write_file(out / ALONE, shared.record().encode())
    return shared


def _command(words: Words, out: Path, folder: Path) -> list[str]:
    shutil.rmtree(folder, ignore_errors=True)
    return ["run", *words.of_run(out, folder), "--out", str(folder)]


def _folder(name: str) -> str:
    """A name that is one of a folder, and not that of the whole."""
    kept = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)
    return f"{kept}-alone"


def _jobs(folder: Path) -> list[dict[str, Any]]:
    summary = Summary(folder / "summary.json")
    jobs = summary.get("host.jobs")
    names = [one["name"] for one in jobs] if isinstance(jobs, list) else []
    if len(names) < 2 or len(set(map(_folder, names))) < len(names):
        what = "the run has no flows of different names, whose times are told apart"
        right = "several traces, or from 2 to 64 jobs, and fidelity = at"
        raise InputError(folder / "summary.json", 1, what, f"--alone takes {right}")
    return list(jobs)


def _flow(job: dict[str, Any], alone: dict[str, Any]) -> Flow:
    requests, mean, p99 = _measured(job)
    _, alone_mean, alone_p99 = _measured(alone)
    return Flow(str(job["name"]), requests, mean, p99, alone_mean, alone_p99)


def _measured(job: dict[str, Any]) -> tuple[int, float, float]:
    counts = [int(job[kind]["count"]) for kind in KINDS]
    means = [float(job[kind]["lat_ns"]["mean"]) for kind in KINDS]
    p99 = max(float(job[kind]["lat_ns"]["p99"]) for kind in KINDS)
    total = sum(counts)
    weighed = sum(count * mean for count, mean in zip(counts, means, strict=True))
    return total, weighed / total if total else math.nan, p99


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
