"""Line and toggle coverage of the arbiters: `python -m tb.coverage` from the project's folder.

Runs random streams of every shape, and recorded ones, through models that count, merges the
counters with verilator_coverage, and lists what no run has reached. What cannot be reached is in
EXCLUDED with the reason; an entry there that excuses nothing is an error, so that the list stays
true.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from cavern.simulator import BUILD

from tb.formal import designs
from tb.formal.designs import CHANNEL, SHARED, WEIGHTED_FAMILY

SOURCES = (*SHARED, CHANNEL.source, WEIGHTED_FAMILY.source)
SOAK = BUILD / "bin" / "cavern-arbiter-soak-covered"
KINDS = ("line", "branch", "toggle")
WAYS = (1, 2, 4, 8, 16)
POLICIES = tuple(designs.POLICIES.values())

#: Points no run reaches, other than from a value at power-up, which is drawn: kind, what it is (a
#: pattern), in which shape (a pattern), and why.
EXCLUDED = [
    (
        "toggle",
        r"age_limit_i\[\d+\]",
        ".*",
        "the age limit is static: it is set once, before reset",
    ),
    (
        "toggle",
        r"(index_o|index_d|index_q|winner_index)\[0\]",
        r"N1_P\d",
        "the index of the only way is always 0",
    ),
    (
        "toggle",
        r"ahead\[0\]",
        r"N\d+_P\d",
        "way 0 comes after no other before wrapping round",
    ),
    (
        "toggle",
        r"last_[dq]\[0\]",
        r"N1_P\d",
        "the only way is always the one that had its turn last",
    ),
    (
        "toggle",
        r"served_i",
        r"N\d+_P[01]",
        "where classes have no turns of their own, one of the ways is always served",
    ),
    (
        "toggle",
        r"credit_q\[(3|7|9|10|11)\]",
        r"N\d+_P2",
        "a class never has more credits than its weight: 4, 4 and 1",
    ),
]


@dataclass(frozen=True, order=True)
class Point:
    """Something to be reached: a line, a branch taken or not, or a bit changing."""

    source: str
    kind: str  # line, branch or toggle
    line: int
    what: str  # signal and bit; if or else; empty for a line
    shape: str  # ways and policy, as N4_P1; empty for a line, which any shape may reach


def read_counts(merged: Path, shape: str, counts: dict[Point, int]) -> None:
    """Adds the counters of the sources in a file of verilator_coverage, of models of one shape."""

    def add(point: Point, count: int) -> None:
        counts[point] = counts.get(point, 0) + count

    for text in merged.read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"C '(.*)' (\d+)", text)
        if not match:
            continue
        count = int(match[2])
        keys = dict(part.split("\x02", 1) for part in match[1].split("\x01") if part)
        source = Path(keys["f"]).name
        if source not in SOURCES:
            continue
        page, line = keys["page"].partition("/")[0], int(keys["l"])
        if page == "v_toggle":
            add(Point(source, "toggle", line, keys["o"], shape), count)
            continue
        if page == "v_branch":
            add(Point(source, "branch", line, keys["o"], shape), count)
        for part in keys.get("S", keys["l"]).split(","):
            first, _, last = part.partition("-")
            for covered in range(int(first), int(last or first) + 1):
                add(Point(source, "line", covered, "", ""), count)


def merge(files: Iterable[Path], merged: Path) -> None:
    command = ["verilator_coverage", "--write", str(merged), *map(str, files)]
    subprocess.run(command, check=True, capture_output=True)


def run_streams(folder: Path, grants: int, streams: Iterable[Path]) -> list[str]:
    """Runs every shape, and the recordings, with counters in `folder`; returns what they print."""
    printed = []
    runs = [["random", str(w), p, str(grants)] for p in POLICIES for w in WAYS]
    runs += [["replay", str(stream)] for stream in streams]
    for number, arguments in enumerate(runs):
        counters = folder / str(number)
        counters.mkdir()
        finished = subprocess.run(
            [str(SOAK), *arguments],
            env={**os.environ, "CAVERN_COVERAGE": str(counters)},
            capture_output=True,
            text=True,
            check=True,
        )
        printed += finished.stdout.splitlines()
    return printed


@dataclass(frozen=True)
class Report:
    counts: dict[Point, int]

    def points(self, kind: str, source: str = "") -> list[Point]:
        """Of one source, or of all."""
        return sorted(p for p in self.counts if p.kind == kind and source in ("", p.source))

    def missed(self, kind: str, source: str = "") -> list[Point]:
        return [point for point in self.points(kind, source) if self.counts[point] == 0]

    def unexplained(self) -> list[Point]:
        """Neither reached nor excluded."""
        missed = [p for kind in KINDS for p in self.missed(kind)]
        return [point for point in missed if reason(point) is None]

    def idle_exclusions(self) -> list[str]:
        """Reasons that excuse no point: what they are about is gone, or reached after all."""
        used = {reason(point) for kind in KINDS for point in self.missed(kind)}
        return [why for *_, why in EXCLUDED if why not in used]

    def lines(self) -> list[str]:
        text = []
        for source in sorted({point.source for point in self.counts}):
            for kind in KINDS:
                points, missed = self.points(kind, source), self.missed(kind, source)
                excluded = sum(reason(point) is not None for point in missed)
                reached, reachable = len(points) - len(missed), len(points) - excluded
                share = 100 * reached / reachable if reachable else 100.0
                text.append(
                    f"{source}: {kind}: {reached} of {reachable} reachable ({share:.1f} %), "
                    f"{excluded} excluded"
                )
        return text


def reason(point: Point) -> str | None:
    """Why a point is excluded; None when it is not."""
    for kind, what, shape, why in EXCLUDED:
        if (
            kind == point.kind
            and re.fullmatch(what, point.what)
            and re.fullmatch(shape, point.shape)
        ):
            return why
    return None


def measure(grants: int, streams: Iterable[Path] = ()) -> tuple[Report, list[str]]:
    """Coverage of `grants` grants for each shape and of the recordings, and the runs' output."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        printed = run_streams(folder, grants, streams)
        counts: dict[Point, int] = {}
        files = sorted(folder.glob("*/*.dat"))
        for shape in sorted({file.name.partition("-")[0] for file in files}):
            merge([file for file in files if file.name.startswith(f"{shape}-")], folder / shape)
            read_counts(folder / shape, shape, counts)
        return Report(counts), printed


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tb.coverage", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--grants", type=int, default=20_000, help="for each shape")
    parser.add_argument("streams", type=Path, nargs="*", help="recorded streams to replay")
    arguments = parser.parse_args()
    report, _ = measure(arguments.grants, arguments.streams)
    print("\n".join(report.lines()))
    for why in dict.fromkeys(why for *_, why in EXCLUDED):
        found = [p for kind in KINDS for p in report.missed(kind)]
        print(f"excluded, {sum(reason(point) == why for point in found)} points: {why}")
    for point in report.unexplained():
        print(f"not reached: {point.kind} {point.source}:{point.line} {point.what} {point.shape}")
    for why in report.idle_exclusions():
        print(f"excludes nothing: {why}")
    return 1 if report.unexplained() or report.idle_exclusions() else 0


if __name__ == "__main__":
    sys.exit(main())
