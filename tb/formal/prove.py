"""Proofs of the channel arbiters: `python -m tb.formal.prove` from the project's folder.

Yosys makes an SMT problem of an arbiter, its checkers and its top in rtl/formal; yosys-smtbmc and
Z3 solve it. A proof is unbounded: a base case from reset and induction over any state. Round robin,
plain and weighted, is one part. With class priority there are four, each of which may assume what
the ones before it have proven, so that no part needs both the arithmetic of ages and the order of
grants:

  stamps   arbiter and checker agree on who waits since when
  ages     and so on who is aged (a few ways at a time)
  ageing   who is aged stays aged until granted (a few at a time; ages are any numbers that grow)
  order    every property of the checker (who is aged is any set that keeps to the above)
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from tb.formal.designs import (
    AGES,
    ARBITER,
    CHANNEL,
    CHECKER,
    POLICIES,
    REFUTED_IN,
    ROOT,
    RTL,
    WAYS,
    WEIGHTED,
    Design,
    broken_design,
    peeks,
)

BASE_DEPTH = 3
AT_ONCE = 2  # ways whose ages one run judges; the effort grows faster than their number

STAMPS = ("WaitingIsPending", "StampsAgree")
AGED = ("AgedWerePromoted",)
AGEING = ("PromotedIsRequest", "PromotedStays")


class ToolError(RuntimeError):
    """Yosys or the solver did not do what it was asked; str() is what it said."""


@dataclass(frozen=True)
class Part:
    """What one run of the solver takes for granted and what it proves; None is all the rest."""

    name: str
    assumed: tuple[str, ...] = ()
    proven: tuple[str, ...] | None = None
    cut: tuple[str, ...] = ()  # wires that take any value
    ways: range | None = None  # the ages of these ways only
    age_limit: int = 0
    solver: tuple[str, ...] = ("--unroll", "--noincr")
    depth: int = 2


def parts(design: Design) -> list[Part]:
    """The inductions that together prove a design."""
    if design.policy != 1:
        return [Part("order", solver=("-S", "sat.smt=true", "--unroll", "--noincr"))]
    found = [Part("stamps", proven=STAMPS, solver=())]
    for first in range(0, design.ways, AT_ONCE):
        some = range(first, min(first + AT_ONCE, design.ways))
        found.append(Part("ages", STAMPS, AGED, ways=some, solver=("-S", "sat.smt=true"), depth=1))
        cut = tuple(f"{ARBITER}{AGES}gen_way[{way}].age" for way in some)
        found.append(Part("ageing", STAMPS + AGED, AGEING, cut, some))
    cut = (f"{ARBITER}{AGES}promoted", f"{CHECKER}aged")
    found.append(Part("order", STAMPS + AGED + AGEING, None, cut))
    return found


def _cells(design: Design, names: Iterable[str]) -> str:
    return " ".join(f"c:{design.family.properties.get(name, '')}{name}" for name in names)


def _front(design: Design, age_limit: int, sources: list[str], base: str) -> str:
    """Yosys commands that every part of a proof begins with."""
    top = design.family.top
    shape = f"-set NumWays {design.ways}"
    if design.family is CHANNEL:
        shape += f" -set Policy {design.policy} -set ShownLimit {age_limit}"
    lines = [
        "read_verilog -sv -formal " + " ".join(f'"{source}"' for source in sources),
        f"chparam {shape} {top}",
        f"hierarchy -check -top {top}",
        "proc",
        "flatten",
        f"cd {top}",
        *(f"connect -nounset -set \\{peek} \\{inside}" for peek, inside in peeks(design).items()),
        "cd",
        f"write_rtlil {base}",
    ]
    return "\n".join(lines) + "\n"


def _back(design: Design, part: Part, base: str, smt2: str) -> str:
    """What follows for one part."""
    judged = part.ways or range(design.ways)
    bits = "".join("1" if way in judged else "0" for way in reversed(range(design.ways)))
    lines = [f"read_rtlil {base}", f"cd {design.family.top}"]
    if design.family is CHANNEL:
        lines.append(f"connect -nounset -set \\peek_judged {design.ways}'b{bits}")
    if part.assumed:
        lines.append(f"chformal -assert2assume {_cells(design, part.assumed)}")
    if part.proven == ():
        lines.append("chformal -remove -assert")
    elif part.proven is not None:
        lines.append(f"select -set proven {_cells(design, part.proven)}")
        # A name that is not there would leave nothing to prove, and that would succeed.
        lines.append(f"select -assert-count {len(part.proven)} @proven")
        lines.append("chformal -remove -assert t:$assert @proven %d")
    if part.cut:
        wires = " ".join("w:" + re.sub(r"([\[\]])", r"\\\1", wire) for wire in part.cut)
        lines.append(f"select -assert-count {len(part.cut)} {wires}")
        lines.append(f"cutpoint {wires}")
    waves = part.proven == ()
    lines += [
        "cd",
        "check -assert",  # a peek left loose has no driver
        "opt -fast",
        "async2sync",
        "dffunmap",
        "opt_clean" if waves else "opt_clean -purge",
        f"write_smt2 {'-wires ' if waves else ''}{smt2}",
    ]
    return "\n".join(lines) + "\n"


def _run(command: list[str], folder: Path, timeout: float) -> subprocess.CompletedProcess[str]:
    """Runs a tool with this environment's z3 before any other."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError as error:
        raise ToolError(f"{command[0]} is not installed; ./cavern installs it") from error
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{command[0]} took more than {timeout:.0f} s") from error


