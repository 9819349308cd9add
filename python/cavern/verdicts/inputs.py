"""What runs played: figures of different inputs do not compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any

#: A field of a run's summary by its dotted name; None where it has none.
Get = Callable[[str], Any]

CONTENT, INPUT = "content of the input", "input"
#: What must be the same: what a reader calls it, and its fields, the first that a summary has.
PLAYED = (
    (CONTENT, ("run.input.sha256",)),
    (INPUT, ("run.input.path", "trace")),
    ("limit", ("run.input.limit",)),
    ("warm-up", ("run.input.warmup",)),
    ("requests", ("sim.requests",)),
)


def alike(first: Get, second: Get) -> bool:
    """Whether two runs played the same, so that one may be called better than the other."""
    return not differences([("", first), ("", second)])


def differences(runs: Sequence[tuple[str, Get]]) -> list[str]:
    """A sentence for each thing in which the runs, with their names, played something else; none
    for equal inputs.

    The name alone does not count: one file may lie in two places."""
    values = {name: [_value(get, fields) for _, get in runs] for name, fields in PLAYED}
    contents = values.pop(CONTENT)
    same_content = None not in contents and len(set(contents)) == 1
    if same_content:
        del values[INPUT]
    else:
        values[INPUT] = [None if one is None else PurePath(str(one)).name for one in values[INPUT]]
    found = [
        f"{name}: "
        + ", ".join(f"{run} {_text(one)}" for (run, _), one in zip(runs, of, strict=True))
        for name, of in values.items()
        if len(set(of)) > 1
    ]
    if not found and len(set(contents) - {None}) > 1:
        found.append(f"{CONTENT}, under one name")
    return found


def _value(get: Get, fields: Sequence[str]) -> Any:
    for field in fields:
        value = get(field)
        if isinstance(value, str | int | float):
            return value
    return None


def _text(value: Any) -> str:
    if value is None:
        return "not said"
    return f"{value:,}" if isinstance(value, int) else str(value)
