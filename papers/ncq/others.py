"""The same claims on the drives that stood in before, by the judges before, and over the fitted
values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from papers.experiment import Claim, Fitted, Other, Outcome, Table
from papers.judging import Cases, points, signed_percent
from papers.ncq.figure_data import Pair, fitted_values, load_pairs, pairs_of, queue_kib, range_pairs
from papers.ncq.judged import (
    ABOVE,
    BANDWIDTH,
    FITTED,
    HITS,
    IOPS,
    JUDGE,
    LARGEST,
    MORE,
    NECESSARY,
    NOISE,
    QUEUE,
    SHRINKS,
    bandwidth_claim,
    hits_claim,
    iops_claim,
    largest,
    near,
    of_figures,
    of_ours,
    of_paper,
    series,
    shortens,
    shrinks,
    smaller_gains,
)
from papers.ncq.runs import DEPTH, DRIVES, FACTOR, LINK, REFERENCE_RANGE, SMALLEST, WORKLOAD_NAMES
from papers.units import kibibytes


def claims(table: Table) -> Iterator[Claim]:
    others = dict[str, list[Other]]()
    for name, other in (*_full(table), *_before_full(table), *_before(table), *_loads(table)):
        others.setdefault(name, []).append(other)
    for claim in of_paper(table):
        yield replace(claim, others=(*claim.others, *others.get(claim.claim, ())))
    yield from of_ours(table)


def _cases(name: str, cases: Cases, kind: str = "workload") -> Other:
    claim = JUDGE.everywhere("", "", "", cases)
    return Other(
        "reading" if kind == "reading" else "workload",
        name,
        f"{claim.ours}{'; ' if claim.note else ''}{claim.note}",
        claim.holds,
    )


def _full(table: Table) -> Iterator[tuple[str, Other]]:
    """Hits on the reference drive when the queue is always full, by the range of the records."""
    pairs = {
        f"{workload}, records in {span}, {size}": both
        for workload, span, size, both in range_pairs(table, "full")
    }
    yield ABOVE, _cases("queue always full, all ranges of records", _not_below(pairs))
    for span in table.where(part="full").values("range"):
        if span != REFERENCE_RANGE:
            cases = smaller_gains(table, "full", span)
            yield NECESSARY, _cases(f"records in {span}", cases)


def _not_below(pairs: dict[str, Pair]) -> Cases:
    return {name: (both.points > -NOISE, points(both.points)) for name, both in pairs.items()}


BEFORE = "before: one die of CAVE's part"


def _before_full(table: Table) -> Iterator[tuple[str, Other]]:
    found = list(range_pairs(table, "before-full"))
    pairs = {f"{name}, records in {span}, {size}": both for name, span, size, both in found}
    yield ABOVE, _cases(f"{BEFORE}, queue always full, all ranges", _not_below(pairs))
    gains = {name: both for name, span, size, both in found if (span, size) == _REFERENCE}
    for workload in WORKLOAD_NAMES:
        both = gains[workload]
        yield (
            hits_claim(workload),
            Other(
                "workload",
                f"{BEFORE}, queue always full",
                points(both.points),
                near(both.points, HITS[workload]),
            ),
        )
    first, second = (gains[workload].points for workload in WORKLOAD_NAMES)
    yield (
        MORE,
        Other(
            "workload",
            f"{BEFORE}, queue always full",
            f"{points(first)} and {points(second)}",
            first > second + NOISE,
        ),
    )
    as_large = {
        f"{name}, records in {span}, {size}": (abs(both.points) < NOISE, points(both.points))
        for name, span, size, both in found
        if queue_kib(name, DEPTH) <= kibibytes(size) < kibibytes(span)
    }
    if as_large:  # no such buffer may be among those of a short plan
        name = f"{BEFORE}, such a buffer suffices for LRU"
        yield NECESSARY, _cases(name, as_large, "reading")


_REFERENCE = (REFERENCE_RANGE, SMALLEST)


def _before(table: Table) -> Iterator[tuple[str, Other]]:
    """The speed on the drives before, at the paper's arrival times, which are too fast for them."""
    for drive in DRIVES:
        pairs = pairs_of(table.where(part="before", drive=drive))
        for name_of, paper in ((bandwidth_claim, BANDWIDTH), (iops_claim, IOPS)):
            for workload in WORKLOAD_NAMES:
                gain = pairs[workload, SMALLEST].gain("bandwidth_bps")
                yield (
                    name_of(workload),
                    Other(
                        "workload",
                        f"before: {drive} dies of CAVE's part",
                        signed_percent(gain),
                        near(gain, paper[workload]),
                    ),
                )


def _loads(table: Table) -> Iterator[tuple[str, Other]]:
    lines: dict[int, list[Pair]] = {}
    for slowdown, _, both in load_pairs(table):
        lines.setdefault(slowdown, []).append(both)
    for slowdown, line in lines.items():
        name = f"{BEFORE}, workload 1" + (f" {slowdown} times slower" if slowdown > 1 else "")
        gained = [both.points for both in line]
        yield LARGEST, Other("workload", name, series(gained), largest(gained))
        yield SHRINKS, Other("workload", name, series(gained), shrinks(gained))
        waiting = [both.lru["outstanding"] for both in line]
        told = ", ".join(f"{value:.1f}" for value in waiting)
        yield QUEUE, Other("workload", name, told, shortens(waiting))


# ---- fitted -------------------------------------------------------------------------------------

IN_USE = {"factor": f"{FACTOR:g}", "range": REFERENCE_RANGE, "link": f"{LINK}"}
WHY = {
    "factor": "with the literal times workload 1 is too much for any buffer below 8 MiB, at 0.7 "
    "for none; chosen so that LRU with 1 MB is just too slow for it, and its bandwidth gains about "
    "what the paper says; the other claims follow",
    "range": "chosen so that workload 1 gains at 1 MB about as many hits as the paper says; with "
    "records at random LRU's hit ratio is the buffer's share of the range",
    "link": "chosen because 3 Gb/s carry less than workload 1 offers (316 MB/s), so that no buffer "
    "would make its queue short",
}


def fitted(table: Table) -> Iterator[Fitted]:
    """What the paper does not give, over a range; a claim holds there if it does by one of its
    readings."""
    outcomes: dict[str, list[Outcome]] = {column: [] for column in FITTED}
    for column, value, pairs in fitted_values(table):
        for claim in of_figures(pairs):
            outcomes[column].append(_outcome(f"{value}", claim))
    for span in table.where(part="full").values("range"):
        cases = smaller_gains(table, "full", span)
        claim = JUDGE.everywhere("", NECESSARY, "", cases)
        outcomes["range"].append(_outcome(span, claim))
    for column, name in FITTED.items():
        yield Fitted(name, IN_USE[column], WHY[column], tuple(outcomes[column]))


def _outcome(value: str, claim: Claim) -> Outcome:
    ours = claim.ours if claim.holds else claim.holding("reading") or claim.ours
    return Outcome(value, claim.claim, ours, claim.verdict != "does not hold")
