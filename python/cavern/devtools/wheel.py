"""`./cavern wheel`: a package for pip of what is built, and one for Debian."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click

from cavern.errors import CavernError, InputError
from cavern.simulator import BUILD, ROOT


def made(command: list[str], folder: Path, pattern: str) -> Path:
    """Runs what writes one file into `folder`; returns that file."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CavernError((done.stdout + done.stderr).strip())
    return max(folder.glob(pattern), key=lambda path: path.stat().st_mtime_ns)


def debian_package(folder: Path) -> Path:
    if shutil.which("dpkg-shlibdeps") is None:
        raise InputError(
            "<command line>", 1, "--deb needs dpkg-shlibdeps", "apt-get install dpkg-dev brings it"
        )
    config = BUILD / "CPackConfig.cmake"
    package = made(
        ["cpack", "-G", "DEB", "--config", str(config), "-B", str(folder)], folder, "cavern_*.deb"
    )
    shutil.rmtree(folder / "_CPack_Packages")
    return package


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out/wheel"),
    show_default=True,
    help="folder of the package",
)
@click.option("--deb", is_flag=True, help="also make a package for Debian, without Python")
def wheel(out: Path, deb: bool) -> None:
    """Makes a package for pip: program, library, headers, drives, traces and Python package.

    It is for Linux of this kind of processor, with a C library as new as that of this machine,
    and needs neither a compiler nor the tree.
    """
    folder = Path(os.path.abspath(out))
    folder.mkdir(parents=True, exist_ok=True)
    package = made(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        folder,
        "cavern_ssd-*.whl",
    )
    print(f"pip install {os.path.relpath(package)}")
    if deb:
        print(f"apt-get install ./{os.path.relpath(debian_package(folder))}")
