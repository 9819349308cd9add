"""Every claim of the paper's text and figures that the runs can judge, judged.

What "close" or "near" means is a number here, named in the claim's note. A claim about all traces
holds only if it does on every one; the note says where it does not, and what happened there. Each
claim is a function of a View: what it says by a reading, on a workload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean

from papers.experiment import Claim, Row
from papers.judging import Cases, Judge, percent
from papers.partition.figure_data import (
    LONG,
    best,
    map_share,
    operation_times_us,
    throughput,
    time_s,
    worst,
)
from papers.partition.runs import CUT, LAYERS, PAPER
from papers.partition.views import SPAN, TOGETHER, View, paper_trace, reach

#: Operation time above the best fixed share's that still counts as close to it.
CLOSE = 0.10
#: The same of erase counts; of a span: the same share of the way from the lowest to the highest.
NEAR = 0.10
#: Shares of the map that the paper's text gives as the best ones with DFTL (section IV-B).
TEXT_SHARES = {
    "sysmark": (0.3, 0.5),
    "financial": (0.3, 0.5),
    "pc": (0.25, 0.25),
    "tpcc": (0.9, 1.0),
}
TRACE_NAMES = {"sysmark": "SYSmark", "financial": "Financial", "pc": "PC", "tpcc": "TPC-C"}
#: Fixed shares whose time differs by less than this are equally good.
EQUAL = 0.01
NAMES = {"dftl": "DFTL", "fast": "FAST"}
FIGURES = {"dftl": "IV-B, Figure 4", "fast": "IV-C, Figure 6"}

JUDGE = Judge(PAPER)
#: Nothing, where the workload lacks what the claim is about.
Maker = Callable[[View], Claim | None]


def above(value: float, least: float) -> float:
    return value / least - 1 if least else 0.0


def times(view: View) -> Claim:
    ours = operation_times_us(view.runs.table.rows[0])
    text = " / ".join(f"{value:g}" for value in ours)
    return JUDGE.claim(
        "Table I",
        "read / write / erase of SLC, us",
        "72.8 / 252.8 / 1500",
        text,
        text == "72.8 / 252.8 / 1500",
        "with the transfer of 2112 bytes",
    )


def gains_more(trace: str, grows: str) -> Maker:
    """Judges a claim of Figure 2."""
    other = "map" if grows == "buffer" else "buffer"

    def make(view: View) -> Claim | None:
        gains = {}
        for side in ("buffer", "map"):
            rows = [row for name in (trace, f"{trace}{CUT}") for row in view.spaces(name, side)]
            if not rows:
                return None
            gains[side] = 1 - time_s(rows[-1]) / time_s(rows[0])
        return JUDGE.claim(
            "III-A, Figure 2",
            f"{TRACE_NAMES[trace]}: operation time gains more from {grows} than from {other}",
            "more",
            f"{percent(gains[grows])} against {percent(gains[other])}",
            gains[grows] > gains[other],
            "from 1 MiB to the largest space, the other side at 1 MiB",
        )

    return make


def _cases(view: View, layer: str) -> Iterator[tuple[str, str, int]]:
    for trace, size in view.cells(layer):
        yield f"{trace} {size} MiB", trace, size


def _few(row: Row) -> str:
    return f"{row['ftl.partition.decisions']} decisions, {percent(map_share(row))} map"


def good(rows: list[Row]) -> tuple[float, float]:
    """Lowest and highest share that is as good as the best one."""
    bound = time_s(best(rows)) * (1 + EQUAL)
    shares = [map_share(row) for row in rows if time_s(row) <= bound]
    return min(shares), max(shares)


def too_short(rows: list[Row], tuned: Row) -> bool:
    """Whether the tuner could not have come from one half to the best shares at the paper's pace,
    had it moved as much as it ever may at every decision."""
    low, high = good(rows)
    way = max(0.5 - high, low - 0.5, 0.0)
    return reach(tuned) < way


class _Judged:
    """The cases of a claim about tuned runs; those too short are set aside."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.cases: Cases = {}
        self.short: list[str] = []

    def add(self, name: str, rows: list[Row], tuned: Row, holds: bool, figure: str) -> None:
        if self.view.long_only and too_short(rows, tuned):
            self.short.append(f"{name} ({figure})")
        else:
            self.cases[name] = (holds, figure)

    def claim(self, where: str, text: str, paper: str, note: str = "") -> Claim | None:
        if not self.cases:
            return None
        if self.short:
            note += f"{'; ' if note else ''}too short to judge: {', '.join(self.short)}"
        return JUDGE.everywhere(where, text, paper, self.cases, note)


