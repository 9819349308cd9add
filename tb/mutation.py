"""Mutants of the arbiters and what finds them: `python -m tb.mutation` from the project's folder.

Every rule of RULES is applied to every place of the arbiters and of the modules they share that it
matches, one place at a time. A mutant is killed by a property, in a search of all runs of
a few steps from reset, or else by lockstep with the C++ twin over random streams. One that makes no
difference is in EQUIVALENT with the argument; it must keep every property in the unbounded proof,
and lockstep must find nothing.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from cavern.simulator import BUILD, ROOT

from tb.formal import prove
from tb.formal.designs import CHANNEL, POLICIES, RTL, SHARED, WEIGHTED, WEIGHTED_FAMILY, Design
from tb.formal.prove import ToolError

SOURCES = (*SHARED, CHANNEL.source, WEIGHTED_FAMILY.source)
WAYS = 4
STEPS = {0: 7, 1: 6, WEIGHTED: 6}  #: searched, by policy
GRANTS = 100_000
M = TypeVar("M")
DOCUMENT = ROOT / "docs" / "verification" / "arbiter-proof.md"

#: What is done, where (a pattern), and what stands there then.
RULES: list[tuple[str, str, str]] = [
    ("and for or", r" \|\| ", " && "),
    ("or for and", r" && ", " || "),
    ("bitwise or for and", r" & ", " | "),
    ("bitwise and for or", r" \| ", " & "),
    ("negation dropped", r"[~!](?=[\w(])", ""),
    ("all for any", r"\(\|(?=\w)", "(&"),
    ("minus for plus", r" \+ (?=One|3'd1)", " - "),
    ("plus for minus", r" - (?=One|stamp_q|4'd1)", " + "),
    ("off by one", r">=", ">"),
    ("off by one", r"time_i - stamp_q", "time_i - stamp_q - 32'd1"),
    ("off by one", r"\(NumWays - 1\)", "(NumWays - 2)"),
    ("constant", r"= 1'b0;", "= 1'b1;"),
    ("constant", r"= 1'b1;", "= 1'b0;"),
    ("constant", r"(?<=[=:] )'0", "'1"),
    ("constant", r"32'd0", "32'd1"),
    ("branches swapped", r"\? (\S+) : (\S+?)(?=[);])", r"? \2 : \1"),
    ("branches swapped", r"\? (time_i - stamp_q) : (32'd0)", r"? \2 : \1"),
    ("reset dropped", r"(?<=      )\w+_q +<= (?:1'b0|'0|FirstRef);", ""),
    (
        "reset dropped",
        r" or negedge rst_ni\) begin\n +if \(!rst_ni\) waiting_q <= '0;\n +else ",
        ") begin\n     ",
    ),
    ("register stuck", r"(\w+)_q( +)<= \w+_d;", r"\1_q\2<= \1_q;"),
    ("stamp always taken", r"waiting_d\[w\] && !waiting_q\[w\]", "waiting_d[w]"),
    (
        "not updated",
        r"(busy|grant|index|last)_d( +)= (?:1'b1|winner_i|winner_index|\(take_i .* : last_q);",
        r"\1_d\2= \1_q;",
    ),
    ("class mixed up", r"class_i\[2\*w\];", "class_i[2*w+1];"),
    ("class mixed up", r"class_i\[2\*w\+1\];", "class_i[2*w];"),
    (
        "priority swapped",
        r"if \(\|reading\)     candidates = reading",
        "if (|commanding)  candidates = commanding",
    ),
    ("priority swapped", r"candidates = reading", "candidates = commanding"),
    (
        "priority swapped",
        r"if \(\|promoted\)         candidates = promoted",
        "if (|reading)          candidates = reading",
    ),
    ("level dropped", r"if \(\|(\w+)\)( +)candidates = \w+;", r"if (|\1)\2candidates = req_i;"),
    ("highest for lowest", r"pool & \(~pool \+ One\)", "pool & ~(pool >> 1)"),
    ("not held", r"!busy_q \|\| release_i", "1'b1"),
    ("idle cycle added", r"!busy_q \|\| release_i", "!busy_q"),
    # Of weighted_arbiter.sv and what it shares.
    ("equal for unequal", r" != ", " == "),
    ("constant", r"4'd1", "4'd0"),
    ("constant", r"4'd0", "4'd1"),
    ("constant", r"refill   = !\(\|funded\)", "refill   = 1'b0"),
    ("constant", r"refill   = !\(\|funded\)", "refill   = 1'b1"),
    ("weights swapped", r"\{(WeightProgramData\[3:0\]), (WeightCommand\[3:0\])", r"{\2, \1"),
    ("class mixed up", r"Full\[4\*c \+: 4\]", "Full[4 +: 4]"),
    ("class mixed up", r"wanting\[NumWays\*c \+:", "wanting[NumWays*(2-c) +:"),
    ("class mixed up", r"shortlists\[2\*NumWays \+:", "shortlists[NumWays +:"),
    ("highest for lowest", r"eligible & \(~eligible \+ 3'd1\)", "eligible & ~(eligible >> 1)"),
    ("branches swapped", r"\? Weight : (credit_q\[4\*c \+: 4\])", r"? \1 : Weight"),
    ("branches swapped", r"\? (level - 4'd1) : (level)", r"? \2 : \1"),
    ("condition dropped", r"\(take_i && served_i\)", "take_i"),
    ("condition dropped", r"\(take_i && served_i\)", "served_i"),
    ("condition dropped", r"if \(take\) ", ""),
    ("condition dropped", r"served_i \? (pool & \(~pool \+ One\)) : '0", r"\1"),
    ("condition dropped", r"present\[c\] && (?=credit_q)", ""),
    ("reset dropped", r"credit_q\[4\*c \+: 4\] <= Weight;", ""),
    ("register stuck", r"(credit_q\[4\*c \+: 4\]) <= credit_d;", r"\1 <= \1;"),
]

_INDEX = "index_o means nothing while valid_o is low, and every grant writes it before that rises"

#: Mutants that make no difference anybody may see, by the line before and after, and why.
EQUIVALENT: dict[tuple[str, str], str] = {
    ("index_q <= '0;", ""): _INDEX,
    ("index_q <= '0;", "index_q <= '1;"): _INDEX,
}


@dataclass(frozen=True)
class Mutant:
    number: int
    source: str
    rule: str
    line: int  # from 1
    before: str
    after: str
    text: str  # the whole source

    @property
    def policies(self) -> tuple[int, ...]:
        """The shapes the line is part of, the cheaper to search first."""
        if self.source in SHARED:
            return tuple(POLICIES)
        return (WEIGHTED,) if self.source != CHANNEL.source else _policies_of_lines()[self.line]

    def design(self, policy: int) -> Design:
        return Design(WAYS, policy).with_source(self.source, self.text)


def original(source: str) -> str:
    return (RTL / source).read_text(encoding="utf-8")


def _policies_of_lines() -> dict[int, tuple[int, ...]]:
    """In which policies each line of channel_arbiter.sv matters, by the generate block it is in."""
    found: dict[int, tuple[int, ...]] = {}
    current: tuple[int, ...] = (0, 1)
    for number, line in enumerate(original(CHANNEL.source).splitlines(), 1):
        if "begin : gen_round_robin" in line:
            current = (0,)
        elif "begin : gen_priority_age" in line:
            current = (1,)
        elif line == "  end":
            current = (0, 1)
        found[number] = current
    return found


def mutants(sources: Iterable[str] = SOURCES) -> list[Mutant]:
    """All of them, in the order of the sources and their lines."""
    found: list[Mutant] = []
    for source in sources:
        for line, rule, text in _mutated(original(source)):
            before = original(source).splitlines()[line - 1]
            after = text.splitlines()[line - 1]
            found.append(
                Mutant(len(found) + 1, source, rule, line, _plain(before), _plain(after), text)
            )
    return found


def _mutated(text: str) -> list[tuple[int, str, str]]:
    """Line, rule and mutated text of every place."""
    start = text.index("\n);\n")  # behind the ports
    places: dict[str, tuple[int, str]] = {}
    for rule, pattern, replacement in RULES:
        for match in re.finditer(pattern, text[start:]):
            begin, end = start + match.start(), start + match.end()
            line_start = text.rfind("\n", 0, begin) + 1
            comment = text.find("//", line_start, text.find("\n", begin))
            if 0 <= comment <= begin or "unused_inputs" in text[line_start:begin]:
                continue
            mutated = text[:begin] + match.expand(replacement) + text[end:]
            if mutated != text:
                places.setdefault(mutated, (begin, rule))
    ordered = sorted(places.items(), key=lambda item: item[1])
    return [(text.count("\n", 0, begin) + 1, rule, new) for new, (begin, rule) in ordered]


def _plain(line: str) -> str:
    return re.sub(r" +", " ", line.partition("//")[0].strip())


@dataclass(frozen=True)
class Verdict:
    mutant: Mutant
    killer: str  # "proof", "lockstep", "equivalent" or "" when it lives
    detail: str


def searched(mutant: Mutant) -> str:
    """The property that a run of a few steps breaks, and at which step; empty when none does."""
    for policy in mutant.policies:
        design = mutant.design(policy)
        try:
            found = prove.refute(design, tuple(design.family.properties), STEPS[policy])
        except ToolError as error:
            if not re.search("Multiple edge sensitive|Found logic loop", str(error)):
                raise
            return ""  # no flip-flop Yosys has: left to lockstep
        if not found.passed:
            return f"{found.failed[0]} at step {found.step}, {POLICIES[policy]}"
    return ""


TABLE = """\
#include "cosim/verilated_model_of.h"
#include "Vmutant.h"
namespace cavern {{
std::unique_ptr<VerilatedModelIf> make_verilated_model(
    std::uint32_t slots, ArbiterPolicy policy, std::uint32_t age_limit, std::uint64_t seed) {{
    constexpr VerilatedModelRow kModels[] = {{
        {{{ways}, static_cast<ArbiterPolicy>({policy}), make_model_of<Vmutant>}}}};
    return make_from_table(kModels, slots, policy, age_limit, seed);
}}
}} // namespace cavern
"""


def archives(*names: str) -> list[str]:
    """What links the layers of these names, with the libraries that they need."""
    found = [str(path) for name in names for path in BUILD.rglob(f"libcavern_{name}.a")]
    needed = ["-lz", "-lzstd", "-lfmt", "-lpthread"]
    return ["-Wl,--start-group", *found, "-Wl,--end-group", *needed]


def _objects() -> list[str]:
    """What the soak test is made of, without the arbiters."""
    names = ("cosim", "no_user_models", "streams", "arbiter_rules", "verilated_runtime", "base")
    objects = sorted((BUILD / "tb" / "CMakeFiles" / "cavern_soak.dir").rglob("*.o"))
    return [*map(str, objects), *archives(*names)]


def call(command: list[str], folder: Path) -> str:
    """What a tool says."""
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        raise ToolError(f"{command[0]}: {(finished.stderr or finished.stdout)[-1500:]}")
    return finished.stdout


def replaced_once(source: Path, edits: Iterable[tuple[str, str]]) -> str:
    """The text of the source with each edit: what is there once, and what stands there then."""
    text = source.read_text(encoding="utf-8")
    for before, after in edits:
        if text.count(before) != 1:
            raise ToolError(f"{source.name}: {before!r} must be there exactly once")
        text = text.replace(before, after)
    return text


def lockstepped(mutant: Mutant) -> str:
    """Where lockstep with the properties off finds the mutant; empty when it does not."""
    for policy in mutant.policies:
        with TemporaryDirectory() as scratch:
            folder = Path(scratch)
            (folder / mutant.source).write_text(mutant.text, encoding="utf-8")
            (folder / "table.cpp").write_text(TABLE.format(ways=WAYS, policy=policy))
            family = mutant.design(policy).family
            names = {name for name in family.sources if "formal" not in name} - {mutant.source}
            others = [(RTL / name).relative_to(ROOT) for name in sorted(names)]
            call(
                [
                    "verilator",
                    "--cc",
                    "-O3",
                    "--no-assert",
                    "--trace-fst",
                    "-Wno-fatal",
                    "-Wno-lint",
                ]
                + ["--x-initial", "unique", "--Mdir", str(folder / "made"), "--prefix", "Vmutant"]
                + ["--top-module", f"{family.name}_checked", f"-GNumWays={WAYS}"]
                + ([] if policy == WEIGHTED else [f"-GPolicy={policy}"])
                + [str(folder / mutant.source), *map(str, others)],
                ROOT,  # which may have a blank in its path, where Verilator takes a name to end
            )
            sources = [str(path) for path in sorted((folder / "made").glob("*.cpp"))]
            (folder / "all.cpp").write_text("".join(f'#include "{path}"\n' for path in sources))
            root = call(["verilator", "--getenv", "VERILATOR_ROOT"], folder).strip()
            call(
                [
                    "g++",
                    "-std=c++17",
                    "-O0",
                    "-w",
                    "-I.",
                    "-Imade",
                    f"-I{ROOT}",
                    f"-I{ROOT / 'model'}",
                ]
                + [
                    f"-I{root}/include",
                    f"-I{root}/include/vltstd",
                    "-DVM_TRACE=1",
                    "-DVM_TRACE_FST=1",
                ]
                + [
                    "-DVM_COVERAGE=0",
                    "-DVM_SC=0",
                    "all.cpp",
                    "table.cpp",
                    "-o",
                    "soak",
                    *_objects(),
                ],
                folder,
            )
            ran = subprocess.run(
                ["./soak", "random", str(WAYS), POLICIES[policy], str(GRANTS)],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            if ran.returncode != 0:
                first = ran.stderr.splitlines()[0]
                match = re.search(r"slots, ([^:]+): RTL and model differ at cycle (\d+)", first)
                if match is None:
                    raise ToolError(f"mutant {mutant.number}: {first}")
                return f"{match[1]}, cycle {match[2]}"
    return ""


def keeps_all_properties(mutant: Mutant) -> bool:
    """Whether the unbounded proof goes through for the mutant as for the original."""
    for policy in mutant.policies:
        design = mutant.design(policy)
        if not prove.base_case(design).passed:
            return False
        if not all(prove.induct(design, part).passed for part in prove.parts(design)):
            return False
    return True


def judge(mutant: Mutant) -> Verdict:
    """What becomes of a mutant."""
    argument = EQUIVALENT.get((mutant.before, mutant.after))
    if argument is not None:
        harmless = keeps_all_properties(mutant) and not lockstepped(mutant)
        return Verdict(mutant, "equivalent" if harmless else "", argument)
    found = searched(mutant)
    if found:
        return Verdict(mutant, "proof", found)
    found = lockstepped(mutant)
    return Verdict(mutant, "lockstep" if found else "", found)


def judge_all(jobs: int, sources: Iterable[str] = SOURCES) -> Iterator[Verdict]:
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(judge, mutants(sources))


def judge_list(module: str, doc: str, mutants: list[M], judge_one: Callable[[M], str]) -> int:
    """The command of a module whose mutants are written by hand; returns its exit status."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=doc.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=2, help="mutants at one time (default 2)")
    alive = 0
    with ThreadPoolExecutor(parser.parse_args().jobs) as pool:
        for mutant, found in zip(mutants, pool.map(judge_one, mutants), strict=True):
            alive += not found
            print(f"{mutant}: {found or 'LIVES'}", flush=True)
    print(f"{len(mutants)} mutants, {alive} alive")
    return 1 if alive else 0


