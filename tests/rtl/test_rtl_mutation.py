"""Every mutant of the arbiters is found, and the document says by what."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tb import mutation
from tb.mutation import Verdict

pytestmark = pytest.mark.slow

DETAIL = r"(?m)(?<= \| )(proof|lockstep|equivalent): .+ \|$"


def without_details(document: str) -> str:
    return re.sub(DETAIL, r"\1 |", document)


@pytest.fixture(scope="module")
def verdicts() -> list[Verdict]:
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(mutation.judge, mutation.mutants()))


@pytest.mark.nightly
def test_every_mutant_is_killed(verdicts: list[Verdict]) -> None:
    assert [verdict.mutant for verdict in verdicts if not verdict.killer] == []
    by = {verdict.killer for verdict in verdicts}
    assert by == {"proof", "lockstep", "equivalent"}


@pytest.mark.nightly
def test_there_are_mutants_of_every_rule_and_block(verdicts: list[Verdict]) -> None:
    assert {verdict.mutant.rule for verdict in verdicts} == {rule for rule, *_ in mutation.RULES}
    for source in mutation.SOURCES:
        of_source = [verdict for verdict in verdicts if verdict.mutant.source == source]
        assert len(of_source) > 20
        assert len({verdict.mutant.line for verdict in of_source}) > 8
    assert len(verdicts) > 120
    assert {verdict.mutant.policies for verdict in verdicts} == {(0, 1, 2), (1,), (2,)}


@pytest.mark.nightly
def test_equivalent_mutants_are_the_argued_ones(verdicts: list[Verdict]) -> None:
    equivalent = [verdict.mutant for verdict in verdicts if verdict.killer == "equivalent"]
    assert {(m.before, m.after) for m in equivalent} == set(mutation.EQUIVALENT)


@pytest.mark.nightly
def test_the_document_has_this_table(verdicts: list[Verdict]) -> None:
    # Which of the properties a run breaks first, the solver may choose differently another time.
    written = mutation.DOCUMENT.read_text(encoding="utf-8")
    assert without_details(mutation.document(verdicts)) == without_details(written)
    assert len(re.findall(DETAIL, written)) == len(verdicts)


@pytest.mark.parametrize("policies", [(1,), (2,)])
def test_the_arbiter_as_it_is_lives(policies: tuple[int, ...]) -> None:
    # What judges the mutants finds nothing wrong with the original.
    mutant = next(m for m in mutation.mutants() if m.policies == policies)
    text = mutation.original(mutant.source)
    unchanged = replace(mutant, number=0, rule="none", before="", after="", text=text)
    assert mutation.judge(unchanged) == Verdict(unchanged, "", "")


def test_an_argument_that_is_wrong_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = next(m for m in mutation.mutants() if m.rule == "not held")
    monkeypatch.setattr(
        mutation, "EQUIVALENT", {(mutant.before, mutant.after): "it does not matter"}
    )
    assert mutation.judge(mutant).killer == ""
