"""power.csv: what each part of a drive takes, period by period."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cavern.errors import InputError
from cavern.reading.packed import opened
from numpy.typing import NDArray

PARTS = ("nand", "bus", "dram", "link", "controller")
COLUMNS = ("time_ns", "period_ns", *(f"{part}_w" for part in PARTS))


@dataclass(frozen=True)
class Power:
    """Edges of the periods in ns, and the watts of each part that is known."""

    edges: NDArray[np.float64]
    watts: dict[str, NDArray[np.float64]]


def read_power(path: Path) -> Power:
    """Reads the whole file; an empty field is a part that is not known."""
    try:
        with opened(path) as file:
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise InputError(path, 1, f"cannot be read ({error.strerror})", "expected a file") from None
    if not lines or lines[0].split(",") != list(COLUMNS):
        raise InputError(path, 1, "another header", f"expected {','.join(COLUMNS)}")
    rows = []
    for line, fields in enumerate((text.split(",") for text in lines[1:]), 2):
        if len(fields) != len(COLUMNS):
            raise InputError(path, line, f"{len(fields)} fields", f"expected {len(COLUMNS)}")
        rows.append([_number(path, line, *pair) for pair in zip(COLUMNS, fields, strict=True)])
    table = np.array(rows, dtype=np.float64).reshape(-1, len(COLUMNS))
    begins, lengths = table[:, 0], table[:, 1]
    wrong = np.flatnonzero((lengths <= 0) | (np.diff(begins, append=np.inf) <= 0))
    if len(wrong):
        raise InputError(path, 2 + int(wrong[0]), "periods out of order", "expected each later")
    edges = np.append(begins, begins[-1] + lengths[-1]) if len(begins) else np.zeros(1)
    watts = {part: table[:, 2 + index] for index, part in enumerate(PARTS)}
    return Power(edges, {part: row for part, row in watts.items() if np.isfinite(row).all()})


def _number(path: Path, line: int, name: str, text: str) -> float:
    if not text and name.endswith("_w"):
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise InputError(path, line, f'{name} is "{text}"', "expected a number, at least 0")
    return value
