"""What machines hold the sources to: formats, linters, types and length."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.programs import ROOT

#: Folders with sources; what is built, installed or written lies in others.
FOLDERS = (
    "bench",
    "cmake",
    "examples",
    "python",
    "firmware",
    "include",
    "model",
    "papers",
    "plots",
    "rtl",
    "tb",
    "tests",
    "traces",
)
MOST_LINES = 450


def files(*suffixes: str) -> list[Path]:
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    return sorted(path for path in found if path.suffix in suffixes)


def ran(*command: object) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def python_tool(name: str) -> Path:
    return Path(sys.executable).with_name(name)


# ---- C++ -----------------------------------------------------------------------------------------


def clang_format(*paths: Path) -> subprocess.CompletedProcess[str]:
    style = f"--style=file:{ROOT / '.clang-format'}"
    return ran("clang-format", "--dry-run", "-Werror", style, *paths)


@pytest.mark.slow
def test_format_of_cpp_is_that_of_clang_format_14() -> None:
    # Other versions break other lines.
    assert re.search(r"version 14\.", ran("clang-format", "--version").stdout)
    sources = files(".h", ".c", ".cpp")
    assert len(sources) > 500
    done = clang_format(*sources)
    assert done.returncode == 0, done.stderr


def test_cpp_of_another_format_is_found(tmp_path: Path) -> None:
    source = tmp_path / "other.cpp"
    source.write_text("int twice(int x) {\n    return 2 * x;\n}\n")
    assert clang_format(source).returncode == 0
    source.write_text("int twice( int x ) {\n  return 2 * x;\n}\n")
    done = clang_format(source)
    assert done.returncode != 0 and "other.cpp:1:" in done.stderr


# ---- Python --------------------------------------------------------------------------------------


def ruff(action: list[str], path: Path) -> subprocess.CompletedProcess[str]:
    return ran(python_tool("ruff"), *action, "--config", ROOT / "pyproject.toml", path)


@pytest.mark.parametrize("action", [["check"], ["format", "--check"]], ids=lambda words: words[0])
def test_python_is_clean(action: list[str]) -> None:
    done = ruff(action, ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("action", "text", "told"),
    [
        (["check"], "import os\n", "F401"),
        (["format", "--check"], "x = {  'a':1 }\n", "would be reformatted"),
    ],
    ids=["check", "format"],
)
def test_unclean_python_is_found(action: list[str], text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "unclean.py").write_text(text)
    done = ruff(action, tmp_path)
    assert done.returncode == 1 and told in done.stdout


def mypy(*arguments: object) -> subprocess.CompletedProcess[str]:
    return ran(python_tool("mypy"), "--config-file", ROOT / "pyproject.toml", *arguments)


@pytest.mark.slow
def test_types_fit() -> None:
    done = mypy()
    assert done.returncode == 0, done.stdout
    checked = re.search(r"in (\d+) source files", done.stdout)
    assert checked is not None and int(checked[1]) >= len(files(".py")) > 100


@pytest.mark.slow
def test_types_that_do_not_fit_are_found(tmp_path: Path) -> None:
    source = tmp_path / "unfit.py"
    source.write_text("def twice(x: int) -> str:\n    return 2 * x\ndef bare(x):\n    return x\n")
    done = mypy("--cache-dir", tmp_path / "cache", source)
    assert done.returncode == 1
    assert "unfit.py:2: error: Incompatible return value type" in done.stdout
    assert "unfit.py:3: error: Function is missing a type annotation" in done.stdout


# ---- shell ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_shell_scripts_are_clean() -> None:
    scripts = [ROOT / "cavern", ROOT / ".ci" / "run", *files(".sh")]
    assert len(scripts) >= 3
    done = ran("shellcheck", *scripts)
    assert done.returncode == 0, done.stdout


def test_every_shell_script_is_looked_at() -> None:
    # What begins with a shebang of a shell is one of the scripts above, whatever its name.
    shebang = re.compile(rb"#!\S*(/|env )(ba|da)?sh\b")
    found = [path for path in files("", ".sh") if shebang.match(path.read_bytes()[:40])]
    assert found and [path for path in found if path.suffix != ".sh"] == []


def test_an_unclean_shell_script_is_found(tmp_path: Path) -> None:
    script = tmp_path / "unclean.sh"
    script.write_text("#!/bin/sh\nrm $1\n")
    done = ran("shellcheck", script)
    assert done.returncode == 1 and "SC2086" in done.stdout


# ---- length --------------------------------------------------------------------------------------


def too_long(paths: list[Path]) -> list[str]:
    lengths = {path: path.read_text(encoding="utf-8").count("\n") for path in paths}
    return [f"{path.name}: {lines}" for path, lines in lengths.items() if lines > MOST_LINES]


def test_no_file_of_the_product_is_too_long() -> None:
    sources = files(".h", ".cpp", ".sv", ".py", ".sh", ".cmake", ".txt")
    product = [path for path in sources if ROOT / "tests" not in path.parents]
    assert len(product) > 400
    assert too_long([*product, ROOT / "cavern"]) == []


def test_a_file_that_is_too_long_is_found(tmp_path: Path) -> None:
    (tmp_path / "short.py").write_text("\n" * MOST_LINES)
    (tmp_path / "long.py").write_text("\n" * (MOST_LINES + 1))
    assert too_long([tmp_path / "short.py", tmp_path / "long.py"]) == [f"long.py: {MOST_LINES + 1}"]


# ---- what is set up for it -----------------------------------------------------------------------


def test_the_tools_are_there() -> None:
    # The front door installs them before the tests; without them the checks above would not run.
    for tool in ("clang-format", "shellcheck", "verilator", "yosys"):
        assert shutil.which(tool), tool
