"""The programs of C++ tests in a build, and which of their tests a pattern chooses.

CMake writes the programs into `tests/programs.jsonl` (tests/CMakeLists.txt). What else ctest knows,
linters and fuzzers, is no program of GoogleTest and is asked of ctest.
"""

from __future__ import annotations

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

LABELS = ("unit", "protocol", "timing", "cosim", "system")
#: Labels that belong together under another name.
GROUPS = {"rtl": "cosim"}


class Depth(Enum):
    """Kinds of tests that are left out; those of pytest are markers."""

    FAST = "slow nightly"
    USUAL = "nightly"
    NIGHTLY = ""

    @property
    def left_out(self) -> list[str]:
        return self.value.split()


@dataclass(frozen=True)
class Program:
    """`name` is also what builds it. `prefix` tells the tests of its variants apart. A test may
    take `timeout` seconds; `alone`: each in a process of its own."""

    name: str
    folder: str
    label: str
    prefix: str
    timeout: float
    alone: bool
    sources: tuple[str, ...]

    def is_called(self, pattern: str) -> bool:
        """By its folder or one above, or by its name, with or without _test."""
        if f"{self.folder}/".startswith(pattern.rstrip("/") + "/"):
            return True
        return pattern in (self.name, self.name.removesuffix("_test"))


@dataclass(frozen=True)
class OtherTest:
    """A test that ctest runs. `target` is what it needs built."""

    name: str
    labels: tuple[str, ...]
    target: str | None

    @property
    def label(self) -> str:
        return self.labels[0].partition("-")[0]

    @property
    def kind(self) -> str:
        text = "-".join(self.labels)
        return "nightly" if "nightly" in text else "slow" if "slow" in text else ""


def kind_of(test: str) -> str:
    """By the name of its suite or instance."""
    suite = test.rpartition(".")[0]
    return "nightly" if "Nightly" in suite else "slow" if "Slow" in suite else ""


def programs_of(build: Path) -> list[Program]:
    lines = (build / "tests" / "programs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Program(**{**row, "sources": tuple(row["sources"])}) for row in rows]


def others_of(build: Path) -> list[OtherTest]:
    command = ["ctest", "--test-dir", str(build), "--show-only=json-v1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    tests = []
    ours = {program.name for program in programs_of(build)}
    for test in json.loads(done.stdout)["tests"]:
        if test["name"] in ours:
            continue
        properties = {each["name"]: each["value"] for each in test["properties"]}
        labels = tuple(properties["LABELS"])
        target: str | None = f"{labels[0].partition('-')[0]}_tests"
        if "command" in test:  # it is there: built, or a tool that is installed
            # A tree with a blank in its path is built by another name.
            path, folder = Path(test["command"][0]).resolve(), build.resolve()
            target = str(path.relative_to(folder)) if path.is_relative_to(folder) else None
        tests.append(OtherTest(test["name"], labels, target))
    return tests


def listed(program: Path) -> list[str]:
    """The names of a program's tests."""
    command = [str(program), "--gtest_list_tests"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    names = []
    suite = ""
    for line in done.stdout.splitlines():
        name = line.partition("#")[0].rstrip()
        if line.startswith("  "):
            names.append(suite + name.lstrip())
        elif name.endswith("."):
            suite = name
    return names


def lists_of(build: Path, programs: list[Program], workers: int) -> dict[Program, list[str]]:
    """The tests of those programs that are there."""
    there = [each for each in programs if (build / "tests" / each.name).exists()]
    with ThreadPoolExecutor(workers) as pool:
        lists = pool.map(lambda each: listed(build / "tests" / each.name), there)
        return dict(zip(there, lists, strict=True))


def layer_of(pattern: str | None) -> str | None:
    """The label that a pattern is."""
    return GROUPS.get(pattern or "", pattern if pattern in LABELS else None)


def chosen(program: Program, tests: list[str], pattern: str | None, depth: Depth) -> list[str]:
    """Those that are asked for, of a program's tests."""
    tests = [test for test in tests if kind_of(test) not in depth.left_out]
    layer = layer_of(pattern)
    if layer:
        return tests if program.label == layer else []
    if pattern is None or program.is_called(pattern):
        return tests
    return [test for test in tests if re.search(pattern, program.prefix + test)]


def is_chosen(test: OtherTest, pattern: str | None, depth: Depth) -> bool:
    if test.kind in depth.left_out:
        return False
    layer = layer_of(pattern)
    if layer:
        return test.label == layer
    return pattern is None or re.search(pattern, test.name) is not None


_TEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_INSTANCE = re.compile(r"\bINSTANTIATE_TEST_SUITE_P\(\s*(\w*)\s*,\s*(\w+)")


def written_names(text: str) -> list[str]:
    """The names of the tests in a source, those with parameters up to the parameter."""
    suites: dict[str, list[str]] = {}
    for instance, suite in _INSTANCE.findall(text):
        suites.setdefault(suite, []).append(f"{instance}/{suite}".lstrip("/"))
    names = []
    for suite, test in _TEST.findall(text):
        names += [f"{each}.{test}/" for each in suites.get(suite, [])] or [f"{suite}.{test}"]
    return names


def may_have(program: Program, pattern: str) -> bool:
    """Whether a name in its sources matches, built or not."""
    texts = [Path(source).read_text(encoding="utf-8") for source in program.sources]
    names = [program.prefix + name for text in texts for name in written_names(text)]
    return any(re.search(pattern, name) for name in names)


def those_about(file: str, program: Program, tests: list[str]) -> list[str]:
    """Those in sources that include the header of a source of the model, or that header."""
    header = f'#include "{Path(file).relative_to("model").with_suffix(".h").as_posix()}"'
    texts = [Path(source).read_text(encoding="utf-8") for source in program.sources]
    names = tuple(name for text in texts if header in text for name in written_names(text))
    return [test for test in tests if test.startswith(names)]
