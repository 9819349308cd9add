"""The installed library: moved elsewhere, used by programs outside the tree."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cavern.simulator import BUILD

from tests.cli.programs import ENVIRONMENT, ROOT, Program
from tests.cli.test_readme import check, commands_of

EXAMPLES = ROOT / "examples"
#: A drive that comes with the library, made small.
SMALL = ("nand.blocks_per_plane=128", "buffer.size=1MiB", "dram.size=16MiB")


def run(
    *command: object, folder: Path | None = None, ok: bool = True
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if ok:
        assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the library is: installed, then moved."""
    folder = tmp_path_factory.mktemp("library")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    shutil.move(folder / "first", folder / "moved")
    return folder / "moved"


@pytest.fixture(scope="module")
def library(prefix: Path) -> Path:
    (found,) = prefix.rglob("libcavern.so")
    return found


def test_what_is_installed(prefix: Path, library: Path) -> None:
    headers = {path.name for path in (prefix / "include").rglob("*.h")}
    assert headers == {"cavern.h", "command.h", "export.h", "nvme.h", "ssd.h"}
    assert {path.parent.name for path in (prefix / "include").rglob("*.h")} == {"cavern"}
    assert (prefix / "share/cavern/configs/nand/tlc-16k.toml").is_file()
    assert (prefix / "share/cavern/configs/tlc-nvme.toml").is_file()
    assert list(library.parent.glob("cmake/Cavern/CavernConfig.cmake"))
    assert list(library.parent.glob("*.a")) == []


def test_the_installed_program_finds_its_parts(prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "drive.toml").write_text('[nand]\npart = "only-here"\n')
    program = Program(prefix / "bin" / "cavern-sim", tmp_path)
    part = prefix / "share/cavern/configs/nand/only-here.toml"
    assert program("config", "show", "drive.toml").returncode == 2
    part.write_text((ROOT / "configs/nand/tlc-16k.toml").read_text())
    try:
        shown = program("config", "show", "drive.toml")
        assert shown.returncode == 0, shown.stderr
    finally:
        part.unlink()


