"""The worked example of docs/add-a-policy.md: its code compiles and its tests pass."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.programs import BUILD, ROOT, Program

PAGE = ROOT / "docs" / "add-a-policy.md"
FLAGS = [
    "-std=c++17",
    "-O1",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wshadow",
    "-Wold-style-cast",
    "-Werror",
]


def files() -> dict[str, str]:
    """The C++ of the example, by the file that the text before it names."""
    found: dict[str, str] = {}
    path = None
    code = False
    for line in PAGE.read_text().splitlines():
        named = re.match(r"(?:The \w+, (?:in )?)?`((?:model|tests)/\S+\.(?:h|cpp))`", line)
        if line.startswith("```"):
            code = line == "```cpp"
        elif code and path is not None:
            found[path] = found.get(path, "") + line + "\n"
        elif named:
            path = named[1]
    return found


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    sources = [path for path in files() if path.endswith(".cpp") and "table" not in path]
    libraries = [*BUILD.rglob("libcavern_buffer.a"), *BUILD.rglob("libcavern_base.a")]
    assert len(libraries) == 2
    return subprocess.run(
        [
            "c++",
            *FLAGS,
            "-I",
            "model",
            "-I",
            ".",
            "-I",
            ROOT / "model",
            "-I",
            ROOT,
            *sources,
            *libraries,
            "-lfmt",
            "-lz",
            "-lzstd",
            "-lgtest",
            "-lgtest_main",
            "-pthread",
            "-o",
            "clock_test",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def example(tmp_path: Path) -> Path:
    for path, text in files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.mark.slow
def test_the_example_builds_and_passes(example: Path) -> None:
    built = build(example)
    assert built.returncode == 0, built.stderr
    finished = Program(example / "clock_test", example)()
    assert finished.returncode == 0, finished.stdout
    assert "[  PASSED  ] 4 tests." in finished.stdout


@pytest.mark.slow
def test_the_examples_tests_notice_a_page_that_gets_no_second_chance(example: Path) -> None:
    source = example / "model" / "core" / "buffer" / "clock.cpp"
    source.write_text(source.read_text().replace(".rounds = rounds_", ".rounds = 0"))
    assert build(example).returncode == 0
    finished = Program(example / "clock_test", example)()
    assert finished.returncode == 1
    assert "[  FAILED  ] ClockTest.APageUsedAgainGetsOneMoreRound" in finished.stdout


#: What the page says of each file that changes besides.
ELSE = re.compile(r"^\| `(?P<file>[\w./-]+)` \| (?P<change>.*) \| .* \|$", re.MULTILINE)


def changed_besides(page: str) -> dict[str, str]:
    section = page.partition("\n## What else changes\n")[2].partition("\n## ")[0]
    return {row["file"]: row["change"] for row in ELSE.finditer(section)}


def test_a_policy_with_a_key_and_a_counter_takes_eight_files() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert "in\nfour files; four more change." in page
    assert sorted(files()) == [
        "model/core/buffer/clock.cpp",
        "model/core/buffer/clock.h",
        "model/core/buffer/eviction_policy_table.cpp",
        "tests/core/buffer/clock_test.cpp",
    ]
    besides = changed_besides(page)
    assert len(besides) == 4
    # All eight have what a policy of the tree has there, which has a key and a counter, too.
    for file in [*files(), *besides]:
        text = (ROOT / file.replace("clock", "multichip")).read_text(encoding="utf-8")
        assert re.search("multichip", text, re.IGNORECASE), file
    for file, change in besides.items():
        row = re.findall(r"`([^`]+)`", change)[-1]
        alike = row.partition(" = ")[0].replace("clock.rounds", "multichip.window")
        alike = alike.replace("clock", "multichip").rstrip("}")
        assert row.startswith("./cavern") or alike in (ROOT / file).read_text(), row
    header = files()["model/core/buffer/clock.h"]
    assert "knobs_of(" in header and "counters_of(" in header


def test_the_row_fits_the_table() -> None:
    """The lines to add name what the table's file uses."""
    row = files()["model/core/buffer/eviction_policy_table.cpp"]
    table = (ROOT / "model" / "core" / "buffer" / "eviction_policy_table.cpp").read_text()
    for line in ("#include", "        row<", '>("', '."),'):
        assert line in row
        assert line in table
    assert "row<Clock>" not in table
