"""`cavern firmware --cpu`: interpreter, RTL core and both in lockstep tell the same story."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from cavern.simulator import BUILD, ROOT

from tests.cli.programs import Program

FIRMWARE = BUILD / "firmware"
CPUS = ("iss", "rtl", "lockstep")


@pytest.mark.parametrize("cpu", CPUS[1:])
def test_the_log_is_that_of_the_interpreter(cpu: str, simulator: Program) -> None:
    outputs = {}
    for name in ("iss", cpu):
        finished = simulator("firmware", FIRMWARE / "hello.elf", "--cpu", name)
        assert finished.returncode == 0
        cycles = re.search(r"(\d+) instructions, (\d+) cycles", finished.stderr)
        assert cycles is not None
        outputs[name] = (finished.stdout, cycles.groups())
    assert outputs[cpu] == outputs["iss"]
    assert outputs[cpu][0].startswith("Hello from RISC-V")


@pytest.mark.parametrize("cpu", CPUS[1:])
def test_trace_and_profile_are_those_of_the_interpreter(
    cpu: str, simulator: Program, tmp_path: Path
) -> None:
    # Instruction by instruction with its cycle, traps included.
    for name in ("iss", cpu):
        finished = simulator(
            *("firmware", FIRMWARE / "test_traps.elf", "--traps", "--cpu", name),
            *("--trace", f"{name}.trace", "--profile", f"{name}.folded"),
        )
        assert finished.returncode == 0
    for kind in ("trace", "folded"):
        text = (tmp_path / f"{cpu}.{kind}").read_text()
        assert text == (tmp_path / f"iss.{kind}").read_text()
        assert len(text.splitlines()) > 5
    assert " trap" in (tmp_path / f"{cpu}.trace").read_text()


@pytest.mark.parametrize("cpu", CPUS)
def test_a_fault_is_told_in_one_line(cpu: str, simulator: Program) -> None:
    finished = simulator("firmware", FIRMWARE / "test_traps.elf", "--cpu", cpu)
    assert finished.returncode == 1
    (error,) = [line for line in finished.stderr.splitlines() if line.startswith("error: ")]
    assert re.search(r"in main\+0x\w+ \(traps\.c:\d+\), is an illegal instruction; ", error)


@pytest.mark.parametrize("cpu", CPUS)
def test_the_watchdog_names_the_place(cpu: str, simulator: Program) -> None:
    image = FIRMWARE / "test_kernels.elf"
    finished = simulator("firmware", image, "--cpu", cpu, "--max-instructions", 1000)
    assert finished.returncode == 1
    assert "still running after 1000 instructions, at 0x001000" in finished.stderr


def test_another_cpu_is_refused(simulator: Program) -> None:
    finished = simulator("firmware", FIRMWARE / "hello.elf", "--cpu", "arm")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "--cpu: arm not in {iss,rtl,lockstep}" in finished.stderr


@pytest.mark.slow
def test_without_the_rtl_the_build_says_what_is_missing(tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text('#!/bin/sh\nexec /usr/bin/env python3 -I -S "$@"\n')  # no packages
    bare.chmod(0o755)
    finished = subprocess.run(
        ["cmake", "-S", ROOT, "-B", tmp_path / "build", f"-DCAVERN_PYTHON={bare}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1
    said = " ".join(finished.stderr.split())
    assert f"{bare} has no module pythondata_cpu_ibex; make the environment with: " in said
