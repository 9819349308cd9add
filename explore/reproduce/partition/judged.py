"""Every claim of the paper's text and figures that the runs can judge, judged.

What "close" or "near" means is a number here, named in the claim's note. A claim about all traces
holds only if it does on every one; the note says where it does not, and what happened there.
"""

from __future__ import annotations

from collections.abc import Iterator

from explore.reproduce.experiment import Claim, Table
from explore.reproduce.judging import Cases, Judge, percent
from explore.reproduce.partition.figure_data import (
    LONG,
    adapted,
    best,
    cells,
    fixed,
    map_share,
    operation_times_us,
    reference_size,
    throughput,
    time_s,
    worst,
)
from explore.reproduce.partition.runs import LAYERS, PACES, PAPER
from explore.sweep.table import Row

#: Operation time above the best fixed share's that still counts as close to it.
CLOSE = 0.10
#: The same of erase counts.
NEAR = 0.10
#: Shares of the map that the paper's text gives as the best ones with DFTL (section IV-B).
TEXT_SHARES = {"sysmark-fit": (0.3, 0.5), "pc-fit": (0.25, 0.25), "tpcc-fit": (0.9, 1.0)}
#: Fixed shares whose time differs by less than this are equally good.
EQUAL = 0.01
NAMES = {"dftl": "DFTL", "fast": "FAST"}
FIGURES = {"dftl": "IV-B, Figure 4", "fast": "IV-C, Figure 6"}

JUDGE = Judge(PAPER)


def claims(table: Table) -> Iterator[Claim]:
    yield from _times(table)
    yield from _spaces(table)
    for layer in LAYERS:
        for pace in PACES:
            yield _close(table, layer, pace)
            yield _not_worst(table, layer, pace)
    for pace in PACES:
        yield _gain(table, pace)
    for layer in LAYERS:
        for pace in PACES:
            yield _moves(table, layer, pace)
    yield from _directions(table)
    yield from _effects(table)
    for pace in PACES:
        yield _throughput(table, pace)
    for layer in LAYERS:
        for pace in PACES:
            yield _erases(table, layer, pace)


def _above(value: float, least: float) -> float:
    return value / least - 1 if least else 0.0


def _times(table: Table) -> Iterator[Claim]:
    ours = operation_times_us(table.rows[0])
    text = " / ".join(f"{value:g}" for value in ours)
    yield JUDGE.claim(
        "Table I",
        "read / write / erase of SLC, us",
        "72.8 / 252.8 / 1500",
        text,
        text == "72.8 / 252.8 / 1500",
        "with the transfer of 2112 bytes",
    )


def _spaces(table: Table) -> Iterator[Claim]:
    for trace, grows in (("pc-fit", "buffer"), ("tpcc-fit", "map")):
        gains = {}
        for side in ("buffer", "map"):
            rows = sorted(table.where(trace=trace, grows=side), key=lambda r: r["vary.space"])
            if rows:
                gains[side] = 1 - time_s(rows[-1]) / time_s(rows[0])
        if len(gains) == 2:
            other = "map" if grows == "buffer" else "buffer"
            yield JUDGE.claim(
                "III-A, Figure 2",
                f"{trace}: operation time gains more from {grows} than from {other}",
                "more",
                f"{percent(gains[grows])} against {percent(gains[other])}",
                gains[grows] > gains[other],
                "from 1 MiB to the largest space, the other side at 1 MiB",
            )


def _cases(table: Table, layer: str, pace: str) -> Iterator[tuple[str, list[Row], Row]]:
    for trace, size in cells(table, layer):
        yield (
            f"{trace} {size} MiB",
            fixed(table, trace, layer, size),
            adapted(table, trace, layer, size, pace),
        )


def _paced(pace: str, layer: str) -> str:
    if pace == "paper":
        return "tuned as in the paper"
    interval, scale = PACES[pace][layer]
    units = f", {scale:g} units at a time with 16 MiB" if scale != 1 else ""
    return f"tuned every {interval} requests{units}"


def _few(row: Row) -> str:
    return f"{row['ftl.partition.decisions']} decisions, {percent(map_share(row))} map"


