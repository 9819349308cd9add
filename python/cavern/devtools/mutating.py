"""`./cavern mutate`: which changes of a single operator of the model no C++ test notices.

They are made in build/mutants, a copy of the tree with a build of its own, which stays for the next
time.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from cavern.devtools.building import builds, ninja
from cavern.devtools.checks import PROCESSORS
from cavern.devtools.mutants import EQUAL, Mutant, draw, equal_in_meaning
from cavern.devtools.programs import (
    Depth,
    Program,
    chosen,
    kind_of,
    lists_of,
    programs_of,
    those_about,
)
from cavern.devtools.run_programs import Batch, Result, Runner, batches_of
from cavern.errors import CavernError
from cavern.simulator import ROOT

COPY = ROOT / "build" / "mutants"
#: Sources one by one, as a mutant costs what compiles it. An index beyond the end ends a test.
OPTIONS = (
    "-DCMAKE_UNITY_BUILD=OFF",
    "-DCMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS",
    f"-DCAVERN_PYTHON={sys.executable}",
)
#: Seconds after which a test hangs; none takes five of a processor.
HANGS = 20
SURVIVED = "SURVIVED"


class _Failed(Exception):
    """A test has; str() is its name and how."""


def copy_sources(copy: Path) -> None:
    """All that git knows or would take. What is the same is not touched, so not built again."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = {name for name in listed.split("\0") if (ROOT / name).is_file()}
    known = copy / "build" / "copied.txt"
    known.parent.mkdir(parents=True, exist_ok=True)
    if known.exists():
        for gone in set(known.read_text(encoding="utf-8").split("\n")) - names:
            (copy / gone).unlink(missing_ok=True)
    known.write_text("\n".join(sorted(names)), encoding="utf-8")
    for name in names:
        source, target = ROOT / name, copy / name
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)


def nearness(file: str, program: Program) -> int:
    """How many folders a source of the model and the tests of a program share."""
    return len(os.path.commonprefix([Path(file).parts[1:-1], Path(program.folder).parts]))


