"""What a reader of figures of several runs has to know besides them: what was played on which
drive, which run is the baseline, and how far the numbers carry."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath

from cavern.plots.finding import Group, repeated
from cavern.plots.lockstep import lockstep
from cavern.plots.results import Run
from cavern.plots.tables import Row, is_sampled, requests_of
from cavern.plots.texts import printable, size_text, time_text
from cavern.verdicts.inputs import differences
from cavern.verdicts.intervals import FAMILY_LEVEL, LEVEL
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


def interval_text(groups: Sequence[Group]) -> str:
    """What ± is, and what a verdict rests on; empty where no run is repeated."""
    if not repeated(groups):
        return ""
    counts = " or ".join(dict.fromkeys(str(len(group.runs)) for group in groups))
    said = (
        f"± is half of the {LEVEL * 100:g} % interval of the mean (Student's t) of {counts} seeds"
    )
    if len(groups) == 1:
        seeds = [run.summary.get("config.seed") for run in groups[0].runs]
        return f"{said}, {seeds[0]} to {seeds[-1]}."
    level = f"{(1 - FAMILY_LEVEL) * 100:g} %"
    return f"{said}. Better, worse: Welch's test at {level} for all measures together (Holm)."


def sample_text(groups: Sequence[Group]) -> str:
    """What stands in brackets behind the figures of a sampled run; empty where there is none."""
    runs = [group.run for group in groups]
    levels = {run.summary.get("sampled.confidence") for run in runs if is_sampled(run)}
    shown = " or ".join(f"{level * 100:g} %" for level in levels if isinstance(level, float))
    if not shown:
        return ""
    more = " Where intervals overlap, neither is better nor worse." if len(runs) > 1 else ""
    return f"In brackets: where the figure of the whole run lies, at {shown}.{more}"


def alarms(groups: Sequence[Group]) -> list[str]:
    """What makes the numbers of runs wrong or incomplete; once for all of which it is true."""
    return _told_once(groups, _alarms_of)


def _told_once(groups: Sequence[Group], said_of: Callable[[Run], list[str]]) -> list[str]:
    """What the runs of the groups say, all seeds of each."""
    return told_once(
        [
            (group.run.name, [text for run in group.runs for text in said_of(run)])
            for group in groups
        ]
    )


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


def reservations(groups: Sequence[Group]) -> list[str]:
    """What the runs say about how far their numbers carry; once for all that say the same."""
    return _told_once(groups, _warnings_of)


def _warnings_of(run: Run) -> list[str]:
    warnings = run.summary.get("run.warnings")
    return [printable(str(text)) for text in warnings] if isinstance(warnings, list) else []


def baseline_text(runs: Sequence[Run]) -> str:
    """Which run the others are compared with."""
    return f"Baseline: {runs[0].name}. --baseline NAME compares with another run."


def head_lines(groups: Sequence[Group]) -> list[str]:
    """What was played and on what, once where it is the same."""
    return [*_once(groups, played_text), *_once(groups, lambda group: drive_text(group.run))]


def played_text(group: Group) -> str:
    """Input, requests and time, such as "oltp.csv, 20 requests (10 reads, 10 writes), 10 ms"; of
    several seeds their number, and no figure in which they differ."""
    run = group.run
    number, get = run.summary.number, run.summary.get
    path = get("run.input.path") or get("trace")
    name = PurePath(path).name if isinstance(path, str) else str(get("run.input.kind") or "input")
    counts = {tuple(requests_of(one, kind) for kind in ("read", "write")) for one in group.runs}
    kinds = list(zip(*counts, ("read", "write"), strict=True)) if len(counts) == 1 else []
    split = ", ".join(f"{count:,} {kind}s" for count, kind in kinds if count)
    count, time = number("sim.requests"), number("sim.simulated_ns")
    many = len(group.runs) > 1
    parts = [
        name,
        f"{count:,.0f} requests" + (f" ({split})" if split else "") if count == count else "",
        f"{len(group.runs)} seeds" if many else f"{time_text(time)} simulated" if time > 0 else "",
    ]
    return ", ".join(part for part in parts if part)


def drive_text(run: Run) -> str:
    """Dies and capacity, such as "8 × 4 dies, 29.8 GiB"."""
    get = run.summary.get
    channels, ways, size = get("config.nand.channels"), get("config.nand.ways"), capacity(run)
    dies = f"{channels} × {ways} dies" if channels and ways else ""
    exported = size_text(size) if size else ""
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


def _once(groups: Sequence[Group], text: Callable[[Group], str]) -> list[str]:
    names: dict[str, list[str]] = {}
    for group in groups:
        names.setdefault(text(group), []).append(group.run.name)
    if len(names) == 1:
        return [one for one in names if one]
    few = len(groups) <= MOST_NAMED
    said = [
        f"{', '.join(of) if few or len(of) == 1 else f'{len(of):,} runs'}: {one}"
        for one, of in list(names.items())[:MOST_NAMED]
        if one
    ]
    rest = sum(len(of) for of in list(names.values())[MOST_NAMED:])
    return [*said, f"and {rest} more runs"] if rest else said
