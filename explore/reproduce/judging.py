"""What the experiments' judged claims have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from explore.reproduce.experiment import Cell, Claim

#: By the name of a case: whether the claim holds in it, and its figure.
Cases = dict[str, tuple[bool, str]]


@dataclass(frozen=True)
class Judge:
    """Makes the claims of one paper."""

    paper: str

    def claim(
        self, where: str, claim: str, paper: Cell, ours: Cell, holds: bool, note: str = ""
    ) -> Claim:
        return Claim(self.paper, where, claim, paper, ours, bool(holds), note)

    def everywhere(
        self, where: str, claim: str, paper: Cell, cases: Cases, note: str = ""
    ) -> Claim:
        """A claim about many cases, each judged and with its figure; counter-examples are named."""
        failing = [f"{name} ({figure})" for name, (holds, figure) in cases.items() if not holds]
        ours = f"in {len(cases) - len(failing)} of {len(cases)} cases"
        if failing:
            note = f"{note}{'; ' if note else ''}not for {', '.join(failing)}"
        return self.claim(where, claim, paper, ours, bool(cases) and not failing, note)

    def with_readings(self, claim: Claim, others: Mapping[str, Cell]) -> Claim:
        """The claim with its verdict; `others`: by the name of each reading by which it holds, our
        figure."""
        if claim.holds or not others:
            return claim
        figures = "; ".join(f"{name}: {ours}" for name, ours in others.items())
        return replace(claim, verdict="holds with another reading", reading=figures)


def percent(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:.1f} %"


def signed_percent(value: float) -> str:
    """A percentage with its sign."""
    return f"{100 * value:+.1f} %"


def points(value: float) -> str:
    """A difference of two shares."""
    return f"{100 * value:+.2f} points"
