"""Rules that the sources keep."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from programs import ROOT

#: What the decision core may not include: the kernel, and the layers above itself.
FOREIGN = re.compile(
    r'^\s*#\s*include\s*[<"](systemc|tlm|sysc/|sc_|tlm_|timed/|ssd/|tb/|verilated)', re.MULTILINE
)


def without_target(tests: list[str], cmake: str) -> list[str]:
    """The test sources that no CMake file names."""
    named = set(re.findall(r"[\w/.-]+_test\.cpp", cmake))
    return [test for test in tests if test not in named]


def cmake_of_the_tests() -> str:
    files = [ROOT / "tests" / "CMakeLists.txt", *(ROOT / "tests").glob("**/*.cmake")]
    lines = [line for file in files for line in file.read_text().splitlines()]
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def test_every_test_source_is_in_a_target() -> None:
    folder = ROOT / "tests"
    tests = sorted(str(path.relative_to(folder)) for path in folder.rglob("*_test.cpp"))
    assert len(tests) > 20
    cmake = cmake_of_the_tests()
    assert without_target(tests, cmake) == []
    assert without_target([*tests, "unit/forgotten_test.cpp"], cmake) == [
        "unit/forgotten_test.cpp"
    ]


def test_every_cmake_fragment_of_the_tests_is_included() -> None:
    text = (ROOT / "tests" / "CMakeLists.txt").read_text()
    fragments = [path.name for path in (ROOT / "tests").glob("*.cmake")]
    assert fragments and all(f"include({name}" in text for name in fragments)


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in {".h", ".cpp"})


def test_decision_core_knows_neither_kernel_nor_clock() -> None:
    core = sources(ROOT / "model" / "core")
    assert len(core) > 50
    assert [str(path) for path in core if FOREIGN.search(path.read_text())] == []


def test_decision_core_is_linked_without_systemc() -> None:
    for path in (ROOT / "model" / "core").rglob("CMakeLists.txt"):
        assert "systemc" not in path.read_text().lower(), path


@pytest.mark.parametrize(
    "line",
    [
        "#include <systemc>",
        '#include "systemc.h"',
        "  #  include <tlm.h>",
        '#include <sysc/kernel/sc_time.h>',
        '#include "timed/tlm/time.h"',
        '#include "ssd/config.h"',
    ],
)
def test_a_foreign_include_is_found(line: str) -> None:
    assert FOREIGN.search(f'#include "core/base/units.h"\n{line}\n')


def test_other_includes_are_not() -> None:
    assert not FOREIGN.search('#include "core/base/units.h"\n#include <string>\n// systemc\n')
    # The shell does include it, so the search would find it.
    assert any(FOREIGN.search(path.read_text()) for path in sources(ROOT / "model" / "timed"))


def test_python_is_clean() -> None:
    ruff = Path(sys.executable).with_name("ruff")
    command = [ruff, "check", "explore", "plots", "tests", "traces"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout


def test_unclean_python_is_found(tmp_path: Path) -> None:
    (tmp_path / "unclean.py").write_text("import os\n")
    ruff = Path(sys.executable).with_name("ruff")
    command = [ruff, "check", "--config", ROOT / "pyproject.toml", tmp_path]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 1 and "F401" in finished.stdout
