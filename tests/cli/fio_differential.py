"""The same job file for fio itself and for Cavern, and whether both send the same requests."""

from __future__ import annotations

import math
import random
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from cavern.simulator import ENVIRONMENT, SIMULATOR

KIB = 1024
OPS = {"read": "R", "write": "W", "trim": "T", "sync": "F", "datasync": "F"}
#: So many standard deviations lie between two honest runs in one of a million.
SIGMAS = 5


@dataclass(frozen=True)
class Row:
    op: str
    offset: int
    size: int


@dataclass
class Drawn:
    """A job of one section. `free`: it draws at random, so that only shares can be compared."""

    keys: dict[str, str] = field(default_factory=dict)
    free: bool = False

    def text(self) -> str:
        lines = [key if value == "" else f"{key}={value}" for key, value in self.keys.items()]
        return "[j]\n" + "\n".join(lines) + "\n"


def draw(seed: int) -> Drawn:
    """A job over the keys that say which requests there are."""
    dice = random.Random(f"fio {seed}")
    job = Drawn()
    rw = dice.choice("read write randread randwrite rw randrw trim randtrim trimwrite".split())
    job.keys["ioengine"] = "null" if "trim" in rw else "psync"
    job.free = rw.startswith("rand") or rw == "rw"
    size = _region(dice, job.keys)
    sizes = _sizes(dice, rw, job)
    job.keys["rw"] = rw
    if rw.startswith("rand"):
        _places(dice, sizes == "one", job.keys)
    elif "trim" not in rw and dice.random() < 0.25:
        job.keys["rw"] = rw + dice.choice([":4k", ":16k", ":-8k"])
    elif rw != "trimwrite" and dice.random() < 0.2:
        job.keys |= {"zonemode": "strided", "zonesize": "16k", "zoneskip": "8k"}
    if rw in ("rw", "randrw"):
        job.keys[dice.choice(["rwmixread", "rwmixwrite"])] = dice.choice(["30", "50", "90"])
    _limits(dice, size, job.keys)
    if "w" in rw and dice.random() < 0.3:
        job.keys[dice.choice(["fsync", "fdatasync"])] = dice.choice(["1", "4", "7"])
    if "w" in rw and dice.random() < 0.1:
        job.keys["end_fsync"] = "1"
    if dice.random() < 0.1:
        job.keys["randrepeat"] = "0"
    return job


def _region(dice: random.Random, keys: dict[str, str]) -> int:
    file = KIB * dice.choice([256, 1000, 4096])
    offset = dice.choice([0, 0, 0, 16 * KIB, 64 * KIB])
    size = (file - offset) // dice.choice([1, 1, 2, 5]) // (4 * KIB) * (4 * KIB)
    keys |= {"filesize": str(file), "size": str(size)}
    if offset:
        keys["offset"] = f"{offset // KIB}k"
    return size


def _sizes(dice: random.Random, rw: str, job: Drawn) -> str:
    kind = dice.choice(["one", "one", "one", "range", "split", "by direction"])
    if kind == "one":
        job.keys["bs"] = dice.choice(["4k", "8k", "4k", "12k", "2kb"])
    elif kind == "range":
        job.keys["bsrange"] = dice.choice(["4k-16k", "2k-64k", "4k-10k"])
    elif kind == "split":
        job.keys["bssplit"] = dice.choice(["4k/60:8k/40", "4k/:16k/30", "4k/10:8k/20:12k/70"])
    elif rw.startswith("rand"):
        job.keys["bs"] = "4k"  # fio's map of two sizes ends by chance
    else:
        job.keys["bs"] = dice.choice(["4k,8k", ",8k", "8k,4k,"])
    job.free = job.free or kind in ("range", "split")
    return kind


def _places(dice: random.Random, one_size: bool, keys: dict[str, str]) -> None:
    kind = dice.choice(["map", "map", "no map", "zipf", "zoned", "lfsr", "runs", "in order"])
    if kind in ("no map", "runs", "in order"):
        keys["norandommap"] = ""
    if kind == "zipf":
        keys["random_distribution"] = "zipf:1.2"
        if "bs" in keys:
            keys["bs"] = "4k"  # a last part of a block ends fio by chance
    elif kind == "zoned":
        keys["random_distribution"] = "zoned:60/10:30/20:10/70"
    elif kind == "lfsr" and one_size:
        keys["random_generator"] = "lfsr"
    elif kind == "runs":
        keys["rw"] += ":4"
        keys["rw_sequencer"] = dice.choice(["sequential", "identical"])
    elif kind == "in order":
        keys["percentage_random"] = dice.choice(["50", "10"])
    elif dice.random() < 0.15:
        keys["ba"] = "8k"