def close(layer: str) -> Maker:
    def make(view: View) -> Claim | None:
        judged = _Judged(view)
        distances = []
        for name, trace, size in _cases(view, layer):
            rows, ours = view.fixed(trace, layer, size), view.adapted(trace, layer, size)
            distance = above(time_s(ours), time_s(best(rows)))
            distances.append(distance)
            figure = f"{percent(distance)} above {best(rows)['vary.share']} %; {_few(ours)}"
            judged.add(name, rows, ours, distance <= CLOSE, figure)
        mean = sum(distances) / max(1, len(distances))
        return judged.claim(
            FIGURES[layer],
            f"{NAMES[layer]}: operation time approximates that of the best fixed share",
            "very closely" if layer == "dftl" else "the best performance",
            f"close: at most {100 * CLOSE:g} % above; on average {percent(mean)} above",
        )

    return make


def best_of_all(layer: str) -> Maker:
    """No fixed share is faster: in each environment, or together, where a share is one for all."""

    def make(view: View) -> Claim | None:
        text = f"{NAMES[layer]}: no fixed share is faster, in any environment"
        paper = "the best performance in different environments"
        if view.judge == TOGETHER:
            return _best_together(view, layer, text, paper)
        judged = _Judged(view)
        for name, trace, size in _cases(view, layer):
            rows, ours = view.fixed(trace, layer, size), view.adapted(trace, layer, size)
            distance = above(time_s(ours), time_s(best(rows)))
            figure = f"{percent(distance)} above {best(rows)['vary.share']} %"
            judged.add(name, rows, ours, distance <= EQUAL, figure)
        return judged.claim(FIGURES[layer], text, paper, f"faster: by more than {100 * EQUAL:g} %")

    return make


def _best_together(view: View, layer: str, text: str, paper: str) -> Claim:
    """By the mean of times relative to the best share of each environment."""
    ours: list[float] = []
    fixed: dict[int, list[float]] = {}
    for _, trace, size in _cases(view, layer):
        rows = view.fixed(trace, layer, size)
        least = time_s(best(rows))
        ours.append(above(time_s(view.adapted(trace, layer, size)), least))
        for row in rows:
            fixed.setdefault(row["vary.share"], []).append(above(time_s(row), least))
    means = {share: fmean(of) for share, of in fixed.items() if len(of) == len(ours)}
    share = min(means, key=lambda of: means[of])
    return JUDGE.claim(
        FIGURES[layer],
        text,
        paper,
        f"on average {percent(fmean(ours))} above the best of each; "
        f"{share} % for all {percent(means[share])}",
        fmean(ours) <= means[share] + EQUAL,
    )


def gain(view: View) -> Claim:
    """Throughput is requests by operation time, so that its gain is the inverse ratio of times."""
    gains = {
        trace: time_s(worst(view.fixed(trace, "dftl"))) / time_s(view.adapted(trace, "dftl")) - 1
        for trace in view.at("dftl")
    }
    of_paper = [name for name in gains if paper_trace(name) in TEXT_SHARES] or list(gains)
    most = max(of_paper, key=lambda name: gains[name])
    every = ", ".join(f"{name} {percent(value)}" for name, value in gains.items())
    return JUDGE.claim(
        "Abstract, I",
        "DFTL, 16 MB: throughput above a fixed share's, at most",
        "41.9 %",
        f"{percent(gains[most])} ({most})",
        abs(gains[most] - 0.419) < 0.1,
        "within 10 points; against the worst of the fixed shares, of the workloads that "
        f"stand for the paper's; {every}",
    )


