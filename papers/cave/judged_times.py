"""The claims on collection and execution time: Tables 1 and 2, Figures 2, 6 and 7."""

from __future__ import annotations

from collections.abc import Callable

from papers.cave.judged_hits import JUDGE, SIMILAR, per_page
from papers.cave.runs import COMPARED, LARGE, SMALL
from papers.cave.view import Key, Question, View, copies_of, merges_of
from papers.experiment import Claim, Row
from papers.judging import Cases, percent
from papers.units import size_bytes, time_ns

#: Range of the execution time saved, abstract.
SAVED = (0.555, 0.974)
FIGURE_6 = "figure6, readings, log-blocks and homes; runs of part drives"


def _name(key: Key) -> str:
    return " ".join(key)


def _page_transfer_ns(config: Row) -> float:
    moved = size_bytes(config["config.nand.page_size"]) + size_bytes(
        config["config.nand.spare_size"]
    )
    return moved * time_ns(config["config.nand.bus_cycle"])


def _config(view: View) -> Row:
    return next(iter(view.both.values()))[0]


def _transfer(view: View) -> Claim:
    transfer = _page_transfer_ns(_config(view)) / 1e3
    return JUDGE.claim(
        "Table 1",
        "transfer time of a page, us",
        63.37,
        round(transfer, 2),
        abs(transfer - 63.37) < 0.05,
        "page and spare area at 30 ns a byte",
        decided_by="the drive of configs/cave-base.toml",
    )


def _reads(view: View) -> Claim:
    config = _config(view)
    program, read = (time_ns(config[f"config.nand.t_{what}"]) for what in ("program", "read"))
    transfer = _page_transfer_ns(config)
    return JUDGE.claim(
        "4.2",
        "reads from NAND are over 10 times faster than writes",
        "> 10",
        program / read,
        program / read > 10,
        "from the paper's own Table 2, 200 us against 25 us; with a page's transfer it is "
        f"{(program + transfer) / (read + transfer):.1f}",
        decided_by="the drive of configs/cave-base.toml; figure cave-limits of cave-limits",
    )


def _example(view: View, scheme: str, paper: tuple[int, int], note: str) -> Claim:
    row = view.table.one(part="example", drive=scheme)
    ours = (copies_of(row), row["ftl.erases"])
    channel = "1-channel" if scheme.startswith("BAST") else "multi-channel"
    return JUDGE.claim(
        "4.1, Figure 2",
        f"{channel} FTL: valid pages copied / blocks erased",
        "{} / {}".format(*paper),
        "{} / {}".format(*ours),
        ours == paper,
        note,
        decided_by="figure2-example; runs of part example",
    )


def _one_channel(view: View) -> Claim:
    note = "the two pages not rewritten follow the others to a new block"
    return _example(view, "BAST, move", (2, 1), note)


def _multi_channel(view: View) -> Claim:
    note = (
        "a slip of the paper: its figure shows two invalid pages in 16, which leaves 14; 12 are "
        "those of the three channels without an invalid one. A merge with log blocks writes all "
        "16 anew and erases data and log blocks"
    )
    return _example(view, "MCSplit, merge", (12, 4), note)


def _copies_more(view: View) -> Claim:
    cases: Cases = {}
    for key, (conventional, proposed) in view.both.items():
        if merges_of(conventional) and merges_of(proposed):
            a, b = (copies_of(row) / merges_of(row) for row in (conventional, proposed))
            cases[_name(key)] = (a > b, f"{a:.1f} against {b:.1f}")
    return JUDGE.everywhere(
        "4.1",
        "a collection of the multi-channel FTL copies more pages than one of the 1-channel FTL",
        "12 against 2",
        cases,
        "copies for each merge on traces",
        decided_by="figure2-traces; runs of part drives",
    )


def _lower(view: View) -> Claim:
    cases: Cases = {}
    for key, both in view.both.items():
        saved = view.reading.reduction(*both)
        if saved is not None:
            cases[_name(key)] = (saved > 0, f"{-100 * saved:+.1f} %")
    return JUDGE.everywhere(
        "5.2.2, Figure 6",
        "the proposed method always has the lower execution time",
        "lower",
        cases,
        decided_by=FIGURE_6,
    )


def _rarely_move(view: View) -> Claim:
    moved, total = (
        sum(both[1][f"ftl.{name}_pages"] for both in view.both.values())
        for name in ("moved", "host")
    )
    return JUDGE.claim(
        "4.2",
        "pages rarely have to move because their block comes to another die",
        "not frequently",
        f"{moved / total:.2f} pages moved for each page written",
        moved < 0.1 * total,
        "rarely: less than one in ten; over all cases; with sticky and gather none can move",
        kind="assumption",
        decided_by="runs of part drives with homes move: ftl.moved_pages, ftl.host_pages",
    )


def _parallel(view: View) -> Claim:
    cases: Cases = {}
    rows = [both for both in view.both.values() if all(per_page(row) for row in both)]
    if view.sense.other_judge:
        a, b = (
            sum(both[i]["ftl.write_time_ns"] for both in rows)
            / sum(both[i]["ftl.host_pages"] for both in rows)
            for i in (0, 1)
        )
        cases["all"] = (b <= a * (1 + SIMILAR), f"{b / 1e3:.1f} against {a / 1e3:.1f} us a page")
    else:
        for key, both in view.both.items():
            a, b = (per_page(row) or 0.0 for row in both)
            if a and b:
                figure = f"{b / 1e3:.1f} against {a / 1e3:.1f} us a page"
                cases[_name(key)] = (b <= a * (1 + SIMILAR), figure)
    return JUDGE.everywhere(
        "5.2.2",
        "parallelism with CAVE is similar to that of the multi-channel FTL, or higher",
        "similar or higher",
        cases,
        f"write time a page, at most {100 * SIMILAR:g} % above; 64 frames hold few blocks, and "
        "each goes to one die",
        decided_by="figure6 (page writes); runs of part drives: ftl.write_time_ns, ftl.host_pages",
    )


