"""`pip install .`: a wheel with the simulator inside, which works without the tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli.programs import ROOT

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


def wheel_of(tree: Path, folder: Path, ok: bool = True) -> subprocess.CompletedProcess[str]:
    offline = ("--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check")
    return ran(
        sys.executable, "-m", "pip", "wheel", tree, *offline, "-w", folder, cwd=folder, ok=ok
    )


@pytest.mark.slow
def test_installed_package_runs_without_the_tree(tmp_path: Path) -> None:
    wheel_of(ROOT, tmp_path)
    (wheel,) = tmp_path.glob("cavern-*-py3-none-linux_*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"cavern/py.typed", "cavern/program/bin/cavern-sim", "cavern/examples.txt"} < set(names)
    assert any(name.startswith("cavern/program/share/cavern/configs/nand/") for name in names)
    assert not any("devtools" in name or "reproduce" in name for name in names)
    made = tmp_path / "fresh"
    ran(sys.executable, "-m", "venv", "--without-pip", made, cwd=tmp_path)
    python = made / "bin" / "python"
    target = ran(
        python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])", cwd=tmp_path
    ).stdout.strip()
    install = ("install", "--no-deps", "--no-index", "--disable-pip-version-check", "-q")
    ran(sys.executable, "-m", "pip", f"--python={python}", *install, wheel, cwd=tmp_path)
    # What the package needs is that of the tree's environment.
    needed = ran(
        sys.executable, "-c", "import pandas; print(pandas.__path__[0])", cwd=tmp_path
    ).stdout.strip()
    (Path(target) / "needed.pth").write_text(f"{Path(needed).parent}\n")
    away = tmp_path / "away"
    away.mkdir()
    said = ran(python, "-c", PROGRAM, cwd=away).stdout.splitlines()
    assert said[0].startswith(str(made))
    assert said[1].startswith("500 500 ")
    assert said[2].startswith("error: <command line>:1: ") and "no-such-part" in said[2]
    # Nothing is left behind, and nothing of the tree is named.
    assert list(away.iterdir()) == []
    command = made / "bin" / "cavern"
    assert ran(command, "--version", cwd=away).stdout.startswith("cavern ")
    shown = ran(command, "config", "show", ROOT / "configs" / "cave.toml", cwd=away).stdout
    assert "[nand]" in shown
    listed = ran(command, "--help", cwd=away).stdout
    assert "  report" in listed and "  run" in listed and "reproduce" not in listed
    wrong = ran(command, "reproduce", cwd=away, ok=False)
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: <command line>:1: No such")


@pytest.mark.slow
def test_wheel_without_a_built_simulator_is_refused(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("pyproject.toml", "VERSION", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    shutil.copytree(ROOT / "python", tree / "python")
    done = wheel_of(tree, tmp_path, ok=False)
    assert done.returncode != 0
    assert "build/release/bin/cavern-sim is not built; run ./cavern config list first" in (
        done.stdout + done.stderr
    )
    assert list(tmp_path.glob("*.whl")) == []