def moves(layer: str) -> Maker:
    """Towards the shares that are as good as the best one, or staying among them."""

    def make(view: View) -> Claim | None:
        judged = _Judged(view)
        for name, trace, size in _cases(view, layer):
            rows, ours = view.fixed(trace, layer, size), view.adapted(trace, layer, size)
            low, high = good(rows)
            share = map_share(ours)
            holds = share < 0.5 if high < 0.5 else share > 0.5 if low > 0.5 else True
            figure = f"mean share {percent(share)}, best {percent(low)} to {percent(high)}"
            judged.add(name, rows, ours, holds, figure)
        return judged.claim(
            FIGURES[layer],
            f"{NAMES[layer]}: from 50 % the share moves towards the best one",
            "tracks it",
            f"best: within {100 * EQUAL:g} % of the shortest time",
        )

    return make


def _standing_for(view: View, trace: str, layer: str) -> list[Row]:
    """Runs of the workload that stands for this trace of the paper."""
    for name in view.at(layer):
        if paper_trace(name) == trace:
            return view.fixed(name, layer)
    return []


def _on_the_grid(low: float, high: float, shares: list[float]) -> tuple[float, float]:
    """The paper's shares, where one of them was run; else the neighbours that were."""
    if any(low <= share <= high for share in shares):
        return low, high
    return max(s for s in shares if s < low), min(s for s in shares if s > high)


def best_share(trace: str) -> Maker:
    low, high = TEXT_SHARES[trace]

    def make(view: View) -> Claim | None:
        rows = _standing_for(view, trace, "dftl")
        if not rows:
            return None
        ours = good(rows)
        least, most = _on_the_grid(low, high, [map_share(row) for row in rows])
        return JUDGE.claim(
            "IV-B, Figure 4",
            f"DFTL, {TRACE_NAMES[trace]}: best share of the map",
            f"{100 * low:g} %" + (f" - {100 * high:g} %" if high > low else ""),
            f"{percent(ours[0])} to {percent(ours[1])}",
            ours[0] <= most and ours[1] >= least,
            f"best: within {100 * EQUAL:g} % of the shortest time; a workload fitted to Table V "
            "stands for the trace",
        )

    return make


def best_shares_of_fast(view: View) -> Claim | None:
    """Where FAST is best. The text names SYSmark and Financial as small."""
    rows = {trace: _standing_for(view, trace, "fast") for trace in TEXT_SHARES}
    shares = {trace: map_share(best(of)) for trace, of in rows.items() if of}
    if not {"sysmark", "tpcc"} <= shares.keys():
        return None
    small = [shares[trace] for trace in ("sysmark", "financial") if trace in shares]
    return JUDGE.claim(
        "IV-C, Figure 6",
        "FAST: the best share is small for SYSmark and Financial, and large for TPC-C",
        "small, large",
        ", ".join(f"{TRACE_NAMES[name]} {percent(value)}" for name, value in shares.items()),
        max(small) <= 0.3 and shares["tpcc"] >= 0.5,
        "small: at most 30 %; large: at least 50 %",
    )


def _hit_share(row: Row, part: str, op: str) -> float:
    hits, misses = row[f"{part}.{op}_hits"], row[f"{part}.{op}_misses"]
    return hits / (hits + misses) if hits + misses else 0.0


