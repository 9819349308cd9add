"""Programs built without firmware, server or library: what they lack is gone, and refused."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.programs import CONFIGS, ROOT, Program, Workspace, built_without, sets

#: Targets that go with each part, and what is not looked for any more.
PARTS = {
    "firmware": {
        "cpu_test",
        "firmware_test",
        "firmware_hello",
        "cavern-lookup",
        "cavern_ibex_model",
    },
    "serve": {"serve_test", "serve_nbd_test", "serve_sanitized", "cavern_serve"},
    "library": {"cavern_shared"},
}


def configured(folder: Path, *without: str) -> set[str]:
    """The targets of a build without these parts."""
    options = [f"-DCAVERN_{part.upper()}=OFF" for part in without]
    unity = ["-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0"]
    command = [
        "cmake",
        "-S",
        str(ROOT),
        "-B",
        str(folder),
        "-G",
        "Ninja",
        "-DCMAKE_BUILD_TYPE=Release",
    ]
    done = subprocess.run([*command, *unity, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = subprocess.run(
        ["ninja", "-C", folder, "-t", "targets", "all"], capture_output=True, text=True, check=True
    )
    return set(re.findall(r"^(?:.*/)?([\w-]+): phony$", told.stdout, re.MULTILINE))


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_what_a_build_lacks_is_its_part_alone(part: str, tmp_path: Path) -> None:
    targets = configured(tmp_path, part)
    for name, its in PARTS.items():
        assert its & targets == (set() if name == part else its), name


def test_a_whole_program_says_nothing_of_parts(simulator: Program) -> None:
    if built_without():
        pytest.skip("this one is not whole")
    version = (ROOT / "VERSION").read_text().strip()
    assert simulator("--version").stdout == f"cavern {version}\n"


@pytest.mark.nightly
def test_a_program_without_parts_runs_and_refuses_them(workspace: Workspace) -> None:
    folder = workspace.folder / "build"
    configured(folder, *PARTS)
    subprocess.run(["ninja", "-C", folder, "cavern-sim"], capture_output=True, check=True)
    program = Program(folder / "bin" / "cavern-sim", workspace.folder)
    assert program("--version").stdout.endswith(", built without firmware, serve, library\n")
    program.simulate(workspace.folder / "drive.toml", "out", "--trace", "trace.csv")
    run = ("run", CONFIGS / "conventional.toml", "--trace", "trace.csv")
    for part, arguments in (
        ("serve", ("serve", "drive.toml")),
        ("firmware", ("firmware", "hello.elf", "--cpu", "rtl")),
        ("firmware", (*run, *sets(cpu__model="iss"))),
        ("firmware", (*run, *sets(cpu__decides="lockstep"))),
        ("firmware", (*run, "--gdb", 0)),
    ):
        refused = subprocess.run(
            [str(program.path), *map(str, arguments)],
            cwd=workspace.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert refused.returncode == 2 and refused.stdout == ""
        assert re.fullmatch(
            rf"error: \S.*:\d+: this program is built without {part}; .*-DCAVERN_\w+=ON.*\n",
            refused.stderr.splitlines(keepends=True)[-1],
        ), refused.stderr
