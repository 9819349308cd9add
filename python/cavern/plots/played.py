"""What the runs played: numbers of different inputs do not compare."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from cavern.plots.results import Run

#: What must be the same, the first that the summary has: field, and what a reader calls it.
INPUT = (
    (("run.input.sha256",), "content of the input"),
    (("run.input.path", "trace"), "input"),
    (("run.input.limit",), "limit"),
    (("run.input.warmup",), "warm-up"),
    (("sim.requests",), "requests"),
)


def differences_of_input(runs: Sequence[Run]) -> list[str]:
    """A sentence for each thing in which the runs played something else; none for equal inputs.

    The name alone does not count: one file may lie in two places."""
    found = []
    same_content = False
    for fields, name in INPUT:
        values = [_value(run, fields) for run in runs]
        if all(value is None for value in values):
            continue
        if name == "content of the input":
            same_content = None not in values and len(set(values)) == 1
            continue
        if name == "input":
            if same_content:
                continue
            values = [PurePath(str(value)).name if value is not None else None for value in values]
        if len(set(values)) > 1:
            each = ", ".join(
                f"{run.name} {_text(value)}" for run, value in zip(runs, values, strict=True)
            )
            found.append(f"{name}: {each}")
    if not found and not same_content and _contents_differ(runs):
        found.append("content of the input, under one name")
    return found


def _contents_differ(runs: Sequence[Run]) -> bool:
    known = {_value(run, ["run.input.sha256"]) for run in runs} - {None}
    return len(known) > 1


def _value(run: Run, fields: Sequence[str]) -> Any:
    for field in fields:
        value = run.summary.get(field)
        if isinstance(value, str | int | float):
            return value
    return None


def _text(value: Any) -> str:
    if value is None:
        return "not said"
    return f"{value:,}" if isinstance(value, int) else str(value)
