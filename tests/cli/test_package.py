"""`./cavern wheel`: a package with program and library inside, which works without the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas
import pytest

from tests.cli.programs import ROOT

#: From here the tree's package is found.
PACKAGES = ROOT / "python"
#: What runs in the fresh environment.
PROGRAM = """\
import cavern, cavern.simulator
assert not cavern.simulator.IN_TREE
result = cavern.run("cave", "random-write.toml", limit=500, buffer__size="4MiB")
print(cavern.__file__)
print(len(result.requests), result["host.write.count"], result.config["nand"]["part"])
try:
    cavern.run("cave", "random-write.toml", nand__part="no-such-part")
except cavern.SimulatorError as error:
    print(error)
"""


def ran(*command: object, cwd: Path, ok: bool = True) -> subprocess.CompletedProcess[str]:
    # Neither the tree nor its environment may be found by what runs there.
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    assert not ok or done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = ran(sys.executable, "-m", "cavern", "wheel", "--out", folder, cwd=PACKAGES)
    (made,) = folder.iterdir()
    assert done.stdout == f"pip install {os.path.relpath(made, PACKAGES)}\n"
    assert re.fullmatch(r"cavern_ssd-[\d.]+-py3-none-manylinux_2_\d\d_\w+\.whl", made.name)
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """The folder of programs of an environment with that package alone."""
    made = wheel.parent / "fresh"
    ran(sys.executable, "-m", "venv", "--without-pip", made, cwd=wheel.parent)
    python = made / "bin" / "python"
    install = ("install", "--no-deps", "--no-index", "--disable-pip-version-check", "-q")
    ran(sys.executable, "-m", "pip", f"--python={python}", *install, wheel, cwd=wheel.parent)
    asked = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    target = ran(python, "-c", asked, cwd=wheel.parent).stdout.strip()
    # What the package needs is that of the tree's environment.
    needed = Path(pandas.__file__).parents[1]
    (Path(target) / "needed.pth").write_text(f"{needed}\n")
    return made / "bin"


@pytest.mark.slow
def test_what_a_wheel_holds(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"cavern/py.typed", "cavern/demo.py", "cavern/examples.txt"} < names
    drawing = {name.removeprefix("cavern/") for name in names if name.startswith("cavern/plots/")}
    there = (path for path in (ROOT / "plots").rglob("*.*") if path.parent.name != "__pycache__")
    assert drawing == {str(path.relative_to(ROOT)) for path in there}
    inside = {name.removeprefix("cavern/program/") for name in names}
    assert {
        "bin/cavern-sim",
        "include/cavern/cavern.h",
        "lib/cmake/Cavern/CavernConfig.cmake",
        "share/cavern/configs/nand/tlc-16k.toml",
        "share/cavern/firmware/hello.elf",
        "share/cavern/traces/tpcc-136ms.csv.xz",
    } < inside
    assert not any("devtools" in name or "papers" in name for name in names)
    # A library of others comes with its terms.
    libraries = {name for name in inside if name.startswith("lib/lib")}
    ours = {name for name in libraries if name.startswith("lib/libcavern")}
    assert sorted(name.partition(".so")[0] for name in ours) == [
        "lib/libcavern",
        "lib/libcavern-firmware",
    ]
    terms = {name for name in inside if re.fullmatch("share/doc/lib.*/copyright", name)}
    assert len(terms) == len(libraries - ours) > 5


@pytest.mark.slow
def test_installed_package_runs_without_the_tree(installed: Path, tmp_path: Path) -> None:
    said = ran(installed / "python", "-c", PROGRAM, cwd=tmp_path).stdout.splitlines()
    assert said[0].startswith(str(installed.parent))
    assert said[1].startswith("500 500 ")
    assert said[2].startswith("error: <command line>:1: ") and "no-such-part" in said[2]
    # Nothing is left behind, and nothing of the tree is named.
    assert list(tmp_path.iterdir()) == []
    command = installed / "cavern"
    assert ran(command, "--version", cwd=tmp_path).stdout.startswith("cavern ")
    shown = ran(command, "config", "show", ROOT / "configs" / "cave.toml", cwd=tmp_path).stdout
    assert "[nand]" in shown
    listed = ran(command, "--help", cwd=tmp_path).stdout
    assert "  report" in listed and "  run" in listed and "reproduce" not in listed
    wrong = ran(command, "reproduce", cwd=tmp_path, ok=False)
    assert wrong.returncode == 2
    assert wrong.stderr.startswith('error: <command line>:1: unknown command "reproduce"; see ')
    # What comes with it is found by name.
    played = ("run", "cave", "--workload", "random-write", "--limit", 5, "--out", "out")
    assert "5 requests" in ran(command, *played, cwd=tmp_path).stdout
    assert "\ntlc-nvme " in ran(command, "config", "drives", cwd=tmp_path).stdout
    assert "Runs one simulation;" in listed and "a command of the simulator" not in listed


@pytest.mark.slow
def test_papers_run_on_the_installed_package(installed: Path, tmp_path: Path) -> None:
    # They take public names alone. Of the tree nothing but papers/ is found.
    program = "import sys; sys.path.append(sys.argv.pop(1)); from papers import command as c\n"
    words = ("cave-limits", "--quick", "--out", tmp_path)
    said = ran(
        installed / "python", "-c", program + "c.reproduce()", ROOT, *words, cwd=tmp_path
    ).stdout
    assert f"{tmp_path}/cave-limits-quick: 12 runs (0 were there), 1 figures, 1 of 3" in said


@pytest.mark.slow
def test_installed_program_loads_the_libraries_that_come_with_it(
    installed: Path, tmp_path: Path
) -> None:
    prefix = Path(ran(installed / "cavern", "--prefix", cwd=tmp_path).stdout.strip())
    (library,) = prefix.glob("lib/libcavern.so.*")
    brought = {path.name for path in library.parent.glob("lib*")} - {library.name}
    for file in (prefix / "bin" / "cavern-sim", library):
        loaded = dict(re.findall(r"(\S+) => (\S+)", ran("ldd", file, cwd=tmp_path).stdout))
        assert brought & set(loaded)
        for name in brought & set(loaded):
            assert Path(loaded[name]).resolve() == library.parent / name
        # What is neither brought nor part of any Linux would be missing elsewhere.
        rest = " ".join(sorted(set(loaded) - brought))
        assert re.fullmatch(r"(lib(c|m|gcc_s|stdc\+\+|z)\.so\.\d ?)+", rest)


@pytest.mark.slow
def test_a_program_in_c_is_built_against_the_installed_package(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = ran(installed / "cavern", "--prefix", cwd=tmp_path).stdout.strip()
    # Without SystemC to be found: the interface in C needs none.
    monkeypatch.setenv("PKG_CONFIG_LIBDIR", str(tmp_path))
    there = f"-DCMAKE_PREFIX_PATH={prefix}"
    said = ran("cmake", "-S", ROOT / "examples" / "c", "-B", tmp_path / "b", there, cwd=tmp_path)
    assert "Cavern without SystemC: cavern.h can be used" in said.stdout
    ran("cmake", "--build", tmp_path / "b", cwd=tmp_path)
    small = ("nand.blocks_per_plane=128", "precondition.fill=0.5")
    shown = ran(tmp_path / "b" / "latency", "tlc-nvme.toml", 32, *small, cwd=tmp_path).stdout
    assert "2000 reads" in shown


@pytest.mark.slow
def test_wheel_without_a_built_simulator_is_refused(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("pyproject.toml", "VERSION", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "python", tree / "python")
    done = ran(sys.executable, "-m", "hatchling", "build", "-t", "wheel", cwd=tree, ok=False)
    assert done.returncode != 0
    assert "build/release/bin/cavern-sim is not built; run ./cavern wheel, which builds it" in (
        done.stdout + done.stderr
    )
    assert not (tree / "dist").exists() or list((tree / "dist").iterdir()) == []


def test_the_tree_has_no_prefix() -> None:
    done = ran(sys.executable, "-m", "cavern", "--prefix", cwd=PACKAGES, ok=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {ROOT}:1: this is the source tree; cmake --install ")
