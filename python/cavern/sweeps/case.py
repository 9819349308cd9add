"""One simulation as it is asked for: configuration, settings, input, seed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: What a column of varied values can hold.
Label = str | int | float | bool


@dataclass(frozen=True)
class Setting:
    """One --set of the simulator. `line` is where the user wrote it, 0 where a program did."""

    key: str
    value: Any  # as TOML has it: text, number, truth value or a list of these
    line: int = 0

    @property
    def text(self) -> str:
        """KEY=VALUE for --set, the value as TOML."""
        return f"{self.key}={toml_text(self.value)}"


@dataclass(frozen=True)
class Input:
    """What a run plays: a trace or the description of a synthetic workload."""

    file: Path
    kind: str = "trace"  # or "workload"
    name: str = ""
    format: str | None = None

    @property
    def label(self) -> str:
        """Its name in tables: as given, else the file's name without its endings."""
        return self.name or self.file.name.split(".")[0]


@dataclass(frozen=True)
class Case:
    """One run to be planned. `labels` are its values of what varies: they name its row."""

    config: Path
    input: Input
    settings: tuple[Setting, ...] = ()
    labels: Mapping[str, Label] = field(default_factory=dict)
    seed: int | None = None
    limit: int | None = None
    warmup: int | None = None

    def arguments(self) -> list[str]:
        """The simulator's arguments, apart from those that say where results go."""
        words = ["run", seen_from_here(self.config)]
        words += [f"--{self.input.kind}", seen_from_here(self.input.file)]
        if self.input.format:
            words += ["--format", self.input.format]
        for setting in self.settings:
            words += ["--set", setting.text]
        for option in ("seed", "limit", "warmup"):
            value = getattr(self, option)
            if value is not None:
                words += [f"--{option}", str(value)]
        return words


def toml_text(value: Any) -> str:
    """A value as TOML. Text, numbers and lists of them are written as JSON writes them; a date,
    which no key has, comes into messages alone."""
    return json.dumps(value, ensure_ascii=False, default=str)


def seen_from_here(path: Path) -> str:
    """Relative to the working directory where it lies below it; never taken for an option."""
    absolute = Path(os.path.abspath(path))
    here = Path.cwd()
    name = str(absolute.relative_to(here) if absolute.is_relative_to(here) else absolute)
    return f"./{name}" if name.startswith("-") else name
