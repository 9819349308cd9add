"""The claims of a paper: in which sense one holds, which are counted, and what was fitted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from papers.experiment import (
    Claim,
    Fitted,
    Other,
    Outcome,
    check_claims,
    write_claims,
)
from papers.judging import Judge, count_of

READ = Other("reading", "sum", 7, True)
PLAY = Other("workload", "clustered", 8, True)


def test_verdict_says_in_which_sense_a_claim_holds() -> None:
    judge = Judge("p")
    right = judge.claim("w", "c", 1, 1, True)
    wrong = judge.claim("w", "c", 1, 2, False)
    assert (right.verdict, wrong.verdict) == ("holds", "does not hold")
    fails = tuple(replace(other, holds=False) for other in (READ, PLAY))
    for others, verdict, reading, workload in (
        (fails, "does not hold", "", ""),
        ((fails[0], PLAY), "holds with another workload", "", "clustered: 8"),
        ((PLAY, READ), "holds with another reading", "sum: 7", "clustered: 8"),
    ):
        other = replace(wrong, others=others)
        assert other.verdict == verdict
        assert (other.holding("reading"), other.holding("workload")) == (reading, workload)
        assert (other.holds, other.ours) == (False, 2)  # the old verdict stays
        assert replace(right, others=others).verdict == "holds"


def test_what_was_chosen_so_that_it_holds_does_so_by_fit() -> None:
    judge = Judge("p")
    held = judge.claim("w", "c", 1, 1, True, decided_by="f", fitted=("a", "b"), fit_by=("a",))
    assert (held.verdict, replace(held, fit_by=()).verdict) == ("holds by fit", "holds")
    # What was chosen in vain is a claim like any other.
    assert replace(held, holds=False).verdict == "does not hold"
    assert replace(held, holds=False, others=(READ,)).verdict == "holds with another reading"
    assert count_of([held, replace(held, fit_by=())]) == "1 of 2 claims hold, 1 more by fit"
    values = [
        Fitted(name, "1", "guessed", tuple(Outcome(value, "c", 1, True) for value in "12"))
        for name in "ab"
    ]
    check_claims([held], values)
    with pytest.raises(LookupError, match="'c' was fitted by what it does not depend on"):
        check_claims([replace(held, fitted=("b",))], values)


def test_only_claims_of_the_paper_are_counted() -> None:
    judge = Judge("p")
    claims = [
        judge.claim("w", "a", 1, 1, True),
        judge.claim("w", "b", 1, 2, False),
        judge.claim("w", "c", 1, 2, False, others=(READ,)),
        judge.claim("w", "d", 1, 2, False, others=(PLAY,)),
        judge.claim("w", "e", 1, 1, True, kind="addition"),
        judge.claim("w", "f", 1, 1, True, kind="control"),
        judge.claim("w", "g", 1, 2, False, kind="assumption", others=(READ,)),
    ]
    assert count_of(claims) == (
        "1 of 4 claims hold, 1 more with another reading, 1 more with another workload, "
        "0 of 1 assumptions hold, 1 of 1 controls hold, 1 of 1 additions hold"
    )
    assert count_of(claims[4:5]) == "1 of 1 additions hold"


def test_a_fitted_value_is_shown_over_a_range_for_each_claim_on_it() -> None:
    claim = Judge("p").claim("w", "c", 1, 1, True, decided_by="figure f", fitted=("range",))

    def fit(*outcomes: tuple[str, str]) -> list[Fitted]:
        found = tuple(Outcome(value, of, 1, True) for value, of in outcomes)
        return [Fitted("range", "16MiB", "the first that fits", found)]

    check_claims([claim], fit(("8MiB", "c"), ("16MiB", "c")))
    for fitted, what in (
        ([], "not listed"),
        (fit(("16MiB", "c")), "not judged over a range"),
        (fit(("8MiB", "c"), ("32MiB", "c")), "not judged over a range"),
        (fit(("8MiB", "d"), ("16MiB", "d")), "not judged over a range"),
    ):
        with pytest.raises(LookupError, match=what):
            check_claims([claim], fitted)


def test_a_claim_without_its_experiment_is_refused() -> None:
    claim = Judge("p").claim("w", "c", 1, 1, True)
    with pytest.raises(LookupError, match="no experiment decides 'c'"):
        check_claims([claim], [])
    check_claims([replace(claim, decided_by="figure f")], [])


def test_claims_are_written_with_their_verdicts(tmp_path: Path) -> None:
    claim = Claim("p", "w", "c", 1, 2.5, False, "n", decided_by="figure f")
    fit = Fitted("x", "1", "guessed", (Outcome("1", "c", 2, True),))
    write_claims([replace(claim, others=(READ,))], [fit], tmp_path)
    assert json.loads((tmp_path / "fitted.json").read_text()) == [
        {
            "name": "x",
            "value": "1",
            "why": "guessed",
            "outcomes": [{"value": "1", "claim": "c", "ours": 2, "holds": True}],
        }
    ]
    assert json.loads((tmp_path / "claims.json").read_text()) == [
        {
            "paper": "p",
            "where": "w",
            "claim": "c",
            "paper_value": 1,
            "ours": 2.5,
            "holds": False,
            "note": "n",
            "kind": "claim",
            "decided_by": "figure f",
            "others": [{"kind": "reading", "name": "sum", "ours": 7, "holds": True}],
            "fitted": [],
            "fit_by": [],
            "verdict": "holds with another reading",
            "reading": "sum: 7",
            "workload": "",
        }
    ]
