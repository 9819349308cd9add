"""./cavern sweep: a mistake in a description is one line that says where."""

from __future__ import annotations

from typing import Any

import pytest
from cavern.sweeps.toml_lines import TomlLines

from tests.cli.programs import Workspace, tree
from tests.cli.sweeps import told
from tests.cli.test_bad_input import is_message


def mistake(line: int, expected: str, old: str, new: str) -> Any:
    return pytest.param(line, expected, old, new, id=expected.replace("*", "").split(";")[0][:40])


@pytest.mark.parametrize(
    ("line", "expected", "old", "new"),
    [
        mistake(1, "*not TOML*; *", '"drive.toml"', "drive.toml"),
        mistake(1, "config is missing; *configs/cave.toml*", 'config = "drive.toml"', ""),
        mistake(1, "no such file: drve.toml; *", "drive.toml", "drve.toml"),
        mistake(1, "title = 1; *title = *", "config =", "title = 1\nconfig ="),
        mistake(2, "no such file: trase.csv; *", "trace.csv", "trase.csv"),
        mistake(2, 'unknown key "trases"; did you mean "traces"?', "traces =", "trases ="),
        mistake(2, "traces is no list; *", '["trace.csv"]', '"trace.csv"'),
        mistake(
            2,
            "two traces and workloads are trace; *name*",
            '"trace.csv"',
            '"trace.csv", "trace.csv"',
        ),
        mistake(3, 'unknown key "nme"; *"name"*', "name =", "nme ="),
        mistake(3, 'limit: "300" is no whole number*; *', "limit = 300", 'limit = "300"'),
        mistake(4, "seeds: -2 is no whole number*; *", "[1, 2]", "[1, -2]"),
        mistake(4, "two seeds are 1; *", "[1, 2]", "[1, 1]"),
        mistake(7, 'unknown key "nand.t_eras"; *"nand.t_erase"*', "t_erase", "t_eras"),
        mistake(7, "nand.t_erase = *; *", '"1ms"', '"1MiB"'),
        mistake(7, "nand.t_erase has a value of another kind*; *", '"1ms"', "2020-01-01"),
        mistake(10, "buffer.size = *; *", '"16KiB"', '"16"'),
        mistake(10, "buffer.size = * is no list of values; *", '["16KiB", "64KiB"]', '"16KiB"'),
        mistake(10, "two values are *; *", '["16KiB", "64KiB"]', '["16KiB", "16KiB"]'),
        mistake(
            10,
            "the seed is no key to vary; *seeds = *",
            '"buffer.size" = ["16KiB", "64KiB"]',
            "seed = [1, 2]",
        ),
        mistake(10, "nand.t_erase varies and is set*; *", '"buffer.size"', '"nand.t_erase"'),
        mistake(14, "nand.ways has 3 values and nand.channels * 2; *", "[2, 1]", "[2, 1, 1]"),
        mistake(14, "nand.ways = 0*; *", "[2, 1]", "[2, 0]"),
        mistake(17, "alloc.scheme = *strip-page*; *", '"stripe-page"', '"strip-page"'),
        mistake(16, '"status" is a column already; *', "variants.drive", "variants.status"),
        mistake(
            10,
            "buffer.size varies in two places; *",
            'buffer.eviction = "cave"',
            'buffer.size = "1MiB"',
        ),
    ],
)
def test_mistake_in_a_description_is_one_line_and_leaves_nothing(
    line: int, expected: str, old: str, new: str, sweeping: Workspace
) -> None:
    text = (sweeping.folder / "spec.toml").read_text()
    assert old in text
    sweeping.write("spec.toml", text.replace(old, new))
    before = tree(sweeping.folder)
    done = told(sweeping.folder, "spec.toml", "--out", "out")
    assert is_message(done.stderr, f"spec.toml:{line}: {expected}"), done.stderr
    assert (done.returncode, done.stdout) == (2, "")
    assert tree(sweeping.folder) == before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["other.toml"], "other.toml:1: no such file; *"),
        pytest.param(
            ["spec.toml", "--scheduler", "tcp://a:1"],
            "<command line>:1: no Dask scheduler *; *",
            marks=pytest.mark.slow,  # it waits ten seconds for one
        ),
        (["spec.toml", "--jobs", "0"], "<command line>:1: *--jobs*; see ./cavern sweep --help"),
        (["spec.toml", "--rezume"], "<command line>:1: *--rezume*; see ./cavern sweep --help"),
        ([], "<command line>:1: *SPEC*; see ./cavern sweep --help"),
        (["spec.toml", "--out", "drive.toml"], "drive.toml:1: cannot be made a folder*; *"),
        (["trace.csv"], "trace.csv:1: not TOML*; *"),
        (["."], ".:1: cannot be read*; *"),
    ],
)
def test_wrong_option_is_one_line_and_leaves_nothing(
    arguments: list[str], expected: str, sweeping: Workspace
) -> None:
    before = tree(sweeping.folder)
    done = told(sweeping.folder, *arguments)
    assert is_message(done.stderr, expected), done.stderr
    assert (done.returncode, done.stdout) == (2, "")
    assert tree(sweeping.folder) == before


def test_lines_of_keys_are_found() -> None:
    lines = TomlLines(
        'a = 1\n[b]\n"c.d" = [\n  1,\n]\nc.d.e = 2\n[[f]]\nx = 1\n[[f]]\nx = 2\n[f.g]\ny = 3\n'
    )
    wanted = {
        ("a",): 1,
        ("b",): 2,
        ("b", "c.d"): 3,
        ("b", "c", "d", "e"): 6,
        ("f", 0, "x"): 8,
        ("f", 1): 9,
        ("f", 1, "x"): 10,
        ("f", 1, "g", "y"): 12,
    }
    assert {path: lines.of(*path) for path in wanted} == wanted
    assert lines.of("b", "none") == 2 and lines.of("none") == 1
