"""The values of an axis: their order, and which figures over them may be averaged."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

_QUANTITY = re.compile(r"(\d+(?:\.\d+)?) *([A-Za-zµμ%/]*)")
#: What each unit of a configuration measures, and its length in the smallest of its kind.
_UNITS = {
    **{f"{p}B": ("size", f) for p, f in (("", 1), ("k", 1e3), ("K", 1e3), ("M", 1e6), ("G", 1e9))},
    **{f"{p}iB": ("size", 2.0 ** (10 * (i + 1))) for i, p in enumerate("KMGT")},
    "TB": ("size", 1e12),
    **{f"{p}s": ("time", f) for p, f in (("", 1), ("m", 1e-3), ("n", 1e-9), ("p", 1e-12))},
    **{f"{p}s": ("time", 1e-6) for p in "uµμ"},
    **{f"{p}T/s": ("rate", f) for p, f in (("M", 1e6), ("G", 1e9))},
    **{f"{p}Hz": ("frequency", f) for p, f in (("", 1), ("k", 1e3), ("M", 1e6), ("G", 1e9))},
    **{f"{p}V": ("voltage", f) for p, f in (("m", 1e-3), ("", 1))},
    **{f"{p}A": ("current", f) for p, f in (("n", 1e-9), ("u", 1e-6), ("m", 1e-3), ("", 1))},
    **{f"{p}W": ("power", f) for p, f in (("u", 1e-6), ("m", 1e-3), ("", 1))},
    **{f"{p}J": ("energy", f) for p, f in (("f", 1e-15), ("p", 1e-12), ("n", 1e-9), ("u", 1e-6))},
    "%": ("number", 0.01),
    "": ("number", 1),
}
#: Cells with a smaller share of the partners that the fullest one has take no part in a comparison;
#: where fewer cells or fewer figures than this share would be left, there is none.
LEAST_FILLED = 0.5

Key = TypeVar("Key", bound=Hashable)
Partner = TypeVar("Partner", bound=Hashable)


def quantity(value: Any) -> tuple[str, float] | None:
    """What a value measures, and how much of it, such as a size and its bytes; None for a name or
    a truth value. Units are those of configurations (docs/configuration.md)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return "number", float(value)
    match = _QUANTITY.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    per_second = match[2].endswith("B/s")
    unit = _UNITS.get(match[2].removesuffix("/s") if per_second else match[2])
    if unit is None:
        return None
    return "rate" if per_second else unit[0], float(match[1]) * unit[1]


def quantities(values: Sequence[Any]) -> list[float] | None:
    """How much each value is, where all measure the same; else None: these are names, and nothing
    lies between two of them."""
    found = [quantity(value) for value in values]
    if any(one is None for one in found) or len({one[0] for one in found if one}) != 1:
        return None
    return [one[1] for one in found if one]


def rising(values: Sequence[Any]) -> bool:
    """Whether they are quantities that only rise or only fall: neighbours are alike."""
    found = quantities(values)
    return found is not None and found in (sorted(found), sorted(found, reverse=True))


def in_order(seen: Sequence[Key], told: Sequence[Key]) -> list[Key]:
    """What was seen, in the order of what was told; what was not told of comes last."""
    known = set(seen)
    return [
        *(one for one in told if one in known),
        *dict.fromkeys(o for o in seen if o not in told),
    ]


def alike(
    cells: Mapping[Key, Mapping[Partner, list[float]]],
) -> dict[Key, dict[Partner, list[float]]]:
    """The figures of each cell that compare with those of every other one: cells are given as
    partners (the values of all other axes) with their figures, and only partners that all cells
    have are taken. Cells with few partners are left out, so that one does not spoil the others.
    Empty where that leaves too little: a mean of each cell would compare runs that differ in other
    things than the cells do."""
    most = max((len(partners) for partners in cells.values()), default=0)
    full = {key: own for key, own in cells.items() if len(own) >= LEAST_FILLED * most}
    if not most or len(full) < LEAST_FILLED * len(cells):
        return {}
    common = set.intersection(*(set(own) for own in full.values()))
    found = {
        key: {partner: own[partner] for partner in own if partner in common}
        for key, own in full.items()
    }
    total = sum(len(values) for own in cells.values() for values in own.values())
    kept = sum(len(values) for own in found.values() for values in own.values())
    return found if common and kept >= LEAST_FILLED * total else {}
