"""How long the steps of a run took, and which tests took longer than they may.

A C++ test may take BOUND seconds of processor time, one of pytest PYTEST_BOUND: its own and that of
the processes it waited for, so that a busy machine makes none fail. Those that may take longer by
day are in LONG, each with its reason; what runs at night has no bound. Bounds are those of the
machine that they were measured on: on a slower one they are as much longer.
"""

from __future__ import annotations

import fnmatch
import time
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

#: Properties in JUnit files of pytest (pytest_seconds.py); the latter comes before a name.
SECONDS = "processor seconds"
FIXTURE = "fixture "

BOUND = 5.0
PYTEST_BOUND = 5.0
#: What the loop of slowness() takes on the machine that the bounds are of, in seconds.
REFERENCE_LOOP = 0.113
#: Names, or patterns of fnmatch: the bound in seconds, and why it is that long.
LONG: dict[str, tuple[float, str]] = {
    "fixture *test_partition.py::quick": (90, "a paper's experiment, for all tests of its file"),
    "fixture *test_reproduce_*.py::quick": (50, "a paper's experiment, for all tests of its file"),
    "fixture *test_reproduce.py::limits": (10, "a paper's experiment, for all tests of its file"),
    "*::test_demo_collects_in_lockstep_*": (60, "the whole demo: five runs, figures and the page"),
    "*::test_the_drive_agrees_with_every_model": (60, "all comparisons of validate, or the first"),
    "*::test_every_comparison_of_validate_holds": (60, "all comparisons of validate, or the first"),
    "*::test_no_die_of_a_full_drive_waits*": (60, "all comparisons of validate, or the first"),
    "*::test_another_policy_breaks_the_comparison": (10, "the same drives with another policy"),
    "*test_examples::test_they_run": (35, "every example of every command's help, in order"),
    "*::test_a_guest_uses_the_drive_as_its_disk": (40, "a kernel boots without KVM"),
    "*test_habits::test_types_fit": (25, "mypy over the whole tree, with nothing kept"),
    "*test_readme::test_commands_run*": (15, "a document that shows what its commands print"),
    "*test_pictures::test_pictures_are_made_*": (10, "runs and drawing of a picture of a document"),
    "*test_python_documents::*": (15, "a notebook and a document are run as they are written"),
    "*test_python_sweeps::*": (10, "a search, in a process that has to load Optuna first"),
    "*test_library::test_the_document_builds_*": (12, "installs, and builds a platform against it"),
    "*test_search::*": (12, "searches of some twenty runs, each a process"),
    "*test_sweep*::*": (14, "sweeps of some thirty runs, each a process, ended and gone on with"),
    "*test_cluster::*": (14, "a scheduler and workers, each a process that loads Dask"),
    "*test_bench_instructions::*": (12, "runs under valgrind, some fifty times slower"),
    "*::test_a_million_requests_take_less_*": (10, "a page of a million requests"),
}


def slowness() -> float:
    """How many times longer than there a loop takes here; 1 where it takes less."""
    times = []
    for _ in range(3):
        begin, total = time.process_time(), 0
        for number in range(3_000_000):
            total += number * number % 7
        times.append(time.process_time() - begin)
    return max(1.0, min(times) / REFERENCE_LOOP)


def bound_of(name: str, long: dict[str, tuple[float, str]]) -> float:
    bounds = [bound for pattern, (bound, _) in long.items() if fnmatch.fnmatchcase(name, pattern)]
    return max([PYTEST_BOUND if "::" in name else BOUND, *bounds])


@dataclass
class Steps:
    """What took how long: steps of the run by the clock (`walls`), tests and what they share in
    processor time (`taken`). Without `bounded` a test takes as long as it likes."""

    bounded: bool = True
    slower: float = 1.0
    long: dict[str, tuple[float, str]] = field(default_factory=lambda: LONG)
    walls: list[tuple[float, str]] = field(default_factory=list)
    taken: list[tuple[float, str]] = field(default_factory=list)
    over: list[str] = field(default_factory=list)

    def add_wall(self, what: str, seconds: float) -> None:
        self.walls.append((seconds, what))

    def add_test(self, name: str, seconds: float) -> bool:
        """Whether it kept to its bound."""
        self.taken.append((seconds, name))
        bound = bound_of(name, self.long) * self.slower
        if seconds <= bound or not self.bounded:
            return True
        self.over.append(
            f"{name} took {seconds:.1f} s of processor time, its bound is {bound:.3g} s"
        )
        return False

    def add_junit(self, report: Path) -> tuple[int, int]:
        """What pytest_seconds.py has measured: how many of the tests that passed were over their
        bounds, and how many fixtures."""
        tests = fixtures = 0
        for case in ET.parse(report).getroot().iter("testcase"):
            test = f"{case.get('classname')}::{case.get('name')}"
            failed = case.find("failure") is not None or case.find("error") is not None
            for each in case.iter("property"):
                name = each.get("name", "")
                value = each.get("value", "")
                if name == SECONDS:
                    tests += not self.add_test(test, float(value)) and not failed
                elif name.startswith(FIXTURE):
                    fixtures += not self.add_test(name, float(value))
        return tests, fixtures

    def lines(self, most: int = 10) -> list[str]:
        """The steps, the slowest tests, and those over their bound."""
        lines = [f"{what}: {seconds:.0f} s" for seconds, what in self.walls]
        slowest = sorted(self.taken, reverse=True)[:most]
        lines += ["the slowest, in seconds of processor time:"] if slowest else []
        lines += [f"{seconds:8.1f}  {what}" for seconds, what in slowest]
        return lines + [f"OVER ITS BOUND: {each}" for each in self.over]
