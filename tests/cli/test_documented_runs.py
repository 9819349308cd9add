"""No loop of a document varies nothing, and no run of one leaves out the flash unseen."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.cli.documented import (
    FIGURES,
    ON_PURPOSE,
    figures_not_compared,
    idle_loops,
    summaries_of,
    unnamed_baselines,
    unused,
    wrong_figures,
)
from tests.cli.programs import ROOT, Json
from tests.cli.test_readme import documents, written


def test_every_loop_varies_something() -> None:
    commands = written()
    assert sum("for " in command.text for command in commands) >= 10
    found = [(c.document, c.line, names) for c in commands if (names := idle_loops(c.text))]
    assert found == []


def test_a_loop_that_varies_nothing_is_found() -> None:
    run = "./cavern run a.toml --set ftl.unit={} --quiet --out out/units-$size; done"
    loop = "for size in 512B 4KiB; do "
    assert idle_loops(loop + run.format("16KiB")) == ["size"]
    assert idle_loops(loop + run.format("$size")) == []
    assert idle_loops(loop + run.format("${size%B}")) == []
    assert idle_loops(loop + run.format("$sizes")) == ["size"]
    nested = "for rule in 'a b'; do for depth in 1 2; do set -- $rule; ./cavern run $1.toml "
    assert idle_loops(f"{nested}--out out/$depth; done; done") == ["depth"]


def test_comparisons_name_their_baseline() -> None:
    documents: dict[str, list[str]] = {}
    for command in written():
        documents.setdefault(command.document, []).append(command.text)
    found = {name: unnamed_baselines(commands) for name, commands in documents.items()}
    assert {name: commands for name, commands in found.items() if commands} == {}
    runs = [
        "./cavern run cave --out out/tour/conventional",
        "./cavern run cave --out out/tour/cave",
    ]
    report = "./cavern report out/tour"
    assert unnamed_baselines([*runs, report]) == [report]
    assert unnamed_baselines([*runs, f"{report}/conventional out/tour/cave"]) == []
    assert unnamed_baselines([*runs, "./cavern report --baseline conventional out/tour"]) == []


def test_exceptions_are_documented_commands() -> None:
    commands = [command.text for command in written()]
    for part in ON_PURPOSE:
        assert sum(part in command for command in commands) == 1, part


def summary(**given: int) -> Json:
    """Of a run that has done a bit of everything, but for what is given."""
    value = {"writes": 9, "programmed": 9, "erases": 9, "hits": 4, "misses": 5, "zero": 5} | given
    return {
        "host": {"write": {"count": value["writes"]}},
        "ftl": {"programmed_bytes": value["programmed"], "erases": value["erases"]},
        "buffer": {
            "read_hits": value["hits"],
            "read_misses": value["misses"],
            "zero_reads": value["zero"],
        },
    }


@pytest.mark.parametrize(
    ("given", "collects", "said"),
    [
        ({}, True, ""),
        ({"programmed": 0, "writes": 0}, False, ""),
        ({"programmed": 0}, False, "all writes stayed in the buffer"),
        ({"erases": 0}, False, ""),
        ({"erases": 0}, True, "nothing was collected"),
        ({"hits": 0}, False, "all reads were of pages never written"),
        ({"hits": 0, "misses": 0, "zero": 0}, False, ""),
    ],
)
def test_what_a_run_has_not_used_is_named(given: dict[str, int], collects: bool, said: str) -> None:
    assert unused(summary(**given), collects) == said


def test_results_of_a_command_are_found(tmp_path: Path) -> None:
    for name in ("a-1", "a-2", "b", "old"):
        (tmp_path / "out" / name).mkdir(parents=True)
        (tmp_path / "out" / name / "summary.json").write_text(json.dumps({"name": name}))
    os.utime(tmp_path / "out" / "old" / "summary.json", (1, 1))

    def names(command: str) -> list[str]:
        return [found["name"] for found in summaries_of(command, 2.0, tmp_path)]

    loop = "for x in 1 2; do ./cavern run c.toml --set seed=$x --out out/a-$x; done"
    assert names(loop) == ["a-1", "a-2"]
    assert names("./cavern serve c.toml --out out/b --run true") == ["b"]
    assert names("./cavern run c.toml --out out/old") == []
    assert names("./cavern report out/b") == []


#: Tables of the documents that are compared with summaries.
FEWEST_TABLES = 17

TABLE = """\
<!-- out/{0}-a: lat_ns.max out/{0}-b: - iops {0}: joule -->

| run | max | something | iops | energy |
|---|---|---|---|---|
| `x` | 1.23 ms | 9 | 20,058 | 14.4 µJ |
"""


def test_figures_of_tables_are_those_of_the_summaries(tmp_path: Path) -> None:
    for folder, content in (
        ("out/x-a", {"lat_ns": {"max": 1_234_567}}),
        ("out/x-b", {"iops": 20_057.98}),
        ("x", {"joule": 1.4439e-05}),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "summary.json").write_text(json.dumps(content))
    assert wrong_figures(TABLE, tmp_path) == []
    for right, wrong in (("1.23", "1.24"), ("20,058", "20,057"), ("14.4", "14.3"), (" µJ", " mJ")):
        assert len(wrong_figures(TABLE.replace(right, wrong), tmp_path)) == 1, wrong
    # What is no table, or has no such line before it, is not looked at.
    assert wrong_figures(TABLE.partition("\n\n")[2].replace("1.23", "9"), tmp_path) == []
    # So is a row with a cell too many or too few.
    assert wrong_figures(TABLE.replace("joule", "joule joule"), tmp_path) == [
        "x: 4 cells, 5 fields"
    ]
    assert wrong_figures(TABLE.replace(" joule", ""), tmp_path) == ["x: 4 cells, 3 fields"]


def test_tables_that_name_their_runs_are_compared() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in documents()}
    assert sum(len(FIGURES.findall(text)) for text in texts.values()) >= FEWEST_TABLES
    found = [line for text in texts.values() for line in figures_not_compared(text)]
    assert found == []
    assert figures_not_compared(TABLE) == []
    for wrong in (TABLE.replace("-->\n\n", "-->\n"), TABLE.replace("-->\n\n", "-->\n\nText.\n\n")):
        assert len(figures_not_compared(wrong)) == 1


#: A number of things that the program lists, and that grow.
COUNTED = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+) (?:[a-z-]+ )?"
    r"(?:formats|policies|triggers|schemes|translation layers|host links)\b"
)
#: Papers compare what they name, and a change counts what there was.
MAY_COUNT = ("docs/papers/", "CHANGELOG.md")


def test_what_the_program_lists_is_not_counted() -> None:
    found = [
        (path.name, counted[0])
        for path in documents()
        if not str(path.relative_to(ROOT)).startswith(MAY_COUNT)
        for counted in COUNTED.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
    assert COUNTED.search("traces in ten formats") and COUNTED.search("12 eviction policies")
    assert not COUNTED.search("two drives with the same policies, and all formats")
