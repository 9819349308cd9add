"""The description of a sweep (TOML), read into cases. docs/sweep.md describes the form."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.names import DRIVE, KINDS, Kind, closest, find, suggestion
from cavern.reading.toml_file import read_toml
from cavern.simulator import ROOT
from cavern.sweeps.case import Case, Input, Label, Setting, toml_text

KEYS = (
    "title",
    "config",
    "traces",
    "workloads",
    "seeds",
    "limit",
    "warmup",
    "set",
    "vary",
    "zip",
    "variants",
    "cluster",
    "search",
)
INPUT_KEYS = ("file", "name", "format", "limit", "set")
MOST_RUNS = 1_000_000
#: Names that would be columns of the table already.
RESERVED = {"run", "trace", "seed", "config", "status", "error"}


@dataclass(frozen=True)
class Choice:
    """One value of an axis: what its rows are labelled with, and what it sets."""

    labels: tuple[tuple[str, Label], ...]
    settings: tuple[Setting, ...]


def read_spec(path: Path, beside: Path | None = None) -> list[Case]:
    """The cases of a sweep in their order: configurations, traces, variants, [[zip]] groups, varied
    keys, seeds; the last varies fastest, the rest in the order of the file. Files are looked for in
    the folder `beside`, which is that of the file itself unless given.

    Raises InputError, naming the line, where the file is not the description of a sweep."""
    return list(SpecReader(path, beside).cases())


def title_of(path: Path) -> str:
    """What the description calls itself, else the name of its file. For a file that was read."""
    title = read_toml(path, "the description of a sweep")[0].get("title")
    return title if isinstance(title, str) and title.strip() else path.stem


class SpecReader:
    def __init__(self, path: Path, beside: Path | None = None) -> None:
        self.path = path
        self.beside = beside or path.parent
        self.data, self.lines = read_toml(path, "the description of a sweep")

    def cases(self) -> Iterator[Case]:
        for name in self.data:
            if name not in KEYS:
                raise self.unknown(name, KEYS, name)
        title = self.data.get("title", "")
        if not isinstance(title, str):
            right = 'expected text such as title = "Buffer and ways"'
            raise self.error(self.lines.of("title"), f"title = {toml_text(title)}", right)
        configs = self._configs()
        inputs = self._inputs()
        seeds = self._seeds()
        limit, warmup = self._count("limit"), self._count("warmup")
        base = self._settings("set")
        axes = self.axes()
        self._check_axes(axes, {setting.key for setting in base})
        total = 1
        for count in (len(configs), len(inputs), len(seeds), *map(len, axes)):
            total *= count
            if total > MOST_RUNS:
                raise self.error(1, f"{total:,} runs at least", f"expected at most {MOST_RUNS:,}")
        for config, (played, played_limit, extra) in itertools.product(configs, inputs):
            for chosen in itertools.product(*axes):
                for seed in seeds:
                    labels: dict[str, Label] = {"trace": played.label}
                    if len(configs) > 1:
                        labels["config"] = config.stem
                    for choice in chosen:
                        labels.update(choice.labels)
                    if seed is not None:
                        labels["seed"] = seed
                    settings = [*base, *extra, *(s for c in chosen for s in c.settings)]
                    yield Case(
                        config,
                        played,
                        tuple(settings),
                        labels,
                        seed,
                        limit if played_limit is None else played_limit,
                        warmup,
                    )

    def axes(self) -> list[list[Choice]]:
        """What varies, the last fastest."""
        return [*self._variants(), *self._zips(), *self._vary()]

    def _configs(self) -> list[Path]:
        given = self.data.get("config")
        right = 'expected a configuration such as config = "configs/cave.toml", or a list of them'
        if given is None:
            raise self.error(1, "config is missing", right)
        names = given if isinstance(given, list) else [given]
        line = self.lines.of("config")
        if not names or not all(isinstance(name, str) for name in names):
            raise self.error(line, f"config = {toml_text(given)}", right)
        found = [self._find(DRIVE, name, line) for name in names]
        self.distinct([path.stem for path in found], line, "configurations")
        return found

    def _inputs(self) -> list[tuple[Input, int | None, tuple[Setting, ...]]]:
        found = []
        for kind in ("traces", "workloads"):
            given = self.data.get(kind, [])
            line = self.lines.of(kind)
            if not isinstance(given, list):
                raise self.error(line, f"{kind} is no list", f'expected {kind} = ["FILE", ...]')
            for index, entry in enumerate(given):
                found.append(self._input(kind, index, entry))
        if not found:
            right = 'expected traces = ["FILE", ...] or workloads = ["FILE", ...]'
            raise self.error(1, "nothing to run", right)
        line = self.lines.of("traces" if "traces" in self.data else "workloads")
        self.distinct([played.label for played, _, _ in found], line, "traces and workloads")
        return found

    def _input(self, kind: str, index: int, entry: Any) -> tuple[Input, int | None, tuple]:
        line = self.lines.of(kind, index)
        entry = {"file": entry} if isinstance(entry, str) else entry
        right = 'expected "FILE" or { file = "FILE", name = "NAME" }'
        if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
            raise self.error(line, f"{kind}[{index}] names no file", right)
        for name, value in entry.items():
            if name not in INPUT_KEYS:
                raise self.unknown(name, INPUT_KEYS, kind, index, name)
            if name in ("name", "format") and not (isinstance(value, str) and value):
                raise self.error(line, f"{name} = {toml_text(value)}", "expected a word")
        limit = self._whole(entry.get("limit"), "limit", self.lines.of(kind, index, "limit"))
        file = self._find(KINDS[kind[:-1]], entry["file"], line)
        extra = self._flat(entry.get("set", {}), (kind, index, "set"))
        played = Input(file, kind[:-1], entry.get("name", ""), entry.get("format"))
        return played, limit, extra

    def _seeds(self) -> list[int | None]:
        given = self.data.get("seeds")
        if given is None:
            return [None]
        line = self.lines.of("seeds")
        if not isinstance(given, list) or not given:
            raise self.error(line, f"seeds = {toml_text(given)}", "expected seeds = [1, 2, 3]")
        seeds = [self._whole(seed, "seeds", line) for seed in given]
        self.distinct([str(seed) for seed in seeds], line, "seeds")
        return seeds

    def _count(self, name: str) -> int | None:
        return self._whole(self.data.get(name), name, self.lines.of(name))

    def _whole(self, value: Any, name: str, line: int) -> int | None:
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63
        ):
            what = f"{name}: {toml_text(value)} is no whole number from 0 on"
            raise self.error(line, what, f"expected one such as {name} = 1000")
        return value

    def _vary(self) -> Iterator[list[Choice]]:
        for setting in self._settings("vary"):
            values = self._values(setting)
            self.distinct([toml_text(value) for value in values], setting.line, "values")
            yield [self._choice([(setting, value)]) for value in values]

    def _zips(self) -> Iterator[list[Choice]]:
        groups = self.data.get("zip", [])
        if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
            raise self.error(self.lines.of("zip"), "zip is no group", "expected [[zip]]")
        for index, group in enumerate(groups):
            settings = self._flat(group, ("zip", index))
            if not settings:
                right = 'expected keys with lists of equal length, such as "nand.ways" = [1, 2]'
                raise self.error(self.lines.of("zip", index), "an empty [[zip]]", right)
            columns = [self._values(setting) for setting in settings]
            for setting, values in zip(settings, columns, strict=True):
                if len(values) != len(columns[0]):
                    what = (
                        f"{setting.key} has {len(values)} values and {settings[0].key} of the "
                        f"same [[zip]] {len(columns[0])}"
                    )
                    raise self.error(setting.line, what, "expected lists of equal length")
            rows = list(zip(*columns, strict=True))
            self.distinct([toml_text(row) for row in rows], settings[0].line, "rows")
            yield [self._choice(list(zip(settings, row, strict=True))) for row in rows]

    def _variants(self) -> Iterator[list[Choice]]:
        axes = self.data.get("variants", {})
        right = 'expected tables such as [variants.drive.small] with "KEY" = VALUE'
        if not isinstance(axes, dict):
            raise self.error(self.lines.of("variants"), "variants is no table", right)
        for axis, variants in axes.items():
            line = self.lines.of("variants", axis)
            if not isinstance(variants, dict) or not variants:
                raise self.error(line, f"variants.{axis} has no variants", right)
            choices = []
            for name, table in variants.items():
                if not isinstance(table, dict):
                    line = self.lines.of("variants", axis, name)
                    raise self.error(line, f"variants.{axis}.{name} is no table", right)
                settings = self._flat(table, ("variants", axis, name))
                choices.append(Choice(((axis, name),), settings))
            yield choices

    def _choice(self, parts: list[tuple[Setting, Any]]) -> Choice:
        settings = tuple(Setting(setting.key, value, setting.line) for setting, value in parts)
        labels = tuple(
            (s.key, toml_text(s.value) if isinstance(s.value, list) else s.value) for s in settings
        )
        return Choice(labels, settings)

    def _values(self, setting: Setting) -> list[Any]:
        values = setting.value
        if not isinstance(values, list) or not values:
            what = f"{setting.key} = {toml_text(values)} is no list of values"
            raise self.error(setting.line, what, f"expected {setting.key} = [ONE, OTHER, ...]")
        return values

    def _settings(self, name: str) -> tuple[Setting, ...]:
        return self._flat(self.data.get(name, {}), (name,))

    def _flat(self, table: Any, place: tuple[str | int, ...]) -> tuple[Setting, ...]:
        """The settings of a table: nested tables and dotted keys alike."""
        if not isinstance(table, dict):
            line = self.lines.of(*place)
            raise self.error(line, f"{place[0]} is no table", 'expected "KEY" = VALUE below it')
        found: list[Setting] = []

        def visit(prefix: str, part: dict[str, Any], path: tuple[str | int, ...]) -> None:
            for name, value in part.items():
                key = f"{prefix}.{name}" if prefix else name
                if isinstance(value, dict):
                    visit(key, value, (*path, name))
                else:
                    line = self.lines.of(*path, name)
                    self._check_value(key, value, line)
                    found.append(Setting(key, value, line))

        visit("", table, place)
        return tuple(found)

    def _check_value(self, key: str, value: Any, line: int) -> None:
        parts = value if isinstance(value, list) else [value]
        for part in parts:
            if isinstance(part, list):
                self._check_value(key, part, line)
            elif not isinstance(part, Label):
                right = "expected text, numbers, true or false"
                raise self.error(line, f"{key} has a value of another kind ({part!r})", right)
            elif isinstance(part, float) and part - part != 0:
                raise self.error(line, f"{key} = {part}", "expected a finite number")

    def _check_axes(self, axes: list[list[Choice]], fixed: set[str]) -> None:
        """Each name and each key belongs to one axis, and what varies is not fixed as well."""
        names: set[str] = set()
        keys: set[str] = set()
        for axis in axes:
            here = {name for choice in axis for name, _ in choice.labels}
            settings = {s.key: s.line for choice in axis for s in choice.settings}
            for key, line in settings.items():
                if key in keys:
                    right = "expected a key in one place only"
                    raise self.error(line, f"{key} varies in two places", right)
                if key == "seed" or key in fixed:
                    what = f"{key} varies and is set for all runs as well"
                    if key == "seed":
                        what = "the seed is no key to vary"
                    raise self.error(
                        line,
                        what,
                        "expected seeds = [...]"
                        if key == "seed"
                        else "expected it in one place only",
                    )
            for name in (here & names) | (here & RESERVED):
                line = self.lines.of("variants", name)
                raise self.error(line, f'"{name}" is a column already', "expected another name")
            names.update(here)
            keys.update(settings)

    def distinct(self, names: Sequence[str], line: int, what: str) -> None:
        """Raises InputError where a name stands twice."""
        seen: set[str] = set()
        for name in names:
            if name in seen:
                right = (
                    "expected each once"
                    if what != "traces and workloads"
                    else ('expected names that differ: { file = "FILE", name = "NAME" }')
                )
                raise self.error(line, f"two {what} are {name}", right)
            seen.add(name)

    def _find(self, kind: Kind, name: str, line: int) -> Path:
        """Seen from the description, else from the project; see names.find."""
        found = find(kind, name, (self.beside, ROOT))
        if found is None:
            right = f"expected a {kind.what}, seen from this file or from the project's folder"
            raise self.error(line, f"no such file: {name}", suggestion(kind, name) + right)
        return found

    def unknown(self, name: str, known: tuple[str, ...], *place: str | int) -> InputError:
        near = closest(name, known)
        right = f'did you mean "{near}"?' if near else "expected one of " + ", ".join(known)
        return self.error(self.lines.of(*place), f'unknown key "{name}"', right)

    def error(self, line: int, what: str, right: str) -> InputError:
        return InputError(self.path, line, what, right)
