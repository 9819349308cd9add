"""`./cavern explain` in words: one request's life, or a line for each of the slowest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from cavern.plots.causes import CAUSES, Wait, verdict
from cavern.plots.die_work import DieWork, Work
from cavern.plots.life import Life
from cavern.plots.texts import moment_text, time_text

BAR = 30  # characters
MOST_DIES = 8  # told one by one
MOST_OPERATIONS = 12
SYMBOLS = {
    "tR": "read of a page",
    "tPROG": "program of a page",
    "tBERS": "erase of a block",
    "tRST": "reset",
}
COUNTED = {
    "tR": ("read", "reads"),
    "tPROG": ("program", "programs"),
    "tBERS": ("erase", "erases"),
    "tRST": ("reset", "resets"),
    "command": ("command", "commands"),
    "data in": ("page in", "pages in"),
    "data out": ("page out", "pages out"),
    "reset": ("reset", "resets"),
}


def nanoseconds(value: int) -> str:
    return f"{value:,} ns"


def title(life: Life) -> str:
    return f"Request {life.number}: {life.op} of {life.size:,} bytes"


def words(wait: Wait, work: DieWork | None, without: str) -> str:
    """`work` is None where nobody wrote down what the dies did; `without` says why."""
    life = wait.life
    pages = "page" if life.pages == 1 else "pages"
    lines = [
        f"{verdict(wait)}.",
        "",
        f"{title(life)} at {life.offset:,}, {life.pages} {pages}, {life.hits} of them found in the "
        "buffer.",
        f"It arrived at {moment_text(life.arrival_ns)} and was answered "
        f"{time_text(life.latency_ns)} later:",
        "",
        *stages(life),
        "",
        *sentences(life),
    ]
    if life.latency_ns:
        lines += ["", *causes(wait)]
    lines += ["", *(["What the dies did is not known: " + without] if work is None else [])]
    if work is not None:
        lines += [*meanwhile(wait, work), "", *own_operations(life, work), "", *inferred(wait)]
    return "\n".join(lines).rstrip("\n") + "\n"


def stages(life: Life) -> list[str]:
    figures = [nanoseconds(stage.length_ns) for stage in life.stages]
    width = max(len(figure) for figure in [*figures, nanoseconds(life.latency_ns)])
    lines = []
    for stage, figure in zip(life.stages, figures, strict=True):
        share = stage.length_ns / life.latency_ns if life.latency_ns else 0.0
        lines.append(f"  {stage.name:<10} {figure:>{width}} {_share(share)}".rstrip())
    return [*lines, f"  {'together':<10} {nanoseconds(life.latency_ns):>{width}}"]


def _share(share: float) -> str:
    return f"{100 * share:5.1f} %  {'█' * round(BAR * share)}"


def sentences(life: Life) -> list[str]:
    if life.latency_ns == 0:
        return ["It took no time."]
    longest = life.longest
    if life.op == "flush":
        return ["requests.csv counts the programs that a flush waits for as transfer."]
    return [f"Most of it ({100 * longest.length_ns / life.latency_ns:.0f} %) is {longest.what}."]


def causes(wait: Wait) -> list[str]:
    """The whole latency once more, by what it went into in the end."""
    sums = wait.sums()
    names = [CAUSES.get(cause, cause) for cause in sums]
    width = max(map(len, names))
    lines = ["What it waited for in the end:"]
    for name, length in zip(names, sums.values(), strict=True):
        told = f"  {name:<{width}} {time_text(length):>8} {_share(length / wait.life.latency_ns)}"
        lines.append(told.rstrip())
    if wait.behind:
        count = len(wait.behind)
        last = "request" if count == 1 else f"{count} requests, the last of them request"
        lines.append(
            f"It arrived behind {wait.before_it:,} requests without an answer, and had its tag "
            f"after the answers of {last} {wait.behind[0]}."
        )
    return lines


def meanwhile(wait: Wait, work: DieWork) -> list[str]:
    """By die and origin, from its arrival to its answer: those it waited for, then all together."""
    begin, end = wait.life.arrival_ns, wait.life.complete_ns
    waited = [die for die in wait.dies() if die in work.array]
    lines = ["Meanwhile the arrays of the dies that it waited for did:"] if waited else []
    for die in waited[:MOST_DIES]:
        lines += _did(f"die {die}", work.array[die].within(begin, end), begin, end)
    if len(waited) > MOST_DIES:
        lines.append(f"  and {len(waited) - MOST_DIES} more dies, each less")
    everything = [one for die in work.dies for one in work.array[die].within(begin, end)]
    if not everything:
        return [*lines, "No die did anything in that time."]
    if len(work.dies) > len(waited) or len(waited) > 1:
        lines += _did("all dies", everything, begin, end)
    return lines + buses(wait, work)


def buses(wait: Wait, work: DieWork) -> list[str]:
    """What held those of the channels, where it waited for them."""
    begin, end = wait.life.arrival_ns, wait.life.complete_ns
    channels = sorted({int(die.partition(".")[0]) for die in wait.dies("bus")})
    lines = ["The buses that it waited for moved:"] if channels else []
    for channel in channels[:MOST_DIES]:
        dies = [die for die in work.dies if die.partition(".")[0] == str(channel)]
        phases = [one for die in dies for one in work.bus[die].within(begin, end)]
        lines += _did(f"channel {channel}", phases, begin, end)
    return lines


def _did(name: str, done: Sequence[Work], begin: float, end: float) -> list[str]:
    by_origin: dict[str, list[Work]] = defaultdict(list)
    for one in done:
        by_origin[one.origin].append(one)

    def length(works: Sequence[Work]) -> float:
        return sum(min(one.end, end) - max(one.begin, begin) for one in works)

    lines: list[str] = []
    for origin, works in sorted(by_origin.items(), key=lambda pair: -length(pair[1])):
        parts = []
        for symbol in sorted({one.name for one in works}):
            some = [one for one in works if one.name == symbol]
            counted = COUNTED[symbol][len(some) > 1]
            parts.append(f"{len(some):,} {counted} {time_text(length(some))}")
        told = "for the host" if origin == "host" else CAUSES.get(origin, origin)
        label = name if not lines else ""
        lines.append(f"  {label:<10} {told}: {time_text(length(works))} ({', '.join(parts)})")
    return lines or [f"  {name:<10} nothing"]


def own_operations(life: Life, work: DieWork) -> list[str]:
    done = work.of(life.number)
    if not done:
        return ["No die did anything that it brought in that time."]
    lines = [
        f"It brought {len(done)} operations of dies:"
        if len(done) > 1
        else "It brought one operation:"
    ]
    for one in done[:MOST_OPERATIONS]:
        why = "" if one.origin == "host" else f", {CAUSES.get(one.origin, one.origin)}"
        lines.append(
            f"  die {one.die:<6} {SYMBOLS[one.name]}{why}: {time_text(one.length)}, "
            f"{time_text(one.begin - life.arrival_ns)} after it arrived"
        )
    if len(done) > MOST_OPERATIONS:
        lines.append(f"  and {len(done) - MOST_OPERATIONS} more")
    return lines


def inferred(wait: Wait) -> list[str]:
    """What no file says, and how it was decided."""
    frames = any(stage.name == "frame" and stage.length_ns for stage in wait.life.stages)
    told = []
    if wait.behind:
        told.append("whose answer freed a tag: the last one before the device had the request")
    if frames or wait.behind:
        told.append(
            "which program freed a frame: the one that ended when the frame was given; where its "
            "die had stood idle, the one that ended before that"
        )
    if wait.life.op == "flush":
        told.append("which program a flush waited for: the last one that ended")
    told.append("what a die waited for between two operations: the one that came next")
    return ["Inferred from times:", *(f"  {line}" for line in told)]


def table(waits: Sequence[Wait], without: str) -> str:
    """A line for each request."""
    rows = [("request", "op", "bytes", "arrived", "latency", "verdict")]
    for wait in waits:
        life = wait.life
        rows.append(
            (
                str(life.number),
                life.op,
                f"{life.size:,}",
                moment_text(life.arrival_ns),
                time_text(life.latency_ns),
                verdict(wait),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = []
    for row in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, row[5]]))
    return "\n".join([*lines, *([f"What the dies did is not known: {without}"] if without else [])])
