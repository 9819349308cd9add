"""What a name stands for: a drive, workload or trace of one's own, or one that comes with Cavern.

model/config/file_names.h has the same rule for the program; tests/cli/test_names.py compares them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cavern.simulator import ROOT


@dataclass(frozen=True)
class Kind:
    """A kind of file: where those are that come with Cavern, and the ending that a name may lack.
    `elsewhere`: the folder of CAVERN_TRACES may have more of them."""

    what: str
    folder: str
    ending: str
    elsewhere: bool = True


DRIVE = Kind("drive", "configs", ".toml", elsewhere=False)
WORKLOAD = Kind("workload", "traces/workloads", ".toml")
TRACE = Kind("trace", "traces", ".csv.xz")
KINDS = {kind.what: kind for kind in (DRIVE, WORKLOAD, TRACE)}
#: More names than these help nobody.
MOST_SUGGESTED = 3


def find(kind: Kind, name: str | Path, beside: Sequence[Path] = (Path(),)) -> Path | None:
    """The file that somebody calls `name`: the first of

    1. that file, seen from each of the folders `beside`;
    2. that file in the folder that the environment variable CAVERN_TRACES names (no drive);
    3. the one that comes with Cavern, with or without its folder before it and its ending behind
       it: "cave" is configs/cave.toml.

    None where there is no such file."""
    places = [folder / name for folder in beside]
    if kind.elsewhere and os.environ.get("CAVERN_TRACES"):
        places.append(Path(os.environ["CAVERN_TRACES"]) / name)
    folder, last = os.path.split(name)
    if last and folder in ("", kind.folder):
        places += [ROOT / kind.folder / last, ROOT / kind.folder / f"{last}{kind.ending}"]
    # Path.is_file raises where a name is too long.
    return next((place for place in places if os.path.isfile(place)), None)


def shipped(kind: Kind) -> list[str]:
    """The names of those that come with Cavern."""
    found = sorted((ROOT / kind.folder).glob(f"*{kind.ending}"))
    return [path.name.removesuffix(kind.ending) for path in found]


def suggestion(kind: Kind, name: str | Path) -> str:
    """Which of them may be meant by a name that is none: `did you mean "cave"? `, or nothing."""
    folder, word = os.path.split(name)
    if folder not in ("", kind.folder):
        return ""  # what lies in a folder of one's own is none of them
    word = word.removesuffix(kind.ending)
    names = shipped(kind)
    near = closest(word, names)
    meant = [near]
    if not near or not _has_letters_of(word, near):
        meant = [one for one in names if len(word) > 2 and word in one]
    quoted = [f'"{one}"' for one in meant[:MOST_SUGGESTED]]
    if not quoted:
        return ""
    listed = " or ".join([*([", ".join(quoted[:-1])] if quoted[1:] else []), quoted[-1]])
    return f"did you mean {listed}? "


def _has_letters_of(word: str, name: str) -> bool:
    """A short name is two edits from many: most letters have to be the same ones."""
    missing = sum(word.count(letter) > name.count(letter) for letter in word)
    return missing <= max(1, len(word) // 3)


def closest(word: str, candidates: Iterable[str]) -> str:
    """The candidate that `word` is most likely a slip of, else "": at most a third of its letters,
    or two, are changed. Of equals the first wins."""
    most = min(max(2, len(word) // 3), len(word) - 1)
    alike = [one for one in candidates if abs(len(one) - len(word)) <= most]
    counted = [(_edits(word, one), one) for one in alike]
    edits, name = min(counted, key=lambda pair: pair[0], default=(most + 1, ""))
    return name if edits <= most else ""


def _edits(a: str, b: str) -> int:
    """Letters to insert, drop or replace (Levenshtein)."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            before, row[j] = row[j], min(before + (letter != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]
