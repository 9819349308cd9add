"""Makes all forms of the drive's registers from the one description, cavern_regs.rdl.

make_registers.py RDL OUTPUT      C header, RTL and C++ table into the folder OUTPUT
make_registers.py RDL --html DIR  the manual, as HTML
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from peakrdl_cheader.c_standards import CStandard
from peakrdl_cheader.exporter import CHeaderExporter
from peakrdl_html import HTMLExporter
from peakrdl_regblock import RegblockExporter
from peakrdl_regblock.cpuif.apb4 import APB4_Cpuif_flattened
from peakrdl_regblock.udps import ALL_UDPS
from systemrdl import RDLCompileError, RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, MemNode, RegfileNode, RegNode
from systemrdl.rdltypes import OnWriteType, UserEnum

#: Where the processor sees the block: MemoryMap::registers of model/cpu/memory_map.h.
BASE = 0x4000_0000


def elaborate(rdl: Path) -> AddrmapNode:
    compiler = RDLCompiler()
    for definition in ALL_UDPS:  # peakrdl-regblock looks for them
        compiler.register_udp(definition)
    compiler.compile_file(str(rdl))
    return compiler.elaborate().top


def write_if_changed(path: Path, text: str) -> None:
    """Leaves an unchanged file alone, so that nothing is compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def registers_of(top: AddrmapNode) -> list[RegNode]:
    """In the order of addresses."""
    found: list[RegNode] = []
    for child in top.children(unroll=True):
        if isinstance(child, RegNode):
            found.append(child)
        elif isinstance(child, RegfileNode):
            found.extend(node for node in child.children(unroll=True) if isinstance(node, RegNode))
    return sorted(found, key=lambda register: register.absolute_address)


def name_of(register: RegNode) -> str:
    """The path below the block, as the C header has it: request.pop."""
    return str(register.get_path()).split(".", 1)[1]


def camel(*names: str) -> str:
    return "".join(part.capitalize() for name in names for part in re.split(r"[._]", name))


def enums_of(registers: list[RegNode]) -> list[type[UserEnum]]:
    found: dict[str, type[UserEnum]] = {}
    for register in registers:
        for field in register.fields():
            if (encode := field.get_property("encode")) is not None:
                found[encode.__name__] = encode
    return list(found.values())


def reset_of(field: FieldNode) -> int:
    """0 for a field that has none. Only numbers are: a reset by a signal has no C++ form."""
    reset = field.get_property("reset")
    if reset is not None and not isinstance(reset, int):
        raise ValueError(f"{field.get_path()}: a reset value is a number")
    return reset or 0


# The C header.


def write_c_header(top: AddrmapNode, output: Path) -> None:
    path = output / "cavern_regs.h"
    draft = output / "cavern_regs.h.draft"
    CHeaderExporter().export(
        top,
        str(draft),
        std=CStandard.gnu11,
        # A store to a bit-field reads the register and writes it back: among write-1-to-clear bits
        # it clears all that are set. Whole words and masks show what is stored.
        generate_bitfields=False,
        instantiate=True,
        inst_offset=BASE,
    )
    text = draft.read_text()
    draft.unlink()
    text = text.replace(draft.stem.upper().replace(".", "_") + "_DRAFT", "CAVERN_REGS_H")
    # A packed struct has an alignment of 1: through a pointer, the compiler would take a register
    # apart into bytes, because the core has no misaligned accesses.
    text = replaced(text, "__attribute__ ((__packed__))", "__attribute__((packed, aligned(4)))")
    # A freestanding compiler has no assert.h; this is all that it would bring (C11, 7.2).
    text = replaced(
        text,
        "#include <assert.h>",
        "#if !defined(__cplusplus) && !defined(static_assert)\n"
        "#define static_assert _Static_assert\n#endif",
    )
    lines = []
    for enum in enums_of(registers_of(top)):
        prefix = f"CAVERN_REGS__{enum.__name__.removesuffix('_e').upper()}__"
        values = ", ".join(f"{prefix}{entry.name.upper()} = {entry.value}" for entry in enum)
        lines.append(f"enum {{ {values} }};\n")
    lines += [f"#define CAVERN_REGS__{name} {value}\n" for name, value in top.parameters.items()]
    text = replaced(text, "\n// Instances\n", "\n" + "".join(lines) + "\n// Instances\n")
    write_if_changed(path, text)


def replaced(text: str, what: str, by: str) -> str:
    if what not in text:
        raise ValueError(f"peakrdl-cheader does not write '{what}' any more")
    return text.replace(what, by)


# The RTL.


def write_rtl(top: AddrmapNode, output: Path) -> None:
    draft = output / "draft"
    RegblockExporter().export(
        top,
        str(draft),
        cpuif_cls=APB4_Cpuif_flattened,
        default_reset_activelow=True,
        default_reset_async=True,
        err_if_bad_addr=True,
        err_if_bad_rw=True,
    )
    for path in sorted(draft.iterdir()):
        write_if_changed(output / path.name, path.read_text())
        path.unlink()
    draft.rmdir()


# The table of the C++ form.


