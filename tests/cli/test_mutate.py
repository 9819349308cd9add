"""`./cavern mutate`: what is a mutant, and how the tests judge one."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from cavern.devtools.mutants import draw, equal_in_meaning, mutants_of
from cavern.devtools.mutating import SURVIVED, Judge, nearness
from cavern.devtools.programs import Program, those_about
from cavern.errors import InputError
from cavern.simulator import ROOT

OPERATORS = """\
if (a < b && !c) {
x = y - 1'000u;
x += f(++i) + to_string(i);
bool done = true;
"""
CHANGES = [
    "if (a [[< => <=]] b && !c) {",
    "if (a [[< => >=]] b && !c) {",
    "if (a < b [[&& => ||]] !c) {",
    "if (a < b && [[! => ]]c) {",
    "x = y [[- => +]] 1'000u;",
    "x = y - [[1'000 => 1001]]u;",
    "x = y - [[1'000 => 999]]u;",
    "x += f([[++ => --]]i) + to_string(i);",
    "bool done = [[true => false]];",
]
NO_OPERATORS = """\
#include <array> // a < b
/* a && b,
   true */
template <typename T, int n = 3>
std::vector<std::uint32_t> f(const T& t, X&& x, double d = 1.5e-3) {
    say("a < 1", 'x', R"(true && "1")");
    CAVERN_CHECK(holds(t), "more than " + std::to_string(x - 1));
    virtual int g() const = 0;
"""


def changes_of(source: str, file: str = "model/core/a.cpp") -> list[str]:
    lines = mutants_of(file, source)
    return [mutant.change for each in lines.values() for mutant in each]


def test_one_operator_of_a_mutant_is_another() -> None:
    assert changes_of(OPERATORS) == CHANGES
    (mutant, *_) = mutants_of("model/core/a.cpp", OPERATORS)[0]
    assert (mutant.line, mutant.text) == (1, OPERATORS.replace("a < b", "a <= b"))
    # Of a header the defaults of members stay.
    assert changes_of(OPERATORS, "model/core/a.h") == CHANGES[:-1]


def test_comments_texts_and_declarations_of_templates_stay() -> None:
    assert changes_of(NO_OPERATORS) == []
    code = "CAVERN_CHECK(std::max({1, a}) < 2, one(a, 1) < 2);"
    assert {each.partition("[[")[0] for each in changes_of(code)} == {
        "CAVERN_CHECK(std::max({",
        "CAVERN_CHECK(std::max({1, a}) ",
        "CAVERN_CHECK(std::max({1, a}) < ",
    }


@pytest.mark.slow
def test_a_seed_always_draws_the_same_mutants() -> None:
    def drawn(seed: int) -> list[tuple[str, int, str]]:
        return [(each.file, each.line, each.change) for each in islice(draw(seed), 40)]

    assert drawn(1) == drawn(1) != drawn(2)
    layers = {file.split("/")[1] for file, _, _ in drawn(1)}
    assert layers <= {"core", "timed", "nvme", "workload", "results"} and len(layers) > 2
    assert len({(file, line) for file, line, _ in drawn(1)}) == 40


def test_what_means_the_same_is_a_mutant_of_a_line_that_is_there(tmp_path: Path) -> None:
    for file, change in equal_in_meaning():
        source = (ROOT / file).read_text(encoding="utf-8")
        assert change in changes_of(source, file), f"{file}: {change}"
    path = tmp_path / "mutants.txt"
    path.write_text("model/core/a.cpp | a [[< => <=]] b\n")
    with pytest.raises(InputError, match="mutants.txt:1: no mutant; FILE"):
        equal_in_meaning(path)


class Judged:
    """A judge of mutants of model/core/ftl/a.cpp, whose builds and tests are told of."""

    def __init__(self, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.source = copy / "model" / "core" / "ftl" / "a.cpp"
        self.object = "model/core/ftl/CMakeFiles/ftl.dir/a.cpp.o"
        for path in (self.source, copy / self.object):
            path.parent.mkdir(parents=True)
            path.touch()
        (self.mutant, *_) = mutants_of("model/core/ftl/a.cpp", "a < b\n")[0]
        folders = (("host", "timed/host"), ("alloc", "core/alloc"), ("ftl", "core/ftl"))
        self.programs = [Program(n, folder, "unit", "", 60, False, ()) for n, folder in folders]
        made = {self.object: "as it was"}
        made |= {f"tests/{program.name}": "as it was" for program in self.programs}
        self.seen: list[str] = []
        self.changed: set[str] = set()
        self.failing = ""
        self.judge = Judge.__new__(Judge)
        for name, value in {
            "_copy": copy,
            "_build": copy,
            "_programs": self.programs,
            "_digests": made,
            "_stale": set(),
            "_failure": self.failure,
            "_made": lambda: {**made, **dict.fromkeys(self.changed, "changed")},
        }.items():
            monkeypatch.setattr(self.judge, name, value, raising=False)
        monkeypatch.setattr("cavern.devtools.mutating.builds", self.builds)

    def builds(self, targets: list[str], _: Path) -> bool:
        assert self.source.read_text() == "a <= b\n"
        self.seen.append(f"build {' '.join(targets)}")
        return self.failing not in targets

    def failure(self, programs: list[Program], file: str) -> str:
        assert file == "model/core/ftl/a.cpp"
        self.seen.append(f"test {programs[0].name}")
        return "A.Test failed" if self.failing == f"test {programs[0].name}" else ""

    def verdict(self) -> str | None:
        self.seen.clear()
        verdict = self.judge.judge(self.mutant)
        assert self.source.read_text() == "a < b\n"
        return verdict


def test_the_nearest_tests_judge_a_mutant_first_and_leave_the_source_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = Judged(tmp_path, monkeypatch)
    assert [nearness(judged.mutant.file, program) for program in judged.programs] == [0, 1, 2]
    judged.changed = {judged.object, "tests/ftl", "tests/alloc"}
    compiled = f"build {judged.object}"
    near = [compiled, "build ftl", "test ftl", "build alloc", "test alloc"]
    assert judged.verdict() == SURVIVED
    assert judged.seen == [*near, "build host"]
    judged.failing = "test alloc"
    assert judged.verdict() == "A.Test failed"
    assert judged.seen == near


def test_what_the_compiler_makes_the_same_of_or_refuses_is_not_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = Judged(tmp_path, monkeypatch)
    assert judged.verdict() is None
    assert judged.seen == [f"build {judged.object}"]
    judged.failing = judged.object
    assert judged.verdict() is None
    assert judged.seen == [f"build {judged.object}"]
    judged.failing = ""
    # What a mutant before has left is built with it, and not taken for its own.
    other = "model/core/ftl/CMakeFiles/ftl.dir/b.cpp.o"
    judged.judge._stale = {other}
    judged.changed = {other}
    assert judged.verdict() is None
    assert judged.seen == [f"build {judged.object} {other}"]


def test_tests_about_a_file_include_its_header(tmp_path: Path) -> None:
    about, other = tmp_path / "a_test.cpp", tmp_path / "b_test.cpp"
    about.write_text(
        '#include "core/ftl/a.h"\nTEST_P(A, One) {}\nINSTANTIATE_TEST_SUITE_P(I, A, 1);'
    )
    other.write_text('#include "core/ftl/aa.h"\nTEST(B, One) {}')
    program = Program("p", "core/ftl", "unit", "", 60, False, (str(about), str(other)))
    for file in ("model/core/ftl/a.cpp", "model/core/ftl/a.h"):
        assert those_about(file, program, ["B.One", "I/A.One/0"]) == ["I/A.One/0"]
    assert those_about("model/core/ftl/c.cpp", program, ["B.One"]) == []
