"""`cavern firmware --coverage`: compared with what binutils make of the instruction trace."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from os.path import normpath
from pathlib import Path

import pytest
from cavern.simulator import BUILD

from tests.cli.programs import ROOT, Program

FIRMWARE = BUILD / "firmware"
Lines = dict[tuple[str, int], int]


def lines_of(info: str) -> Lines:
    """The counts of a report, by file and line."""
    found: Lines = {}
    name = ""
    for line in info.splitlines():
        key, _, value = line.partition(":")
        if key == "SF":
            name = normpath(value)
        elif key == "DA":
            number, count = value.split(",")
            found[name, int(number)] = int(count)
    return found


def expected_lines(image: Path, trace: str) -> Lines:
    """The largest count of any instruction of each line: pcs of the trace through addr2line."""
    counts = Counter(int(row.split()[1], 16) for row in trace.splitlines())
    code = re.findall(
        r"^ *([0-9a-f]+):\t[0-9a-f]{4,8} ",
        subprocess.run(
            ["riscv64-unknown-elf-objdump", "-d", str(image)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout,
        re.MULTILINE,
    )
    assert set(counts) <= {int(pc, 16) for pc in code}
    places = subprocess.run(
        ["riscv64-unknown-elf-addr2line", "-e", str(image)],
        input="\n".join(code),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert len(places) == len(code) > 100
    found: Lines = {}
    for pc, place in zip(code, places, strict=True):
        file, _, number = place.split(" ")[0].rpartition(":")
        if number not in {"?", "0"}:
            # Of what the compiler brings along, addr2line adds the folder where that was built.
            key = (normpath(file[max(file.find("../"), 0) :]), int(number))
            found[key] = max(found.get(key, 0), counts[int(pc, 16)])
    return found


def measured(simulator: Program, image: Path) -> tuple[str, str]:
    """The report of a run and its trace."""
    files = [simulator.folder / name for name in ("lines.info", "trace")]
    done = simulator("firmware", image, "--coverage", files[0], "--trace", files[1])
    assert done.returncode == 0, done.stderr
    return files[0].read_text(), files[1].read_text()


@pytest.mark.parametrize("name", ["debugger", "hello", "test_timer", "test_kernels"])
@pytest.mark.slow
def test_counts_are_those_of_addr2line(name: str, simulator: Program) -> None:
    image = FIRMWARE / f"{name}.elf"
    info, trace = measured(simulator, image)
    lines = lines_of(info)
    assert lines == expected_lines(image, trace)
    assert 0 in lines.values() and max(lines.values()) > 1
    # One instruction more or less is seen.
    assert lines != expected_lines(image, trace.partition("\n")[2])


def test_files_are_named_as_in_the_tree(simulator: Program) -> None:
    info, _ = measured(simulator, FIRMWARE / "debugger.elf")
    names = re.findall(r"^SF:(.*)$", info, re.MULTILINE)
    assert names == sorted(names)
    ours = [name for name in names if not name.startswith("..")]  # the compiler's own library
    assert "firmware/debugger/orders.c" in ours
    assert [name for name in ours if not (ROOT / name).is_file()] == []


def test_a_branch_never_taken_is_there_with_zero(simulator: Program) -> None:
    info, _ = measured(simulator, FIRMWARE / "debugger.elf")
    source = (ROOT / "firmware" / "debugger" / "orders.c").read_text().splitlines()
    (never,) = [i for i, line in enumerate(source, 1) if "only %u left" in line]
    lines = lines_of(info)
    assert lines["firmware/debugger/orders.c", never] == 0
    assert lines["firmware/debugger/orders.c", never - 1] == 6


def test_ibex_covers_what_the_interpreter_does(simulator: Program) -> None:
    reports = []
    for cpu in ("iss", "rtl"):
        image = FIRMWARE / "debugger.elf"
        done = simulator("firmware", image, "--cpu", cpu, "--coverage", f"{cpu}.info")
        assert done.returncode == 0, done.stderr
        reports.append((simulator.folder / f"{cpu}.info").read_text())
    assert reports[0] == reports[1] != ""


def test_a_run_that_fails_is_covered_as_far_as_it_came(simulator: Program) -> None:
    options = ("--max-instructions", 300, "--coverage", "lines.info")
    done = simulator("firmware", FIRMWARE / "debugger.elf", *options)
    assert done.returncode == 1
    lines = lines_of((simulator.folder / "lines.info").read_text())
    assert 0 < sum(count != 0 for count in lines.values()) < len(lines)


def test_an_image_without_lines_is_refused(simulator: Program) -> None:
    stripped = simulator.folder / "stripped.elf"
    command = ["riscv64-unknown-elf-strip", "--strip-debug", "-o", str(stripped)]
    subprocess.run([*command, str(FIRMWARE / "debugger.elf")], check=True)
    done = simulator("firmware", stripped, "--coverage", "lines.info")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == (f"error: {stripped}: has no lines of its source; compile it with -g\n")
    assert not (simulator.folder / "lines.info").exists()
