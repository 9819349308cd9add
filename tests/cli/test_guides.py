"""docs/add-a-layer.md and docs/add-a-command.md: their code fits the tree by day; at night it is
built in a copy of the tree, with that of docs/add-a-policy.md, and what is off costs nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cavern.bench import instructions
from cavern.simulator import SIMULATOR

from tests.cli import guides
from tests.cli.guides import Guide
from tests.cli.programs import BUILD, ROOT, Json, Program

POLICY = "add-a-policy.md"
LAYER = "add-a-layer.md"
COMMAND = "add-a-command.md"

# ---- by day --------------------------------------------------------------------------------------


def text_of(guide: Guide) -> str:
    return guide.page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [POLICY, LAYER, COMMAND])
def test_each_change_fits_its_file_and_new_files_are_new(page: str) -> None:
    guide = guides.read(page)
    for file in guide.changed:
        assert guide.changes(file) != (ROOT / file).read_text(encoding="utf-8")
    for file in guide.new:
        assert not (ROOT / file).exists(), file


def test_a_change_that_does_not_fit_is_found(tmp_path: Path) -> None:
    page = text_of(guides.read(LAYER)).replace(" constexpr Abilities kZones", " constexpr Ability")
    (tmp_path / LAYER).write_text(page)
    with pytest.raises(AssertionError, match="constexpr Ability"):
        guides.read(tmp_path / LAYER).changes("model/core/ftl/ftl_table.cpp")


def test_a_layer_takes_six_files() -> None:
    guide = guides.read(LAYER)
    assert "adds one in six files." in text_of(guide)
    assert [*guide.files, "docs/keys.md"] == [
        "docs/mapping.md",
        "model/core/ftl/ftl_table.cpp",
        "model/core/ftl/ring_ftl.cpp",
        "model/core/ftl/ring_ftl.h",
        "tests/core/ftl/ring_ftl_test.cpp",
        "docs/keys.md",
    ]


def test_a_command_takes_four_files_and_two_printed_ones() -> None:
    guide = guides.read(COMMAND)
    assert "adds a command in four files; two more are printed." in text_of(guide)
    assert guide.files == [
        "model/config/keys_nand.cpp",
        "model/core/parts/nand_commands.h",
        "model/core/parts/nand_timing.h",
        "tests/timed/channel/channel_calibration_test.cpp",
    ]


#: `FILE`: `NAME` | `an entry to read`
PLACE = re.compile(
    r"\| `(?P<file>[\w/.]+)`(?:: `(?P<name>[\w:]+)`)? \| `(?P<entry>[\w.]+)` \|$", re.M
)


def lacking(page: str) -> list[str]:
    """Names that stand in no file beside them."""
    rows = list(PLACE.finditer(page))
    assert len(rows) == 8
    return [
        name
        for row in rows
        for name in (row["name"], row["entry"])
        if name and name not in (ROOT / row["file"]).read_text(encoding="utf-8")
    ]


def test_what_else_a_command_needs_is_where_the_page_says() -> None:
    page = text_of(guides.read(COMMAND))
    assert lacking(page) == []
    assert lacking(page.replace("`kCopyRead`", "`kCopyRed`")) == ["kCopyRed"]


def test_what_layers_share_is_in_the_tree() -> None:
    rows = re.findall(r"^\| .* \| (.*) \| (.*) \|$", text_of(guides.read(LAYER)), re.MULTILINE)
    names = [name for row in rows for cell in row for name in re.findall(r"`([\w.]+)`", cell)]
    layers = ROOT / "model" / "core"
    sources = "".join(path.read_text() for path in layers.rglob("*.h"))
    files = {path.name for path in layers.rglob("*.h")}
    assert len(names) > 10
    assert [name for name in names if name not in files and f"class {name}" not in sources] == []


# ---- at night ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def changed() -> Path:
    """A copy of the tree with all three, built. What was built there before is kept."""
    tree = BUILD.parent / "guides"
    tree.mkdir(exist_ok=True)
    for path in tree.iterdir():
        if path.name != "build":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    guides.copied(tree)
    for page in (POLICY, LAYER, COMMAND):
        guides.read(page).apply(tree)
    targets = ["bin/cavern-sim", "core_ftl_test", "timed_channel_test"]
    for words in (
        ["cmake", "--preset", "release", f"-DCAVERN_PYTHON={sys.executable}"],
        ["ninja", "-C", "build/release", *targets],
    ):
        done = subprocess.run(words, cwd=tree, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return tree


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("program", "tests"),
    [
        ("core_ftl_test", "*Ring*:-*Nightly*"),
        ("timed_channel_test", "ChannelCalibrationTest.*:ChannelResetTest.*"),
    ],
)
def test_the_tests_of_the_examples_pass(changed: Path, program: str, tests: str) -> None:
    done = Program(changed / "build" / "release" / "tests" / program, changed)(
        f"--gtest_filter={tests}"
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert int(re.findall(r"\[  PASSED  \] (\d+) tests", done.stdout)[0]) > 6


def run(changed: Path, tmp_path: Path, *settings: str) -> Json:
    program = Program(changed / "build" / "release" / "bin" / "cavern-sim", tmp_path)
    flags = [word for setting in settings for word in ("--set", setting)]
    trace = ROOT / "traces" / "oltp-mysql-1h.csv.xz"
    return program.simulate(
        ROOT / "configs" / "conventional.toml",
        "out",
        *("--trace", trace, "--limit", 40_000, "--set", "workload.out_of_range=wrap", *flags),
    )


@pytest.mark.nightly
def test_the_layer_collects_in_a_whole_drive(changed: Path, tmp_path: Path) -> None:
    small = ("nand.blocks_per_plane=32", "buffer.size=64KiB", "precondition.fill=1")
    ring = run(changed, tmp_path, "ftl.scheme=ring", "ftl.overprovision=0.2", *small)
    greedy = run(changed, tmp_path, "ftl.overprovision=0.2", *small)
    assert ring["ftl"]["host_pages"] == greedy["ftl"]["host_pages"] > 0
    # Whatever the oldest block holds is copied; a policy would have chosen a block with less.
    assert ring["ftl"]["gc_pages"] > greedy["ftl"]["gc_pages"] > 0


@pytest.mark.nightly
def test_the_command_is_given_to_each_die_once(changed: Path, tmp_path: Path) -> None:
    without, given = (
        sum(channel["grants"] for channel in run(changed, tmp_path, setting)["channels"])
        for setting in ("nand.calibration=false", "nand.calibration=true")
    )
    dies = len(run(changed, tmp_path)["dies"])
    assert given - without == dies > 0


@pytest.mark.nightly
def test_the_policy_has_its_key_and_its_counter(changed: Path, tmp_path: Path) -> None:
    chances = [
        run(changed, tmp_path, "buffer.policy=clock", f"buffer.clock.rounds={rounds}")["buffer"][
            "clock"
        ]["second_chances"]
        for rounds in (1, 16)
    ]
    assert chances[1] > chances[0] > 0


@pytest.mark.nightly
def test_the_pages_are_printed_from_the_rows(changed: Path, tmp_path: Path) -> None:
    program = Program(changed / "build" / "release" / "bin" / "cavern-sim", tmp_path)
    assert "| ZQ calibration | command, tWB + tZQCL | `nand.calibration` |\n" in (
        program("config", "nand-commands").stdout
    )
    keys = program("config", "list", "--markdown").stdout
    assert "| `nand.t_zqcl` | a time, from 0ps to 1s | `1us` |" in keys
    assert "| `buffer.clock.rounds` | a whole number from 1 to 16 | `1` |" in keys
    assert re.search(r"\| `ftl\.scheme` \|.*\bring\b", keys)
    assert "`buffer.clock.second_chances`" in program("results", "list", "--markdown").stdout


@pytest.mark.nightly
@pytest.mark.skipif(not instructions.available(), reason=instructions.MISSING)
def test_what_is_off_costs_no_instruction(changed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAVERN_CHECK_LAWS", raising=False)

    def counted(program: Path) -> float:
        monkeypatch.setattr(instructions, "SIMULATOR", program)
        return instructions.per_request("mixed", "tlm", (2000, 6000))["instructions/request"]

    before = counted(SIMULATOR)
    assert counted(changed / "build" / "release" / "bin" / "cavern-sim") <= before * 1.0005
    monkeypatch.setenv("CAVERN_CHECK_LAWS", "1")
    assert counted(SIMULATOR) > before * 1.0005  # what is on is counted
