"""Mutants of the arbiters in C++ and of the event queue: `python -m tb.model_mutation` from the
project's folder.

Each is one changed text of a source. It is compiled with the command of the build, and linked in
the place of the original into the tests that must find it.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from cavern.devtools.programs import Depth, chosen, lists_of, programs_of
from cavern.simulator import BUILD, ENVIRONMENT, ROOT

from tb.formal.prove import ToolError
from tb.mutation import call, judge_list, replaced_once

#: Names of tests: regular expressions.
TLM = "TlmArbiter"
CLOCKED = "ClockedArbiter|ArbiterGating|ReferenceArbiter"
QUEUE = "EventQueue|RunningAhead|SettlingFromOutside"
RULES = "WeightedRule|ArbiterRules|EveryShape.weighted-round-robin.Seed1"


@dataclass(frozen=True)
class Mutant:
    """`before`, which is in the source once, becomes `after`; a test of `tests` must fail."""

    fault: str
    source: str  # below model/
    before: str
    after: str
    tests: str  # a pattern

    def __str__(self) -> str:
        return f"{Path(self.source).name:24} {self.fault}"

    def text(self) -> str:
        return replaced_once(ROOT / "model" / self.source, [(self.before, self.after)])


_TLM = "timed/channel/tlm_arbiter.cpp"
_CLOCKED = "timed/channel/clocked_arbiter.cpp"
_QUEUE = "timed/tlm/event_queue.cpp"
_TWIN = "core/arbiter/reference_arbiter.cpp"
_RULES = "core/arbiter/arbiter_rules.cpp"
_WEIGHTED = "core/arbiter/weighted_rule.cpp"

MUTANTS: list[Mutant] = [
    Mutant(
        "age limit cut to 32 bits of picoseconds",
        _TLM,
        "age_limit_(age_limit * period)",
        "age_limit_(static_cast<std::uint32_t>(age_limit * period))",
        TLM,
    ),
    Mutant(
        "age up to the kernel's time",
        _TLM,
        "const TimePs now = now_ps();\n    std::uint32_t mask",
        "const TimePs now = kernel_ps();\n    std::uint32_t mask",
        TLM,
    ),
    Mutant(
        "age from the kernel's time on",
        _TLM,
        "asked_at_[slot] = now_ps();",
        "asked_at_[slot] = kernel_ps();",
        TLM,
    ),
    Mutant(
        "age without what is ahead of the kernel",
        _TLM,
        "if (now - asked_at_[slot] >= age_limit_) {",
        "if (now - asked_at_[slot] - LocalTime::offset() >= age_limit_) {",
        TLM,
    ),
    Mutant("aged a picosecond late", _TLM, ">= age_limit_", "> age_limit_", TLM),
    Mutant(
        "the weighted policy sees no classes",
        _TLM,
        "if (policy_ != ArbiterPolicy::kRoundRobin) {",
        "if (policy_ == ArbiterPolicy::kPriorityAge) {",
        TLM,
    ),
    Mutant(
        "a decision at the end of a bus phase does not wait, with an event queue",
        _TLM,
        "decide_when_free(); // calls of this instant may still be on their way",
        "decide();",
        TLM,
    ),
    Mutant(
        "a decision at the end of a bus phase does not wait, without an event queue",
        _TLM,
        "still be on their way.\n        decide_when_free();\n",
        "still be on their way.\n        decide();\n",
        TLM,
    ),
    Mutant(
        "a decision in the delta cycle of its first call",
        _TLM,
        "if (collecting_since_ == sc_core::sc_delta_count()) {",
        "if (false) {",
        TLM,
    ),
    Mutant(
        "a release due at the instant of a new request not taken first",
        _CLOCKED,
        "if (holder_ == slot) {",
        "if (false) {",
        CLOCKED,
    ),
    Mutant("the due time kept after a release", _CLOCKED, "release_due_ = kNever;", "", CLOCKED),
    Mutant(
        "time_i of 20 bits",
        _CLOCKED,
        "static_cast<std::uint32_t>(edge_);",
        "static_cast<std::uint32_t>(edge_ & 0xFFFFF);",
        CLOCKED,
    ),
    Mutant(
        "time_i stands still at its end",
        _CLOCKED,
        "static_cast<std::uint32_t>(edge_);",
        "static_cast<std::uint32_t>(edge_ < 0xFFFFFFFF ? edge_ : 0xFFFFFFFF);",
        CLOCKED,
    ),
    Mutant(
        "a call at the instant of an edge belongs to that edge",
        _CLOCKED,
        "now < edge_time_",
        "now <= edge_time_",
        CLOCKED,
    ),
    Mutant("the twin clears its index at a release", _TWIN, "0, outputs_.index}", "0, 0}", CLOCKED),
    Mutant(
        "the twin stamps every edge",
        _TWIN,
        "still_waiting & ~waiting_,",
        "still_waiting,",
        CLOCKED,
    ),
    Mutant(
        "the twin is aged an edge late", _TWIN, "age >= age_limit_", "age > age_limit_", CLOCKED
    ),
    Mutant(
        "the turn stays with the way granted last",
        _RULES,
        "candidates & ~((2u << last) - 1)",
        "candidates & ~((1u << last) - 1)",
        RULES,
    ),
    Mutant(
        "the less urgent class wins",
        _RULES,
        "if (bus_class < best) {",
        "if (bus_class < best || best < 4) {",
        RULES,
    ),
    Mutant(
        "credits filled up for the class that is served alone",
        _WEIGHTED,
        "credits_ = weights_;",
        "for (std::size_t c = 0; c < 3; ++c) { if (wanting[c] != 0) credits_[c] = weights_[c]; }",
        RULES,
    ),
    Mutant(
        "one turn for all classes",
        _WEIGHTED,
        "next_after(wanting[served], last_[served]);",
        "next_after(wanting[served], view.last);",
        RULES,
    ),
    Mutant(
        "the weights are the defaults whatever is asked for",
        _WEIGHTED,
        "credits_ = weights_;",
        "credits_ = kClassWeights;",
        RULES,
    ),
    Mutant(
        "the wheel is read from its begin, not from where it has turned to",
        _QUEUE,
        "__builtin_ctz(behind != 0 ? behind : words_)",
        "__builtin_ctz(words_)",
        QUEUE,
    ),
    Mutant(
        "a page is hung up when it is reached, not before",
        _QUEUE,
        "    hang_page((place >> kPageShift) + 1);\n",
        "",
        QUEUE,
    ),
    Mutant(
        "the heap is not looked at where something hangs",
        _QUEUE,
        "    if (heap_first_ < first_) {",
        "    if (heap_first_ < first_ && words_ == 0) {",
        QUEUE,
    ),
    Mutant(
        "rings ahead at the very time of a kernel event",
        _QUEUE,
        "LocalTime::horizon_ <= next_at()) {",
        "LocalTime::horizon_ < next_at()) {",
        QUEUE,
    ),
    Mutant(
        "settling asked for outside an event handler in the same delta cycle",
        _QUEUE,
        "!settling_.empty() && asked_in_ != sc_core::sc_delta_count()",
        "!settling_.empty()",
        QUEUE,
    ),
    Mutant(
        "settling does not wait for others",
        _QUEUE,
        "while (!settling_.empty() && !others_now()) {",
        "while (!settling_.empty()) {",
        QUEUE,
    ),
    Mutant(
        "events of one time out of order",
        _QUEUE,
        "while ((*before)->turn < event.turn) {",
        "while (time_of((*before)->turn) < time_of(event.turn)) {",
        QUEUE,
    ),
    Mutant(
        "an event scheduled for now rings in the same delta cycle",
        _QUEUE,
        "const Turn end = turn_of(now_ps(), sequence_);\n    while (first_ < end) {",
        "while (first_ < turn_of(now_ps(), sequence_)) {",
        QUEUE,
    ),
    Mutant(
        "stays ahead after an error",
        _QUEUE,
        "if (LocalTime::offset() != 0) {\n            LocalTime::set(0);",
        "if (LocalTime::offset() == 0) {\n            LocalTime::set(0);",
        QUEUE,
    ),
]


def _home() -> Path:
    """The tree by the name that it is built by: another one where its path has a blank."""
    cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.MULTILINE)
    if found is None:
        raise ToolError("the build names no source folder")
    return Path(found[1])


def _compile(mutant: Mutant, folder: Path) -> tuple[Path, str]:
    """The object of the mutated source, made as the build makes that of the original, and the
    library the original goes into."""
    original = str(_home() / "model" / mutant.source)
    entries = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    changed = folder / Path(mutant.source).name
    changed.write_text(mutant.text(), encoding="utf-8")
    entry = next((entry for entry in entries if entry["file"] == original), None)
    if entry is None:  # one of those that make up a unit, of the layer and of the whole program
        units = [entry for entry in entries if "/Unity/" in entry["file"]]
        entry = next(
            entry
            for entry in units
            if "/cavern_hot" not in entry["file"]
            and f'"{original}"' in Path(entry["file"]).read_text(encoding="utf-8")
        )
        text = Path(entry["file"]).read_text(encoding="utf-8")
        changed = folder / "unit.cpp"
        mutated = folder / Path(mutant.source).name
        changed.write_text(text.replace(f'"{original}"', f'"{mutated}"'), encoding="utf-8")
    words = shlex.split(entry["command"])
    words = [str(changed) if word == entry["file"] else word for word in words]
    made = folder / "mutant.o"
    output = words.index("-o") + 1
    library = re.search(r"CMakeFiles/(\w+)\.dir/", words[output])
    if library is None:
        raise ToolError(f"{mutant.source} is in no library")
    words[output] = str(made)
    # A mutant's warnings are not what is asked about.
    call([word for word in words if word != "-Werror"] + ["-w"], Path(entry["directory"]))
    return made, f"lib{library[1].removesuffix('_layer')}.a"


def _link(program: Path, made: Path, library: str) -> Path | None:
    """The program with the mutant before the archive that has the original; none where the program
    does not have it."""
    target = str(program.resolve().relative_to(BUILD.resolve()))
    command = call(["ninja", "-C", str(BUILD), "-t", "commands", "-s", target], ROOT)
    line = next(line for line in reversed(command.splitlines()) if f" -o {target} " in line)
    words = shlex.split(line.split(" && ")[1])
    if not any(Path(word).name == library for word in words):
        return None
    place = words.index("-o")
    linked = made.parent / program.name
    words[place + 1] = str(linked)
    call([*words[:place], str(made), *words[place:]], BUILD)
    return linked


def _tests(pattern: str) -> list[tuple[str, list[str]]]:
    """Name and command of each test, in a process of its own."""
    command = ["ctest", "--test-dir", str(BUILD), "-R", pattern, "--show-only=json-v1"]
    others = json.loads(call(command, ROOT))["tests"]
    commands = [(test["name"], test["command"]) for test in others]
    for program, listed in lists_of(BUILD, programs_of(BUILD), 1).items():
        path = str(BUILD / "tests" / program.name)
        for test in chosen(program, listed, pattern, Depth.NIGHTLY):
            commands.append((test, [path, f"--gtest_filter={test}"]))
    return commands


def _failure(command: list[str], folder: Path) -> str:
    """How a test fails; empty when it does not."""
    try:
        ran = subprocess.run(
            command, cwd=folder, env=ENVIRONMENT, capture_output=True, check=False, timeout=120
        )
    except subprocess.TimeoutExpired:
        return "does not end"
    return "" if ran.returncode == 0 else "fails"


def judge(mutant: Mutant) -> str:
    """The test that finds the mutant; empty when none does."""
    tests = _tests(mutant.tests)
    if not tests:
        raise ToolError(f"no test matches {mutant.tests!r}")
    with TemporaryDirectory() as scratch:
        made, library = _compile(mutant, Path(scratch))
        programs = {program for _, (program, *_) in tests}
        linked = {program: _link(Path(program), made, library) for program in sorted(programs)}
        if not any(linked.values()):
            raise ToolError(f"no program of {mutant.tests!r} has {mutant.source}")
        for name, (program, *arguments) in tests:
            mutated = linked[program]
            if mutated is None:
                continue
            failure = _failure([str(mutated), *arguments], Path(scratch))
            if failure:
                return f"{name} {failure}"
    return ""


if __name__ == "__main__":
    sys.exit(judge_list("tb.model_mutation", __doc__, MUTANTS, judge))
