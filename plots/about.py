"""What a reader of figures of several runs has to know besides them: what was played on which
drive, which run is the baseline, and how far the numbers carry."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath

from cavern.plots.lockstep import lockstep
from cavern.plots.results import Run
from cavern.plots.tables import Row, requests_of
from cavern.plots.texts import digits, printable, time_text
from cavern.verdicts.inputs import differences
from cavern.verdicts.warnings import told_once

FEW = (
    "n: so many requests lie beyond the percentile. With fewer than 10 it says more about these "
    "than about the drive, and is neither better nor worse."
)
#: More runs than these are counted rather than named.
MOST_NAMED = 4
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([KMGT]?)(i?)B")


def few_samples(rows: Sequence[Row]) -> bool:
    """Whether a cell has a percentile that too few samples lie beyond."""
    return any(cell.note for row in rows for cell in row.cells)


def unlike(runs: Sequence[Run]) -> list[str]:
    """A sentence for each thing in which the runs did not play the same."""
    return differences([(run.name, run.summary.get) for run in runs])


def alarms(runs: Sequence[Run]) -> list[str]:
    """What makes the numbers of runs wrong or incomplete; once for all of which it is true."""
    return told_once([(run.name, _alarms_of(run)) for run in runs])


def _alarms_of(run: Run) -> list[str]:
    found = []
    if run.summary.get("complete") is not True:
        found.append("The run was interrupted; the numbers cover what was simulated until then.")
    if any(channel.bad for channel in lockstep(run)[1]):
        found.append("The arbiters disagreed, or nothing was compared, on a channel in lockstep.")
    lost = run.summary.get("recovery.lost_flushed", 0)
    if lost:
        found.append(f"{lost} flushed pages were lost at a power cut.")
    return found


def reservations(runs: Sequence[Run]) -> list[str]:
    """What the runs say about how far their numbers carry; once for all that say the same."""
    said = []
    for run in runs:
        warnings = run.summary.get("run.warnings")
        texts = warnings if isinstance(warnings, list) else []
        said.append((run.name, [printable(str(text)) for text in texts]))
    return told_once(said)


def baseline_text(runs: Sequence[Run]) -> str:
    """Which run the others are compared with."""
    return f"Baseline: {runs[0].name}. --baseline NAME compares with another run."


def head_lines(runs: Sequence[Run]) -> list[str]:
    """What was played and on what, once where it is the same."""
    return [*_once(runs, played_text), *_once(runs, drive_text)]


def played_text(run: Run) -> str:
    """Input, requests and time, such as "oltp.csv, 20 requests (10 reads, 10 writes), 10 ms"."""
    number, get = run.summary.number, run.summary.get
    path = get("run.input.path") or get("trace")
    name = PurePath(path).name if isinstance(path, str) else str(get("run.input.kind") or "input")
    kinds = [(requests_of(run, kind), kind) for kind in ("read", "write")]
    split = ", ".join(f"{count:,} {kind}s" for count, kind in kinds if count)
    count, time = number("sim.requests"), number("sim.simulated_ns")
    parts = [
        name,
        f"{count:,.0f} requests" + (f" ({split})" if split else "") if count == count else "",
        f"{time_text(time)} simulated" if time > 0 else "",
    ]
    return ", ".join(part for part in parts if part)


def drive_text(run: Run) -> str:
    """Dies and capacity, such as "8 × 4 dies, 29.8 GiB"."""
    get = run.summary.get
    channels, ways, size = get("config.nand.channels"), get("config.nand.ways"), capacity(run)
    dies = f"{channels} × {ways} dies" if channels and ways else ""
    exported = f"{digits(size / (1 << 30))} GiB" if size else ""
    return ", ".join(part for part in (dies, exported) if part)


def capacity(run: Run) -> float | None:
    """Bytes that the drive exports; None where the summary does not say."""
    pages, unit = run.summary.get("ftl.logical_pages"), run.summary.get("config.ftl.unit")
    size = run.summary.get("config.nand.page_size") if unit in (None, "page") else unit
    found = _SIZE.fullmatch(str(size))
    if found is None or not isinstance(pages, int):
        return None
    power = " KMGT".index(found[2] or " ")
    return pages * float(found[1]) * (1024 if found[3] else 1000) ** power


def _once(runs: Sequence[Run], text: Callable[[Run], str]) -> list[str]:
    names: dict[str, list[str]] = {}
    for run in runs:
        names.setdefault(text(run), []).append(run.name)
    if len(names) == 1:
        return [one for one in names if one]
    said = [f"{_listed(of)}: {one}" for one, of in list(names.items())[:MOST_NAMED] if one]
    rest = sum(len(of) for of in list(names.values())[MOST_NAMED:])
    return [*said, f"and {rest} more runs"] if rest else said


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