@dataclass(frozen=True)
class Result:
    """What one run of the solver found."""

    passed: bool
    failed: tuple[str, ...] = ()  # names of the assertions that fail at the end of the trace
    step: int = -1  # at which
    seconds: float = 0.0
    output: str = field(default="", repr=False)


def _yosys(script: str, folder: Path, what: str, timeout: float) -> None:
    (folder / "run.ys").write_text(script, encoding="utf-8")
    made = _run(["yosys", "-q", "-s", "run.ys"], folder, timeout)
    if made.returncode != 0:
        raise ToolError(f"{what}: {(made.stdout + made.stderr)[-2000:]}")


def elaborate(design: Design, folder: Path, *, age_limit: int = 0, timeout: float = 300) -> Path:
    """The flattened design with all properties and invariants, for any number of parts."""
    replaced = dict(design.replaced)
    sources = []
    for name in design.family.sources:
        if name in replaced:
            changed = folder / Path(name).name
            changed.write_text(replaced[name], encoding="utf-8")
            sources.append(changed.name)
        else:
            sources.append(str(RTL / name))
    _yosys(_front(design, age_limit, sources, "base.il"), folder, str(design), timeout)
    return folder / "base.il"


def solve(
    design: Design,
    part: Part,
    mode: list[str],
    folder: Path,
    *,
    base: Path | None = None,
    timeout: float = 1200,
) -> Result:
    """One problem: `mode` are the options that say what is asked of yosys-smtbmc, `base` is what
    elaborate() has returned."""
    start = time.monotonic()
    if base is None:
        base = elaborate(design, folder, age_limit=part.age_limit)
    script = _back(design, part, str(base), "run.smt2")
    _yosys(script, folder, f"{design}, {part.name}", timeout)
    command = ["yosys-smtbmc", "-s", "z3", "--noprogress", *part.solver, *mode, "run.smt2"]
    solved = _run(command, folder, timeout)
    text = solved.stdout + solved.stderr
    if "Status: PASSED" not in text and "Status: FAILED" not in text:
        raise ToolError(f"{design}, {part.name}: {text[-2000:]}")
    failed = re.findall(r"Assert failed in \S+: (\S+)", text)
    steps = re.findall(r"(?:in step|in steps) (\d+)", text)
    return Result(
        passed="Status: PASSED" in text,
        failed=tuple(name.rpartition(".")[2] for name in failed),
        step=int(steps[-1]) if steps else -1,
        seconds=time.monotonic() - start,
        output=text,
    )


def induct(design: Design, part: Part, base: Path | None = None) -> Result:
    """The part's properties hold after any step, if they held at the ones before."""
    with TemporaryDirectory() as folder:
        return solve(design, part, ["-i", "-t", str(part.depth)], Path(folder), base=base)


def base_case(design: Design, base: Path | None = None) -> Result:
    """Every property and invariant in the first steps from reset."""
    with TemporaryDirectory() as folder:
        part = Part("base", solver=("--presat",))
        return solve(design, part, ["-t", str(BASE_DEPTH)], Path(folder), base=base)


def refute(design: Design, properties: tuple[str, ...], depth: int) -> Result:
    """Looks for a run from reset of up to `depth` steps that breaks one of `properties`."""
    with TemporaryDirectory() as folder:
        part = Part("refute", proven=properties, solver=("-S", "sat.smt=true"))
        return solve(design, part, ["-t", str(depth)], Path(folder))


def _long_enough(design: Design) -> int:
    """Steps in which the longest wait occurs: a grant an edge, or with priority every second."""
    return (design.policy + 1) * design.ways + 8


