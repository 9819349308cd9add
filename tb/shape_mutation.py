"""Mutants that only a certain shape, parameter or second reset shows: `python -m tb.shape_mutation`
from the project's folder.

Each is written by hand, for a class of faults that tests of a few shapes with the defaults let
through. It is tried on the models of tb/shapes: every shape in lockstep with the C++ twin, with the
properties on.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from cavern.simulator import BUILD, ROOT

from tb.formal import designs
from tb.formal.designs import CHANNEL, RTL, WEIGHTED_FAMILY
from tb.formal.prove import ToolError
from tb.mutation import archives, call, judge_list, replaced_once

SHAPES = ROOT / "tb" / "shapes"
EDGES = 100_000
ARCHIVES = ("streams", "allocator_tb", "alloc", "arbiter_rules", "verilated_runtime", "base")
POLICIES = tuple(designs.POLICIES.values())


@dataclass(frozen=True)
class Mutant:
    """`edits`: texts of the source, each there exactly once, and what stands there then."""

    fault: str
    source: str
    what: str  # a policy, or allocator
    edits: tuple[tuple[str, str], ...]
    seed: int = 1  # of the parameters that are drawn

    def __str__(self) -> str:
        return f"{self.what:20} {self.fault}"

    def text(self) -> str:
        return replaced_once(RTL / self.source, self.edits)


def _of_all(fault: str, source: str, *edits: tuple[str, str]) -> list[Mutant]:
    """The same fault in what all arbiters share, under each policy."""
    return [Mutant(fault, source, what, edits) for what in POLICIES]


def _weighted(fault: str, *edits: tuple[str, str]) -> Mutant:
    return Mutant(fault, "weighted_arbiter.sv", POLICIES[2], edits)


def _allocator(fault: str, *edits: tuple[str, str]) -> Mutant:
    return Mutant(fault, "channel_allocator.sv", "allocator", edits)


_ODD_WAYS = "(NumWays & (NumWays - 1)) != 0"
_COUNT = "CountWidth   = $clog2(MaxVictims + 1)"

MUTANTS: list[Mutant] = [
    *_of_all(
        "the turn skips way 0 where the number of ways is no power of two",
        "round_robin.sv",
        (
            "(|ahead) ? ahead : want_i;",
            f"(|ahead) ? ahead : ({_ODD_WAYS} && (|(want_i & ~One))) ? want_i & ~One : want_i;",
        ),
    ),
    *_of_all(
        "the index of the last way of an odd number is 0",
        "grant_register.sv",
        (
            "if (winner_i[way]) winner_index",
            "if (winner_i[way] && !(NumWays % 2 == 1 && way == NumWays - 1)) winner_index",
        ),
    ),
    _allocator(
        "wrong last way of six",
        ("WayWidth'(NumWays - 1)", "WayWidth'(NumWays == 6 ? 4 : NumWays - 1)"),
    ),
    _allocator(
        "wrong last channel of twelve",
        ("ChannelWidth'(NumChannels - 1)", "ChannelWidth'(NumChannels == 12 ? 10 : NumChannels-1)"),
    ),
    *_of_all(
        "the turn has a value at power-up and no reset",
        "round_robin.sv",
        (
            "logic [NumWays-1:0] last_q, last_d;",
            "logic [NumWays-1:0] last_q = FirstRef; logic [NumWays-1:0] last_d;",
        ),
        ("      last_q <= FirstRef;\n", ""),
    ),
    _weighted(
        "the credits have a value at power-up and no reset",
        ("logic [11:0] credit_q;", "logic [11:0] credit_q = Full;"),
        ("        credit_q[4*c +: 4] <= Weight;\n", ""),
    ),
    Mutant(
        "who waits has a value at power-up and no reset",
        "channel_arbiter.sv",
        POLICIES[1],
        (
            (
                "logic [NumWays-1:0] waiting_q, waiting_d;",
                "logic [NumWays-1:0] waiting_q = '0; logic [NumWays-1:0] waiting_d;",
            ),
            ("if (!rst_ni) waiting_q <= '0;\n      else         waiting_q", "waiting_q"),
        ),
    ),
    _allocator(
        "the channel whose turn it is has a value at power-up and no reset",
        ("channel_q, channel_d;", "channel_q = '0, channel_d;"),
        ("      channel_q <= '0;\n", ""),
    ),
    _weighted(
        "weights of read-out and command swapped",
        (
            "WeightCommand[3:0], WeightReadOut[3:0]}",
            "WeightReadOut[3:0], WeightCommand[3:0]}",
        ),
    ),
    _weighted("a weight cut to three bits", ("WeightReadOut[3:0]", "4'(WeightReadOut[2:0])")),
    _weighted("a weight cut to three bits", ("WeightCommand[3:0]", "4'(WeightCommand[2:0])")),
    _weighted(
        "a weight cut to three bits", ("WeightProgramData[3:0]", "4'(WeightProgramData[2:0])")
    ),
    *_of_all(
        "the turn starts at way 7 of 16",
        "round_robin.sv",
        (
            "FirstRef = One << (NumWays - 1);",
            "FirstRef = One << (NumWays == 16 ? 6 : NumWays - 1);",
        ),
    ),
    _allocator(
        "the count is one bit short where the most victims is a power of two",
        (_COUNT, "CountWidth   = MaxVictims > 1 ? $clog2(MaxVictims) : 1"),
    ),
]


def build(folder: Path, what: str, seed: int, replaced: dict[str, str] | None = None) -> Path:
    """cavern-every-shape with the model of `what` alone, parameters drawn from `seed`."""
    replaced = replaced or {}
    names = dict.fromkeys((*CHANNEL.sources, *WEIGHTED_FAMILY.sources))
    if what == "allocator":
        names = dict.fromkeys(
            f"channel_allocator{part}.sv" for part in ("", "_checker", "_checked")
        )
    sources = []
    for name in (name for name in names if "formal" not in name):
        path = RTL / name
        if name in replaced:
            path = folder / name
            path.write_text(replaced[name], encoding="utf-8")
        sources.append(str(path if name in replaced else path.relative_to(ROOT)))
    top = "every_allocator" if what == "allocator" else "every_arbiter"
    prefix = "Vevery_allocator"
    parameters = [f"-GSeed={seed}"]
    if what != "allocator":
        policy = POLICIES.index(what)
        prefix = f"Vevery_arbiter_{policy}"
        parameters.append(f"-GPolicy={policy}")
    verilate = ["verilator", "--cc", "-O3", "--assert", "--trace-fst", "-Wno-fatal", "-Wno-lint"]
    verilate += ["--x-initial", "unique", "--x-assign", "unique", "--Mdir", str(folder / "made")]
    verilate += ["--prefix", prefix, "--top-module", top, *parameters]
    # There, as it may have a blank in its path, at which Verilator takes a name to end.
    call([*verilate, *sources, str((SHAPES / f"{top}.sv").relative_to(ROOT))], ROOT)
    made = sorted((folder / "made").glob("*.cpp"))
    (folder / "all.cpp").write_text("".join(f'#include "{path}"\n' for path in made))
    root = call(["verilator", "--getenv", "VERILATOR_ROOT"], folder).strip()
    compile_ = ["g++", "-std=c++17", "-O0", "-w", "-Imade", f"-I{ROOT}", f"-I{ROOT / 'model'}"]
    compile_ += [f"-I{root}/include", f"-I{root}/include/vltstd", "-DVM_TRACE=1"]
    compile_ += ["-DVM_TRACE_FST=1", "-DVM_COVERAGE=0", "-DVM_SC=0"]
    compile_ += ["all.cpp", str(SHAPES / "every_shape_models.cpp"), "-o", "every-shape"]
    soak = sorted((BUILD / "tb" / "CMakeFiles" / "cavern_every_shape.dir").rglob("*.o"))
    call([*compile_, *map(str, soak), *archives(*ARCHIVES)], folder)
    return folder / "every-shape"


def judge(mutant: Mutant) -> str:
    """What finds the mutant and where; empty when nothing does."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        program = build(folder, mutant.what, mutant.seed, {mutant.source: mutant.text()})
        ran = subprocess.run(
            [str(program), mutant.what, "1", str(EDGES)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        if ran.returncode == 0:
            return ""
        first = ran.stderr.splitlines()[0]
        match = re.search(
            r"seed 1: (?:(.*?): RTL and twin differ|a property failed)(.*?) at edge (\d+)",
            ran.stderr,
        )
        waves = list(folder.glob("*.fst"))
        if match is None or not waves or waves[0].stat().st_size == 0:
            raise ToolError(f"{mutant.fault}: {first}")
        name = re.search(r"gen_(?:ways|shape)\[?_*(\d+).*?\.(\w+): ", ran.stderr)
        found = f"lockstep: {match[1]}" if match[1] else f"property {name[2] if name else '?'}"
        return f"{found}{match[2]}, edge {match[3]}"


if __name__ == "__main__":
    sys.exit(judge_list("tb.shape_mutation", __doc__, MUTANTS, judge))
