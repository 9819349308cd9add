"""requests.csv, packed or not: a row per request, read in bulk; a fault is named by its line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
from cavern.errors import InputError
from cavern.plots.columns import COLUMNS, MAX_DIGITS, PARTS, whole
from cavern.reading.packed import opened
from numpy.typing import NDArray

if TYPE_CHECKING:
    from cavern.plots.windows import Windows

OPS = {"R": 0, "W": 1, "T": 2, "F": 3, "Z": 4}
READ, WRITE, TRIM, FLUSH, ZONE = OPS.values()
OP_NAMES = {READ: "read", WRITE: "write", TRIM: "trim", FLUSH: "flush"}
OP_NAMES[ZONE] = "command on a zone"
_LETTERS = "".join(OPS).encode()

CHUNK_BYTES = 8 << 20
_OP_DIGITS = bytes.maketrans(_LETTERS, b"01234")

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


#: Some rows of the file, by column.
Block = dict[str, IntArray]


@dataclass(frozen=True)
class Requests:
    """The columns of requests.csv as arrays of equal length, in file order; times in ns."""

    columns: Block

    def __len__(self) -> int:
        return len(self.columns["op"])

    def __getitem__(self, name: str) -> IntArray:
        return self.columns[name]

    def of(self, op: int) -> Requests:
        """The requests of one kind."""
        chosen = self.columns["op"] == op
        return Requests({name: values[chosen] for name, values in self.columns.items()})

    @property
    def kinds(self) -> list[int]:
        """READ and WRITE, those that occur."""
        return [op for op in (READ, WRITE) if bool((self.columns["op"] == op).any())]

    # What figures ask of them. Digest answers the same for runs that are too long for memory.

    @property
    def span(self) -> tuple[int, int]:
        """First arrival and last completion."""
        return int(self["arrival_ns"].min()), int(self["complete_ns"].max())

    def latency_counts(self) -> tuple[IntArray, IntArray]:
        """The latencies in ascending order, and how often each occurs."""
        values, counts = np.unique(self["latency_ns"], return_counts=True)
        return values, counts

    def mean_parts(self) -> dict[str, float]:
        """Mean of each part, in ns."""
        return {part: float(self[part].mean()) for part in PARTS}

    def parts_between(self, first: int, last: int) -> dict[str, float]:
        """The same over those whose rank by latency is from `first` to before `last`."""
        chosen = np.argsort(self["latency_ns"], kind="stable")[first:last]
        return {part: float(self[part][chosen].mean()) for part in PARTS}

    def slowest(self, most: int) -> list[dict[str, int]]:
        """The slowest of them, the slowest first; of equal ones the first."""
        latency = self["latency_ns"]
        order = np.lexsort((np.arange(len(latency)), -latency))[:most]
        return [{name: int(values[i]) for name, values in self.columns.items()} for i in order]

    def window_sums(self, windows: Windows, column: str) -> FloatArray:
        where = windows.index(self["complete_ns"])
        sums = np.bincount(where, weights=self[column], minlength=windows.count)
        return sums.astype(np.float64)

    def window_counts(self, windows: Windows) -> IntArray:
        return np.bincount(windows.index(self["complete_ns"]), minlength=windows.count)

    def window_percentiles(self, windows: Windows, shares: list[float]) -> FloatArray:
        where = windows.index(self["complete_ns"])
        order = np.lexsort((self["latency_ns"], where))
        latency = self["latency_ns"][order]
        ends = np.cumsum(np.bincount(where, minlength=windows.count))
        result = np.full((len(shares), windows.count), np.nan)
        begin = 0
        for window, end in enumerate(ends):
            if end > begin:
                ranks = [nearest_rank(share, int(end - begin)) for share in shares]
                result[:, window] = latency[begin + np.array(ranks)]
            begin = end
        return result


def nearest_rank(share: float, count: int) -> int:
    """Index, in sorted order, of the smallest value that `share` of all values do not exceed."""
    # 0.999 * 1000 is 999.0000000000001 in binary; the slack keeps it rank 999.
    return min(max(int(np.ceil(share * count - 1e-9)), 1), count) - 1


def read_requests(path: Path) -> Requests:
    """Reads the whole file; columns beyond COLUMNS are ignored, their order is free."""
    blocks = list(read_blocks(path))
    if not blocks:
        return Requests({name: np.empty(0, np.int64) for name in COLUMNS})
    return Requests({name: np.concatenate([block[name] for block in blocks]) for name in COLUMNS})


def read_blocks(path: Path) -> Iterator[Block]:
    """The file in parts, in its order: memory is that of one part."""
    try:
        with opened(path) as file:
            yield from _read(path, file)
    except OSError as error:
        raise InputError(path, 1, f"cannot be read ({error.strerror})", "expected a file") from None


def _read(path: Path, file: IO[bytes]) -> Iterator[Block]:
    header = file.readline()
    names = header.decode("utf-8", "replace").strip().split(",")
    for name in COLUMNS:
        if names.count(name) != 1:
            fault = "is missing" if name not in names else "occurs twice"
            expected = f"expected the header {','.join(COLUMNS)}"
            raise InputError(path, 1, f'column "{name}" {fault}', expected)
    order = [names.index(name) for name in COLUMNS]
    line = 2
    while chunk := file.read(CHUNK_BYTES):
        chunk += file.readline()
        block = _parse_fast(chunk, len(names), names.index("op"))
        if block is None:
            block = _parse_with_care(path, line, chunk, names)
        else:
            block = block[:, order]
        _check(path, line, block)
        yield dict(zip(COLUMNS, np.ascontiguousarray(block.T), strict=True))
        line += len(block)


def _parse_fast(chunk: bytes, width: int, op_column: int) -> IntArray | None:
    """All rows at once where every field is a plain number; None hands over to the careful way.

    The shape is checked on the bytes: np.fromstring alone would accept rows of uneven length.
    """
    if not chunk.endswith(b"\n"):
        return None
    text = np.frombuffer(chunk, dtype=np.uint8)
    separators = np.flatnonzero((text == ord(",")) | (text == ord("\n")))
    if len(separators) % width != 0:
        return None
    ends = separators.reshape(-1, width)
    if not (text[ends[:, -1]] == ord("\n")).all() or (text[ends[:, :-1]] == ord("\n")).any():
        return None
    lengths = np.diff(separators, prepend=-1) - 1
    if lengths.min() < 1 or lengths.max() > MAX_DIGITS:
        return None
    letters = np.flatnonzero(text >= ord("A"))
    begins = ends[:, op_column - 1] + 1 if op_column else np.append(0, ends[:-1, -1] + 1)
    if len(letters) != len(ends) or (letters != begins).any():
        return None
    if (ends[:, op_column] - begins != 1).any() or not np.isin(text[letters], list(_LETTERS)).all():
        return None
    other = (text < ord("0")) | (text > ord("9"))
    if other.sum() != len(separators) + len(letters):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            digits = chunk.translate(_OP_DIGITS).replace(b"\n", b",").rstrip(b",")
            values = np.fromstring(digits, dtype=np.int64, sep=",")
    except (ValueError, DeprecationWarning):
        return None
    return values.reshape(-1, width) if len(values) == len(separators) else None


def _parse_with_care(path: Path, first_line: int, chunk: bytes, names: list[str]) -> IntArray:
    """Row by row: finds the line to blame, or reads what the fast way does not understand."""
    rows = []
    for line, text in enumerate(
        chunk.decode("utf-8", "replace").removesuffix("\n").split("\n"), first_line
    ):
        fields = text.split(",") if text else []
        if len(fields) != len(names):
            what = f"{len(fields)} fields"
            raise InputError(path, line, what, f"expected {len(names)}, as in the header")
        row = dict(zip(names, fields, strict=True))
        rows.append([_field(path, line, name, row[name]) for name in COLUMNS])
    return np.array(rows, dtype=np.int64).reshape(-1, len(COLUMNS))


def _field(path: Path, line: int, name: str, text: str) -> int:
    if name == "op":
        if text not in OPS:
            raise InputError(path, line, f'op is "{text}"', "expected R, W, T or F")
        return OPS[text]
    number = whole(text)
    if number is None:
        what = f'{name} is "{text}"'
        raise InputError(path, line, what, "expected a whole number, 0 to 10^18 - 1")
    return number


def _check(path: Path, first_line: int, block: IntArray) -> None:
    """The relations every row keeps; without them the figures would not mean what they say."""
    column = {name: block[:, index] for index, name in enumerate(COLUMNS)}
    parts = np.sum([column[name] for name in PARTS], axis=0)
    wrong = np.flatnonzero(parts != column["latency_ns"])
    if len(wrong):
        row = int(wrong[0])
        what = f"the parts add up to {parts[row]} ns, latency_ns is {column['latency_ns'][row]}"
        raise InputError(path, first_line + row, what, "expected them to be equal")
    wrong = np.flatnonzero(column["complete_ns"] < column["arrival_ns"])
    if len(wrong):
        what = "complete_ns is before arrival_ns"
        raise InputError(path, first_line + int(wrong[0]), what, "expected it at or after")
    wrong = np.flatnonzero(column["hits"] > column["pages"])
    if len(wrong):
        line = first_line + int(wrong[0])
        raise InputError(path, line, "more hits than pages", "expected hits <= pages")