def access_of(field: FieldNode) -> str:
    on_write = field.get_property("onwrite")
    if not field.is_sw_writable:
        return "kReadOnly"
    if on_write == OnWriteType.woclr:
        return "kOneClears"
    if on_write == OnWriteType.wclr:
        return "kAnyClears"
    if on_write is not None:
        raise ValueError(f"{field.get_path()}: onwrite = {on_write.name} has no C++ form")
    if field.get_property("singlepulse"):
        return "kPulse"
    return "kReadWrite" if field.is_sw_readable else "kWriteOnly"


def mask_of(field: FieldNode) -> int:
    return ((1 << field.width) - 1) << field.lsb


def check(field: FieldNode) -> None:
    """What the C++ form has no counterpart of is refused, not left out."""
    access_of(field)
    reset_of(field)
    if field.get_property("onread") is not None:
        raise ValueError(f"{field.get_path()}: reading has no side effect in this block")
    if not field.get_property("desc"):
        raise ValueError(f"{field.get_path()}: a field has a desc")
    if field.is_sw_writable and field.get_property("reset") is None:
        raise ValueError(f"{field.get_path()}: a field that is written has a reset value")


def is_from_drive(field: FieldNode) -> bool:
    """No storage here, and no constant."""
    return bool(field.is_hw_writable) and not field.implements_storage


def row_of(register: RegNode, first: int) -> str:
    masks = dict.fromkeys(
        ("kReadOnly", "kReadWrite", "kWriteOnly", "kOneClears", "kAnyClears", "kPulse"), 0
    )
    reset = read = 0
    for field in register.fields():
        masks[access_of(field)] |= mask_of(field)
        reset |= reset_of(field) << field.lsb
        read |= mask_of(field) if field.is_sw_readable else 0
    numbers = (
        register.absolute_address,
        reset,
        read,
        masks["kReadWrite"] | masks["kWriteOnly"],
        masks["kOneClears"],
        masks["kAnyClears"],
        masks["kPulse"],
    )
    texts = ", ".join(f"{number:#x}u" for number in numbers)
    return f'    {{"{name_of(register)}", {first}, {len(list(register.fields()))}, {texts}}},\n'


def field_row(field: FieldNode) -> str:
    from_drive = "true" if is_from_drive(field) else "false"
    return (
        f'    {{"{field.inst_name}", {field.lsb}, {field.width}, FieldAccess::{access_of(field)}, '
        f"{from_drive}, {reset_of(field):#x}u}},\n"
    )


def write_table(top: AddrmapNode, output: Path) -> None:
    registers = registers_of(top)
    fields = [field for register in registers for field in register.fields()]
    (memory,) = [child for child in top.children() if isinstance(child, MemNode)]
    rows, first = [], 0
    for register in registers:
        rows.append(row_of(register, first))
        first += len(list(register.fields()))
    text = [
        "// Made from rtl/regs/cavern_regs.rdl by rtl/regs/make_registers.py.\n#pragma once\n\n",
        '#include <array>\n#include <cstdint>\n\n#include "cpu/register_layout.h"\n\n',
        "namespace cavern::cpu::regs {\n\n",
        f"inline constexpr std::uint32_t kBytes = {top.size:#x};\n",
        f"inline constexpr std::uint32_t kMemoryAddress = {memory.absolute_address:#x};\n",
    ]
    text += [
        f"inline constexpr std::uint32_t k{camel(name)} = {value};\n"
        for name, value in top.parameters.items()
    ]
    for enum in enums_of(registers):
        entries = ", ".join(f"k{camel(entry.name)} = {entry.value}" for entry in enum)
        name = camel(enum.__name__.removesuffix("_e"))
        text.append(f"\nenum class {name} : std::uint8_t {{ {entries} }};\n")
    ids = "".join(f"    k{camel(name_of(register))},\n" for register in registers)
    text += [
        f"\nenum class RegisterId : std::uint16_t {{\n{ids}}};\n",
        f"\ninline constexpr std::array<FieldInfo, {len(fields)}> kFields{{{{\n",
        *(field_row(field) for field in fields),
        "}};\n",
        f"\ninline constexpr std::array<RegisterInfo, {len(registers)}> kRegisters{{{{\n",
        *rows,
        "}};\n\n",
    ]
    for register in registers:
        text += [
            f"inline constexpr FieldPlace k{camel(name_of(register), field.inst_name)}"
            f"{{{field.lsb}, {field.width}}};\n"
            for field in register.fields()
        ]
    text.append("\n} // namespace cavern::cpu::regs\n")
    write_if_changed(output / "register_table.h", "".join(text))


def main() -> int:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("rdl", type=Path)
    parser.add_argument("output", type=Path, nargs="?")
    parser.add_argument("--html", type=Path)
    arguments = parser.parse_args()
    try:
        top = elaborate(arguments.rdl)
        for register in registers_of(top):
            for field in register.fields():
                check(field)
        if arguments.output is not None:
            arguments.output.mkdir(parents=True, exist_ok=True)
            write_c_header(top, arguments.output)
            write_rtl(top, arguments.output)
            write_table(top, arguments.output)
        if arguments.html is not None:
            HTMLExporter(generate_source_links=False).export(top, str(arguments.html))
    except RDLCompileError:
        return 1  # the compiler has said where
    except ValueError as wrong:
        print(
            f"error: {arguments.rdl}:1: {wrong}; see docs/verification/registers.md",
            file=sys.stderr,
        )
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
