"""What runs say about how far their numbers carry, once for all runs that say it."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: With thousands separated or not; not the 99 of "p99.9", which is a name.
_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
#: More runs than these are counted rather than named.
MOST_NAMED = 4

#: A run's name, and its warnings.
Said = tuple[str, Sequence[str]]


def told_once(said: Sequence[Said]) -> list[str]:
    """A sentence for each warning, in the order of appearance, with the runs that have it in front;
    nothing in front where there is one run.

    Warnings that differ in their numbers alone are one, with the least and the greatest number."""
    kinds: dict[str, dict[int, list[str]]] = {}
    for run, (_, warnings) in enumerate(said):
        for warning in warnings:
            kinds.setdefault(_NUMBER.sub("#", warning), {}).setdefault(run, []).append(warning)
    found = []
    for same in kinds.values():
        text = _joined([warning for warnings in same.values() for warning in warnings])
        found.append(f"{_who(said, list(same))}: {text}" if len(said) > 1 else text)
    return found


def _who(said: Sequence[Said], runs: Sequence[int]) -> str:
    if len(runs) == len(said):
        return f"all {len(said):,} runs" if len(said) > 2 else "both runs"
    if len(runs) > MOST_NAMED:
        return f"{len(runs):,} of {len(said):,} runs"
    return ", ".join(said[run][0] for run in runs)


def _joined(texts: Sequence[str]) -> str:
    numbers = [_NUMBER.findall(text) for text in texts]
    columns = iter(zip(*numbers, strict=True))

    def spread(_: re.Match[str]) -> str:
        column = sorted(set(next(columns)), key=lambda number: float(number.replace(",", "")))
        return column[0] if len(column) == 1 else f"{column[0]} to {column[-1]}"

    return _NUMBER.sub(spread, texts[0])
