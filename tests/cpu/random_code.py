"""Random pieces of RV32IMC code that run from their first byte to behind their last.

Control goes forwards, or backwards once. Two registers point into an arena of 4096 bytes and are
never written: x8 at its middle, x2 at its first quarter. Loads and stores go through these alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

ARENA = 0x0020_0000
ARENA_BYTES = 4096
SP, BASE = 2, 8
POINTERS = {SP: ARENA + 1024, BASE: ARENA + 2048}
EDGES = (0, 1, 2, 31, 32, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, 0xFFFF_FFFF, 0xFFFF_FFFE)


@dataclass
class Item:
    """Instructions that stay together; `emit` gets the address and that of what it jumps to."""

    size: int
    emit: Callable[[int, int], bytes]
    skip: int = 0  #: how many items further the target is


def word(value: int) -> bytes:
    return (value & 0xFFFF_FFFF).to_bytes(4, "little")


def half(value: int) -> bytes:
    return value.to_bytes(2, "little")


def bits(value: int, high: int, low: int) -> int:
    return value >> low & ((1 << (high - low + 1)) - 1)


def r_type(funct7: int, funct3: int, rd: int, rs1: int, rs2: int) -> int:
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33


def i_type(opcode: int, funct3: int, rd: int, rs1: int, imm: int) -> int:
    return (imm & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def s_type(funct3: int, rs1: int, rs2: int, imm: int) -> int:
    head = bits(imm, 11, 5) << 25 | rs2 << 20 | rs1 << 15
    return head | funct3 << 12 | bits(imm, 4, 0) << 7 | 0x23


def b_type(funct3: int, rs1: int, rs2: int, offset: int) -> int:
    head = bits(offset, 12, 12) << 31 | bits(offset, 10, 5) << 25 | rs2 << 20 | rs1 << 15
    return head | funct3 << 12 | bits(offset, 4, 1) << 8 | bits(offset, 11, 11) << 7 | 0x63


def jal(rd: int, offset: int) -> int:
    head = bits(offset, 20, 20) << 31 | bits(offset, 10, 1) << 21 | bits(offset, 11, 11) << 20
    return head | bits(offset, 19, 12) << 12 | rd << 7 | 0x6F


def c_jump(funct3: int, offset: int) -> int:
    order = ((11, 12), (4, 11), (9, 10), (8, 9), (10, 8), (6, 7), (7, 6), (3, 5), (2, 4), (1, 3))
    placed = sum(bits(offset, source, source) << place for source, place in order)
    return funct3 << 13 | placed | bits(offset, 5, 5) << 2 | 1


def c_branch(funct3: int, rs1: int, offset: int) -> int:
    order = ((8, 12), (4, 11), (3, 10), (7, 6), (6, 5), (2, 4), (1, 3), (5, 2))
    placed = sum(bits(offset, source, source) << place for source, place in order)
    return funct3 << 13 | placed | (rs1 - 8) << 7 | 1


class RandomCode:
    """Draws items of every group; `counts` says how many of which."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.counts: dict[str, int] = {}
        self.groups: tuple[tuple[str, Callable[[], Item]], ...] = (
            ("registers", self.registers),
            ("immediate", self.immediate),
            ("shift", self.shift),
            ("upper", self.upper),
            ("muldiv", self.muldiv),
            ("load", self.load),
            ("store", self.store),
            ("branch", self.branch),
            ("backward", self.backward),
            ("jal", self.jal),
            ("jalr", self.jalr),
            ("compressed", self.compressed),
            ("compressed", self.compressed),
            ("compressed", self.compressed),
            ("compressed jump", self.compressed_jump),
            ("compressed branch", self.compressed_branch),
            ("compressed jr", self.compressed_jr),
            ("fence", self.fence),
        )

    def source(self) -> int:
        return self.random.randrange(32)

    def target(self) -> int:
        while (rd := self.random.randrange(32)) in POINTERS:
            pass
        return rd

    def small(self) -> int:
        return self.random.choice((-2048, -1, 0, 1, 2047, self.random.randrange(-2048, 2048)))

    def value(self) -> int:
        return self.random.choice(
            (*EDGES, self.random.getrandbits(32), self.random.getrandbits(32))
        )

    def fixed(self, instruction: int) -> Item:
        return Item(4, lambda _pc, _to: word(instruction))

    def registers(self) -> Item:
        funct7, funct3 = self.random.choice([(0, f) for f in range(8)] + [(0x20, 0), (0x20, 5)])
        return self.fixed(r_type(funct7, funct3, self.target(), self.source(), self.source()))

    def muldiv(self) -> Item:
        funct3 = self.random.randrange(8)
        return self.fixed(r_type(1, funct3, self.target(), self.source(), self.source()))

    def immediate(self) -> Item:
        funct3 = self.random.choice((0, 2, 3, 4, 6, 7))
        return self.fixed(i_type(0x13, funct3, self.target(), self.source(), self.small()))

    def shift(self) -> Item:
        funct3, high = self.random.choice(((1, 0), (5, 0), (5, 0x400)))
        amount = high | self.random.randrange(32)
        return self.fixed(i_type(0x13, funct3, self.target(), self.source(), amount))

    def upper(self) -> Item:
        opcode = self.random.choice((0x37, 0x17))
        return self.fixed(self.random.getrandbits(20) << 12 | self.target() << 7 | opcode)

    def place(self, size: int) -> tuple[int, int]:
        """A base and an offset; one in four is not aligned."""
        base = self.random.choice((SP, BASE))
        offset = self.random.randrange(-1024, 2040)
        return base, offset if self.random.random() < 0.25 else offset & -size

    def load(self) -> Item:
        funct3 = self.random.choice((0, 1, 2, 4, 5))
        base, offset = self.place(1 << (funct3 & 3))
        return self.fixed(i_type(0x03, funct3, self.target(), base, offset))

    def store(self) -> Item:
        funct3 = self.random.randrange(3)
        base, offset = self.place(1 << funct3)
        return self.fixed(s_type(funct3, base, self.source(), offset))

    def fence(self) -> Item:
        return self.fixed(self.random.choice((0x0FF0_000F, 0x0000_100F)))

    def ahead(self) -> int:
        return self.random.randrange(1, 4)

    def condition(self) -> tuple[int, int, int]:
        funct3 = self.random.choice((0, 1, 4, 5, 6, 7))
        rs1 = self.source()
        rs2 = rs1 if self.random.random() < 0.2 else self.source()
        return funct3, rs1, rs2

    def branch(self) -> Item:
        funct3, rs1, rs2 = self.condition()
        return Item(4, lambda pc, to: word(b_type(funct3, rs1, rs2, to - pc)), self.ahead())

    def backward(self) -> Item:
        """j 2f; 1: addi; j 3f; 2: branch 1b; 3: - the branch is executed once."""
        funct3, rs1, rs2 = self.condition()
        step = i_type(0x13, 0, self.target(), self.source(), self.small())
        code = word(jal(0, 12)) + word(step) + word(jal(0, 8)) + word(b_type(funct3, rs1, rs2, -8))
        return Item(16, lambda _pc, _to: code)

    def jal(self) -> Item:
        rd = self.target()
        return Item(4, lambda pc, to: word(jal(rd, to - pc)), self.ahead())

    def jalr(self) -> Item:
        base = self.target() or 5
        rd = self.target()
        odd = self.random.randrange(2)
        auipc = word(base << 7 | 0x17)
        return Item(
            8,
            lambda pc, to: auipc + word(i_type(0x67, 0, rd, base, to - pc + odd)),
            self.ahead(),
        )

    def compressed_jump(self) -> Item:
        funct3 = self.random.choice((1, 5))
        return Item(2, lambda pc, to: half(c_jump(funct3, to - pc)), self.ahead())

    def compressed_branch(self) -> Item:
        funct3, rs1 = self.random.choice((6, 7)), self.random.randrange(8, 16)
        return Item(2, lambda pc, to: half(c_branch(funct3, rs1, to - pc)), self.ahead())

    def compressed_jr(self) -> Item:
        base = self.target() or 6
        link = self.random.randrange(2)
        auipc = word(base << 7 | 0x17)
        jump = half(4 << 13 | link << 12 | base << 7 | 2)
        return Item(
            10,
            lambda pc, to: auipc + word(i_type(0x13, 0, base, base, to - pc)) + jump,
            self.ahead(),
        )

    def compressed(self) -> Item:
        """Any other instruction of 16 bits."""
        if self.random.random() < 0.05:  # C.ADDI16SP, and back again
            imm = self.random.choice([i for i in range(-512, 512, 16) if i not in (0, -512)])
            there, back = self.addi16sp(imm), self.addi16sp(-imm)
            return Item(4, lambda _pc, _to: half(there) + half(back))
        while not self.is_plain(c := self.through_base(self.random.getrandbits(16))):
            pass
        return Item(2, lambda _pc, _to: half(c))

    @staticmethod
    def addi16sp(imm: int) -> int:
        low = (
            bits(imm, 4, 4) << 6
            | bits(imm, 6, 6) << 5
            | bits(imm, 8, 7) << 3
            | bits(imm, 5, 5) << 2
        )
        return 0x6101 | bits(imm, 9, 9) << 12 | low

    @staticmethod
    def through_base(c: int) -> int:
        """C.LW and C.SW get x8 as their base."""
        return c & ~(7 << 7) if c & 3 == 0 and c >> 13 in (2, 6) else c

    @staticmethod
    def is_plain(c: int) -> bool:
        """Legal, no jump, and does not write a pointer."""
        quadrant, funct3 = c & 3, c >> 13
        rd, short, other = bits(c, 11, 7), 8 + bits(c, 9, 7), 8 + bits(c, 4, 2)
        writes = rd not in POINTERS
        if quadrant == 0:
            return (funct3 == 0 and bits(c, 12, 5) != 0 and other != BASE) or (
                funct3 == 6 or (funct3 == 2 and other != BASE)
            )
        if quadrant == 1:
            if funct3 == 4:
                return (
                    bits(c, 12, 12) == 0
                    and short != BASE
                    or (bits(c, 11, 10) == 2 and short != BASE)
                )
            not_zero = bits(c, 12, 12) | bits(c, 6, 2)
            return writes and (funct3 in (0, 2) or (funct3 == 3 and not_zero != 0))
        if quadrant == 2:
            if funct3 == 0:
                return writes and bits(c, 12, 12) == 0
            if funct3 == 2:
                return writes and rd != 0
            return funct3 == 6 or (funct3 == 4 and writes and bits(c, 6, 2) != 0)
        return False

    def registers_in(self) -> list[int]:
        return [0 if i == 0 else POINTERS.get(i, self.value()) for i in range(32)]

    def piece(self, address: int, items: int) -> bytes:
        """`items` items at `address`."""
        chosen = []
        for _ in range(items):
            name, make = self.random.choice(self.groups)
            self.counts[name] = self.counts.get(name, 0) + 1
            chosen.append(make())
        places = [address]
        for item in chosen:
            places.append(places[-1] + item.size)
        code = b""
        for i, item in enumerate(chosen):
            to = places[min(i + 1 + item.skip, items)] if item.skip else 0
            code += item.emit(places[i], to)
        assert len(code) == places[-1] - address
        return code
