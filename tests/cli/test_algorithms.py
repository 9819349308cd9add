"""docs/algorithms.md: the program decides as its examples say, and every example cited exists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.programs import ROOT, Json, Program, Workspace
from tests.cli.test_worked_examples import drive, run

PAGE = ROOT / "docs" / "algorithms.md"

#: Where sources and tests may cite an example.
FOLDERS = ("model", "bench", "rtl", "tb", "tests", "papers", "plots", "python", "traces")
KINDS = {".h", ".cpp", ".py", ".sv", ".cmake", ".md", ".toml"}

NAME = r"[A-Z]+-[0-9]+"
HEADING = re.compile(rf"^#### ({NAME})$", re.MULTILINE)
CITATION = re.compile(rf"docs/algorithms\.md, ({NAME})")
#: An example named in a comment without the page it stands on.
ORPHAN = re.compile(rf"\bexample ({NAME})")


def cited(text: str) -> list[str]:
    return CITATION.findall(re.sub(r"\s*\n\s*(?:///?|#) ?", " ", text))


def sources() -> dict[Path, str]:
    return {
        path: path.read_text(encoding="utf-8")
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in KINDS and path != Path(__file__)
    }


def test_every_example_cited_exists_and_every_example_is_played() -> None:
    named = HEADING.findall(PAGE.read_text(encoding="utf-8"))
    assert len(named) == len(set(named))
    by_file = {path: cited(text) for path, text in sources().items()}
    assert {(path.name, name) for path, names in by_file.items() for name in names} >= {
        ("bast_test.cpp", "BAST-1"),
        ("wear_leveler.h", "WL-1"),
    }
    assert [
        f"{path}: {name}" for path, names in by_file.items() for name in names if name not in named
    ] == []
    played = {name for path, names in by_file.items() if "test" in path.name for name in names}
    assert set(named) - played == set()


def test_no_comment_names_an_example_without_its_page() -> None:
    assert [str(path) for path, text in sources().items() if ORPHAN.search(text)] == []
    assert ORPHAN.search("// As in example BAST-1.")


def test_citations_are_found_across_lines() -> None:
    assert cited("// docs/algorithms.md,\n// WL-1: cold.") == ["WL-1"]
    assert cited("/// See (docs/algorithms.md, XYZ-9).") == ["XYZ-9"]
    assert "XYZ-9" not in HEADING.findall(PAGE.read_text(encoding="utf-8"))


# ---- the examples of the write buffer -----------------------------------------------------------


@dataclass(frozen=True)
class Example:
    name: str
    policy: str
    frames: int
    channels: int
    settings: tuple[str, ...]
    steps: str

    @property
    def requests(self) -> str:
        return " ".join(re.findall(r"[WR]\d+", self.steps))


def examples(text: str) -> list[Example]:
    """The blocks marked `example`: policy, frames and settings; then requests, and what leaves."""
    found = []
    for block in re.finditer(r"^```example\n(.+)\n((?:.+\n)+)```$", text, re.MULTILINE):
        policy, *words = block[1].split()
        values = dict(word.split("=", 1) for word in words)
        found.append(
            Example(
                HEADING.findall(text[: block.start()])[-1],
                policy,
                int(values.pop("K")),
                int(values.pop("C", "1")),
                tuple(f"{key}={value}" for key, value in values.items()),
                " ".join(block[2].split()),
            )
        )
    return found


def steps_of(events: list[Json]) -> str:
    """Decisions as the examples write them."""
    words: list[str] = []
    arrow = False
    for event in events:
        if event["ev"] in ("write", "read"):
            words.append(f"{event['ev'][0].upper()}{event['lpn']}")
            arrow = True
        elif event["ev"] == "evict":
            pages = event.get("lpns", [event.get("lpn")])
            words += ["->"] * arrow + [f"[{','.join(map(str, pages))}]"]
            if event.get("padding"):
                words.append(f"padding [{','.join(map(str, event['padding']))}]")
            arrow = False
    return " ".join(words)


def decided(example: Example, workspace: Workspace, simulator: Program) -> str:
    settings = [part for setting in example.settings for part in ("--set", setting)]
    config = drive(example.frames, example.policy, example.channels)
    return steps_of(run(workspace, simulator, config, example.requests, *settings)[0])


EXAMPLES = examples(PAGE.read_text(encoding="utf-8"))


def test_the_page_has_an_example_of_most_policies() -> None:
    assert len({example.policy for example in EXAMPLES}) >= 10


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e.name}-{e.policy}")
def test_the_program_decides_as_the_example(
    example: Example, workspace: Workspace, simulator: Program
) -> None:
    assert decided(example, workspace, simulator) == example.steps


def test_another_policy_does_not(workspace: Workspace, simulator: Program) -> None:
    fifo = next(example for example in EXAMPLES if example.name == "FIFO-1")
    other = Example("FIFO-1", "lru-page", fifo.frames, 1, (), fifo.steps)
    assert decided(other, workspace, simulator) == "W1 W2 W1 W3 -> [2]" != fifo.steps