def table(verdicts: list[Verdict]) -> str:
    """As Markdown."""
    rows = ["| line | mutation | becomes | killed by |", "|---|---|---|---|"]
    for verdict in verdicts:
        m = verdict.mutant
        becomes = f"`{m.after}`" if m.after else f"(no `{m.before}`)"
        killer = f"{verdict.killer}: {verdict.detail}" if verdict.killer else "**lives**"
        cells = (str(m.line), m.rule, becomes, killer)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def document(verdicts: list[Verdict]) -> str:
    """docs/verification/arbiter-proof.md with the tables of the sources judged replaced."""
    text = DOCUMENT.read_text(encoding="utf-8")
    for source in dict.fromkeys(verdict.mutant.source for verdict in verdicts):
        begin, end = (f"<!-- mutants of {source}: {edge} -->" for edge in ("begin", "end"))
        head, _, rest = text.partition(begin)
        _, _, tail = rest.partition(end)
        rows = table([verdict for verdict in verdicts if verdict.mutant.source == source])
        text = f"{head}{begin}\n{rows}{end}{tail}"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tb.mutation", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--jobs", type=int, default=2, help="mutants at one time (default 2)")
    parser.add_argument("--write", action="store_true", help="put the tables into the document")
    parser.add_argument("--source", choices=SOURCES, help="judges the mutants of this one alone")
    arguments = parser.parse_args()
    verdicts = []
    for verdict in judge_all(arguments.jobs, [arguments.source] if arguments.source else SOURCES):
        verdicts.append(verdict)
        mutant = verdict.mutant
        print(
            f"{mutant.number:3} {mutant.source}:{mutant.line:3} {mutant.rule:20} "
            f"{verdict.killer or 'LIVES':10} {verdict.detail}",
            flush=True,
        )
    alive = [verdict for verdict in verdicts if not verdict.killer]
    print(f"{len(verdicts)} mutants, {len(alive)} alive")
    if arguments.write:
        DOCUMENT.write_text(document(verdicts), encoding="utf-8")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