def cover(design: Design, waves: Path) -> Result:
    """Finds a run in which a way waits as long as the rules allow; writes it as VCD.

    In round robin any shortest run, with priority the one that the formal top describes."""
    with TemporaryDirectory() as folder:
        part = Part("cover", proven=(), age_limit=design.policy)
        mode = ["-c", "-t", str(_long_enough(design)), "--dump-vcd", "trace%.vcd"]
        result = solve(design, part, mode, Path(folder))
        traces = list(Path(folder).glob("trace*.vcd"))
        if result.passed:
            waves.parent.mkdir(parents=True, exist_ok=True)
            waves.write_bytes(traces[0].read_bytes())
        return result


def tighten_share() -> Result:
    """Looks for a class 0 that others pass over as often as the weights allow, when one time less
    is called too often."""
    source = "weighted_arbiter_checker.sv"
    old = "6'(All - WeightReadOut)};"
    tighter = Design(2, WEIGHTED).broken(source, old, old.replace(")}", " - 1)}"))
    return refute(tighter, ("ClassHasItsShare",), REFUTED_IN[WEIGHTED])


def tighten(design: Design) -> Result:
    """Looks for a wait that exceeds a bound of one grant less than the true one, among the runs of
    cover()."""
    tighter = design.broken(
        "channel_arbiter_checker.sv", "MostPassed = NumWays - 1", "MostPassed = NumWays - 2"
    )
    with TemporaryDirectory() as folder:
        part = Part("tighten", proven=("WaitIsBounded",), age_limit=design.policy)
        mode = ["-t", f"{design.ways}:{_long_enough(design)}"]
        return solve(tighter, part, mode, Path(folder))


def prove(design: Design, pool: ThreadPoolExecutor) -> tuple[list[tuple[str, Result]], float]:
    """Base case and all inductions; each part's name with its result, and the time."""
    start = time.monotonic()
    with TemporaryDirectory() as folder:
        base = elaborate(design, Path(folder))
        # The longest first.
        jobs = [(p.name, pool.submit(induct, design, p, base)) for p in reversed(parts(design))]
        jobs.append(("base", pool.submit(base_case, design, base)))
        results = [(name, job.result()) for name, job in jobs]
    return results, time.monotonic() - start


def _report(what: str, as_wanted: bool, detail: str, seconds: float) -> bool:
    print(f"{'ok  ' if as_wanted else 'FAIL'} {what:52} {detail:34} {seconds:6.1f} s", flush=True)
    return as_wanted


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tb.formal.prove",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--ways", type=int, nargs="+", choices=range(1, 17), default=list(WAYS))
    parser.add_argument("--policy", type=int, nargs="+", choices=tuple(POLICIES), default=[0, 1, 2])
    parser.add_argument("--jobs", type=int, default=2, help="solvers at one time (default 2)")
    parser.add_argument(
        "--waves",
        type=Path,
        default=ROOT / "out" / "formal",
        help="folder of the cover traces (default out/formal)",
    )
    arguments = parser.parse_args()
    good = True
    designs = [Design(w, p) for p in arguments.policy for w in arguments.ways]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for design in designs:
            results, seconds = prove(design, pool)
            unproven = sorted({name for name, result in results if not result.passed})
            detail = f"unproven: {', '.join(unproven)}" if unproven else f"{len(results)} parts"
            good &= _report(f"proof, {design}", not unproven, detail, seconds)
        for design in (one for one in designs if one.family is CHANNEL):
            waves = arguments.waves / f"longest-wait-{POLICIES[design.policy]}-{design.ways}.vcd"
            found = cover(design, waves)
            detail = f"step {found.step}: {waves.name}"
            good &= _report(f"longest wait, {design}", found.passed, detail, found.seconds)
            if design.ways > 1:
                found = tighten(design)
                detail = f"refuted in step {found.step}"
                good &= _report(
                    f"one grant less, {design}", not found.passed, detail, found.seconds
                )
        for family in dict.fromkeys(design.family for design in designs):
            for name in family.properties:
                broken = broken_design(name, family)
                found = refute(broken, (name,), REFUTED_IN[broken.policy])
                detail = f"refuted in step {found.step}"
                what = f"broken {family.name}, {name}"
                good &= _report(what, name in found.failed, detail, found.seconds)
        if WEIGHTED in arguments.policy:
            found = tighten_share()
            detail = f"refuted in step {found.step}"
            good &= _report("one grant less, a class", not found.passed, detail, found.seconds)
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolError as error:
        print(f"error: tb/formal/prove.py:1: {error}", file=sys.stderr)
        sys.exit(1)
