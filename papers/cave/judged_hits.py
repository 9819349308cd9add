"""The claims on hit ratios: Figures 4 and 5."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from papers.cave.runs import LARGE, ORDERS, PAPER, SMALL
from papers.cave.view import Question, View
from papers.experiment import Claim, Row
from papers.judging import Cases, Judge, percent
from papers.units import kibibytes

#: Largest difference of hit ratios that counts as "similar".
CLOSE = 0.02
#: Largest relative difference of numbers of writes, or of parallelism, that counts as "similar".
SIMILAR = 0.05
#: Difference of hit ratios below which two orders tie.
TIE = 0.001
TIES = f"ties within {100 * TIE:g} points"

JUDGE = Judge(PAPER)
FIGURE_4 = "figure4; runs of part hits: five orders, page mapping, REF by both refills"
FIGURE_5 = "figure5; runs of part drives"


def _below(view: View, order: str) -> Claim:
    cases = {}
    for trace, ratio in view.hits.items():
        for size in sorted({size for _, size in ratio}, key=kibibytes):
            worst = min(ratio[other, size] for other in ORDERS[:3])
            ours = ratio[order, size]
            lower = ours <= worst + TIE if view.sense.other_judge else ours < worst
            cases[f"{trace} {size}"] = (lower, f"{percent(ours)} against {percent(worst)}")
    return JUDGE.everywhere(
        "5.1, Figure 4",
        f"{order.upper()} has a lower hit ratio than page LRU, REF and block LRU",
        "lower",
        cases,
        "against the worst of the three",
        decided_by=FIGURE_4,
    )


def _grows(view: View) -> Claim:
    rising = {}
    for trace, ratio in view.hits.items():
        sizes = sorted({size for _, size in ratio}, key=kibibytes)
        for order in ORDERS:
            ratios = [ratio[order, size] for size in sizes]
            grows = all(b >= a - TIE for a, b in zip(ratios, ratios[1:], strict=False))
            rising[f"{trace} {order}"] = (grows, f"{percent(ratios[0])} to {percent(ratios[-1])}")
    return JUDGE.everywhere(
        "Figure 4", "the hit ratio grows with the buffer", "grows", rising, decided_by=FIGURE_4
    )


def _ratios(view: View, size: str) -> Iterator[tuple[str, float, float]]:
    """The hit ratio of both drives, for each trace and order."""
    for (trace, order, here), both in view.both.items():
        if here == size:
            a, b = (row["buffer.write_hit_ratio"] for row in both)
            yield f"{trace} {order}", a, b


def _lower_when_small(view: View) -> Claim:
    cases: Cases = {}
    for name, a, b in _ratios(view, SMALL):
        figure = f"{percent(a)} against {percent(b)}"
        if not view.sense.other_judge:
            cases[name] = (a > b + CLOSE, figure)
        elif a:
            cases[name] = (1 - b / a > SIMILAR, figure)
    return JUDGE.everywhere(
        "5.2.1, Figure 5",
        f"at {SMALL} the hit ratio with CAVE is clearly lower",
        "lower",
        cases,
        f"clearly: more than {100 * CLOSE:g} points",
        decided_by=FIGURE_5,
    )


def _close_when_large(view: View) -> Claim:
    cases: Cases = {
        name: (abs(a - b) < CLOSE, f"{percent(a)} against {percent(b)}")
        for name, a, b in _ratios(view, LARGE)
    }
    return JUDGE.everywhere(
        "5.2.1, Figure 5",
        f"at {LARGE} the hit ratios are similar",
        "similar",
        cases,
        f"similar: less than {100 * CLOSE:g} points apart",
        decided_by=FIGURE_5,
    )


def _shrinks(view: View) -> Claim:
    cases: Cases = {}
    small = {name: (a, b) for name, a, b in _ratios(view, SMALL)}
    for name, *large in _ratios(view, LARGE):
        gaps = [abs(a - b) for a, b in (small[name], large)]
        if view.sense.other_judge:
            gaps = [
                gap / a if a else 0.0
                for gap, (a, _) in zip(gaps, (small[name], large), strict=True)
            ]
        cases[name] = (gaps[1] <= gaps[0], f"{percent(gaps[0])} to {percent(gaps[1])}")
    return JUDGE.everywhere(
        "4.2",
        "the difference of hit ratios shrinks as the buffer grows",
        "shrinks",
        cases,
        decided_by=FIGURE_5,
    )


def _as_many_writes(view: View) -> Claim:
    cases: Cases = {}
    for (trace, order, size), (conventional, proposed) in view.both.items():
        if size == LARGE:
            before, after = (row["ftl.host_pages"] for row in (conventional, proposed))
            change = after / before - 1 if before else 0.0
            figure = f"{change:+.1%}".replace("%", " %")
            cases[f"{trace} {order}"] = (abs(change) < SIMILAR, figure)
    return JUDGE.everywhere(
        "5.2.1",
        f"at {LARGE} as many pages are written to flash as conventionally",
        "similar",
        cases,
        f"similar: within {100 * SIMILAR:g} %",
        decided_by=FIGURE_5,
    )


def per_page(row: Row) -> float | None:
    """Time of page writes for each page of the host, ns: the measure of parallelism."""
    return row["ftl.write_time_ns"] / row["ftl.host_pages"] if row["ftl.host_pages"] else None


ORDER_AXES = ("traces", "scope", "judge", "refill")
HITS = (
    *(Question(partial(_below, order=order), ORDER_AXES, TIES) for order in ORDERS[3:]),
    Question(_grows, ("traces",)),
    Question(
        _lower_when_small,
        ("traces", "scope", "judge"),
        f"by over {100 * SIMILAR:g} % of the hits",
    ),
    Question(_close_when_large, ("traces", "scope")),
    Question(_shrinks, ("traces", "scope", "judge"), "relative to the hit ratio"),
    Question(_as_many_writes, ("traces", "scope")),
)