def map_hits_rise(view: View) -> Claim:
    rising: Cases = {}
    for trace in view.at("dftl"):
        rows = view.fixed(trace, "dftl")
        reads, writes = (
            [_hit_share(row, "ftl.cmt", op) for row in (rows[0], rows[-1])]
            for op in ("read", "write")
        )
        rising[trace] = (
            reads[1] >= reads[0] and writes[1] >= writes[0],
            f"{percent(reads[0])} to {percent(reads[1])} of reads, "
            f"{percent(writes[0])} to {percent(writes[1])} of writes",
        )
    return JUDGE.everywhere(
        "IV-B, Figure 5",
        "DFTL: hit ratios of the mapping cache rise with its share",
        "rise",
        rising,
    )


def buffer_hits_fall(view: View) -> Claim:
    falling: Cases = {}
    for trace in view.at("dftl"):
        rows = view.fixed(trace, "dftl")
        first, last = (_hit_share(row, "buffer", "write") for row in (rows[0], rows[-1]))
        falling[trace] = (last <= first, f"{percent(first)} to {percent(last)}")
    return JUDGE.everywhere(
        "IV-B, Figure 5",
        "DFTL: the buffer's write hit ratio falls with the map's share",
        "falls",
        falling,
    )


def log_hits_rise(view: View) -> Claim:
    steep: Cases = {}
    for trace in view.at("fast"):
        rows = view.fixed(trace, "fast")
        if not any(row["flash.programs"] for row in rows):
            continue
        hits = {row["vary.share"]: _hit_share(row, "ftl.cmt", "write") for row in rows}
        first = min((share for share in hits if share >= 20), default=max(hits))
        gained, all_of_it = hits[first] - hits[0], max(hits.values()) - hits[0]
        steep[trace] = (
            gained >= all_of_it / 2 and all_of_it > 0,
            f"{percent(hits[0])}, {percent(hits[first])} at {first} %, "
            f"{percent(max(hits.values()))} at most",
        )
    return JUDGE.everywhere(
        "IV-C, Figure 7",
        "FAST: the write hit ratio of the log blocks rises steeply at small shares",
        "from 0 % to about 25 %",
        steep,
        "steeply: half of the rise by 20 % or 25 %",
    )


def in_each_period(view: View) -> Claim | None:
    judged = _Judged(view)
    for layer in LAYERS:
        for trace in view.at(layer):
            if paper_trace(trace) not in LONG:
                continue
            rows, tuned = view.fixed(trace, layer), view.adapted(trace, layer)
            best_rates, ours = dict(throughput(best(rows))), dict(throughput(tuned))
            both = [
                ours[at] / best_rates[at]
                for at in ours.keys() & best_rates.keys()
                if best_rates[at]
            ]
            near = sum(rate >= 1 - CLOSE for rate in both)
            judged.add(
                f"{trace} {NAMES[layer]}",
                rows,
                tuned,
                near >= 0.9 * len(both),
                f"{near} of {len(both)} periods",
            )
    return judged.claim(
        "IV-D, Figure 8",
        "throughput approximates that of the best fixed share in each period",
        "approximates",
        f"in nine of ten periods at most {100 * CLOSE:g} % below",
    )


def erases(layer: str) -> Maker:
    def make(view: View) -> Claim | None:
        judged = _Judged(view)
        for trace in view.at(layer):
            rows, tuned = view.fixed(trace, layer), view.adapted(trace, layer)
            least = min(row["flash.erases"] for row in rows)
            most = max(row["flash.erases"] for row in rows)
            if most:
                ours = tuned["flash.erases"]
                slack = NEAR * (most - least if view.judge == SPAN else least)
                figure = f"{ours} against {least} to {most}"
                judged.add(trace, rows, tuned, ours <= least + slack, figure)
        of = "the way from the lowest to the highest" if view.judge == SPAN else "the lowest"
        return judged.claim(
            "IV-E, Figure 9" if layer == "dftl" else "IV-E, Figure 10",
            f"{NAMES[layer]}: erase counts come near the lowest of fixed shares",
            "near",
            f"near: within {100 * NEAR:g} % of {of}",
        )

    return make
