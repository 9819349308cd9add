"""Two processors that execute pieces of code: the interpreter (a process of its own), Unicorn."""

from __future__ import annotations

import struct
import subprocess
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from unicorn import UC_ARCH_RISCV, UC_MODE_RISCV32, Uc, UcError
from unicorn import riscv_const as rv

from tests.cpu.random_code import ARENA, ARENA_BYTES, RandomCode

CODE = 0x0010_0000
CODE_BYTES = 256 * 1024
REGISTERS = [getattr(rv, f"UC_RISCV_REG_X{i}") for i in range(32)]
ITEMS = 60  #: of a piece
REGISTER_SETS = 5
NAMES = ["pc", *(f"x{i}" for i in range(32)), "memory"]


@dataclass
class Piece:
    address: int
    code: bytes
    registers: list[int]

    @property
    def end(self) -> int:
        return self.address + len(self.code)


@dataclass
class State:
    """After a piece: pc, registers, and the checksum of the arena."""

    values: list[int] = field(default_factory=list)
    executed: int = 0

    def differences(self, other: State) -> list[str]:
        return [
            f"{name} {mine:#010x} {theirs:#010x}"
            for name, mine, theirs in zip(NAMES, self.values, other.values, strict=True)
            if mine != theirs
        ]


def pieces(seed: int, count: int) -> tuple[list[Piece], dict[str, int]]:
    """At most `count` pieces of code, and what fits side by side into the instruction memory; each
    with several sets of registers."""
    drawn = RandomCode(seed)
    result: list[Piece] = []
    address = CODE + 0x80
    for _ in range(count):
        code = drawn.piece(address, ITEMS)
        if address + len(code) + 4 > CODE + CODE_BYTES:
            break
        result += (Piece(address, code, drawn.registers_in()) for _ in range(REGISTER_SETS))
        address += len(code) + drawn.random.choice((2, 4))
    return result, drawn.counts


def on_interpreter(
    program: Path, work: list[Piece], limit: int = 1000, arena: bytes | None = None
) -> list[State]:
    """One after the other, on the same memory, which begins as `arena` or zero."""
    requests = b""
    for i, piece in enumerate(work):
        given = arena if arena is not None and i == 0 else b""
        head = (piece.address, len(piece.code), limit, 1 if given else 0)
        requests += struct.pack("<36I", *head, *piece.registers) + given + piece.code
    done = subprocess.run([program], input=requests, capture_output=True, check=True).stdout
    answers = [struct.unpack_from("<36I", done, at) for at in range(0, len(done), 144)]
    assert len(answers) == len(work)
    return [State([a[0], *a[4:], a[3]], a[1]) for a in answers]


class Unicorn:
    """The same on Unicorn (QEMU's translator)."""

    def __init__(self, arena: bytes | None = None) -> None:
        self.engine = Uc(UC_ARCH_RISCV, UC_MODE_RISCV32)
        self.engine.mem_map(CODE, CODE_BYTES)
        self.engine.mem_map(ARENA, 256 * 1024)
        if arena is not None:
            self.engine.mem_write(ARENA, arena)

    def arena(self) -> bytes:
        return bytes(self.engine.mem_read(ARENA, ARENA_BYTES))

    def run(self, piece: Piece, limit: int = 0) -> State:
        self.engine.mem_write(piece.address, piece.code)
        for register, value in zip(REGISTERS[1:], piece.registers[1:], strict=True):
            self.engine.reg_write(register, value)
        try:
            self.engine.emu_start(piece.address, piece.end, count=limit)
        except UcError as error:
            raise AssertionError(f"Unicorn refuses {piece.code.hex()}: {error}") from error
        values = [self.engine.reg_read(register) for register in REGISTERS]
        pc = self.engine.reg_read(rv.UC_RISCV_REG_PC)
        return State([pc, *values, zlib.crc32(self.arena())])


def first_difference(program: Path, piece: Piece, arena: bytes, executed: int) -> str:
    """Which instruction of a piece that ends differently is the first to do so."""
    before = piece.address
    for count in range(1, executed + 1):
        mine = on_interpreter(program, [piece], count, arena)[0]
        theirs = Unicorn(arena).run(piece, count)
        if differences := mine.differences(theirs):
            offset = before - piece.address
            code = piece.code[offset : offset + 4]
            size = 4 if code[0] & 3 == 3 else 2
            instruction = int.from_bytes(code[:size], "little")
            found = f"instruction {count} at {before:#010x}, {instruction:#0{2 + 2 * size}x}"
            return f"{found}: interpreter, then Unicorn: {', '.join(differences)}"
        before = mine.values[0]
    return "no step differs"


def compare(program: Path, seed: int, count: int) -> tuple[int, str, dict[str, int]]:
    """Instructions compared, the first difference ("" for none), items of each group."""
    work, counts = pieces(seed, count)
    unicorn = Unicorn()
    executed = 0
    for piece, mine in zip(work, on_interpreter(program, work), strict=True):
        arena = unicorn.arena()
        if mine.differences(unicorn.run(piece)):
            return executed, first_difference(program, piece, arena, mine.executed), counts
        executed += mine.executed
    return executed, "", counts
