"""Mutants of the model in C++: one operator of a line is another. `./cavern mutate` tries them.

Which ones there are follows from the sources as clang-format leaves them: an operator of two sides
stands between blanks, the brackets of a template do not.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cavern.errors import InputError
from cavern.simulator import ROOT

#: What mutants are drawn from, below model/.
LAYERS = ("core", "timed", "nvme", "workload", "results")
#: Mutants that mean the same as what stands there: FILE | CHANGE | why.
EQUAL = ROOT / "tests" / "mutants.txt"

#: What may stand in the place of what.
OTHERS: dict[str, tuple[str, ...]] = {"true": ("false",), "false": ("true",), "!": ("",)}
OTHERS |= {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<")}
for one, other in ("==", "!="), ("+", "-"), ("+=", "-="), ("&&", "||"), ("++", "--"):
    OTHERS |= {one: (other,), other: (one,)}

_PLACE = re.compile(
    r"(?<=\s)(?:[<>+-]=?|[=!]=|&&|\|\|)(?=\s)|\+\+|--|\b(?:true|false)\b|!(?=[\w(:*])"
    r"|(?<![\w.'])(?<!\d[eE][+-])(?:0[xX][\da-fA-F']+|\d[\d']*)(?=[uUlL]{0,3}(?![\w.']))"
)
#: Comments, texts, lines of the preprocessor, pure virtual functions, declarations of templates.
_NO_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])+'"
    r"|^[ \t]*#(?:\\\n|[^\n])*|(?<=[)t]) = 0;|\btemplate <(?:[^<>]|<[^<>]*>)*>",
    re.DOTALL | re.MULTILINE,
)
#: The default of a member, in a header: what makes one sets most of them.
_DEFAULT = re.compile(r" = [\w']+;")


@dataclass(frozen=True)
class Mutant:
    """In `source`, the text of `file`, `after` stands from `begin` to `end`."""

    file: str
    source: str
    begin: int
    end: int
    after: str

    @property
    def text(self) -> str:
        return self.source[: self.begin] + self.after + self.source[self.end :]

    @property
    def line(self) -> int:
        return self.source.count("\n", 0, self.begin) + 1

    @property
    def change(self) -> str:
        """Its line, with what was there and what is there now."""
        before = self.source[: self.begin].rpartition("\n")[2]
        rest = self.source[self.end :].partition("\n")[0]
        was = self.source[self.begin : self.end]
        return f"{before}[[{was} => {self.after}]]{rest}".strip()


def _blank(text: str) -> str:
    return re.sub(r"[^\n\"]", " ", text)


def _message_of_check(code: str, begin: int) -> tuple[int, int]:
    """From where to where it stands in the brackets that open at `begin`."""
    depth = comma = 0
    for at in range(begin, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return comma or at, at
        if depth == 1 and code[at] == "," and comma == 0:
            comma = at
    return begin, begin


def code_of(source: str, header: bool = False) -> str:
    """With blanks where nothing is changed. The quotes of texts stay."""
    code = _NO_CODE.sub(lambda found: _blank(found[0]), source)
    if header:
        code = _DEFAULT.sub(lambda found: _blank(found[0]), code)
    for check in re.finditer(r"\bCAVERN_CHECK(?=\()", code):
        begin, end = _message_of_check(code, check.end())
        code = code[:begin] + _blank(code[begin:end]) + code[end:]
    return code


def mutants_of(file: str, source: str) -> dict[int, list[Mutant]]:
    """By line."""
    code = code_of(source, file.endswith(".h"))
    lines = code.split("\n")
    found: dict[int, list[Mutant]] = defaultdict(list)
    for place in _PLACE.finditer(code):
        line = code.count("\n", 0, place.start())
        if place[0][0].isdigit():
            value = int(place[0].replace("'", ""), 0)
            others = tuple(str(each) for each in (value + 1, value - 1) if each >= 0)
        elif place[0] in ("+", "+=") and re.search(r"\"|to_string\(", lines[line]):
            continue  # texts have no difference
        else:
            others = OTHERS[place[0]]
        found[line] += [Mutant(file, source, *place.span(), other) for other in others]
    return found


def draw(seed: int, root: Path = ROOT) -> Iterator[Mutant]:
    """One for each line that has any, in an order that the seed gives."""
    files = [file for layer in LAYERS for file in sorted((root / "model" / layer).rglob("*.*"))]
    lines = [
        mutants
        for file in files
        if file.suffix in (".cpp", ".h")
        for mutants in mutants_of(
            file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")
        ).values()
    ]
    generator = random.Random(seed)
    generator.shuffle(lines)
    for mutants in lines:
        yield generator.choice(mutants)


def equal_in_meaning(path: Path = EQUAL) -> dict[tuple[str, str], str]:
    """File and change of each in the list, and why."""
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        file, _, rest = line.partition(" | ")
        change, _, reason = rest.rpartition(" | ")
        if not (file and change and reason.strip()):
            raise InputError(path, number, "no mutant", "FILE | CHANGE | why it means the same")
        found[file, change] = reason
    return found
