"""What a sweep or a search says of its page, kept in the metadata of its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cavern.plots.metrics import METRICS, NEITHER, Metric

SWEEP, SEARCH = "sweep", "search"


@dataclass(frozen=True)
class Suggestion:
    """A run worth doing next: what, why, and the command that does it."""

    text: str
    why: str
    command: str


@dataclass(frozen=True)
class About:
    """What the table itself does not say. `commands` repeat the work, `spec` is its description,
    `looked_at` what of the whole was run."""

    kind: str = SWEEP
    commands: Sequence[str] = ()
    spec: str = ""
    looked_at: str = ""
    suggestions: Sequence[Suggestion] = ()
    aims: Sequence[Metric] = field(default_factory=tuple)

    def told(self) -> dict[str, Any]:
        """For the metadata."""
        return {
            "kind": self.kind,
            "commands": list(self.commands),
            "looked_at": self.looked_at,
            "suggestions": [[one.text, one.why, one.command] for one in self.suggestions],
            "aims": [one.field for one in self.aims],
        }


def about_of(told: dict[str, Any], commands: Sequence[str], spec: str) -> About:
    """Back again; `commands` are those where none are told. What is damaged is left out."""
    suggested = [one for one in _list(told, "suggestions") if isinstance(one, list)]
    known = {one.field: one for one in METRICS if one.better != NEITHER}
    return About(
        SEARCH if told.get("kind") == SEARCH else SWEEP,
        [str(one) for one in _list(told, "commands")] or commands,
        spec,
        str(told.get("looked_at") or ""),
        [Suggestion(*map(str, one)) for one in suggested if len(one) == 3],
        [known[name] for name in map(str, _list(told, "aims")) if name in known],
    )


def _list(told: dict[str, Any], name: str) -> list[Any]:
    found = told.get(name)
    return found if isinstance(found, list) else []