def _close(table: Table, layer: str, pace: str) -> Claim:
    distances, judged = [], {}
    for name, rows, ours in _cases(table, layer, pace):
        distance = _above(time_s(ours), time_s(best(rows)))
        distances.append(distance)
        judged[name] = (
            distance <= CLOSE,
            f"{percent(distance)} above {best(rows)['vary.share']} %; {_few(ours)}",
        )
    claim = JUDGE.everywhere(
        FIGURES[layer],
        f"{NAMES[layer]}, {_paced(pace, layer)}: operation time "
        "approximates that of the best fixed share",
        "very closely",
        judged,
        f"close: within {100 * CLOSE:g} %",
    )
    mean = sum(distances) / len(distances)
    return Claim(
        **{
            **vars(claim),
            "ours": f"{claim.ours}; {percent(mean)} above it on average, "
            f"{percent(max(distances))} at most",
        }
    )


def _not_worst(table: Table, layer: str, pace: str) -> Claim:
    judged = {
        name: (
            time_s(ours) <= time_s(worst(rows)),
            f"{time_s(ours):.1f} s against {time_s(worst(rows)):.1f} s",
        )
        for name, rows, ours in _cases(table, layer, pace)
    }
    return JUDGE.everywhere(
        FIGURES[layer],
        f"{NAMES[layer]}, {_paced(pace, layer)}: no slower than the worst fixed share",
        "faster",
        judged,
    )


def _gain(table: Table, pace: str) -> Claim:
    """Throughput is requests by operation time, so that its gain is the inverse ratio of times."""
    size = reference_size(table)
    gains = {
        trace: time_s(worst(fixed(table, trace, "dftl", size)))
        / time_s(adapted(table, trace, "dftl", size, pace))
        - 1
        for trace, here in cells(table, "dftl")
        if here == size
    }
    of_paper = [name for name in gains if name in TEXT_SHARES] or list(gains)
    most = max(of_paper, key=lambda name: gains[name])
    every = ", ".join(f"{name} {percent(value)}" for name, value in gains.items())
    return JUDGE.claim(
        "Abstract, I",
        f"DFTL, {size} MiB, {_paced(pace, 'dftl')}: throughput above a fixed share's, at most",
        "41.9 %",
        f"{percent(gains[most])} ({most})",
        abs(gains[most] - 0.419) < 0.1,
        "within 10 points; against the worst of the fixed shares, of the workloads that "
        f"stand for the paper's; {every}",
    )


def _moves(table: Table, layer: str, pace: str) -> Claim:
    """Towards the shares that are as good as the best one, or staying among them."""
    judged = {}
    for name, rows, ours in _cases(table, layer, pace):
        low, high = _good(rows)
        share = map_share(ours)
        holds = share < 0.5 if high < 0.5 else share > 0.5 if low > 0.5 else True
        judged[name] = (
            holds,
            f"mean share {percent(share)}, best {percent(low)} to {percent(high)}",
        )
    return JUDGE.everywhere(
        FIGURES[layer],
        f"{NAMES[layer]}, {_paced(pace, layer)}: from 50 % the share moves towards the best one",
        "tracks it",
        judged,
        f"best: within {100 * EQUAL:g} % of the shortest time",
    )


def _good(rows: list[Row]) -> tuple[float, float]:
    """Lowest and highest share that is as good as the best one."""
    bound = time_s(best(rows)) * (1 + EQUAL)
    shares = [map_share(row) for row in rows if time_s(row) <= bound]
    return min(shares), max(shares)


def _directions(table: Table) -> Iterator[Claim]:
    size = reference_size(table)
    for trace, (low, high) in TEXT_SHARES.items():
        rows = fixed(table, trace, "dftl", size)
        if not rows:
            continue
        ours = _good(rows)
        step = 0.1
        yield JUDGE.claim(
            "IV-B, Figure 4",
            f"DFTL, {trace}: best share of the map",
            f"{100 * low:g} %" + (f" - {100 * high:g} %" if high > low else ""),
            f"{percent(ours[0])} to {percent(ours[1])}",
            ours[0] <= high + step and ours[1] >= low - step,
            f"best: within {100 * EQUAL:g} % of the shortest time; a step of 10 % "
            "allowed; a workload fitted to Table V stands for the trace",
        )
    shares = {
        trace: map_share(best(fixed(table, trace, "fast", size)))
        for trace in TEXT_SHARES
        if fixed(table, trace, "fast", size)
    }
    if {"sysmark-fit", "tpcc-fit"} <= shares.keys():
        text = ", ".join(f"{name} {percent(value)}" for name, value in shares.items())
        yield JUDGE.claim(
            "IV-C, Figure 6",
            "FAST: the best share is small for SYSmark and large for TPC-C",
            "small, large",
            text,
            shares["sysmark-fit"] <= 0.3 and shares["tpcc-fit"] >= 0.5,
        )


