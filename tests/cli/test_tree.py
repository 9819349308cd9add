"""Rules that the sources keep."""

from __future__ import annotations

import json
import re
import subprocess
from importlib import import_module
from pathlib import Path

import pytest
from cavern.devtools.programs import lists_of, programs_of, written_names
from cavern.simulator import BUILD

from tests.cli.programs import ROOT, Json

#: What the decision core may not include: the kernel, and the layers above itself.
FOREIGN = re.compile(
    r'^\s*#\s*include\s*[<"](systemc|tlm|sysc/|sc_|tlm_|verilated'
    r"|(keys|timed|workload|config|cosim|drive|results|app)/)",
    re.MULTILINE,
)


def without_target(sources: list[str], compiled: list[Json]) -> list[str]:
    """The sources that no target of the build compiles. A tree with a blank in its path is built by
    another name, which leads to it."""
    files = {str(Path(command["file"]).resolve()) for command in compiled}
    return [source for source in sources if source not in files]


def test_every_test_source_is_in_a_target() -> None:
    tests = sorted(str(path) for path in (ROOT / "tests").rglob("*.cpp"))
    assert len(tests) > 100
    compiled = json.loads((BUILD / "compile_commands.json").read_text())
    # Of the sanitized build, or for clang alone, which tests/fuzz/run.sh calls.
    fuzzers = sorted(str(path) for path in (ROOT / "tests" / "fuzz").glob("*.cpp"))
    assert without_target(tests, compiled) == fuzzers
    forgotten = str(ROOT / "tests" / "core" / "forgotten_test.cpp")
    assert without_target([forgotten], compiled) == [forgotten]


def test_a_source_is_compiled_by_whatever_name_leads_to_it(tmp_path: Path) -> None:
    source = tmp_path / "a tree" / "tests" / "some_test.cpp"
    source.parent.mkdir(parents=True)
    source.touch()
    (tmp_path / "link").symlink_to(tmp_path / "a tree")
    linked = tmp_path / "link" / "tests" / "some_test.cpp"
    assert without_target([str(source.resolve())], [{"file": str(linked)}]) == []


@pytest.mark.nightly
def test_each_source_compiles_alone(tmp_path: Path) -> None:
    """As the preset dev has it. Other builds compile a layer as one unit, in which a file may live
    on the includes of another."""
    dev = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DCAVERN_WERROR=ON"]
    subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", *dev], check=True)
    subprocess.run(["ninja", "-C", tmp_path, "bin/cavern-sim"], check=True)


def strangers(folders: set[Path]) -> set[Path]:
    """The folders of tests that no folder of the model, or of firmware, has the name of."""
    roots = (ROOT / "model", ROOT)
    return {folder for folder in folders if not any((root / folder).is_dir() for root in roots)}


def test_folders_of_tests_are_those_of_the_model() -> None:
    tests = (ROOT / "tests").rglob("*_test.cpp")
    folders = {path.parent.relative_to(ROOT / "tests") for path in tests}
    assert len(folders) > 15
    # Support has a fixture of that name, and what is broken has no folder in the model.
    broken = {Path("cosim/broken"), Path("firmware/broken")}
    assert strangers(folders) == broken | {Path("support")}
    assert strangers({Path("core/ftl"), Path("unit")}) == {Path("unit")}


def test_every_program_of_tests_is_known_with_its_tests() -> None:
    targets = subprocess.run(
        ["ninja", "-C", str(BUILD), "-t", "targets", "all"],
        capture_output=True,
        text=True,
        check=True,
    )
    built = re.findall(r"^tests/(\w+_test): CXX_EXECUTABLE", targets.stdout, re.MULTILINE)
    programs = programs_of(BUILD)
    assert len(built) > 15
    assert sorted(program.name for program in programs) == sorted(built)
    # Each source of tests is in a program, which has all that is written there.
    sources = {Path(source).resolve() for program in programs for source in program.sources}
    written = set((ROOT / "tests").rglob("*_test.cpp"))
    assert sources == {path for path in written if path.parent.name != "support"}
    for program, tests in lists_of(BUILD, programs, 2).items():
        for source in program.sources:
            names = written_names(Path(source).read_text(encoding="utf-8"))
            known = [name for name in names if any(test.startswith(name) for test in tests)]
            assert names and known, f"{source} has no test in {program.name}"


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in {".h", ".cpp"})


def test_decision_core_knows_neither_kernel_nor_clock() -> None:
    core = sources(ROOT / "model" / "core")
    assert len(core) > 50
    assert [str(path) for path in core if FOREIGN.search(path.read_text())] == []


