"""Plays cases: what is wrong with one, in a sentence; empty: nothing."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from cavern.plots.columns import PARTS
from cavern.soak import debugger, door
from cavern.soak.case import Case
from cavern.soak.program import ran
from cavern.soak.serve import serve

#: A drive may end so; nothing is wrong with it then.
ENDS = re.compile(r"error: <drive>:1: .* is worn out: |.* is larger than the drive; ")
#: What looks at time decides otherwise without it, and with other arbiters.
LOOKS = {
    "alloc.scheme": ("least-loaded", "adaptive"),
    "buffer.policy": ("multichip",),
    "buffer.ncq_aware": ("true",),
}
TIME = re.compile(r'"t":\d+,')
#: Counts that depend on time, by their names.
OF_TIME = ("_ns", "in_flight_read_hits")
SECTIONS = ("buffer", "ftl", "alloc", "zones", "fdp")


@dataclass(frozen=True)
class Outcome:
    status: int
    error: str
    summary: dict[str, Any] | None
    decisions: tuple[str, ...]
    odd: str = ""  #: a figure that none can be

    @property
    def ended(self) -> bool:
        return self.status == 2 and ENDS.match(self.error) is not None

    @property
    def fault(self) -> str:
        """What no run may do."""
        if self.status == 0 or self.ended:
            return self.odd
        return f"exit {self.status}: {self.error or 'without a word'}"


def run(case: Case, folder: Path) -> Outcome:
    out = folder / "run"
    written, summary, rows = out / "decisions", out / "summary.json", out / "requests.csv"
    fidelity = case.settings.get("fidelity")
    outputs = {} if fidelity == "sampled" else {"decisions": str(written)}
    if fidelity not in ("untimed", "sampled"):
        outputs["requests"] = str(rows)
    for before in (written, summary, rows):
        before.unlink(missing_ok=True)
    words = replace(case, outputs=outputs).command(str(out))
    status, _, error = ran(*words, "--quiet", folder=folder)
    text = written.read_text() if written.exists() else ""
    try:
        counted = json.loads(summary.read_bytes()) if summary.exists() else None
    except ValueError:
        return Outcome(-1, "summary.json is torn", None, ())
    odd = _odd_rows(rows) or next(_odd_numbers(counted, "summary"), "")
    return Outcome(status, error, counted, tuple(TIME.sub("", text).splitlines()), odd)


def _odd_rows(file: Path) -> str:
    """The first row whose latency is not the sum of its parts. A program that knows its laws has
    looked already; an older one has not."""
    if not file.exists():
        return ""
    with file.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            parts = sum(int(row.get(part, 0)) for part in PARTS)
            if parts != int(row["latency_ns"]) or int(row["transfer_ns"]) >= 1 << 63:
                return f"parts of a latency: {row}"
    return ""


@cache
def shares() -> frozenset[str]:
    """What the program calls a share in its summary, by the last part of the path."""
    _, listed, _ = ran("results", "list", "--json", drawing=True)
    fields = json.loads(listed or "[]")
    return frozenset(one["path"].rpartition(".")[2] for one in fields if one["unit"] == "share")


def _odd_numbers(part: Any, name: str) -> Iterator[str]:
    for key, value in part.items() if isinstance(part, dict) else ():
        where = f"{name}.{key}"
        for one in value if isinstance(value, list) else [value]:
            yield from _odd_numbers(one, where)
            share = key in shares() and isinstance(one, float) and one > 1
            if share or (isinstance(one, int) and one >= 1 << 63):
                yield f"no such number: {where} is {one}"


def looks_at_time(case: Case) -> bool:
    settings = case.settings
    return (
        any(settings.get(key) in values for key, values in LOOKS.items())
        or any(word in settings.get("buffer.eviction", "") for word in ("linear", "idle"))
        or settings.get("ftl.slc-cache.idle", "true") == "true"
        and settings.get("ftl.scheme") == "slc-cache"
        or "ftl.gc_background" in settings
        or "ftl.refresh_reads" in settings
        or "host.queues" in settings
    )


def _numbers(part: Any, name: str) -> Iterator[tuple[str, int]]:
    if isinstance(part, dict):
        for key, value in part.items():
            yield from _numbers(value, f"{name}.{key}")
    elif isinstance(part, list):
        for i, value in enumerate(part):
            yield from _numbers(value, f"{name}[{i}]")
    elif isinstance(part, int) and not name.endswith(OF_TIME):
        yield name, part


def difference(one: Outcome, other: Outcome) -> str:
    """The first decision or count of which they are not of one mind."""
    if one.error != other.error:
        return f"one ends with {one.error!r}, the other with {other.error!r}"
    for at, (a, b) in enumerate(zip(one.decisions, other.decisions, strict=False)):
        if a != b:
            return f"decision {at} is {a} | {b}"
    if len(one.decisions) != len(other.decisions):
        return f"{len(one.decisions)} | {len(other.decisions)} decisions"
    if one.summary is None or other.summary is None:
        return ""
    for part in SECTIONS:
        counts = dict(_numbers(other.summary.get(part), part))
        for name, value in _numbers(one.summary.get(part), part):
            if name in counts and counts[name] != value:
                return f"{name} is {value} | {counts[name]}"
    return ""


def pair(case: Case, folder: Path) -> str:
    """With time, without it, and with the RTL's arbiters beside the TLM's."""
    timed = run(case, folder)
    if timed.fault:
        return timed.fault
    untimed = run(case.set(fidelity="untimed"), folder)
    if untimed.fault:
        return f"untimed, {untimed.fault}"
    lockstep = run(case.set(channel__arbiter="lockstep"), folder) if case.seed % 3 == 0 else timed
    if lockstep.fault and "channel.arbiter" not in lockstep.error:
        return f"lockstep, {lockstep.fault}"
    alike = not looks_at_time(case)
    if alike and (found := difference(timed, untimed)):
        return f"at | untimed: {found}"
    if case.seed % 3 == 1 and (found := _sampled(case, folder, untimed)):
        return f"sampled | untimed: {found}"
    if not alike:
        return ""
    return "" if lockstep.fault else difference(timed, lockstep)


def _sampled(case: Case, folder: Path, untimed: Outcome) -> str:
    """Windows of it in time, which may change nothing of what is counted."""
    windows = {"windows": "3", "requests": "20", "warmup_depths": "1", "jobs": "1"}
    settings = {f"sampled.{key}": value for key, value in windows.items()}
    sampled = run(case.set(fidelity="sampled", **settings), folder)
    if sampled.status == 2 and ("sampled" in sampled.error or "depend on time" in sampled.error):
        return ""
    return sampled.fault or difference(replace(sampled, decisions=untimed.decisions), untimed)


def cut(case: Case, folder: Path) -> str:
    """The power goes: nothing flushed is lost, and the drive comes back."""
    return run(case, folder).fault


def spoilt(case: Case, folder: Path) -> str:
    """Done, or refused in one line; nothing else is written."""
    done = run(case, folder)
    if done.status != 2:
        return done.fault[-300:]
    if "\n" in done.error or not done.error.startswith("error: "):
        return f"not one line: {done.error[:200]}"
    if done.summary is not None and not done.ended:
        return "refused, and a summary was written"
    return ""


PLAYS = {
    "pair": pair,
    "cut": cut,
    "input": spoilt,
    "serve": serve,
    "door": door.play,
    "debug": debugger.play,
}


def kind_of(fault: str) -> str:
    """Faults are alike up to the first number."""
    what = fault.partition(": ")[2] if fault.startswith("exit ") else fault
    return re.split(r"\d", what, maxsplit=1)[0]
