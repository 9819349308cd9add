"""Every claim of the paper's text that the runs can judge, judged, and what deeper queues show.

What "near", "similar" or "shrinks" means is a number here, named in the claim's note. A claim about
several cases holds only if it does in each; the note names those that speak against it.
"""

from __future__ import annotations

from collections.abc import Iterator

from explore.reproduce.experiment import Claim, Table
from explore.reproduce.judging import Cases, Judge, points, signed_percent
from explore.reproduce.ncq.figure_data import (
    Pair,
    load_pairs,
    pair,
    queue_kib,
    range_pairs,
    smallest,
)
from explore.reproduce.ncq.runs import (
    DEPTH,
    DRIVES,
    PAPER,
    REFERENCE_DRIVE,
    REFERENCE_RANGE,
    SMALLEST,
    WORKLOAD_NAMES,
)
from explore.reproduce.units import kibibytes

#: Points of hit ratio that are too few to speak of.
NOISE = 0.003
#: A gain is near the paper's when neither is more than so many times the other.
NEAR = 1.5
#: The largest gains of sections IV-B, by workload.
HITS = {"workload1": 0.04, "workload2": 0.02}
BANDWIDTH = {"workload1": 0.05, "workload2": 0.02}
IOPS = {"workload1": 0.04, "workload2": 0.01}

JUDGE = Judge(PAPER)


def claims(table: Table) -> Iterator[Claim]:
    yield from _hits(table)
    yield from _speed(table)
    yield from _by_size(table)
    yield from _analysis(table)
    yield from _beyond(table)


def near(ours: float, paper: float) -> bool:
    return paper / NEAR <= ours <= paper * NEAR


def _hits(table: Table) -> Iterator[Claim]:
    pairs = {
        f"{workload}, records in {span}, {size}": both
        for workload, span, size, both in range_pairs(table)
    }
    cases = {name: (both.points > -NOISE, points(both.points)) for name, both in pairs.items()}
    yield JUDGE.everywhere(
        "IV-B, Figure 3; III",
        "the hit ratio is above that of LRU, in the worst case similar",
        "higher",
        cases,
        f"similar: less than {100 * NOISE:g} points below",
    )
    for workload in WORKLOAD_NAMES:
        both = pairs[f"{workload}, records in {REFERENCE_RANGE}, {SMALLEST}"]
        figures = (
            f"{100 * both.lru['hit_ratio']:.2f} % to {100 * both.aware['hit_ratio']:.2f} % "
            f"with records in {REFERENCE_RANGE}"
        )
        others = "; ".join(
            f"in {span}: {points(at.points)}, {signed_percent(at.gain('hit_ratio'))} of LRU's"
            for name, span, size, at in range_pairs(table)
            if name == workload and size == SMALLEST and span != REFERENCE_RANGE
        )
        note = f"{figures}; near: within a factor of {NEAR:g}; {others}"
        yield JUDGE.claim(
            "IV-B, Figure 3",
            f"{workload}: hit ratio gained at 1 MB, in points",
            100 * HITS[workload],
            round(100 * both.points, 2),
            near(both.points, HITS[workload]),
            note,
        )
        relative = both.gain("hit_ratio")
        yield JUDGE.claim(
            "IV-B, Figure 3",
            f"{workload}: hit ratio gained at 1 MB, in percent of LRU's",
            100 * HITS[workload],
            round(100 * relative, 1),
            near(relative, HITS[workload]),
            note,
        )
    first, second = (
        pairs[f"{workload}, records in {REFERENCE_RANGE}, {SMALLEST}"].points
        for workload in WORKLOAD_NAMES
    )
    yield JUDGE.claim(
        "IV-B, Figure 3",
        "workload 1 gains more hits at 1 MB than workload 2",
        "4 % and 2 %",
        f"{points(first)} and {points(second)}",
        first > second + NOISE,
    )


