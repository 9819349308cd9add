"""Puts what is built into the wheel: all that `cmake --install` installs, and shared libraries.

They are those that the program and the library need and that not every system has. They keep
their names and lie beside libcavern.so, so a platform that has loaded SystemC before it has one.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: The prefix of the installation, inside the package.
PREFIX = "cavern/program"
BUILD = "build/release"
BUILT = ("bin/cavern-sim", "lib/libcavern.so", "firmware/drive.elf", "cmake_install.cmake")
#: Every Linux has these: the policies of manylinux (PEP 600) list them.
EVERYWHERE = re.compile(r"ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z)\.so\..*")


def needed(file: Path) -> dict[str, Path]:
    """The shared libraries that a program or library loads, by name, with those that they load."""
    said = subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout
    return {
        name: Path(path).resolve()
        for name, path in re.findall(r"^\s*(\S+) => (/\S+) \(", said, re.MULTILINE)
        if not EVERYWHERE.fullmatch(name)
    }


def licence(library: Path) -> Path | None:
    """The terms of a library of a Debian package, which may know it by its old folder, /lib."""
    for path in (library, Path("/") / library.relative_to("/usr")):
        said = subprocess.run(
            ["dpkg-query", "--search", path], capture_output=True, text=True, check=False
        )
        if said.returncode == 0:
            return Path("/usr/share/doc") / said.stdout.partition(":")[0] / "copyright"
    return None


def newest(what: bytes, files: list[Path]) -> int:
    """The last part of the highest version with this beginning that the files ask for."""
    found = re.compile(re.escape(what) + rb"(\d+)")
    return max(int(minor) for file in files for minor in found.findall(file.read_bytes()))


def tag(files: list[Path]) -> str:
    """The oldest Linux with all that these files use of its C and C++ libraries (PEP 600)."""
    minor = newest(b"GLIBC_2.", files)
    cxx = newest(b"GLIBCXX_3.4.", files)
    if cxx > 30:
        minor = max(minor, int(platform.libc_ver()[1].removeprefix("2.")))
    elif cxx == 30:
        minor = max(minor, 35)  # GCC 12
    return f"manylinux_2_{minor}_{platform.machine()}"


def stage(build: Path, prefix: Path) -> list[Path]:
    """Installs below `prefix`; returns the programs and libraries among what is there."""
    subprocess.run(
        ["cmake", "--install", build, "--prefix", prefix, "--strip"],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    program = prefix / "bin" / "cavern-sim"
    # A wheel keeps no links: one file remains, with the name that the loader asks for.
    (library,) = (path for path in prefix.rglob("libcavern.so.*") if not path.is_symlink())
    (name,) = {path.name for path in prefix.rglob("libcavern.so.*") if path.is_symlink()}
    for package in prefix.rglob("CavernTargets-*.cmake"):
        package.write_text(package.read_text().replace(library.name, name))
    for link in [path for path in prefix.rglob("libcavern.so*") if path.is_symlink()]:
        link.unlink()
    library = library.rename(library.with_name(name))
    loaded = [program, library]
    for name, path in {**needed(program), **needed(library)}.items():
        if prefix.resolve() in path.parents:  # ours
            loaded.append(path)
            continue
        loaded.append(Path(shutil.copy(path, library.parent / name)))
        terms = licence(path)
        if terms and terms.is_file():
            folder = prefix / "share" / "doc" / terms.parent.name
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(terms, folder)
    return loaded


class WheelHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # finds the tree
        build = Path(self.root) / BUILD
        for name in BUILT:
            if not (build / name).is_file():
                raise FileNotFoundError(
                    f"{BUILD}/{name} is not built; run ./cavern wheel, which builds it first"
                )
        # Until the end of the process, which is when the wheel is written.
        self.folder = tempfile.TemporaryDirectory()
        prefix = Path(self.folder.name)
        loaded = stage(build, prefix)
        files = build_data["force_include"]
        for path in sorted(prefix.rglob("*")):
            if path.is_file():
                files[str(path)] = f"{PREFIX}/{path.relative_to(prefix)}"
        build_data["pure_python"] = False
        # The tag of this kind of machine, for any Python: the program is called, not loaded.
        build_data["tag"] = f"py3-none-{tag(loaded)}"
