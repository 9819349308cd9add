"""`cavern firmware`: the log, what it writes, and how it ends."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from cavern.bench.firmware import figures
from cavern.simulator import BUILD

from tests.cli.programs import Program

FIRMWARE = BUILD / "firmware"
HELLO = FIRMWARE / "hello.elf"


def test_the_log_goes_to_stdout_and_the_summary_to_stderr(simulator: Program) -> None:
    done = simulator("firmware", HELLO)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "Hello from RISC-V, hart 0, misa 0x40101104."
    assert re.fullmatch(r"The sum of 0 to 99 is 4950; it took \d+ cycles\.", lines[1])
    summary = r"\d+ instructions, \d+ cycles, [\d.]+ M instructions/s\n"
    assert re.fullmatch(summary, done.stderr)


def first_jump(image: Path) -> list[str]:
    """Of an ELF file that begins with a jump forward (RV32I, JAL to x0), as a trace has it."""
    data = image.read_bytes()
    entry, headers = struct.unpack_from("<II", data, 24)
    size, count = struct.unpack_from("<HH", data, 42)
    for at in range(headers, headers + count * size, size):
        _, offset, _, address, length = struct.unpack_from("<5I", data, at)
        if address <= entry < address + length:
            (word,) = struct.unpack_from("<I", data, offset + entry - address)
    assert word & 0x800F_FFFF == 0x6F | word & 0xF_F000
    steps = word & 0xF_F000 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1
    return [f"{entry:08x}", f"{word:08x}", "j", f"{entry + steps:x}"]


def test_runs_are_the_same_and_observing_does_not_change_them(
    simulator: Program, tmp_path: Path
) -> None:
    outputs = []
    for i in range(2):
        files = [tmp_path / f"{name}{i}" for name in ("trace", "profile", "log")]
        options = ("--trace", files[0], "--profile", files[1], "--log", files[2])
        done = simulator("firmware", HELLO, *options)
        assert done.returncode == 0
        outputs.append([done.stdout, *(file.read_text() for file in files)])
    assert outputs[0] == outputs[1]
    log, trace, profile, stamped = outputs[0]
    assert simulator("firmware", HELLO).stdout == log
    rows = trace.splitlines()
    assert rows[0].split()[1:] == [*first_jump(HELLO), "_start"]
    assert any(row.endswith("main") for row in rows)
    at = [int(row.split()[0]) for row in rows]
    assert at[0] > 0 and at == sorted(set(at))
    cycles = at[-1]
    assert sum(int(line.split()[-1]) for line in profile.splitlines()) == cycles
    assert any(line.startswith("start;main;printf;format_to ") for line in profile.splitlines())
    assert [line[13:] for line in stamped.splitlines()] == log.splitlines()
    stamps = [int(line[:12]) for line in stamped.splitlines()]
    assert stamps == sorted(stamps) and stamps[-1] < cycles


def test_the_watchdog_names_the_place(simulator: Program) -> None:
    done = simulator("firmware", HELLO, "--max-instructions", 500)
    assert done.returncode == 1
    error = done.stderr.splitlines()[-1]
    assert re.fullmatch(
        rf"error: {HELLO}: is still running after 500 instructions, at 0x[0-9a-f]{{8}} in \w+"
        r"(\+0x[0-9a-f]+)? \(\w+\.c:\d+\); give it more with --max-instructions",
        error,
    ), error


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("traps", r"in \w+\+0x[0-9a-f]+ \(traps\.c:\d+\), is an illegal instruction;"),
        ("misaligned", r"\(misaligned\.c:\d+\), makes a misaligned access \(0x002[0-9a-f]{5}\);"),
    ],
)
def test_what_firmware_must_not_do_stops_it(simulator: Program, name: str, what: str) -> None:
    image = FIRMWARE / f"test_{name}.elf"
    done = simulator("firmware", image)
    assert done.returncode == 1
    assert re.search(what, done.stderr.splitlines()[-1]), done.stderr
    assert simulator("firmware", image, "--traps").returncode == 0


def test_another_status_than_zero_is_reported(simulator: Program, tmp_path: Path) -> None:
    changed = bytearray((FIRMWARE / "test_print.elf").read_bytes())
    place = changed.index(b"100%\0")
    changed[place : place + 4] = b"101%"  # what is expected of a printf
    broken = tmp_path / "broken.elf"
    broken.write_bytes(changed)
    done = simulator("firmware", broken)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"error: {broken}: ended with status 1; 0 is success"


def test_what_is_no_image_is_refused_and_nothing_is_written(
    simulator: Program, tmp_path: Path
) -> None:
    whole = HELLO.read_bytes()
    cases = {
        b"hello": "is no ELF file",
        whole[:4] + b"\x02" + whole[5:]: "not of 32 bits",
        whole[:5000]: "is cut short",
        whole[:60] + (0x0014_0000).to_bytes(4, "little") + whole[64:]: "outside every memory",
    }
    for i, (content, what) in enumerate(cases.items()):
        image = tmp_path / f"{i}.elf"
        image.write_bytes(content)
        trace = tmp_path / f"{i}.trace"
        done = simulator("firmware", image, "--trace", trace)
        assert done.returncode == 2
        assert done.stdout == ""
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"error: {image}: ") and what in line
        assert not trace.exists()
    missing = simulator("firmware", tmp_path / "none.elf")
    assert missing.returncode == 2 and "cannot be read" in missing.stderr


def test_bench_reads_its_program() -> None:
    measured = figures("plain 200 300 0.5\nobserved 200 300 2\n")
    assert measured["plain"]["million_instructions_per_second"] == 0.0004
    assert measured["observed"]["cycles_per_instruction"] == 1.5
