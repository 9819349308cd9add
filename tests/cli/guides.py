"""The code that a guide gives: whole files, and changes of files of the tree."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.cli.programs import ROOT

#: The text before a block names the file, which is new.
NAMED = re.compile(r"(?:The \w+, (?:in )?)?`((?:model|tests)/\S+\.(?:h|cpp))`")


@dataclass(frozen=True)
class Hunk:
    """Lines of a file of the tree, and what they become."""

    before: str
    after: str


@dataclass
class Guide:
    """What a page of docs/ adds to the tree."""

    page: Path
    new: dict[str, str]
    changed: dict[str, list[Hunk]]

    @property
    def files(self) -> list[str]:
        return sorted([*self.new, *self.changed])

    def changes(self, file: str) -> str:
        """The file with its hunks, each of which stands in it once."""
        text = (ROOT / file).read_text(encoding="utf-8")
        for hunk in self.changed[file]:
            assert text.count(hunk.before) == 1, f"{file}: {hunk.before}"
            text = text.replace(hunk.before, hunk.after)
        return text

    def apply(self, tree: Path) -> None:
        texts = self.new | {file: self.changes(file) for file in self.changed}
        for file, text in texts.items():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text(text, encoding="utf-8")


def read(page: str | Path) -> Guide:
    """`page`: of docs/, or anywhere."""
    guide = Guide(ROOT / "docs" / page, {}, {})
    path = ""
    language: str | None = None
    code: list[str] = []
    for line in guide.page.read_text(encoding="utf-8").splitlines(keepends=True):
        if language is None:
            if line.startswith("```"):
                language, code = line[3:].strip(), []
            elif named := NAMED.match(line):
                path = named[1]
        elif line != "```\n":
            code.append(line)
        else:
            if language == "cpp" and path:
                guide.new[path] = "".join(code)
            elif language == "diff":
                header, *hunks = re.split(r"^@@.*\n", "".join(code), flags=re.MULTILINE)
                file = header.rpartition("+++ b/")[2].strip()
                guide.changed.setdefault(file, []).extend(map(_hunk, hunks))
            language = None
    return guide


def _hunk(text: str) -> Hunk:
    lines = text.splitlines(keepends=True)
    assert all(line[0] in " +-" for line in lines), text
    return Hunk(
        "".join(line[1:] for line in lines if line[0] != "+"),
        "".join(line[1:] for line in lines if line[0] != "-"),
    )


#: What a copy of the tree needs to be built.
SOURCES = [
    *("CMakeLists.txt", "CMakePresets.json", "VERSION", "bench", "cmake", "configs", "docs"),
    *("examples", "firmware", "include", "model", "python", "rtl", "tb", "tests"),
]


def copied(folder: Path) -> Path:
    """The sources of the tree, without what was built."""
    for name in SOURCES:
        if (ROOT / name).is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=ignore)
        else:
            shutil.copy2(ROOT / name, folder / name)
    return folder
