"""The forms that are made of the registers' description say the same, each read for itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.programs import ROOT

pytestmark = pytest.mark.slow  # each makes or reads all forms of the registers

RDL = ROOT / "rtl" / "regs" / "cavern_regs.rdl"
WAIVERS = ROOT / "rtl" / "regs" / "registers.vlt"
MAKER = ROOT / "rtl" / "regs" / "make_registers.py"
FIRMWARE = ["riscv64-unknown-elf-gcc", "-march=rv32imc_zicsr", "-mabi=ilp32", "-ffreestanding"]
STRICT = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


@dataclass(frozen=True)
class Field:
    register: str
    name: str
    address: int
    lsb: int
    width: int
    reset: int | None  #: None: the drive says what it shows
    readable: bool


def make(*arguments: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(MAKER), *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("registers")
    done = make(RDL, folder)
    assert done.returncode == 0 and done.stdout + done.stderr == "", done
    return folder


# ---- each form, read for itself ------------------------------------------------------------------


def table_of(text: str) -> list[Field]:
    rows = re.findall(r'\{"(\w+)", (\d+), (\d+), FieldAccess::k(\w+), (\w+), (\w+)u\}', text)
    found = []
    for name, first, count, numbers in re.findall(r'\{"(\w+\.\w+)", (\d+), (\d+), ([^}]*)\}', text):
        address, _, read, *_ = (int(number.strip(" u"), 0) for number in numbers.split(","))
        for field, lsb, width, _access, from_drive, reset in rows[
            int(first) : int(first) + int(count)
        ]:
            found.append(
                Field(
                    name,
                    field,
                    address,
                    int(lsb),
                    int(width),
                    None if from_drive == "true" else int(reset, 0),
                    read != 0,
                )
            )
    assert len(found) == len(rows) > 70
    return found


def macros_of(header: str) -> dict[str, int]:
    return {
        name: int(value, 0)
        for name, value in re.findall(r"#define CAVERN_REGS__(\w+) (\w+)$", header, re.MULTILINE)
    }


def expected_macros(fields: list[Field]) -> dict[str, int]:
    found = {}
    for field in fields:
        name = "__".join([*field.register.split("."), field.name]).upper()
        found[f"{name}_bm"] = ((1 << field.width) - 1) << field.lsb
        found[f"{name}_bp"] = field.lsb
        found[f"{name}_bw"] = field.width
        if field.reset is not None:
            found[f"{name}_reset"] = field.reset
    return found


def shown_by_rtl(rtl: str) -> set[tuple[int, int, int, str]]:
    """Address, lowest bit, width and source of all that a read shows; the source is a field or a
    constant."""
    found = set()
    for address, body in re.findall(
        r"if\(rd_mux_addr == 16'h(\w+)\) begin(.*?)\bend\b", rtl, re.DOTALL
    ):
        for bits, source in re.findall(r"readback_data_var\[([\d:]+)\] = ([^;]+);", body):
            msb, _, lsb = bits.partition(":")
            low = int(lsb or msb)
            path = re.sub(r"^(field_storage|hwif_in)\.|\.(value|next)$", "", source)
            found.add((int(address, 16), low, int(msb) - low + 1, path))
    return found


def resets_of_rtl(rtl: str) -> dict[str, int]:
    return {
        path: int(value, 16)
        for path, value in re.findall(
            r"if\(~arst_n\) begin\s+field_storage\.([\w.]+)\.value <= \d+'h(\w+);", rtl
        )
    }


# ---- that they agree -----------------------------------------------------------------------------


def test_header_and_table_agree(forms: Path) -> None:
    fields = table_of((forms / "register_table.h").read_text())
    macros = macros_of((forms / "cavern_regs.h").read_text())
    of_fields = {
        name: value for name, value in macros.items() if re.search("_(bm|bp|bw|reset)$", name)
    }
    assert of_fields == expected_macros(fields)
    table = (forms / "register_table.h").read_text()
    for name in ("REQUEST_SLOTS", "OPERATION_SLOTS", "DMA_SLOTS", "WINDOW_WORDS"):
        camel = "".join(part.capitalize() for part in name.split("_"))
        assert f"k{camel} = {macros[name]};" in table


def test_rtl_and_table_agree(forms: Path) -> None:
    fields = table_of((forms / "register_table.h").read_text())
    rtl = (forms / "cavern_regs.sv").read_text()
    resets = resets_of_rtl(rtl)
    stored = {f"{field.register}.{field.name}": field for field in fields}
    shown = shown_by_rtl(rtl)
    assert len(shown) == sum(field.readable for field in fields)
    for address, lsb, width, source in shown:
        (field,) = [f for f in fields if f.readable and (f.address, f.lsb) == (address, lsb)]
        assert field.width == width
        if constant := re.fullmatch(r"\d+'h(\w+)", source):
            assert field.reset == int(constant[1], 16)
        else:
            assert source == f"{field.register}.{field.name}"
            assert resets.get(source) == field.reset
    # Write-only fields are not read, but reset.
    assert set(resets) <= set(stored)
    assert {name: stored[name].reset for name in resets} == resets


def offsets_program(fields: list[Field]) -> str:
    places = sorted({(field.register, field.address) for field in fields})
    checks = "\n".join(
        f'_Static_assert(offsetof(cavern_regs_t, {register}) == {address:#x}, "{register}");'
        for register, address in places
    )
    return f"""#include <stddef.h>
