"""What decides each claim: the runs, the other readings and workloads, and what was fitted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from papers.experiment import Claim, Fitted, Other, Outcome, Table
from papers.judging import percent
from papers.partition import judged
from papers.partition.figure_data import time_s
from papers.partition.judged import JUDGE, TEXT_SHARES, Maker
from papers.partition.runs import (
    DIVIDED,
    FASTER_RULE,
    LAYERS,
    POPULARITY,
    QUICK_ENTRIES,
    READ_RULES,
    REFERENCE_ENTRY,
    REFERENCE_RULE,
    REFERENCE_SIZE,
    RULES,
    UNDIVIDED_RULES,
)
from papers.partition.views import SPAN, TOGETHER, Runs, View

POPULARITIES = {trace: f"popularity of {trace}" for trace in POPULARITY}
ENTRY, BOUND, NO_HIT = "entry of the mapping cache", "bound of the ratio", "ratio beside no hit"
#: What the rules are called as values of what they change.
BOUNDS = {"at most 100": "100", REFERENCE_RULE: "1000", "at most 1000000": "1000000"}
NO_HITS = {"1 beside no hit": "1", "64 beside no hit": "64", REFERENCE_RULE: "1000"}
#: Relative times of the divided drive may differ from those of the whole one by so much.
SAME = 0.03


@dataclass(frozen=True)
class Asked:
    """A claim, the runs that decide it, and what it depends on."""

    make: Maker
    decided_by: str
    traces: tuple[str, ...] = ()  #: of the paper, whose popularity it depends on
    entry: bool = False  #: on the size of a map entry
    rule: bool = False  #: on the bounds of the ratio
    judge: str = ""  #: another one than the claim's own

    @property
    def fitted(self) -> tuple[str, ...]:
        return (
            *(POPULARITIES[trace] for trace in self.traces),
            *((ENTRY,) if self.entry else ()),
            *((BOUND, NO_HIT) if self.rule else ()),
        )


def asked() -> Iterator[Asked]:
    every = tuple(POPULARITY)
    long = judged.LONG
    yield Asked(judged.times, "every run's configuration")
    for trace, grows in (("pc", "buffer"), ("tpcc", "map")):
        yield Asked(judged.gains_more(trace, grows), "figure2", (trace,), entry=True)
    figures = {"dftl": "figure4", "fast": "figure6"}
    for layer in LAYERS:
        of_entry = layer == "dftl"
        for make, judge in ((judged.close, ""), (judged.best_of_all, TOGETHER)):
            yield Asked(make(layer), figures[layer], every, of_entry, rule=True, judge=judge)
    yield Asked(judged.gain, "figure4", traces=every, entry=True, rule=True)
    for layer in LAYERS:
        of_entry = layer == "dftl"
        by = f"{figures[layer]}, ratio"
        yield Asked(judged.moves(layer), by, traces=every, entry=of_entry, rule=True)
    for trace in TEXT_SHARES:
        yield Asked(judged.best_share(trace), "figure4", (trace,), entry=True)
    of_fast = ("sysmark", "financial", "tpcc")
    yield Asked(judged.best_shares_of_fast, "figure6", of_fast)
    yield Asked(judged.map_hits_rise, "figure5", every, entry=True)
    yield Asked(judged.buffer_hits_fall, "figure5", every, entry=True)
    yield Asked(judged.log_hits_rise, "figure7", every)
    yield Asked(judged.in_each_period, "figure8", long, entry=True, rule=True)
    for layer, figure in zip(LAYERS, ("figure9", "figure10"), strict=True):
        of_entry = layer == "dftl"
        yield Asked(judged.erases(layer), figure, every, of_entry, rule=True, judge=SPAN)


def claims(table: Table) -> Iterator[Claim]:
    runs = Runs(table)
    questions = list(asked())
    for question in questions:
        made = question.make(View(runs))
        if made is not None:
            yield replace(
                made,
                decided_by=f"{question.decided_by}; whole-length workloads",
                others=tuple(_others(question, runs, made.claim)),
                fitted=question.fitted,
            )
    yield from _faster(questions, runs)
    yield _divided(View(runs, "full"))


def readings(question: Asked, whole: View) -> Iterator[tuple[str, View]]:
    """The readings other than the reference, by name."""
    for judge in ("", question.judge) if question.judge else ("",):
        for entry in QUICK_ENTRIES if question.entry else (REFERENCE_ENTRY,):
            for rule in READ_RULES if question.rule else (REFERENCE_RULE,):
                names = [f"entries of {entry} B"] if entry != REFERENCE_ENTRY else []
                names += [f"ratio {rule}"] if rule != REFERENCE_RULE else []
                names += [judge] if judge else []
                if names:
                    yield ", ".join(names), whole.other(entry=entry, rule=rule, judge=judge)


def _others(question: Asked, runs: Runs, claim: str) -> Iterator[Other]:
    for name, view in readings(question, View(runs)):
        if made := question.make(view):
            yield Other("reading", name, made.ours, made.holds)
    if question.rule:
        whole = View(runs, sizes=(REFERENCE_SIZE,))
        for entry in QUICK_ENTRIES if question.entry else (REFERENCE_ENTRY,):
            for rule in UNDIVIDED_RULES:
                name = rule.removeprefix(f"{REFERENCE_RULE}, ")
                name += f", entries of {entry} B" if entry != REFERENCE_ENTRY else ""
                name += f", {REFERENCE_SIZE} MiB"
                if made := question.make(whole.other(entry=entry, rule=rule)):
                    yield Other("workload", name, made.ours, made.holds)
    if not question.traces:
        return  # of no workload
    cut = View(runs, "before", long_only=False)
    if made := question.make(cut):
        yield Other("workload", "before: real and cut traces", made.ours, made.holds)
    if question.rule and (made := question.make(cut.other(long_only=True))):
        name = "real and cut traces, those long enough"
        yield Other("workload", name, made.ours, made.holds)


def _faster(questions: Iterable[Asked], runs: Runs) -> Iterator[Claim]:
    """Real and cut traces with more and larger steps than the paper's."""
    view = View(runs, "before", rule=FASTER_RULE, long_only=False)
    for question in questions:
        if question.rule and (made := question.make(view)):
            yield replace(
                made,
                claim=f"{made.claim}; real and cut traces, tuned faster",
                kind="addition",
                decided_by="before",
            )


