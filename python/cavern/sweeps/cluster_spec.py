"""[cluster] of a description: the jobs of a batch system that run a sweep (docs/sweep.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.sweeps.case import toml_text
from cavern.sweeps.spec import SpecReader

KINDS = ("slurm", "lsf", "pbs", "local")
TEXTS = {
    "memory": (r"\d+(\.\d+)?\s*[KMGT]i?B", '"16GB"'),
    "walltime": (r"\d+(:\d\d){1,2}", '"02:00:00"'),
    "queue": (r"\S+", '"batch"'),
    "account": (r"\S+", '"project42"'),
    "interface": (r"\S+", '"ib0"'),
}
NUMBERS = ("jobs", "cores")
LISTS = ("directives", "prologue")
KEYS = ("kind", *NUMBERS, *TEXTS, *LISTS)


@dataclass(frozen=True)
class ClusterSpec:
    """`jobs` jobs of the batch system, each with `cores` cores and `memory`: a worker that
    plays a run per core."""

    kind: str
    jobs: int = 1
    cores: int = 1
    memory: str = "2GB"
    walltime: str = "01:00:00"
    queue: str | None = None
    account: str | None = None
    interface: str | None = None
    directives: tuple[str, ...] = ()
    prologue: tuple[str, ...] = ()


def read_cluster(path: Path) -> ClusterSpec | None:
    """None where the description has no [cluster]. Raises InputError, naming the line."""
    reader = SpecReader(path)
    table = reader.data.get("cluster")
    if table is None:
        return None
    if not isinstance(table, dict):
        right = 'expected [cluster] with kind = "slurm" and others below it'
        raise reader.error(reader.lines.of("cluster"), "cluster is no table", right)
    for name in table:
        if name not in KEYS:
            raise reader.unknown(name, KEYS, "cluster", name)
    if table.get("kind") not in KINDS:
        line = reader.lines.of("cluster", "kind")
        what = f"kind = {toml_text(table.get('kind'))}"
        raise reader.error(line, what, "expected one of " + ", ".join(KINDS))
    return ClusterSpec(**{name: _value(reader, name, value) for name, value in table.items()})


def _value(reader: SpecReader, name: str, value: Any) -> Any:
    def fault(right: str) -> InputError:
        line = reader.lines.of("cluster", name)
        return reader.error(line, f"{name} = {toml_text(value)}", f"expected {right}")

    if name in NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 100_000:
            raise fault(f"a whole number from 1 on, such as {name} = 8")
    elif name in LISTS:
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            raise fault(f'a list of lines, such as {name} = ["..."]')
        return tuple(value)
    elif name in TEXTS:
        form, example = TEXTS[name]
        if not isinstance(value, str) or not re.fullmatch(form, value):
            raise fault(f"text such as {name} = {example}")
    return value