def _alone(view: View) -> Claim:
    alone = [per_page(both[0]) for (_, order, _), both in view.both.items() if order == COMPARED[0]]
    single = min((value for value in alone if value), default=0.0) / 1e3
    config = _config(view)
    expected = (_page_transfer_ns(config) + time_ns(config["config.nand.t_program"])) / 1e3
    return JUDGE.claim(
        "4.2",
        "with pages as victims the conventional method has no parallelism: a page "
        "costs its transfer and program, us",
        round(expected, 2),
        round(single, 2),
        abs(single / expected - 1) < 0.001,
        decided_by="figure6 (page writes), conventional drive with page LRU",
    )


def _compare(
    view: View,
    value: Callable[[Row], float | None],
    first: Callable[[Key], Key],
    better: Callable[[float, float], bool],
    wanted: Callable[[Key], bool],
    show: Callable[[float], str],
) -> Cases:
    """A case of each drive against that of another key."""
    cases: Cases = {}
    for key, both in view.both.items():
        if wanted(key):
            for index, drive in enumerate(("conventional", "proposed")):
                a, b = value(view.both[first(key)][index]), value(both[index])
                if a is not None and b is not None and (a or b):
                    figure = f"{show(a)} against {show(b)}"
                    cases[f"{_name(key)} {drive}"] = (better(a, b), figure)
    return cases


def _seconds(value: float) -> str:
    return f"{value:.3g} s"


def _page_and_block(view: View) -> Claim:
    times = 1.0 if view.sense.other_judge else 2.0
    cases = _compare(
        view,
        lambda row: view.reading.collection_ns(row) / 1e9,
        lambda key: (key[0], COMPARED[0], key[2]),
        lambda page, block: page > times * block,
        lambda key: key[1] == COMPARED[1],
        _seconds,
    )
    return JUDGE.everywhere(
        "5.2.2, Figure 6",
        "page LRU causes much higher collection overhead than block LRU",
        "much higher",
        cases,
        "much: over twice; a merge of MCSplit is one of eight blocks, whichever page of them came",
        decided_by="figure6 (collection); runs of part drives",
    )


def _large_better(view: View) -> Claim:
    cases = _compare(
        view,
        lambda row: view.reading.execution_ns(row) / 1e9,
        lambda key: (key[0], key[1], SMALL),
        lambda small, large: large < 0.8 * small,
        lambda key: key[2] == LARGE,
        _seconds,
    )
    return JUDGE.everywhere(
        "5.2.2, Figure 6",
        "execution time at 16 MiB is much better than at 128 KiB",
        "much better",
        cases,
        "much: less than 0.8 times",
        decided_by=FIGURE_6,
    )


def _share(view: View) -> Claim:
    cases = _compare(
        view,
        view.reading.collection_share,
        lambda key: (key[0], key[1], SMALL),
        lambda small, large: small > large,
        lambda key: key[2] == LARGE,
        percent,
    )
    return JUDGE.everywhere(
        "5.2.2, Figure 7",
        "the share of collection is higher with the small buffer",
        "higher",
        cases,
        "hits spare page writes, but nearly as many merges remain; and with the large buffer block "
        "LRU writes many blocks at once, so that page writes take less of the time",
        decided_by="figure7, figure7-whole; runs of part drives",
    )


def _critical(view: View) -> Claim:
    cases: Cases = {}
    for key, both in view.both.items():
        for drive, row in zip(("conventional", "proposed"), both, strict=True):
            share = view.reading.collection_share(row)
            if share is not None:
                cases[f"{_name(key)} {drive}"] = (share > 0.5, percent(share))
    return JUDGE.everywhere(
        "5.2.2, Figure 7",
        "collection is the critical part of the execution time",
        "critical",
        cases,
        "critical: more than half",
        decided_by="figure7; runs of part drives",
    )


def _sysmark(view: View) -> Claim:
    saved = {
        key[2]: view.reading.reduction(*both)
        for key, both in view.both.items()
        if key[0].startswith("sysmark") and key[1] == COMPARED[1]
    }
    known = [value for value in saved.values() if value is not None]
    return JUDGE.claim(
        "Abstract, 5.2.2, 6",
        "execution time saved with block LRU on SYSMARK",
        "55.5 % - 97.4 %",
        ", ".join(f"{percent(value)} at {size}" for size, value in saved.items()),
        len(known) == 2 and all(SAVED[0] <= value <= SAVED[1] for value in known),
        "a workload fitted to Table 3 stands for the trace",
        decided_by=FIGURE_6,
    )


READINGS_AND_TRACES = ("homes", "time", "traces", "scope")
TIMES = (
    Question(_transfer),
    Question(_reads),
    Question(_one_channel),
    Question(_multi_channel),
    Question(_copies_more, ("homes", "traces", "scope")),
    Question(_lower, (*READINGS_AND_TRACES, "log blocks"), log_blocks=True),
    Question(_rarely_move, ("traces", "scope")),
    Question(_parallel, ("homes", "traces", "scope", "judge"), "over all cases together"),
    Question(_alone),
    Question(_page_and_block, (*READINGS_AND_TRACES, "judge"), "higher, if not twice"),
    Question(_large_better, READINGS_AND_TRACES),
    Question(_share, READINGS_AND_TRACES),
    Question(_critical, READINGS_AND_TRACES),
    Question(_sysmark, ("homes", "time", "traces", "log blocks", "sysmark"), log_blocks=True),
)