@pytest.mark.parametrize("header", ["cavern.h", "command.h", "export.h", "nvme.h", "ssd.h"])
@pytest.mark.slow
def test_each_header_stands_alone(prefix: Path, tmp_path: Path, header: str) -> None:
    source = tmp_path / "alone.cpp"
    source.write_text(f"#include <cavern/{header}>\n#include <cavern/{header}>\nint main();\n")
    run("c++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "-I", prefix / "include", source)


def test_the_c_header_is_c(prefix: Path, tmp_path: Path) -> None:
    source = tmp_path / "alone.c"
    source.write_text("#include <cavern/cavern.h>\nint main(void) { return 0; }\n")
    strict = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    run("cc", *strict, "-fsyntax-only", "-I", prefix / "include", source)


#: What the library may show: its C functions, the classes of its headers, and the entry that
#: SystemC's library asks for.
SHOWN = re.compile(r"cavern_\w+|sc_main|(vtable |typeinfo |typeinfo name )?(for )?cavern::v1::.*")


def hidden(symbols: list[str]) -> list[str]:
    """Those that the library should not show."""
    return [name for name in symbols if not SHOWN.fullmatch(name)]


def test_the_library_shows_its_interface_alone(library: Path) -> None:
    listed = run("nm", "-DC", "--defined-only", "--format=posix", library).stdout.splitlines()
    names = [re.sub(r" [A-Za-z] [0-9a-f]+( [0-9a-f]+)?$", "", line) for line in listed]
    assert "cavern_open" in names
    assert any(name.startswith("cavern::v1::Ssd::Ssd(") for name in names)
    assert hidden(names) == []
    assert hidden(["cavern::Ssd::Ssd()", "fmt::v9::format()"]) != []


@pytest.mark.parametrize(("version", "there"), [("0.2", True), ("0.3", False), ("1", False)])
def test_the_package_has_its_version(
    prefix: Path, tmp_path: Path, version: str, there: bool
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\n"
        f"find_package(Cavern {version} QUIET)\n"
        'message(STATUS "found ${Cavern_FOUND} ${Cavern_VERSION} in ${Cavern_CONFIGS_DIR}.")\n'
    )
    said = run(
        "cmake", "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={prefix}"
    ).stdout
    installed = (ROOT / "VERSION").read_text().strip()
    expected = f"found 1 {installed} in {prefix}/share/cavern/configs."
    assert (expected in said) == there, said


@pytest.mark.slow
def test_the_document_builds_a_platform_against_the_installed_library(set_up: None) -> None:
    """All commands of the document run; then a look at what it has built."""
    check(commands_of("docs/library.md"))
    program = ROOT / "out" / "platform" / "platform"
    shown = run(program, "tlc-nvme.toml", *SMALL).stdout
    found = re.search(r"write ([\d.]+) us, read ([\d.]+) us, 0 wrong", shown)
    assert found, shown
    assert 1 < float(found[1]) < 1000 and 1 < float(found[2]) < 1000
    wrong = run(program, "tlc-nvme.toml", "buffer.sise=1", ok=False)
    assert wrong.returncode != 0
    assert "unknown key" in wrong.stdout + wrong.stderr


@pytest.mark.slow
def test_the_c_example_runs(prefix: Path, tmp_path: Path) -> None:
    run("cmake", "-S", EXAMPLES / "c", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path)
    program = tmp_path / "latency"
    one, many = (
        re.search(
            r"2000 reads, mean ([\d.]+) us, (\d+) per second, data as written",
            run(
                program, "tlc-nvme.toml", depth, *SMALL, "nand.channels=2", "precondition.fill=0.5"
            ).stdout,
        )
        for depth in (1, 32)
    )
    assert one and many
    assert float(many[1]) > float(one[1])
    assert int(many[2]) > 2 * int(one[2])
    wrong = run(program, "no-such-drive.toml", ok=False)
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("error: ")


def test_the_python_example_runs(library: Path) -> None:
    example = EXAMPLES / "python" / "cavern_drive.py"
    shown = run(sys.executable, example, library, "tlc-nvme.toml", *SMALL).stdout
    assert re.fullmatch(r"write [\d.]+ us\nflush [\d.]+ us\nread [\d.]+ us\n", shown)


#: Calls that must be refused, each with a line that says why.
MISTAKES = """
import sys
sys.path.insert(0, {example!r})
from cavern_drive import *
def refused(call, *words):
    try:
        call()
    except (ValueError, RuntimeError) as error:
        assert all(word in str(error) for word in words), str(error)
    else:
        raise AssertionError(words)
refused(lambda: Drive({library!r}, "tlc-nvme.toml", "buffer.sise=1"), "unknown key", "buffer.size")
drive = Drive({library!r}, "tlc-nvme.toml", *{small!r})
refused(lambda: Drive({library!r}, "tlc-nvme.toml", *{small!r}), "already")
refused(lambda: drive.submit(READ, 100, 512, 1), "512")
refused(lambda: drive.submit(READ, 0, 0, 1), "512")
refused(lambda: drive.submit(READ, drive.capacity, 512, 1), "beyond", str(drive.capacity))
refused(lambda: drive.submit(9, 0, 512, 1), "op 9")
refused(lambda: drive.submit(FLUSH, 0, 512, 1), "FLUSH")
assert drive.now == 0
drive.step_to(5)
assert drive.now == 5
for tag in range(100):
    drive.submit(WRITE, tag * 4096, 4096, tag, bytes([tag]) * 4096)
done = []
while len(done) < 100:
    done += drive.wait()
assert sorted(each.tag for each, _ in done) == list(range(100))
for tag in range(100):
    drive.submit(READ, tag * 4096, 4096, tag)
done = []
while len(done) < 100:
    done += drive.wait()
assert all(data == bytes([each.tag]) * 4096 for each, data in done)
drive.submit(READ, 0, 4096, 0)
drive.close()
"""


def test_what_is_wrong_is_refused(library: Path, tmp_path: Path) -> None:
    script = tmp_path / "mistakes.py"
    example = str(EXAMPLES / "python")
    script.write_text(MISTAKES.format(example=example, library=str(library), small=SMALL))
    run(sys.executable, script)