class Judge:
    """Tries mutants in an up to date copy of the tree, whose tests pass as it is."""

    def __init__(self, copy: Path) -> None:
        self._copy = copy
        self._build = copy / "build" / "release"
        copy_sources(copy)
        if not (self._build / "build.ninja").exists():
            command = ["cmake", "--preset", "release", *OPTIONS]
            done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise CavernError(f"{copy}:1: cmake failed: {done.stderr.strip()}")
        ninja(["build.ninja"], self._build)  # which programs there are
        self._programs = [
            replace(program, timeout=min(program.timeout, HANGS))
            for program in programs_of(self._build)
            if program.folder != "library"
            and (program.label != "cosim" or program.name == "cosim_test")
        ]
        ninja([program.name for program in self._programs], self._build)
        self._tests = {
            program: chosen(program, tests, None, Depth.USUAL)
            for program, tests in lists_of(self._build, self._programs, PROCESSORS).items()
        }
        self._stale: set[str] = set()  # objects of mutants before
        self._known: dict[Path, tuple[tuple[int, int], str]] = {}
        self._digests = self._made()
        passed, now = copy / "build" / "passed.txt", repr(self._digests)
        if not passed.exists() or passed.read_text(encoding="utf-8") != now:
            if failure := self._failure(self._programs):
                raise CavernError(f"{copy}:1: without a mutant {failure}")
            passed.write_text(now, encoding="utf-8")

    def judge(self, mutant: Mutant) -> str | None:
        """The test that fails, or SURVIVED; none where it does not compile, or where the compiler
        makes the same of it."""
        source = self._copy / mutant.file
        source.write_text(mutant.text, encoding="utf-8")
        try:
            objects = self._objects_of(mutant.file)
            self._stale |= objects
            if self._stale and not builds(sorted(self._stale), self._build):
                return None
            self._stale = objects
            if objects and not objects & self._changed():
                return None
            for program in sorted(self._programs, key=lambda each: -nearness(mutant.file, each)):
                if not builds([program.name], self._build):
                    return None
                # The others are what they were, and so are their tests.
                if f"tests/{program.name}" in self._changed():
                    if failure := self._failure([program], mutant.file):
                        return failure
            return SURVIVED if self._changed() else None
        finally:
            source.write_text(mutant.source, encoding="utf-8")

    def _objects_of(self, file: str) -> set[str]:
        """What a source is compiled to; nothing of a header."""
        folder = self._build / Path(file).parent / "CMakeFiles"
        found = folder.glob(f"*/{Path(file).name}.o")
        return {str(path.relative_to(self._build)) for path in found}

    def _changed(self) -> set[str]:
        """What is other than without a mutant."""
        return {name for name, made in self._made().items() if made != self._digests.get(name)}

    def _made(self) -> dict[str, str]:
        """A digest of each program, and of all that the model is compiled to: some is in none."""
        paths = [self._build / "tests" / program.name for program in self._programs]
        paths += sorted((self._build / "model").rglob("*.cpp.o"))
        return {str(path.relative_to(self._build)): self._digest(path) for path in paths}

    def _digest(self, path: Path) -> str:
        """Of a file that is read once each time it is written."""
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        known, digest = self._known.get(path, (None, ""))
        if known != stamp:
            digest = hashlib.blake2b(path.read_bytes()).hexdigest()
            self._known[path] = (stamp, digest)
        return digest

    def _failure(self, programs: list[Program], file: str = "") -> str:
        """How the first test that fails does: those about the file come first, then the quick ones.
        Empty: none does."""

        def report(results: list[Result]) -> None:
            for result in results:
                if result.status == "failed":
                    raise _Failed(f"{result.name} {result.why}")

        batches: dict[str, list[Batch]] = {"about": [], "": [], "slow": []}
        for program in programs:
            tests = self._tests[program]
            about = those_about(file, program, tests) if file else []
            batches["about"] += batches_of(program, [t for t in about if kind_of(t) == ""])
            for kind in ("", "slow"):
                left = [t for t in tests if kind_of(t) == kind and (kind or t not in about)]
                batches[kind] += batches_of(program, left)
        runner = Runner(self._build, PROCESSORS, first_failure=True)
        try:
            for each in batches.values():
                runner.run(each, [], report)
        except _Failed as failed:
            return str(failed)
        return ""


@contextmanager
def prepared(copy: Path = COPY) -> Iterator[Judge]:
    """One at a time."""
    copy.mkdir(parents=True, exist_ok=True)
    # What a mutant does with memory shall end no other program.
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="utf-8")
    with (copy / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Judge(copy)


@click.command()
@click.argument("number", type=click.IntRange(min=1))
@click.option("--seed", type=int, default=1, show_default=True, help="Another draws others.")
def mutate(number: int, seed: int) -> None:
    """Draws NUMBER changes of one operator in the model, and says which C++ test sees each.

    The status is 1 where none does, unless tests/mutants.txt says why the change means the same.
    A copy of the tree is built first, which takes long the first time.
    """
    equal = equal_in_meaning()
    survived = killed = anew = 0
    with prepared() as judge:
        begin = time.monotonic()
        for mutant in draw(seed):
            start = time.monotonic()
            verdict = None if (mutant.file, mutant.change) in equal else judge.judge(mutant)
            anew += verdict is None
            survived += verdict == SURVIVED
            killed += verdict not in (None, SURVIVED)
            if verdict is not None:
                where = f"{mutant.file}:{mutant.line} | {mutant.change}"
                print(f"{where} | {verdict} | {time.monotonic() - start:.0f} s", flush=True)
            if survived + killed == number:
                break
    print(
        f"{killed} killed, {survived} survived, in {time.monotonic() - begin:.0f} s; {anew} drawn "
        "anew, which do not compile or mean the same"
    )
    if survived:
        print(f"what survives wants a test, or a line in {EQUAL.relative_to(ROOT)}")
        sys.exit(1)
