"""What the experiments' judged claims have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from papers.experiment import Cell, Claim

#: By the name of a case: whether the claim holds in it, and its figure.
Cases = dict[str, tuple[bool, str]]


@dataclass(frozen=True)
class Judge:
    """Makes the claims of one paper."""

    paper: str

    def claim(
        self,
        where: str,
        claim: str,
        paper: Cell,
        ours: Cell,
        holds: bool,
        note: str = "",
        **more: Any,
    ) -> Claim:
        """`more`: kind, decided_by, others, fitted and fit_by of the claim."""
        return Claim(self.paper, where, claim, paper, ours, bool(holds), note, **more)

    def everywhere(
        self, where: str, claim: str, paper: Cell, cases: Cases, note: str = "", **more: Any
    ) -> Claim:
        """A claim about many cases, each judged and with its figure; counter-examples are named."""
        failing = [f"{name} ({figure})" for name, (holds, figure) in cases.items() if not holds]
        ours = f"in {len(cases) - len(failing)} of {len(cases)} cases"
        if failing:
            note = f"{note}{'; ' if note else ''}not for {', '.join(failing)}"
        return self.claim(where, claim, paper, ours, bool(cases) and not failing, note, **more)


def count_of(claims: Sequence[Claim]) -> str:
    """How many of the paper's claims hold, and in which sense; then what is not the paper's."""
    texts = []
    if counted := [claim for claim in claims if claim.kind == "claim"]:
        held = sum(claim.verdict == "holds" for claim in counted)
        texts.append(f"{held} of {len(counted)} claims hold")
        if by_fit := sum(claim.verdict == "holds by fit" for claim in counted):
            texts.append(f"{by_fit} more by fit")
        for kind in ("reading", "workload"):
            if more := sum(claim.verdict.endswith(f"another {kind}") for claim in counted):
                texts.append(f"{more} more with another {kind}")
    for other in ("assumption", "control", "addition"):
        if of_kind := [claim for claim in claims if claim.kind == other]:
            held = sum(claim.holds for claim in of_kind)
            texts.append(f"{held} of {len(of_kind)} {other}s hold")
    return ", ".join(texts)


def percent(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:.1f} %"


def signed_percent(value: float) -> str:
    """A percentage with its sign."""
    return f"{100 * value:+.1f} %"


def points(value: float) -> str:
    """A difference of two shares."""
    return f"{100 * value:+.2f} points"
