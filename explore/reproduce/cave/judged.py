"""Every claim of the paper's text and figures that the runs can judge, judged.

What "similar", "close" or "clearly" means is a number here, named in the claim's note. A claim
about all traces holds only if it does on every one; the note says where it does not.

Each claim is judged by every reading of what the paper leaves open. `holds` is by the reference
reading; where that fails, the verdict names the readings by which the claim holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from explore.reproduce.cave.figure_data import (
    copies_of,
    merges_of,
    pairs,
    reference,
    with_homes,
)
from explore.reproduce.cave.readings import HOMES, READINGS, REFERENCE, Reading
from explore.reproduce.cave.runs import COMPARED, LARGE, ORDERS, PAPER, SMALL
from explore.reproduce.experiment import Claim, Other, Table
from explore.reproduce.judging import Cases, Judge, percent
from explore.reproduce.units import kibibytes, size_bytes, time_ns
from explore.sweep.table import Row

#: Largest difference of hit ratios that counts as "similar".
CLOSE = 0.02
#: Largest relative difference of numbers of writes, or of parallelism, that counts as "similar".
SIMILAR = 0.05

Key = tuple[str, str, str]

JUDGE = Judge(PAPER)


#: An assumption of the paper: readings by which no page can move say nothing of it.
RARELY_MOVE = "pages rarely have to move because their block comes to another die"


def claims(table: Table) -> Iterator[Claim]:
    judged = {reading: list(_claims(table, reading)) for reading in READINGS}
    for index, claim in enumerate(judged[REFERENCE]):
        others = []
        for reading in READINGS:
            other = judged[reading][index]
            if (other.where, other.claim) != (claim.where, claim.claim):
                raise LookupError(f"{reading.name} judges {other.claim}, not {claim.claim}")
            if reading is not REFERENCE and claim.claim != RARELY_MOVE:
                others.append(Other("reading", reading.name, other.ours, other.holds))
        yield replace(claim, others=tuple(others))


def _claims(table: Table, reading: Reading) -> Iterator[Claim]:
    yield from _tables(table)
    yield from _collection(table, reading)
    yield from _orders(table)
    yield from _hit_ratios(table, reading)
    yield from _execution(table, reading)
    yield from _abstract(table, reading)


def _name(key: Key) -> str:
    return " ".join(key)


def _page_transfer_ns(config: Row) -> float:
    moved = size_bytes(config["config.nand.page_size"]) + size_bytes(
        config["config.nand.spare_size"]
    )
    return moved * time_ns(config["config.nand.bus_cycle"])


def _tables(table: Table) -> Iterator[Claim]:
    config = reference(table).rows[0]
    transfer = _page_transfer_ns(config) / 1e3
    yield JUDGE.claim(
        "Table 1",
        "transfer time of a page, us",
        63.37,
        round(transfer, 2),
        abs(transfer - 63.37) < 0.05,
        "page and spare area at 30 ns a byte",
    )
    program = time_ns(config["config.nand.t_program"])
    read = time_ns(config["config.nand.t_read"])
    yield JUDGE.claim(
        "4.2",
        "reads from NAND are over 10 times faster than writes",
        "> 10",
        program / read,
        program / read > 10,
        "from the paper's own Table 2, 200 us against 25 us; with a page's transfer it is "
        f"{(program / 1e3 + transfer) / (read / 1e3 + transfer):.1f}",
    )


def _collection(table: Table, reading: Reading) -> Iterator[Claim]:
    examples = {row["vary.drive"]: row for row in table.where(part="example")}
    for scheme, paper, note in (
        ("BAST, move", (2, 1), "the two pages not rewritten follow the others to a new block"),
        (
            "MCSplit, merge",
            (12, 4),
            "the figure shows two invalid pages in 16, which leaves 14, not 12; a merge with log "
            "blocks writes all 16 anew and erases data and log blocks",
        ),
    ):
        if scheme in examples:
            row = examples[scheme]
            ours = (copies_of(row), row["ftl.erases"])
            channel = "1-channel" if scheme.startswith("BAST") else "multi-channel"
            yield JUDGE.claim(
                "4.1, Figure 2",
                f"{channel} FTL: valid pages copied / blocks erased",
                "{} / {}".format(*paper),
                "{} / {}".format(*ours),
                ours == paper,
                note,
            )
    cases = {}
    for key, conventional, proposed in pairs(reference(table, reading)):
        if merges_of(conventional) and merges_of(proposed):
            a, b = (copies_of(row) / merges_of(row) for row in (conventional, proposed))
            cases[_name(key)] = (a > b, f"{a:.1f} against {b:.1f}")
    yield JUDGE.everywhere(
        "4.1",
        "a collection of the multi-channel FTL copies more pages than one of the 1-channel FTL",
        "12 against 2",
        cases,
        "copies for each merge on traces",
    )


def _orders(table: Table) -> Iterator[Claim]:
    hits = table.where(part="hits")
    below: dict[str, Cases] = {order: {} for order in ORDERS[3:]}
    rising = {}
    for trace in hits.values("trace"):
        ratio = {
            (row["vary.order"], row["vary.size"]): row["buffer.write_hit_ratio"]
            for row in hits.where(trace=trace)
        }
        sizes = sorted({size for _, size in ratio}, key=kibibytes)
        for size in sizes:
            worst = min(ratio[order, size] for order in ORDERS[:3])
            for order, cases in below.items():
                ours = ratio[order, size]
                cases[f"{trace} {size}"] = (
                    ours < worst,
                    f"{percent(ours)} against {percent(worst)}",
                )
        for order in ORDERS:
            ratios = [ratio[order, size] for size in sizes]
            grows = all(b >= a - 0.001 for a, b in zip(ratios, ratios[1:], strict=False))
            rising[f"{trace} {order}"] = (grows, f"{percent(ratios[0])} to {percent(ratios[-1])}")
    for order, cases in below.items():
        yield JUDGE.everywhere(
            "5.1, Figure 4",
            f"{order.upper()} has a lower hit ratio than page LRU, REF and block LRU",
            "lower",
            cases,
            "against the worst of the three",
        )
    yield JUDGE.everywhere("Figure 4", "the hit ratio grows with the buffer", "grows", rising)


def _hit_ratios(table: Table, reading: Reading) -> Iterator[Claim]:
    rows = {key: both for key, *both in pairs(reference(table, reading))}
    lower, close, shrinks, writes = {}, {}, {}, {}
    for (trace, order, size), (conventional, proposed) in rows.items():
        a, b = (row["buffer.write_hit_ratio"] for row in (conventional, proposed))
        name = f"{trace} {order}"
        figure = f"{percent(a)} against {percent(b)}"
        if size == SMALL:
            lower[name] = (a > b + CLOSE, figure)
        else:
            close[name] = (abs(a - b) < CLOSE, figure)
            first = [row["buffer.write_hit_ratio"] for row in rows[trace, order, SMALL]]
            gap, small_gap = abs(a - b), abs(first[0] - first[1])
            shrinks[name] = (gap <= small_gap, f"{percent(small_gap)} to {percent(gap)}")
            before, after = conventional["ftl.host_pages"], proposed["ftl.host_pages"]
            change = after / before - 1 if before else 0.0
            writes[name] = (abs(change) < SIMILAR, f"{change:+.1%}".replace("%", " %"))
    yield JUDGE.everywhere(
        "5.2.1, Figure 5",
        f"at {SMALL} the hit ratio with CAVE is clearly lower",
        "lower",
        lower,
        f"clearly: more than {100 * CLOSE:g} points",
    )
    yield JUDGE.everywhere(
        "5.2.1, Figure 5",
        f"at {LARGE} the hit ratios are similar",
        "similar",
        close,
        f"similar: less than {100 * CLOSE:g} points apart",
    )
    yield JUDGE.everywhere(
        "4.2", "the difference of hit ratios shrinks as the buffer grows", "shrinks", shrinks
    )
    yield JUDGE.everywhere(
        "5.2.1",
        f"at {LARGE} as many pages are written to flash as conventionally",
        "similar",
        writes,
        f"similar: within {100 * SIMILAR:g} %",
    )


def _per_page(row: Row) -> float | None:
    """Time of page writes for each page of the host, ns: the measure of parallelism."""
    return row["ftl.write_time_ns"] / row["ftl.host_pages"] if row["ftl.host_pages"] else None


def _execution(table: Table, reading: Reading) -> Iterator[Claim]:
    rows = {key: both for key, *both in pairs(reference(table, reading))}
    lower, parallel = {}, {}
    for key, (conventional, proposed) in rows.items():
        saved = reading.reduction(conventional, proposed)
        if saved is None:
            continue
        lower[_name(key)] = (saved > 0, f"{-100 * saved:+.1f} %")
        a, b = _per_page(conventional), _per_page(proposed)
        if a and b:
            parallel[_name(key)] = (
                b <= a * (1 + SIMILAR),
                f"{b / 1e3:.1f} against {a / 1e3:.1f} us a page",
            )
    yield JUDGE.everywhere(
        "5.2.2, Figure 6",
        "the proposed method always has the lower execution time",
        "lower",
        lower,
        _left_open(table, reading, lambda key: True),
    )
    moved, total = (
        sum(both[1][f"ftl.{name}_pages"] for both in rows.values()) for name in ("moved", "host")
    )
    yield JUDGE.claim(
        "4.2",
        RARELY_MOVE,
        "not frequently",
        f"{moved / total:.2f} pages moved for each page written",
        moved < 0.1 * total,
        "an assumption; rarely: less than one in ten; over all cases",
    )
    yield JUDGE.everywhere(
        "5.2.2",
        "parallelism with CAVE is similar to that of the multi-channel FTL, or higher",
        "similar or higher",
        parallel,
        f"write time a page, at most {100 * SIMILAR:g} % above",
    )
    alone = [_per_page(both[0]) for (_, order, _), both in rows.items() if order == "lru-page"]
    single = min((value for value in alone if value), default=0.0) / 1e3
    config = next(iter(rows.values()))[0]
    expected = (_page_transfer_ns(config) + time_ns(config["config.nand.t_program"])) / 1e3
    yield JUDGE.claim(
        "4.2",
        "with pages as victims the conventional method has no parallelism: a page "
        "costs its transfer and program, us",
        round(expected, 2),
        round(single, 2),
        abs(single / expected - 1) < 0.001,
    )

    def compare(
        claim: str,
        paper: str,
        where: str,
        value: Callable[[Row], float | None],
        first: Callable[[Key], Key],
        better: Callable[[float, float], bool],
        wanted: Callable[[Key], bool],
        show: Callable[[float], str],
    ) -> Claim:
        cases = {}
        for key, both in rows.items():
            if wanted(key):
                for index, drive in enumerate(("conventional", "proposed")):
                    a, b = value(rows[first(key)][index]), value(both[index])
                    if a is not None and b is not None and (a or b):
                        figure = f"{show(a)} against {show(b)}"
                        cases[f"{_name(key)} {drive}"] = (better(a, b), figure)
        return JUDGE.everywhere(where, claim, paper, cases)

    yield compare(
        "page LRU causes much higher collection overhead than block LRU",
        "much higher",
        "5.2.2, Figure 6",
        lambda row: reading.collection_ns(row) / 1e9,
        lambda key: (key[0], COMPARED[0], key[2]),
        lambda page, block: page > 2 * block,
        lambda key: key[1] == COMPARED[1],
        lambda value: f"{value:.3g} s",
    )
    yield compare(
        "execution time at 16 MiB is much better than at 128 KiB",
        "much better",
        "5.2.2, Figure 6",
        lambda row: reading.execution_ns(row) / 1e9,
        lambda key: (key[0], key[1], SMALL),
        lambda small, large: large < 0.8 * small,
        lambda key: key[2] == LARGE,
        lambda value: f"{value:.3g} s",
    )
    yield compare(
        "the share of collection is higher with the small buffer",
        "higher",
        "5.2.2, Figure 7",
        reading.collection_share,
        lambda key: (key[0], key[1], SMALL),
        lambda small, large: small > large,
        lambda key: key[2] == LARGE,
        percent,
    )
    dominant = {}
    for key, both in rows.items():
        for drive, row in zip(("conventional", "proposed"), both, strict=True):
            share = reading.collection_share(row)
            if share is not None:
                dominant[f"{_name(key)} {drive}"] = (share > 0.5, percent(share))
    yield JUDGE.everywhere(
        "5.2.2, Figure 7",
        "collection is the critical part of the execution time",
        "critical",
        dominant,
        "critical: more than half",
    )


def _left_open(table: Table, reading: Reading, wanted: Callable[[Key], bool]) -> str:
    """How many cases are lower with each choice the paper leaves to the reader, and by how much."""
    drives = table.where(part="drives")
    texts = []
    for mode in HOMES:
        for log_blocks in drives.values("log_blocks"):
            rows = drives.where(log_blocks=log_blocks)
            if not rows.where(mode=mode).rows:
                continue
            here = pairs(with_homes(rows, mode))
            saved = [reading.reduction(a, b) for key, a, b in here if wanted(key)]
            known = [value for value in saved if value is not None]
            texts.append(
                f"{mode}, {log_blocks} log blocks: {sum(v > 0 for v in known)} of {len(known)} "
                f"lower, {percent(min(known))} to {percent(max(known))} saved"
            )
    return "; ".join(texts)


def _abstract(table: Table, reading: Reading) -> Iterator[Claim]:
    def on_sysmark(key: Key) -> bool:
        return key[:2] == ("sysmark-fit", "lru-block")

    saved = {
        key[2]: reading.reduction(conventional, proposed)
        for key, conventional, proposed in pairs(reference(table, reading))
        if on_sysmark(key)
    }
    ours = ", ".join(f"{percent(value)} at {size}" for size, value in saved.items())
    others = _left_open(table, reading, on_sysmark)
    known = [value for value in saved.values() if value is not None]
    inside = len(known) == 2 and all(0.555 <= value <= 0.974 for value in known)
    yield JUDGE.claim(
        "Abstract, 5.2.2, 6",
        "execution time saved with block LRU on SYSMARK",
        "55.5 % - 97.4 %",
        ours,
        inside,
        f"a workload fitted to Table 3 stands for the trace; {others}",
    )
    yield JUDGE.claim(
        "Abstract, 5.2.2, 6",
        "more than half of the execution time is saved with block LRU on SYSMARK",
        "> 50 %",
        ours,
        len(known) == 2 and all(value > 0.5 for value in known),
        others,
    )