#: The rooms of model/ and those of firmware/ that know it, lowest first. Rooms of one row do not
#: see each other. What is left of firmware/ is C, for the host and for the processor.
FLOORS = (
    {"core", "firmware"},
    {"keys"},
    {"cpu", "firmware/lookup/cost", "firmware/twin", "nvme", "workload"},
    {"timed"},
    {"config", "cosim"},
    {"drive"},
    {"sampling", "state"},
    {"firmware/controller", "library", "results", "serve"},
    {"app"},
    {"firmware/command"},
)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def room_of(path: str) -> str:
    """Of a file below model/, or of firmware/..."""
    inside = [room for rooms in FLOORS for room in rooms if path.startswith(f"{room}/")]
    return max(inside, key=len, default=path.split("/")[0])


def upward(room: str, text: str) -> list[str]:
    """The includes of a file of a room that lead into a room beside or above it."""
    floor = {name: number for number, rooms in enumerate(FLOORS) for name in rooms}
    named = [room_of(include) for include in INCLUDE.findall(text) if "/" in include]
    if room == "library":  # its own headers
        named = [other for other in named if other != "cavern"]
    assert all(other in floor for other in named), named
    return [other for other in named if other != room and floor[other] >= floor[room]]


def test_includes_of_the_model_lead_down() -> None:
    rooms = {
        path: room_of(str(path.relative_to(ROOT / "model"))) for path in sources(ROOT / "model")
    }
    firmware = {path: room_of(str(path.relative_to(ROOT))) for path in sources(ROOT / "firmware")}
    rooms |= {path: room for path, room in firmware.items() if room != "firmware"}
    assert {*rooms.values(), "firmware"} == set.union(*FLOORS)
    assert [path for path in rooms if upward(rooms[path], path.read_text())] == []


@pytest.mark.parametrize("name", ["app/run", "drive/core_builder", "drive/ssd"])
def test_a_drive_is_built_and_run_without_knowing_firmware(name: str) -> None:
    """It is handed in as DriveController."""
    text = (ROOT / "model" / f"{name}.cpp").read_text()
    assert "#include" in text and "firmware" not in text.lower()


def test_an_include_that_leads_up_is_found() -> None:
    assert upward("timed", '#include "config/config.h"\n') == ["config"]
    assert upward("config", '#include "cosim/rtl_arbiter.h"\n') == ["cosim"]
    assert upward("drive", '#include "firmware/controller/drive_image.h"\n') == [
        "firmware/controller"
    ]
    assert upward("firmware/twin", '#include "firmware/drive/drive.h"\n') == []
    assert upward("drive", '#include "config/config.h"\n#include "core/base/units.h"\n') == []


#: Of the core, these may know what every part of the model is built on.
ABOVE_BASE = re.compile(r'^\s*#\s*include\s*"core/(?!base/)', re.MULTILINE)


def test_processor_and_nvme_controller_know_the_base_alone() -> None:
    files = sources(ROOT / "model" / "cpu") + sources(ROOT / "model" / "nvme")
    assert len(files) > 30
    for path in files:
        text = path.read_text()
        assert not FOREIGN.search(text) and not ABOVE_BASE.search(text), path
    assert ABOVE_BASE.search('#include "core/ftl/ftl.h"\n')
    assert not ABOVE_BASE.search('#include "core/base/units.h"\n')


def test_decision_core_is_linked_without_systemc() -> None:
    files = sorted((ROOT / "model" / "core").rglob("CMakeLists.txt"))
    assert len(files) > 5
    for path in files:
        commands = re.sub("#.*", "", path.read_text())
        assert not re.search(
            r"systemc|cavern_(tlm|host|channel|die|dram|drive|cosim|workload|app)\b",
            commands,
            re.IGNORECASE,
        ), path


@pytest.mark.parametrize(
    "line",
    [
        "#include <systemc>",
        '#include "systemc.h"',
        "  #  include <tlm.h>",
        "#include <sysc/kernel/sc_time.h>",
        '#include "timed/tlm/time.h"',
        '#include "config/config.h"',
    ],
)
def test_a_foreign_include_is_found(line: str) -> None:
    assert FOREIGN.search(f'#include "core/base/units.h"\n{line}\n')


def test_other_includes_are_not() -> None:
    assert not FOREIGN.search('#include "core/base/units.h"\n#include <string>\n// systemc\n')
    # The shell does include it, so the search would find it.
    assert any(FOREIGN.search(path.read_text()) for path in sources(ROOT / "model" / "timed"))