def _divided(full: View) -> Claim:
    """Whether the divided drive tells what the whole one does."""
    differences = {}
    for layer in LAYERS:
        for trace in full.traces:
            relative = []
            for divided, rule in ((1, REFERENCE_RULE), (DIVIDED, UNDIVIDED_RULES[0])):
                view = full.other(divided=divided, rule=rule)
                rows = view.fixed(trace, layer)
                half = next(time_s(row) for row in rows if row["vary.share"] == 50)
                runs = (*rows, view.adapted(trace, layer))
                relative.append([time_s(row) / half for row in runs])
            most = max(abs(a - b) for a, b in zip(*relative, strict=True))
            name = f"{trace} {judged.NAMES[layer]}"
            differences[name] = (most <= SAME, f"{percent(most)} of the time at one half")
    made = JUDGE.everywhere(
        "ours",
        f"with requests, working sets, memory and drive divided by {DIVIDED} but for the interval "
        "of tuning, times relative to an equal division are those of the whole",
        "not in the paper",
        differences,
        f"within {100 * SAME:g} % of the time at one half; "
        + ", ".join(f"{name} {figure}" for name, (_, figure) in differences.items()),
    )
    return replace(made, kind="addition", decided_by="divided")


def fitted(table: Table) -> Iterator[Fitted]:
    """Each value over a range, at the reference size of memory."""
    runs = Runs(table)
    questions = list(asked())
    whole = View(runs, sizes=(REFERENCE_SIZE,))
    for trace, (used, *others) in POPULARITY.items():
        yield Fitted(
            POPULARITIES[trace],
            f"zipf {used}",
            "not in Table V; the paper speaks of low temporal locality"
            if trace == "tpcc"
            else "not in Table V; the paper speaks of high temporal locality or a high hit ratio",
            _over(
                POPULARITIES[trace],
                questions,
                {
                    f"zipf {value}": whole.other(popularity={trace: value})
                    for value in sorted((used, *others))
                    if value == used or any(key[1:3] == (value, trace) for key in runs.fixed)
                },
            ),
        )
    entries = sorted({int(str(key[4])) for key in runs.fixed})
    yield Fitted(
        ENTRY,
        f"{REFERENCE_ENTRY} B",
        "the paper names S_CMT_entry without a value: two page numbers of 4 bytes; with links of "
        "two lists, of a hash chain, and flags it is 24 bytes",
        _over(ENTRY, questions, {f"{entry} B": whole.other(entry=entry) for entry in entries}),
    )
    there = {key[-1] for key in runs.tuned}
    for name, rules, why in (
        (BOUND, BOUNDS, "the paper names no bound"),
        (NO_HIT, NO_HITS, "the paper does not say what a ratio is whose divisor is 0"),
    ):
        values = {rules[rule]: whole.other(rule=rule) for rule in RULES if rule in rules}
        known = {value: view for value, view in values.items() if view.rule in there}
        yield Fitted(name, rules[REFERENCE_RULE], why, _over(name, questions, known))


def _over(name: str, questions: Iterable[Asked], views: dict[str, View]) -> tuple[Outcome, ...]:
    return tuple(
        Outcome(value, made.claim, made.ours, made.holds)
        for question in questions
        if name in question.fitted
        for value, view in views.items()
        if (made := question.make(view))
    )
