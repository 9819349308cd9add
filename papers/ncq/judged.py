"""Every claim of the paper's text that the runs can judge, judged.

What "near", "similar" or "shrinks" means is a number here, named in the claim's note. A claim about
several cases holds only if it does in each; the note names those that speak against it. How each
comes out on the drives before, and over the fitted values, is in others.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from papers.experiment import Claim, Other, Table
from papers.judging import Cases, Judge, points, signed_percent
from papers.ncq.figure_data import (
    REFERENCE_DRIVE,
    Pair,
    Pairs,
    in_use,
    pair,
    pairs_of,
    queue_kib,
    range_pairs,
)
from papers.ncq.runs import DEPTH, FACTOR, PAPER, REFERENCE_RANGE, SMALLEST, WORKLOAD_NAMES
from papers.units import kibibytes

#: Points of hit ratio that are too few to speak of.
NOISE = 0.003
#: A gain is near the paper's when neither is above this multiple of the other.
NEAR = 1.5
#: The largest gains of sections IV-B, by workload.
HITS = {"workload1": 0.04, "workload2": 0.02}
BANDWIDTH = {"workload1": 0.05, "workload2": 0.02}
IOPS = {"workload1": 0.04, "workload2": 0.01}

#: Fitted values, by the column of the runs.
FITTED = {
    "factor": "times of the flash over those of FlashSim's ssd.conf",
    "range": "range of the records",
    "link": "generation of the SATA link",
}
ABOVE = "the hit ratio is above that of LRU, in the worst case similar"
MORE = "workload 1 gains more hits at 1 MB than workload 2"
LARGEST = "the gain is largest with the smallest buffer"
SHRINKS = "the gain shrinks as the buffer grows"
QUEUE = "the larger the buffer the shorter the queue"
NECESSARY = "the scheme gains where the buffer is smaller than all commands before the new one"
#: How gains of hits can be meant beside points.
RELATIVE = "in percent of LRU's hits"

JUDGE = Judge(PAPER)
#: What decides: the figure, and the part of the plan.
TIMED, FULL = "{} (part figures)", "ranges (part full)"


def hits_claim(workload: str) -> str:
    return f"{workload}: hit ratio gained at 1 MB"


def bandwidth_claim(workload: str) -> str:
    return f"{workload}: write bandwidth gained"


def iops_claim(workload: str) -> str:
    return f"{workload}: IOPS gained"


#: What was chosen so that a claim holds (others.WHY).
CHOSEN_FOR = {
    hits_claim("workload1"): (FITTED["range"],),
    bandwidth_claim("workload1"): (FITTED["factor"],),
    iops_claim("workload1"): (FITTED["factor"],),  # the same quantity
    QUEUE: (FITTED["link"],),
}


def near(ours: float, paper: float) -> bool:
    return paper / NEAR <= ours <= paper * NEAR


def of_paper(table: Table) -> Iterator[Claim]:
    """Each claim of the paper, on the reference drive."""
    yield from of_figures(pairs_of(in_use(table)))
    yield from _analysis(table)


def of_figures(pairs: Pairs) -> Iterator[Claim]:
    """The claims about Figures 3 to 5, from runs with one set of fitted values."""
    for claim in (*_hits(pairs), *_by_size(pairs), *_speed(pairs)):
        chosen = CHOSEN_FOR.get(claim.claim, ())
        yield replace(claim, fitted=tuple(FITTED.values()), fit_by=chosen)


def above(pairs: dict[str, Pair], smallest: set[str]) -> Cases:
    """More hits with the smallest buffer; elsewhere more, or similar."""
    return {
        name: (both.points > (NOISE if name in smallest else -NOISE), points(both.points))
        for name, both in pairs.items()
    }


def _hits(pairs: Pairs) -> Iterator[Claim]:
    yield JUDGE.everywhere(
        "IV-B, Figure 3; III",
        ABOVE,
        "higher",
        above(
            {f"{workload}, {size}": both for (workload, size), both in pairs.items()},
            {f"{workload}, {SMALLEST}" for workload in WORKLOAD_NAMES},
        ),
        f"more: {100 * NOISE:g} points with 1 MB; similar: less than {100 * NOISE:g} below",
        decided_by=TIMED.format("figure3"),
    )
    for workload in WORKLOAD_NAMES:
        both = pairs[workload, SMALLEST]
        relative = both.gain("hit_ratio")
        yield JUDGE.claim(
            "IV-B, Figure 3",
            hits_claim(workload),
            f"{100 * HITS[workload]:g} %",
            points(both.points),
            near(both.points, HITS[workload]),
            f"{100 * both.lru['hit_ratio']:.2f} % to {100 * both.aware['hit_ratio']:.2f} %; near: "
            f"within a factor of {NEAR:g}",
            decided_by=TIMED.format("figure3, gains"),
            others=(
                Other(
                    "reading", RELATIVE, signed_percent(relative), near(relative, HITS[workload])
                ),
            ),
        )
    first, second = (pairs[workload, SMALLEST].points for workload in WORKLOAD_NAMES)
    yield JUDGE.claim(
        "IV-B, Figure 3",
        MORE,
        "4 % and 2 %",
        f"{points(first)} and {points(second)}",
        first > second + NOISE,
        decided_by=TIMED.format("gains"),
    )


def largest(gained: list[float], least: float = NOISE) -> bool:
    return gained[0] > least and gained[0] >= max(gained) - least


def shrinks(gained: list[float], least: float = NOISE) -> bool:
    falling = all(after <= before + least for before, after in pairwise(gained))
    return falling and gained[-1] < gained[0] - least


def shortens(waiting: list[float]) -> bool:
    falling = all(after <= before for before, after in pairwise(waiting))
    return falling and waiting[-1] < DEPTH


def _by_size(pairs: Pairs) -> Iterator[Claim]:
    lines = {
        workload: [both for (name, _), both in pairs.items() if name == workload]
        for workload in WORKLOAD_NAMES
    }
    gained = {name: [both.points for both in line] for name, line in lines.items()}
    relative = {name: [both.gain("hit_ratio") for both in line] for name, line in lines.items()}
    for what, paper, judge in ((LARGEST, "at 1 MB", largest), (SHRINKS, "shrinks", shrinks)):
        cases: Cases = {name: (judge(line), series(line)) for name, line in gained.items()}
        others: Cases = {name: (judge(line), series(line)) for name, line in relative.items()}
        alone = {"workload1": cases["workload1"]}
        yield JUDGE.everywhere(
            "IV-B, Figure 3",
            what,
            paper,
            cases,
            f"points with buffers of {_sizes(pairs)}: {_told(cases)}; less than {100 * NOISE:g} do "
            "not count",
            decided_by=TIMED.format("gains"),
            others=(
                Other("reading", RELATIVE, _told(others), all(held for held, _ in others.values())),
                Other("workload", "workload1 alone", _told(alone), alone["workload1"][0]),
            ),
        )
    queue: Cases = {}
    for name, line in lines.items():
        waiting = [both.lru["outstanding"] for both in line]
        queue[name] = (shortens(waiting), ", ".join(f"{value:.1f}" for value in waiting))
    yield JUDGE.everywhere(
        "IV-B",
        QUEUE,
        "short",
        queue,
        f"commands outstanding with LRU: {_told(queue)}; short: less than {DEPTH} at the end",
        decided_by=TIMED.format("gains"),
    )


def series(gained: list[float]) -> str:
    return ", ".join(f"{100 * value:+.1f}" for value in gained)


def _told(cases: Cases) -> str:
    return "; ".join(f"{name} {figures}" for name, (_, figures) in cases.items())


def _sizes(pairs: Pairs) -> str:
    sizes = dict.fromkeys(size.removesuffix("MiB") for _, size in pairs)
    return ", ".join(sizes) + " MiB"


#: How the gain in bandwidth can be meant, other than by elapsed time with the smallest buffer.
SPEED_READINGS = (
    ("by elapsed time, the most over all buffers", "bandwidth_bps", False),
    ("by the time in which a command was outstanding, at 1 MB", "busy_bps", True),
    ("by the time in which a command was outstanding, the most", "busy_bps", False),
    ("by the time that the flash takes, at 1 MB", "flash_bps", True),
)


def _speed(pairs: Pairs) -> Iterator[Claim]:
    for name_of, paper, where, figure in (
        (bandwidth_claim, BANDWIDTH, "IV-B, Figure 4", "figure4, gains"),
        (iops_claim, IOPS, "IV-B, Figure 5", "figure5, gains"),
    ):
        for workload in WORKLOAD_NAMES:
            both = pairs[workload, SMALLEST]
            line = [each for (name, _), each in pairs.items() if name == workload]
            gain = both.gain("bandwidth_bps")
            others = []
            for name, measure, smallest in SPEED_READINGS:
                other = both.gain(measure) if smallest else max(p.gain(measure) for p in line)
                held = near(other, paper[workload])
                others.append(Other("reading", name, signed_percent(other), held))
            yield JUDGE.claim(
                where,
                name_of(workload),
                f"{100 * paper[workload]:g} %",
                signed_percent(gain),
                near(gain, paper[workload]),
                f"by elapsed time at 1 MB, with {both.lru['outstanding']:.1f} commands outstanding;"
                " a drive that keeps up delivers what is offered; records have one size and all "
                "are written, so bandwidth and IOPS gain the same",
                decided_by=TIMED.format(figure),
                others=tuple(others),
            )


def smaller_gains(table: Table, part: str, span: str) -> Cases:
    """With the queue always full: a gain where the buffer is smaller than the commands before the
    new one, none where everything hits."""
    cases: Cases = {}
    for workload, where, size, both in range_pairs(table, part):
        if where != span:
            continue
        name = f"{workload}, {size}"
        if kibibytes(size) >= kibibytes(span):
            cases[f"{name} (all hit)"] = (abs(both.points) < NOISE, points(both.points))
        elif kibibytes(size) < queue_kib(workload, DEPTH):
            cases[name] = (both.points > NOISE, points(both.points))
    return cases


def _analysis(table: Table) -> Iterator[Claim]:
    yield JUDGE.everywhere(
        "III",
        NECESSARY,
        "gains; LRU needs at least so large a buffer, and with all hits both are similar",
        smaller_gains(table, "full", REFERENCE_RANGE),
        f"records in {REFERENCE_RANGE}, {DEPTH} commands, so that {DEPTH - 1} come before",
        decided_by=FULL,
        fitted=(FITTED["range"],),
    )


def of_ours(table: Table) -> Iterator[Claim]:
    """Our control and what we add: not the paper's."""
    cases: Cases = {}
    timed = in_use(table, size=SMALLEST)
    drives = {f"{REFERENCE_DRIVE} x {FACTOR:g}": timed}
    for full, drive in (("full", f"{REFERENCE_DRIVE}, queue full"), ("before-full", "before")):
        drives[drive] = table.where(part=full, range=REFERENCE_RANGE, size=SMALLEST)
    for drive, runs in drives.items():
        for workload in WORKLOAD_NAMES:
            here = pair(runs.where(trace=workload), ("lru", "literal"))
            cases[f"{workload}, {drive}"] = (here.points > NOISE, points(here.points))
    yield JUDGE.everywhere(
        "III, Figure 2",
        "the pseudo-code by the letter gains hits",
        "higher",
        cases,
        "it confuses a command's first and last block, and every record here has several",
        kind="control",
        decided_by="parts figures, full and before-full, policy literal",
    )
    yield from _deep(table.where(part="deep"))


def _deep(part: Table) -> Iterator[Claim]:
    hits: Cases = {}
    pays: Cases = {}
    own: Cases = {}
    for trace in part.values("trace"):
        for depth in part.where(trace=trace).values("depth"):
            here = part.where(trace=trace, depth=depth)
            gain = pair(here, ("in-turn", "aware"), "dispatch")
            if depth == 0:
                own[trace] = (gain.points > NOISE, points(gain.points))
                continue
            name = f"{trace}, {depth} commands"
            hits[name] = (gain.points > NOISE, points(gain.points))
            change = pair(here, ("at-once", "aware"), "dispatch").gain("iops")
            pays[name] = (change > 0.01, signed_percent(change))
    for what, over in (
        ("deeper queues on NVMe: more hits than LRU", hits),
        ("more IOPS than LRU that takes up commands at once, so that none waits", pays),
        ("traces at their own times: more hits than LRU", own),
    ):
        yield JUDGE.everywhere(
            "beyond the paper",
            what,
            "not looked at",
            over,
            kind="addition",
            decided_by="ncq-deep (part deep)",
        )