def _speed(table: Table) -> Iterator[Claim]:
    for measure, paper, where, what in (
        ("bandwidth_bps", BANDWIDTH, "IV-B, Figure 4", "write bandwidth"),
        ("iops", IOPS, "IV-B, Figure 5", "IOPS"),
    ):
        for drive in DRIVES:
            for workload in WORKLOAD_NAMES:
                both = smallest(table, workload, drive)
                gain = both.gain(measure)
                yield JUDGE.claim(
                    where,
                    f"{workload}, {drive} dies: {what} gained at 1 MB, %",
                    100 * paper[workload],
                    round(100 * gain, 1),
                    near(gain, paper[workload]),
                    f"hit ratio {points(both.points)}; records have one size and all are written, "
                    "so bandwidth and IOPS gain the same"
                    + (
                        "; pinned records leave new ones so little of the buffer that they evict "
                        "their own blocks, one die at a time"
                        if gain < -NOISE
                        else ""
                    ),
                )


def _by_size(table: Table) -> Iterator[Claim]:
    gains: dict[str, list[tuple[str, Pair]]] = {}
    for slowdown, size, both in load_pairs(table):
        name = "arrivals as given" if slowdown == 1 else f"arrivals {slowdown} times slower"
        gains.setdefault(name, []).append((size, both))
    largest, shrinks, queue = {}, {}, {}
    for name, pairs in gains.items():
        figures = ", ".join(f"{100 * both.points:+.1f} at {size}" for size, both in pairs)
        gained = [both.points for _, both in pairs]
        largest[name] = (gained[0] >= max(gained) - NOISE, figures)
        falling = all(b <= a + NOISE for a, b in zip(gained, gained[1:], strict=False))
        shrinks[name] = (falling and gained[-1] < gained[0], figures)
        waiting = [both.lru["outstanding"] for _, both in pairs]
        falls = all(b <= a for a, b in zip(waiting, waiting[1:], strict=False))
        short = waiting[-1] < DEPTH
        queue[name] = (falls and short, ", ".join(f"{value:.1f}" for value in waiting))
    note = (
        f"points of hit ratio, workload 1 in {REFERENCE_RANGE} on {REFERENCE_DRIVE} dies; 41 "
        "times slower is what LRU with 1 MiB can just take"
    )
    yield JUDGE.everywhere(
        "IV-B, Figure 3", "the gain is largest with the smallest buffer", "at 1 MB", largest, note
    )
    yield JUDGE.everywhere(
        "IV-B, Figure 3", "the gain shrinks as the buffer grows", "shrinks", shrinks, note
    )
    yield JUDGE.everywhere(
        "IV-B",
        "the larger the buffer the shorter the queue",
        "short",
        queue,
        f"commands outstanding; short: less than {DEPTH} at the end",
    )


def _analysis(table: Table) -> Iterator[Claim]:
    cases: Cases = {}
    for workload, span, size, both in range_pairs(table):
        if queue_kib(workload, DEPTH) <= kibibytes(size) < kibibytes(span):
            cases[f"{workload}, records in {span}, {size}"] = (
                abs(both.points) < NOISE,
                points(both.points),
            )
    yield JUDGE.everywhere(
        "III",
        "a buffer at least as large as all commands before the new one makes LRU as good",
        "as good",
        cases,
        "LRU does not move data to the MRU end when their command arrives: what is near the LRU "
        "end then is gone when its turn comes, however large the buffer",
    )
    part = table.where(part="ranges", range=REFERENCE_RANGE, size=SMALLEST)
    cases = {}
    for workload in WORKLOAD_NAMES:
        here = pair(part.where(trace=workload), ("lru", "literal"))
        cases[workload] = (here.points > NOISE, points(here.points))
    yield JUDGE.everywhere(
        "III, Figure 2",
        "the pseudo-code by the letter gains hits",
        "higher",
        cases,
        "it confuses a command's first and last block, and every record here has several",
    )


def _beyond(table: Table) -> Iterator[Claim]:
    part = table.where(part="deep")
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
    where = "beyond the paper"
    yield JUDGE.everywhere(
        where, "deeper queues on NVMe: more hits than LRU", "not looked at", hits
    )
    yield JUDGE.everywhere(
        where,
        "more IOPS than LRU that takes up commands at once, so that none waits",
        "not looked at",
        pays,
    )
    yield JUDGE.everywhere(
        where, "traces at their own times: more hits than LRU", "not looked at", own
    )