def test_simulator_is_linked_with_interprocedural_optimisation() -> None:
    # Linked without, it does the same and is a tenth slower: nothing else would tell.
    def command(target: str) -> str:
        done = subprocess.run(
            ["ninja", "-C", str(BUILD), "-t", "commands", "-s", target],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    linked = command("bin/cavern-sim")
    assert " -flto" in linked and "cavern_hot.dir" in linked
    # Where its branches were counted, the counts lie where the compiler looks.
    compiled = command("CMakeFiles/cavern_hot.dir/Unity/unity_0_cxx.cxx.o")
    assert " -fprofile-use" in compiled and " -fprofile-generate" not in compiled
    unit = BUILD / "CMakeFiles" / "cavern_hot.dir" / "Unity"
    assert not (BUILD / "profile.stamp").exists() or (unit / "unity_0_cxx.cxx.gcda").exists()
    # As an archive, a layer would be taken twice, and the slower one.
    assert "libcavern_ftl.a" not in linked
    other = command("bin/cavern-ftl-bench")
    assert " -flto" not in other and "libcavern_ftl.a" in other


def test_counts_of_branches_are_of_the_sources_as_they_are(tmp_path: Path) -> None:
    source, header = tmp_path / "model" / "a.cpp", tmp_path / "model" / "deep" / "a.h"
    unit, stamp = tmp_path / "unit", tmp_path / "profile.stamp"
    counts = unit.with_suffix(".cxx.gcda")
    header.parent.mkdir(parents=True)
    unit.with_suffix(".cxx").write_text(f'/* made */\n#include "{source}"\n')

    def script(*options: str) -> str:
        paths = (f"-DSOURCE={tmp_path}", f"-DUNIT={unit}", f"-DSTAMP={stamp}")
        command = ["cmake", *paths, *options, "-P", str(ROOT / "cmake" / "counts.cmake")]
        return subprocess.run(command, capture_output=True, text=True, check=True).stderr

    for changed in (source, header):
        for text in ("one", "other"):
            source.write_text("int a;\n")
            header.write_text("int a();\n")
            counts.touch()
            script("-DCOUNTED=ON")
            assert script() == "" and counts.exists() and stamp.exists()
            changed.write_text(text)
            assert "counted in other sources" in script()
            assert not counts.exists() and not stamp.exists()
            assert script() == ""


# ---- the Python package --------------------------------------------------------------------------

#: The rooms of python/cavern, lowest first: a module sees those below its own and its own package.
#: What is for developers stands on top; nothing that is installed may need it.
PYTHON_FLOORS = (
    {"errors", "examples", "toml_text"},
    {"reading"},
    {"simulator", "verdicts"},
    {"names"},
    {"choices", "plots"},
    {"archive", "demo", "figures", "sweeps", "trace"},
    {"search"},
    {"api"},
    {"__init__"},
    {"soak"},
    {"manual", "validate", "bench", "devtools"},
)
IMPORTED = re.compile(r"^\s*(?:from|import) cavern\b(?:\.(\w+))?", re.MULTILINE)


def python_upward(room: str, text: str) -> list[str]:
    """The imports of a module that lead into a room above or beside its own."""
    floor = {name: number for number, rooms in enumerate(PYTHON_FLOORS) for name in rooms}
    named = [name or "__init__" for name in IMPORTED.findall(text)]
    assert all(other in floor for other in named), named
    return [other for other in named if other != room and floor[other] >= floor[room]]


def test_imports_of_the_package_lead_down() -> None:
    package = ROOT / "python" / "cavern"
    modules = [*package.rglob("*.py"), *(package / "plots").rglob("*.py")]
    rooms = {path: path.relative_to(package).parts[0] for path in modules}
    names = {path: room.removesuffix(".py") for path, room in rooms.items()}
    # __main__ knows where each command is, and loads it by its name.
    assert set(names.values()) - {"__main__"} == set.union(*PYTHON_FLOORS)
    found = {
        str(path): python_upward(name, path.read_text(encoding="utf-8"))
        for path, name in names.items()
        if name != "__main__"
    }
    assert {path: imports for path, imports in found.items() if imports} == {}


def test_the_drawing_code_is_there_once() -> None:
    # A link leads to it: with a copy or a module that hands on there would be two of each class.
    link, package = ROOT / "python" / "cavern" / "plots", import_module("cavern.plots")
    assert link.is_symlink() and link.readlink() == Path("../../plots")
    assert [Path(place).resolve() for place in package.__path__] == [ROOT / "plots"]
    names = {path.name for path in (ROOT / "plots").rglob("*.py")} - {"__init__.py"}
    assert "render.py" in names and not list((ROOT / "python").rglob("render.py"))


def test_an_import_that_leads_up_is_found() -> None:
    assert python_upward("plots", "from cavern.sweeps import plan\n") == ["sweeps"]
    assert python_upward("api", "    from cavern.bench.jobs import job\n") == ["bench"]
    assert python_upward("sweeps", "import cavern\nfrom cavern.errors import InputError\n") == [
        "__init__"
    ]
    assert python_upward("demo", "import cavern.simulator\n") == []
