"""Every claim of the paper's text and figures that the runs can judge, judged.

What "similar", "close" or "clearly" means is a number here, named in the claim's note. A claim
about all traces holds only if it does on every one; the note says where it does not.

`holds` is by the reference reading on the reference's traces. Each claim is judged by every other
reading, judge and group of traces that it can depend on as well; the verdict follows from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from papers.cave import fit
from papers.cave.judged_hits import HITS
from papers.cave.judged_times import TIMES
from papers.cave.readings import REFERENCE_LOG_BLOCKS, Reading, Sense, senses
from papers.cave.runs import LOG_BLOCKS
from papers.cave.traces import ASSUMED, REFERENCE_GROUP, SYSMARK, VARIED_HOMES, WHOLE_GROUP
from papers.cave.view import Question, View
from papers.experiment import Claim, Fitted, Other, Outcome, Table

QUESTIONS = (*TIMES[:4], *HITS, *TIMES[4:])

#: Name and reason of what was assumed of the whole stand-ins.
WHY = {
    "popularity": "no table says how popular places are; zipf 1.0 is a common assumption",
    "cluster": "no table says whether neighbours are popular together; a logical block is the unit "
    "of all that block LRU, FAB and merges do",
    "working set": "Table V of SHIM has 0.24 GB for a benchmark of the same name and activities; "
    "that it is the same recording is an assumption",
    "length": "Table 3's number of writes, taken as pages of 2 KB",
}
LOG_BLOCKS_NAME = "log blocks"


def claims(table: Table) -> Iterator[Claim]:
    like = fit.like_table3(table)
    for question in QUESTIONS:
        yield _decided(question, table, like)


def fitted(table: Table) -> Iterator[Fitted]:
    like = fit.like_table3(table)
    decided = [(question, _decided(question, table, like)) for question in QUESTIONS]
    for name in ASSUMED:
        values = _values(table, name)
        if len(values) < 2:
            continue
        outcomes = [
            _outcome(question, claim, table, value, values[0])
            for question, claim in decided
            for value in values
            if name in claim.fitted
        ]
        yield Fitted(
            name,
            values[0],
            f"{WHY[name]}; varied on the stand-in for SYSMARK, homes {VARIED_HOMES}",
            tuple(outcomes),
        )
    found = set(table.where(group=REFERENCE_GROUP, part="drives").values("log_blocks"))
    outcomes = []
    for question, claim in decided:
        for number in LOG_BLOCKS:
            if LOG_BLOCKS_NAME in claim.fitted and number in found:
                ours = question.decide(View(table, Sense(log_blocks=number)))
                outcomes.append(Outcome(str(number), claim.claim, ours.ours, ours.holds))
    yield Fitted(
        LOG_BLOCKS_NAME,
        str(REFERENCE_LOG_BLOCKS),
        "the paper gives no number; the middle of those that are run; judged by the reference "
        "reading",
        tuple(outcomes),
    )


def _decided(question: Question, table: Table, like: set[str]) -> Claim:
    groups = {row["vary.group"] for row in table}
    every = list(senses(question.axes, groups))
    claim = question.decide(View(table, every[0]))
    others = []
    for sense in every[1:]:
        view = View(table, sense, like if sense.like_table3 else None)
        if view.both:
            ours = question.decide(view)
            name = sense.name(question.axes, question.judge)
            here = sense.group == REFERENCE_GROUP
            others.append(Other("reading" if here else "workload", name, ours.ours, ours.holds))
    names = [
        name for name in ASSUMED if "traces" in question.axes and len(_values(table, name)) > 1
    ]
    if question.log_blocks:
        names.append(LOG_BLOCKS_NAME)
    return replace(claim, others=tuple(others), fitted=tuple(names))


def _values(table: Table, name: str) -> list[str]:
    """The values of what was assumed that were run, the one in use first."""
    groups = {row["vary.group"] for row in table}
    varied = [value for value in ASSUMED[name] if value in groups]
    if name == "length":
        sysmark = table.where(group=WHOLE_GROUP, trace=SYSMARK).rows
        in_use = [f"{sysmark[0]['vary.limit']} requests"] if sysmark else []
        varied = [group for group in groups if group.endswith(" requests")]
        return in_use + sorted(varied, key=lambda value: int(value.split()[0]))
    return [ASSUMED[name][0], *varied]


def _outcome(question: Question, claim: Claim, table: Table, value: str, in_use: str) -> Outcome:
    """With one value of what was assumed, by the sense in which the claim holds: first of the
    whole stand-ins, then of the reference's traces, else by the reference."""
    every = list(senses(question.axes, {WHOLE_GROUP, REFERENCE_GROUP}))
    held = {other.name for other in claim.others if other.holds}
    named = [(sense, sense.name(question.axes, question.judge)) for sense in every]
    holding = [sense for sense, name in named if name in held]
    of_whole = [sense for sense in holding if sense.group == WHOLE_GROUP]
    chosen = (of_whole or holding or every)[0]
    sense = replace(
        chosen,
        reading=Reading(VARIED_HOMES, chosen.reading.time),
        group=WHOLE_GROUP if value == in_use else value,
        like_table3=False,
        log_blocks=REFERENCE_LOG_BLOCKS,
    )
    ours = question.decide(View(table, sense, {SYSMARK}))
    name = replace(sense, group=REFERENCE_GROUP).name(question.axes, question.judge)
    return Outcome(value, claim.claim, f"{name}: {ours.ours}" if name else ours.ours, ours.holds)
