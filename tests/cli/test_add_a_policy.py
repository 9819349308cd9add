"""The worked example of docs/add-a-policy.md: its code compiles and its tests pass."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli import guides
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


def new_files() -> dict[str, str]:
    return guides.read(PAGE.name).new


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    sources = [path for path in new_files() if path.endswith(".cpp")]
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
    for path, text in new_files().items():
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


def test_a_policy_with_a_key_and_a_counter_takes_four_files_and_two_printed_ones() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert "takes\nfour files; two pages are printed anew." in page
    guide = guides.read(PAGE.name)
    assert guide.files == [
        "model/core/buffer/clock.cpp",
        "model/core/buffer/clock.h",
        "model/core/buffer/eviction_policy_table.cpp",
        "tests/core/buffer/clock_test.cpp",
    ]
    printed = re.findall(r"^\| `(\S+)` \| `\./cavern .* > (\S+)` \|", page, re.MULTILINE)
    assert printed == [(page, page) for page in ("docs/keys.md", "docs/summary-fields.md")]
    # They have what a policy of the tree has there, which has a key and a counter, too.
    for file in [*guide.files, *dict(printed)]:
        text = (ROOT / file.replace("clock", "multichip")).read_text(encoding="utf-8")
        assert re.search("multichip", text, re.IGNORECASE), file
    header = guide.new["model/core/buffer/clock.h"]
    assert "knobs_of(" in header and "counters_of(" in header


def test_the_row_fits_the_table() -> None:
    file = "model/core/buffer/eviction_policy_table.cpp"
    table = guides.read(PAGE.name).changes(file)
    assert "row<Clock>" in table and "row<Clock>" not in (ROOT / file).read_text()
