"""The result files of one run: summary.json, and what else there is of it."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cavern.errors import InputError, NotAvailableError
from cavern.plots.metrics import LARGEST
from cavern.plots.periods import Periods, read_periods
from cavern.plots.stacks import Frame, read_stacks
from cavern.plots.texts import printable
from cavern.reading.json_file import line_of, read_json
from cavern.reading.packed import packed_or_plain

# What reads the other files needs numpy: it is loaded where a run has such a file.
if TYPE_CHECKING:
    from cavern.plots.digest import AnyRequests
    from cavern.plots.power_csv import Power
    from cavern.plots.timeline import Timeline

SCHEMA = "cavern.summary/1"
MOST_PLACES = 4096  # channels, or ways of one: far above any drive, far below any memory
SECTIONS: dict[str, type] = {
    "config": dict,
    "sim": dict,
    "host": dict,
    "buffer": dict,
    "ftl": dict,
    "channels": list,
    "dies": list,
}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Summary:
    """summary.json, read by dotted names ("host.write.lat_ns.p99"); see number()."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data, self._text = read_json(path, f"the {SCHEMA} object a run writes")
        if not isinstance(self.data, dict):
            raise InputError(path, 1, "not an object", f"expected one {SCHEMA} object")
        if self.data.get("schema") != SCHEMA:
            found = json.dumps(self.data.get("schema"))
            line = self._line_of("schema")
            raise InputError(path, line, f"schema is {found}", f'expected "{SCHEMA}"')
        for name, kind in SECTIONS.items():
            if not isinstance(self.data.get(name), kind):
                shape = "an object" if kind is dict else "a list"
                raise self._error(name, f'section "{name}" is missing or not {shape}', name)
        for name in ("channels", "dies"):
            if not all(isinstance(row, dict) for row in self.data[name]):
                raise self._error(name, f'"{name}" holds something else than objects', name)

    def number(self, name: str) -> float:
        """The number of that name. null is NaN (not measured); a missing one is an InputError."""
        value: Any = self.data
        for key in name.split("."):
            if not isinstance(value, dict) or key not in value:
                raise self._error(name, f'"{name}" is missing', "a number")
            value = value[key]
        return self._as_number(name, value, name.split("."))

    def numbers(self, name: str, count: int | None = None) -> list[float]:
        """The list of numbers of that name, of that length where one is given."""
        value = self.get(name)
        if not isinstance(value, list) or count not in (None, len(value)):
            right = "a list of numbers" if count is None else f"a list of {count} numbers"
            raise self._error(name, f'"{name}" is none', right)
        path = name.split(".")
        return [
            self._as_number(f"{name}[{index}]", each, [*path, index])
            for index, each in enumerate(value)
        ]

    def row_number(self, section: str, index: int, key: str) -> float:
        """A number of one row of "channels" or "dies"."""
        row = self.data[section][index]
        if key not in row:
            what = f'"{section}[{index}].{key}" is missing'
            line = line_of(self._text, [section, index])
            raise InputError(self.path, line, what, "expected a number there")
        return self._as_number(f"{section}[{index}].{key}", row[key], [section, index, key])

    def row_index(self, section: str, index: int, key: str) -> int:
        """A channel's or way's number in one row; an InputError if it is none."""
        value = self.row_number(section, index, key)
        if not isinstance(value, int) or not 0 <= value < MOST_PLACES:
            what = f'"{section}[{index}].{key}" is {value}'
            line = line_of(self._text, [section, index, key])
            raise InputError(self.path, line, what, f"expected a whole number below {MOST_PLACES}")
        return value

    def get(self, name: str, default: Any = None) -> Any:
        """The value of that name, or the default: for fields a run may leave out."""
        value: Any = self.data
        for key in name.split("."):
            if not isinstance(value, dict) or key not in value:
                return default
            value = value[key]
        return value

    def _as_number(self, name: str, value: Any, path: Sequence[str | int]) -> float:
        if value is None:
            return math.nan
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and 0 <= value <= LARGEST:
            return value
        what = f'"{name}" is {json.dumps(value)}'
        right = f"expected a number{' from 0 to 2^63' if number else ''} there"
        raise InputError(self.path, line_of(self._text, path), what, right)

    def _error(self, name: str, what: str, right: str) -> InputError:
        return InputError(self.path, self._line_of(name), what, f"expected {right} there")

    def _line_of(self, name: str) -> int:
        return line_of(self._text, name.split("."))