#include "cavern_regs.h"
{checks}
_Static_assert(offsetof(cavern_regs_t, memory) == 0xC000, "memory");
uint32_t head(volatile cavern_regs_t *registers);
uint32_t head(volatile cavern_regs_t *registers) {{
    registers->request.pop = CAVERN_REGS__REQUEST__POP__HEAD_bm;
    return registers->request.page;
}}
"""


def compiled(
    compiler: list[str], forms: Path, tmp_path: Path, text: str
) -> subprocess.CompletedProcess[str]:
    source = tmp_path / "offsets.c"
    source.write_text(text)
    return subprocess.run(
        [*compiler, *STRICT, f"-I{forms}", "-S", str(source), "-o", "-"],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("compiler", [["gcc"], FIRMWARE], ids=["host", "firmware"])
def test_struct_of_the_header_lies_as_the_table_says(
    compiler: list[str], forms: Path, tmp_path: Path
) -> None:
    program = offsets_program(table_of((forms / "register_table.h").read_text()))
    assert program.count("_Static_assert") > 40
    done = compiled(compiler, forms, tmp_path, program)
    assert done.returncode == 0, done.stderr
    moved = program.replace("irq.pending) == 0x1c4", "irq.pending) == 0x1c8")
    assert "irq.pending" in compiled(compiler, forms, tmp_path, moved).stderr


def test_firmware_accesses_registers_as_words(forms: Path, tmp_path: Path) -> None:
    program = offsets_program([])
    done = compiled(FIRMWARE, forms, tmp_path, program)
    assert re.findall(r"^\t([ls][bhw]u?)\t", done.stdout, re.MULTILINE) == ["sw", "lw"]
    # As peakrdl-cheader writes it, the compiler must take registers apart.
    header = (forms / "cavern_regs.h").read_text().replace("packed, aligned(4)", "packed")
    (tmp_path / "cavern_regs.h").write_text(header)
    done = compiled(FIRMWARE, tmp_path, tmp_path, program)
    assert "\tlbu\t" in done.stdout and "\tlw\t" not in done.stdout


def test_the_example_of_the_document_compiles(forms: Path, tmp_path: Path) -> None:
    document = (ROOT / "docs" / "verification" / "registers.md").read_text()
    (example,) = re.findall(r"```c\n(.*?)```", document, re.DOTALL)
    flags = ["-Wno-missing-prototypes"]
    for compiler in (["gcc", *flags], [*FIRMWARE, *flags]):
        done = compiled(compiler, forms, tmp_path, example)
        assert done.returncode == 0, done.stderr


# ---- and that a wrong one is told ----------------------------------------------------------------


def broken(tmp_path: Path, before: str, after: str) -> Path:
    text = RDL.read_text()
    assert text.count(before) == 1
    path = tmp_path / "cavern_regs.rdl"
    path.write_text(text.replace(before, after))
    return path


def test_another_reset_value_moves_all_forms(forms: Path, tmp_path: Path) -> None:
    path = broken(
        tmp_path, 'raise the line.";} events[7:0] = 0', 'raise the line.";} events[7:0] = 9'
    )
    assert make(path, tmp_path / "forms").returncode == 0
    other = tmp_path / "forms"
    assert table_of((other / "register_table.h").read_text()) != table_of(
        (forms / "register_table.h").read_text()
    )
    test_header_and_table_agree(other)
    test_rtl_and_table_agree(other)
    # A table beside the RTL of another description does not agree.
    (other / "register_table.h").write_text((forms / "register_table.h").read_text())
    with pytest.raises(AssertionError):
        test_rtl_and_table_agree(other)
    with pytest.raises(AssertionError):
        test_header_and_table_agree(other)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('Nothing looks at it.";}', 'Nothing looks at it."; onread = rclr;}', "no side effect"),
        (
            '{sw = rw; hw = na; desc = "Holds what is written. Nothing looks at it.";}',
            "{sw = rw; hw = na;}",
            "has a desc",
        ),
        ('Nothing looks at it.";}', 'Nothing looks at it."; onwrite = wzc;}', "no C++ form"),
    ],
    ids=["onread", "desc", "onwrite"],
)
def test_what_has_no_form_in_cpp_is_refused(
    before: str, after: str, told: str, tmp_path: Path
) -> None:
    done = make(broken(tmp_path, before, after), tmp_path / "forms")
    assert done.returncode == 2
    assert re.fullmatch(rf"error: \S+cavern_regs\.rdl:1: .*{re.escape(told)}.*\n", done.stderr)
    assert not (tmp_path / "forms").exists()


def test_a_mistake_in_the_description_is_told_with_its_line(tmp_path: Path) -> None:
    path = broken(tmp_path, "identification @ 0x000;", "identification @ ;")
    line = path.read_text()[: path.read_text().index("identification @ ;")].count("\n") + 1
    done = make(path, tmp_path / "forms")
    assert done.returncode == 1 and f"cavern_regs.rdl:{line}:" in done.stderr


# ---- what is made of it --------------------------------------------------------------------------


def test_forms_are_the_same_each_time_and_are_left_alone(forms: Path) -> None:
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in forms.iterdir()}
    assert {path.name for path in before} == {
        "cavern_regs.h",
        "cavern_regs.sv",
        "cavern_regs_pkg.sv",
        "register_table.h",
    }
    assert make(RDL, forms).returncode == 0
    assert {
        path: (path.stat().st_mtime_ns, path.read_bytes()) for path in forms.iterdir()
    } == before


def lint(forms: Path, *waivers: Path, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """By names relative to the tree: Verilator takes a path to end at a blank."""
    made = [forms / "cavern_regs_pkg.sv", forms / "cavern_regs.sv"]
    written = sorted((root / "rtl" / "regs").glob("*.sv"))
    waived, ours = ([path.relative_to(root) for path in paths] for paths in (waivers, written))
    return subprocess.run(
        ["verilator", "--lint-only", "-Wall", "--assert", "--top-module", "drive_registers"]
        + [str(path) for path in (*waived, *made, *ours)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_register_is_added_in_one_place(forms: Path, tmp_path: Path) -> None:
    spare = 'reg { field {sw = rw; hw = r; desc = "One more.";} value[15:0] = 0x1234; } spare;'
    path = broken(tmp_path, "} scratch;", f"}} scratch;\n{spare}")
    other = tmp_path / "forms"
    assert make(path, other).returncode == 0
    test_header_and_table_agree(other)
    test_rtl_and_table_agree(other)
    assert lint(other, WAIVERS).returncode == 0
    (added,) = set(table_of((other / "register_table.h").read_text())) - set(
        table_of((forms / "register_table.h").read_text())
    )
    assert added == Field("identification.spare", "value", 0x10, 0, 16, 0x1234, True)


def test_the_manual_has_every_register(forms: Path, tmp_path: Path) -> None:
    assert make(RDL, "--html", tmp_path).returncode == 0
    pages = "".join(path.read_text() for path in tmp_path.rglob("*.html"))
    pages += "".join(path.read_text() for path in tmp_path.rglob("*.js*"))
    for field in table_of((forms / "register_table.h").read_text()):
        assert f'"{field.register.split(".")[1]}"' in pages
    assert "An operation or a doorbell was lost" in pages


def test_lint_of_the_rtl_is_clean_and_needs_its_waivers(forms: Path) -> None:
    done = lint(forms, WAIVERS)
    assert done.returncode == 0, done.stderr
    told = re.findall(r"%Warning-(\w+)", lint(forms).stderr)
    assert set(told) == {"UNUSEDSIGNAL", "UNUSEDPARAM", "CMPCONST"}


def test_lint_takes_a_tree_with_a_blank_in_its_path(forms: Path, tmp_path: Path) -> None:
    tree = tmp_path / "a tree"
    shutil.copytree(ROOT / "rtl", tree / "rtl")
    done = lint(forms, tree / WAIVERS.relative_to(ROOT), root=tree)
    assert done.returncode == 0, done.stderr