def _limits(dice: random.Random, size: int, keys: dict[str, str]) -> None:
    kind = dice.choice(["none", "none", "none", "io_size", "number_ios", "loops"])
    if kind == "io_size" and "zonemode" not in keys:
        keys["io_size"] = str(size * dice.choice([2, 3]) // 2 // (4 * KIB) * (4 * KIB))
    elif kind == "number_ios":
        keys["number_ios"] = dice.choice(["1", "17", "100"])
    elif kind == "loops":
        keys["loops"] = dice.choice(["2", "3"])


def _ran(job: str, folder: Path, *command: object) -> None:
    words = list(map(str, command))
    done = subprocess.run(
        words, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, f"{job}\n{done.stderr}{done.stdout}"


def play_fio(text: str, folder: Path) -> list[Row]:
    """What fio has sent, by its own log."""
    (folder / "job.fio").write_text(text + "filename=file\nwrite_iolog=log\n")
    _ran(text, folder, "fio", "job.fio")
    rows = []
    for line in (folder / "log").read_text().splitlines():
        words = line.split()
        if len(words) >= 4 and words[-3] in OPS:
            rows.append(Row(OPS[words[-3]], int(words[-2]), int(words[-1])))
    return rows


def play_cavern(text: str, folder: Path) -> list[Row]:
    (folder / "cavern.fio").write_text(text)
    _ran(text, folder, SIMULATOR, "trace", "generate", "cavern.fio", "out.csv")
    rows = []
    for line in (folder / "out.csv").read_text().splitlines()[1:]:
        _, op, offset, size = line.split(",")[:4]
        rows.append(Row(op, int(offset), int(size)))
    return rows


def _near(what: str, one: float, other: float, spread: float) -> str:
    return "" if abs(one - other) <= SIGMAS * spread + 3 else f"{what}: {one} | {other}"


def _follow(rows: list[Row]) -> int:
    """Requests that begin where the one before of their direction ended."""
    ends: dict[str, int] = {}
    count = 0
    for row in rows:
        count += ends.get(row.op) == row.offset
        ends[row.op] = row.offset + row.size
    return count


def difference(job: Drawn, fio: list[Row], cavern: list[Row]) -> str:
    """In what they differ; empty: in nothing that fio says."""
    data, ours = ([row for row in rows if row.op != "F"] for rows in (fio, cavern))
    if not job.free:
        for number, (row, own) in enumerate(zip(fio, cavern, strict=False)):
            if (row.op, row.op != "F" and row) != (own.op, own.op != "F" and own):
                return f"request {number} is {row} | {own}"
        return "" if len(fio) == len(cavern) else f"{len(fio)} | {len(cavern)} requests"
    found: list[str] = []
    n = max(len(data), 1)
    for op in "RWT":
        of_op = [sum(row.op == op for row in rows) for rows in (data, ours)]
        found.append(_near(f"count of {op}", of_op[0], of_op[1], math.sqrt(n / 2)))
    sizes = Counter(row.size for row in data)
    own_sizes = Counter(row.size for row in ours)
    for size in sizes.keys() | own_sizes.keys():
        found.append(_near(f"requests of {size}", sizes[size], own_sizes[size], math.sqrt(n / 2)))
    largest = max((row.size for row in data), default=0)
    total = [sum(row.size for row in rows) for rows in (data, ours)]
    by_chance = largest * math.sqrt(n) if "number_ios" in job.keys else 2 * largest / SIGMAS
    if n > 1:  # of one request fio's size says nothing
        found.append(_near("bytes", total[0], total[1], by_chance))
    flushes = [sum(row.op == "F" for row in rows) for rows in (fio, cavern)]
    found.append(_near("flushes", flushes[0], flushes[1], math.sqrt(max(*flushes, 1) * 2)))
    places = [{row.offset for row in rows} for rows in (data, ours)]
    found.append(_near("places", len(places[0]), len(places[1]), math.sqrt(n / 2)))
    found.append(_near("in order", _follow(data), _follow(ours), math.sqrt(n / 2)))
    mean = [sum(row.offset for row in rows) / n for rows in (data, ours)]
    width = max((row.offset for row in data), default=0) - min(
        (row.offset for row in data), default=0
    )
    own_n = len(ours)
    if own_n and n > 30 and "zipf" not in job.keys.get("random_distribution", ""):
        mean[1] = mean[1] * n / own_n
        found.append(_near("mean place", mean[0], mean[1], width / math.sqrt(n) + 1))
    return next((one for one in found if one), "")
