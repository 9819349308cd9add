"""One request's life: where its latency went, and the flash operations that it brought."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.plots.columns import COLUMNS, PARTS, whole
from cavern.plots.texts import printable

OPS = {"R": "read", "W": "write", "T": "trim", "F": "flush", "Z": "command on a zone"}

#: In the order in which they pass: column, short name, what it is, and why it may be long.
STAGES = (
    (
        "queue_ns",
        "queue",
        "waiting for a tag, and the way of the command to the device",
        "the host had more commands than the drive takes at a time",
    ),
    (
        "cpu_ns",
        "processor",
        "waiting for a processor of the controller, and handled by it",
        "the processors of the controller were busy with other commands",
    ),
    (
        "frame_wait_ns",
        "frame",
        "waiting for a free frame of the write buffer",
        "the buffer was full, and what left it had to be programmed first",
    ),
    (
        "flash_ns",
        "flash",
        "the flash: its dies, their buses, and the wait for both",
        "the die had other operations before, or the operation itself is slow",
    ),
    (
        "transfer_ns",
        "transfer",
        "the host link and the SDRAM, and the wait for both",
        "data of other commands were on the way",
    ),
)


@dataclass(frozen=True)
class Stage:
    name: str
    what: str
    why: str
    length_ns: int


@dataclass(frozen=True)
class Life:
    """A request, times in ns; the stages add up to its latency."""

    number: int
    op: str
    offset: int
    size: int
    pages: int
    hits: int
    arrival_ns: int
    latency_ns: int
    stages: tuple[Stage, ...]

    @property
    def longest(self) -> Stage:
        return max(self.stages, key=lambda stage: stage.length_ns)


@dataclass(frozen=True)
class Operation:
    """What a die did for it, times in us."""

    name: str
    die: str
    start_us: float
    length_us: float
    origin: str


def life_of(path: Path, line: int, row: Mapping[str, str]) -> Life:
    """Throws InputError where the stages do not add up to the nanosecond."""
    found = {name: whole(row.get(name, "")) for name in COLUMNS if name != "op"}
    values = {name: value for name, value in found.items() if value is not None}
    if len(values) < len(found) or row.get("op") not in OPS:
        right = f"expected the columns {','.join(COLUMNS)}"
        raise InputError(path, line, "not a line of numbers", right)
    total = sum(values[name] for name in PARTS)
    if total != values["latency_ns"]:
        what = f"the parts add up to {total} ns, latency_ns is {values['latency_ns']}"
        raise InputError(path, line, what, "expected them to be equal")
    return Life(
        values["id"],
        OPS[row["op"]],
        values["offset"],
        values["size"],
        values["pages"],
        values["hits"],
        values["arrival_ns"],
        values["latency_ns"],
        tuple(Stage(name, what, why, values[key]) for key, name, what, why in STAGES),
    )


def lives(path: Path) -> Iterator[Life]:
    """All of them, one at a time."""
    try:
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            names = file.readline().rstrip("\r\n").split(",")
            for line, text in enumerate(file, 2):
                row = dict(zip(names, text.rstrip("\r\n").split(","), strict=False))
                yield life_of(path, line, row)
    except OSError as error:
        raise InputError(path, 1, f"cannot be read ({error.strerror})", "expected a file") from None


def find_life(path: Path, number: int) -> Life:
    last = -1
    for life in lives(path):
        last = max(last, life.number)
        if life.number == number:
            return life
    right = f"the last is {last}" if last >= 0 else "it has none"
    raise InputError(path, 1, f"no request {number}", f"{right}; those of the warm-up are left out")


def operations_of(events: list[dict[str, Any]], number: int) -> list[Operation]:
    """What dies did for the request, in order of time."""
    found = []
    for event in events:
        args = event.get("args", {})
        if event["ph"] != "X" or "channel" not in args:
            continue
        requests = args.get("requests")
        if isinstance(requests, list) and number in requests:
            die = f"{args['channel']}.{args.get('way')}"
            texts = (event["name"], die, str(args.get("origin", "")))
            name, die, origin = map(printable, texts)
            found.append(Operation(name, die, event["ts"], event["dur"], origin))
    return sorted(found, key=lambda operation: operation.start_us)