def _effects(table: Table) -> Iterator[Claim]:
    size = reference_size(table)
    rising: Cases = {}
    falling: Cases = {}
    for trace, here in cells(table, "dftl"):
        rows = fixed(table, trace, "dftl", size)
        if here != size:
            continue

        def share(row: Row, part: str, op: str) -> float:
            hits, misses = row[f"{part}.{op}_hits"], row[f"{part}.{op}_misses"]
            return hits / (hits + misses) if hits + misses else 0.0

        ratios = [
            [share(row, part, op) for row in (rows[0], rows[-1])]
            for part, op in (("ftl.cmt", "read"), ("ftl.cmt", "write"), ("buffer", "write"))
        ]
        map_reads, map_writes, buffer = ratios
        rising[trace] = (
            map_reads[1] >= map_reads[0] and map_writes[1] >= map_writes[0],
            f"{percent(map_reads[0])} to {percent(map_reads[1])} of reads, "
            f"{percent(map_writes[0])} to {percent(map_writes[1])} of writes",
        )
        falling[trace] = (buffer[1] <= buffer[0], f"{percent(buffer[0])} to {percent(buffer[1])}")
    yield JUDGE.everywhere(
        "IV-B, Figure 5",
        "DFTL: hit ratios of the mapping cache rise with its share",
        "rise",
        rising,
    )
    yield JUDGE.everywhere(
        "IV-B, Figure 5",
        "DFTL: the buffer's write hit ratio falls with the map's share",
        "falls",
        falling,
    )
    steep = {}
    for trace, here in cells(table, "fast"):
        rows = fixed(table, trace, "fast", size)
        if here != size or not any(row["flash.programs"] for row in rows):
            continue
        hits = {
            row["vary.share"]: row["ftl.cmt.write_hits"]
            / max(1, row["ftl.cmt.write_hits"] + row["ftl.cmt.write_misses"])
            for row in rows
        }
        first = min((s for s in hits if s >= 20), default=max(hits))
        gained, all_of_it = hits[first] - hits[0], max(hits.values()) - hits[0]
        steep[trace] = (
            gained >= all_of_it / 2 and all_of_it > 0,
            f"{percent(hits[0])}, {percent(hits[first])} at {first} %, "
            f"{percent(max(hits.values()))} at most",
        )
    yield JUDGE.everywhere(
        "IV-C, Figure 7",
        "FAST: the write hit ratio of the log blocks rises steeply at small shares",
        "from 0 % to about 25 %",
        steep,
        "steeply: half of the rise by 20 % or 25 %",
    )


def _throughput(table: Table, pace: str) -> Claim:
    size = reference_size(table)
    judged = {}
    for trace in LONG:
        for layer in LAYERS:
            rows = fixed(table, trace, layer, size)
            if rows:
                best_rates = dict(throughput(best(rows)))
                ours = dict(throughput(adapted(table, trace, layer, size, pace)))
                both = [
                    ours[at] / best_rates[at]
                    for at in ours.keys() & best_rates.keys()
                    if best_rates[at]
                ]
                near = sum(rate >= 1 - CLOSE for rate in both)
                judged[f"{trace} {NAMES[layer]}"] = (
                    near >= 0.9 * len(both),
                    f"{near} of {len(both)} periods",
                )
    return JUDGE.everywhere(
        "IV-D, Figure 8",
        f"adaptive ({pace} pace): throughput approximates that of "
        "the best fixed share in each period",
        "approximates",
        judged,
        f"in nine of ten periods at most {100 * CLOSE:g} % below",
    )


def _erases(table: Table, layer: str, pace: str) -> Claim:
    size = reference_size(table)
    judged = {}
    for trace, here in cells(table, layer):
        rows = fixed(table, trace, layer, size)
        least = min(row["flash.erases"] for row in rows)
        most = max(row["flash.erases"] for row in rows)
        if here == size and most:
            ours = adapted(table, trace, layer, size, pace)["flash.erases"]
            judged[trace] = (ours <= least * (1 + NEAR), f"{ours} against {least} to {most}")
    where = "IV-E, Figure 9" if layer == "dftl" else "IV-E, Figure 10"
    return JUDGE.everywhere(
        where,
        f"{NAMES[layer]}, {_paced(pace, layer)}: erase counts come near the lowest of fixed shares",
        "near",
        judged,
        f"near: within {100 * NEAR:g} %; traces with erases",
    )
