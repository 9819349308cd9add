"""What runs say about how far their numbers carry, once for all runs that say it."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"\d+(?:\.\d+)?")

#: A run's name, and its warnings.
Said = tuple[str, Sequence[str]]


def told_once(said: Sequence[Said]) -> list[str]:
    """A sentence for each warning, in the order of appearance, with the runs that have it in front;
    nothing in front where there is one run.

    Warnings that differ in their numbers alone are one, with the least and the greatest number."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for name, warnings in said:
        for warning in warnings:
            kinds.setdefault(_NUMBER.sub("#", warning), []).append((name, warning))
    found = []
    for same in kinds.values():
        names = list(dict.fromkeys(name for name, _ in same))
        text = _joined([warning for _, warning in same])
        every = f"all {len(said)} runs" if len(said) > 2 else "both runs"
        who = every if len(names) == len(said) else ", ".join(names)
        found.append(f"{who}: {text}" if len(said) > 1 else text)
    return found


def _joined(texts: Sequence[str]) -> str:
    numbers = [_NUMBER.findall(text) for text in texts]
    columns = iter(zip(*numbers, strict=True))

    def spread(_: re.Match[str]) -> str:
        column = sorted(set(next(columns)), key=float)
        return column[0] if len(column) == 1 else f"{column[0]} to {column[-1]}"

    return _NUMBER.sub(spread, texts[0])