@dataclass(frozen=True)
class Run:
    """One run directory. `name` is unique among the runs loaded together."""

    directory: Path
    name: str
    summary: Summary

    @property
    def identity(self) -> str:
        """The id of the run; empty where an older program wrote the summary."""
        identity = self.summary.get("run.id")
        return identity if re.fullmatch("[0-9a-f]{1,64}", str(identity)) else ""

    def file(self, name: str, option: str) -> Path:
        """A file that the run wrote into its folder, packed or not. Raises NotAvailableError where
        there is none, and where there is one of another run."""
        found = self._files.get(name) or self._look_for(name, option)
        self._files[name] = found
        if isinstance(found, str):
            raise NotAvailableError(f"{found} (run with --{option})")
        return found

    @cached_property
    def _files(self) -> dict[str, Path | str]:
        """What was looked for: a hash of a large file takes its time."""
        return {}

    def _look_for(self, name: str, option: str) -> Path | str:
        """The file, or why there is none."""
        path = packed_or_plain(self.directory / name)
        if path is None:
            return f"no {name}"
        written = self.summary.get("run.files")
        if not isinstance(written, list):
            return path
        for file in written:
            if isinstance(file, dict) and file.get("what") == option:
                if file.get("sha256") == _sha256(path):
                    return path
                return f"{name} is not the file that run {self.identity} wrote"
        return f"{name} is of another run, not of {self.identity}"

    def has(self, name: str, option: str) -> bool:
        """Whether there is such a file, and of this run."""
        try:
            return self.file(name, option).is_file()
        except NotAvailableError:
            return False

    @cached_property
    def requests(self) -> AnyRequests:
        """Raises NotAvailableError where the run has no requests.csv, or none of any use."""
        path = self.file("requests.csv", "requests")
        from cavern.plots.digest import digest_or_all
        from cavern.plots.requests_csv import read_blocks

        requests = digest_or_all(partial(read_blocks, path))
        if len(requests) == 0:
            raise NotAvailableError("requests.csv holds no request")
        return requests

    @cached_property
    def periods(self) -> Periods:
        """Raises NotAvailableError where the summary has none."""
        return read_periods(self.summary)

    @cached_property
    def timeline(self) -> Timeline:
        """Raises NotAvailableError where the run has no timeline.json."""
        path = self.file("timeline.json", "timeline")
        from cavern.plots.timeline import read_timeline

        return read_timeline(path)

    @cached_property
    def power(self) -> Power:
        """Raises NotAvailableError where the run has no power.csv, or an empty one."""
        path = self.file("power.csv", "power")
        from cavern.plots.power_csv import read_power

        power = read_power(path)
        if len(power.edges) < 2:
            raise NotAvailableError("power.csv holds no period")
        return power

    @cached_property
    def profile(self) -> Frame:
        """The cycles of its firmware. Raises NotAvailableError where the run has no profile."""
        return read_stacks(self.file("firmware.folded", "firmware-profile"))

    @property
    def executes_firmware(self) -> bool:
        return self.summary.get("config.cpu.model") in ("iss", "rtl", "lockstep")

    @property
    def slug(self) -> str:
        """The name as that of a file or folder."""
        return re.sub(r"[^A-Za-z0-9._-]+", "-", self.name).strip("-.") or "run"

    @property
    def config(self) -> dict[str, Any]:
        return self.summary.data["config"]

    @property
    def description(self) -> str:
        """The drive in a few words, such as "8 × 4 dies · lru-page, cave · page FTL"."""
        get = self.summary.get
        channels, ways = get("config.nand.channels"), get("config.nand.ways")
        policy, eviction = get("config.buffer.policy"), get("config.buffer.eviction")
        if isinstance(eviction, list):
            eviction = "+".join(map(str, eviction))
        scheme, ftl = get("config.alloc.scheme"), get("config.ftl.scheme")
        words = [
            f"{channels} × {ways} dies" if channels and ways else "",
            ", ".join(str(word) for word in (policy, eviction) if word),
            str(scheme or ""),
            f"{ftl} FTL" if ftl else "",
        ]
        return printable(" · ".join(word for word in words if word))
