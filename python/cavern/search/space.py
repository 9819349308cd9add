"""The space of a search: every combination of what a description varies, and [search] itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cavern.plots.metrics import METRICS, NEITHER, OBJECTIVES, Metric, metric
from cavern.sweeps.case import Case, Setting, toml_text
from cavern.sweeps.spec import Choice, SpecReader
from cavern.verdicts.additive import Point
from cavern.verdicts.axes import rising

KEYS = ("objectives", "trials", "batch", "seed", "screen")
FEWEST_TRIALS, SHARE_OF_SPACE = 20, 5
MOST_POINTS = 200_000


@dataclass(frozen=True)
class Axis:
    """`ordered` where the values are numbers or sizes that rise or fall: neighbours are alike."""

    name: str
    values: tuple[Choice, ...]
    ordered: bool

    @property
    def texts(self) -> list[str]:
        return [", ".join(str(value) for _, value in one.labels) for one in self.values]

    def steps(self, value: int) -> list[int]:
        """The values that are one step away."""
        if self.ordered:
            return [one for one in (value - 1, value + 1) if 0 <= one < len(self.values)]
        return [one for one in range(len(self.values)) if one != value]


@dataclass(frozen=True)
class Search:
    """`objectives` empty: those of OBJECTIVES that the runs measure. `screen`: a run without time
    comes first, and may rule a combination out."""

    axes: tuple[Axis, ...]
    cases: Sequence[Case]
    objectives: tuple[Metric, ...]
    trials: int
    batch: int = 4
    seed: int = 0
    screen: bool = True

    def told_axes(self) -> list[dict[str, Any]]:
        """The axes for the table: columns, and values in the order of the description."""
        return [
            {
                "columns": [f"vary.{name}" for name, _ in axis.values[0].labels],
                "values": [[value for _, value in one.labels] for one in axis.values],
            }
            for axis in self.axes
        ]

    def case(self, point: Point) -> Case:
        return self.cases[self.index(point)]

    def index(self, point: Point) -> int:
        """Its place in `cases`: the last axis varies fastest."""
        place = 0
        for axis, value in zip(self.axes, point, strict=True):
            place = place * len(axis.values) + value
        return place

    def point(self, index: int) -> Point:
        values = []
        for axis in reversed(self.axes):
            index, value = divmod(index, len(axis.values))
            values.append(value)
        return tuple(reversed(values))

    def screening(self, point: Point) -> Case:
        """The case of a point without time: decisions and counts alone."""
        one = self.case(point)
        settings = (*one.settings, Setting("fidelity", "untimed"))
        return Case(one.config, one.input, settings, one.labels, one.seed, one.limit, one.warmup)

    def text(self, point: Point) -> str:
        parts = zip(self.axes, point, strict=True)
        return ", ".join(f"{axis.name} {axis.texts[value]}" for axis, value in parts)

    @cached_property
    def has_time(self) -> bool:
        """Else there is nothing that a run without time could spare."""
        return all(one.key != "fidelity" for one in self.cases[0].settings)


def read_search(
    path: Path, trials: int | None = None, seed: int | None = None, beside: Path | None = None
) -> Search:
    """Files are looked for in `beside`, which is the folder of the description unless given.

    Raises InputError, naming the line, where it is not the description of a search."""
    reader = SpecReader(path, beside)
    cases = list(reader.cases())
    axes = tuple(_axis(values) for values in reader.axes())
    if not axes:
        raise reader.error(1, "nothing varies", "expected [vary], [[zip]] or [variants.NAME.VALUE]")
    size = 1
    for axis in axes:
        size *= len(axis.values)
    if size != len(cases):
        what = "a search has one configuration, one trace or workload, and at most one seed"
        line = reader.lines.of("seeds" if "seeds" in reader.data else "config")
        raise reader.error(line, what, "expected a single one of each")
    if size > MOST_POINTS:
        raise reader.error(1, f"{size:,} combinations", f"expected at most {MOST_POINTS:,}")
    table = reader.data.get("search", {})
    if not isinstance(table, dict):
        raise reader.error(reader.lines.of("search"), "search is no table", "expected [search]")
    for name in table:
        if name not in KEYS:
            raise reader.unknown(name, KEYS, "search", name)
    given: dict[str, Any] = {
        name: _number(reader, name, table[name])
        for name in ("trials", "batch", "seed")
        if name in table
    }
    if "screen" in table:
        if not isinstance(table["screen"], bool):
            line = reader.lines.of("search", "screen")
            what = f"screen = {toml_text(table['screen'])}"
            raise reader.error(line, what, "expected true or false")
        given["screen"] = table["screen"]
    given |= {n: v for n, v in (("trials", trials), ("seed", seed)) if v is not None}
    given["trials"] = min(size, given.get("trials", max(FEWEST_TRIALS, size // SHARE_OF_SPACE)))
    return Search(axes, cases, _objectives(reader, table.get("objectives")), **given)


def _axis(values: list[Choice]) -> Axis:
    names = list(dict.fromkeys(name for one in values for name, _ in one.labels))
    return Axis(", ".join(names), tuple(values), rising([one.labels[0][1] for one in values]))


def _number(reader: SpecReader, name: str, value: Any) -> int:
    least = 0 if name == "seed" else 1
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**31:
        line = reader.lines.of("search", name)
        right = f"expected a whole number from {least} on"
        raise reader.error(line, f"{name} = {toml_text(value)}", right)
    return value


def _objectives(reader: SpecReader, given: Any) -> tuple[Metric, ...]:
    if given is None:
        return ()
    line = reader.lines.of("search", "objectives")
    right = f'expected a list of fields such as objectives = ["{OBJECTIVES[0]}"]'
    if not isinstance(given, list) or not given or not all(isinstance(n, str) for n in given):
        raise reader.error(line, f"objectives = {toml_text(given)}", right)
    known = {one.field for one in METRICS if one.better != NEITHER}
    for name in given:
        if name not in known:
            raise reader.error(
                line, f'no objective "{name}"', "expected some of " + ", ".join(sorted(known))
            )
    reader.distinct(given, line, "objectives")
    return tuple(metric(name) for name in given)
