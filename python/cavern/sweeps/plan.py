"""From cases to runs: each configuration resolved by the simulator, each run with its identity."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cavern.errors import InputError
from cavern.simulator import ENVIRONMENT, SIMULATOR
from cavern.sweeps.case import Case, seen_from_here, toml_text

_PLACE = re.compile(r"error: (.+?):(\d+): (.*)", re.DOTALL)


@dataclass(frozen=True)
class Run:
    """A case and its identity: a hash of all that its result depends on (resolved configuration,
    content of what it plays, seed, limits, the simulator's own bytes). Equal ids, equal results."""

    case: Case
    id: str


@dataclass(frozen=True)
class _Resolved:
    config: dict[str, Any] | None
    error: str = ""


def plan(
    cases: Sequence[Case],
    program: Path = SIMULATOR,
    spec: Path | None = None,
    blame: bool = True,
) -> list[Run]:
    """The runs of the cases, in their order.

    A setting that no case with it gets past the simulator's checks is a mistake in the
    description: InputError, unless `blame` is off. A case whose settings fail only in their
    combination stays a run, which will fail and say so."""
    keys = {_key(one): one for one in cases}
    with ThreadPoolExecutor() as pool:
        answers = pool.map(lambda one: _resolve(one, program), keys.values())
        resolved = dict(zip(keys, answers, strict=True))
    if blame:
        _blame_settings(cases, resolved, spec)
    simulator = file_hash(program)
    return [Run(one, _identity(one, resolved[_key(one)], simulator)) for one in cases]


def _key(one: Case) -> tuple[str, ...]:
    return (str(one.config), *(setting.text for setting in one.settings))


def _resolve(one: Case, program: Path) -> _Resolved:
    command = [str(program), "config", "show", seen_from_here(one.config)]
    for setting in one.settings:
        command += ["--set", setting.text]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    if done.returncode != 0:
        return _Resolved(None, done.stderr.strip() or f"exit status {done.returncode}")
    return _Resolved(tomllib.loads(done.stdout))


def _blame_settings(
    cases: Sequence[Case], resolved: dict[tuple[str, ...], _Resolved], spec: Path | None
) -> None:
    for one in cases:
        error = resolved[_key(one)].error
        place = _PLACE.fullmatch(error)
        if not place:
            if error:
                raise InputError(one.config, 1, error, "expected a configuration")
            continue
        what, _, right = place[3].partition("; ")
        if place[1] != "<command line>":
            if _all_fail([c for c in cases if c.config == one.config], resolved):
                raise InputError(place[1], int(place[2]), what, right)
            continue
        setting = one.settings[int(place[2]) - 1]
        if _all_fail([c for c in cases if setting in c.settings], resolved):
            raise InputError(spec or one.config, max(1, setting.line), what, right)


def _all_fail(cases: Sequence[Case], resolved: dict[tuple[str, ...], _Resolved]) -> bool:
    return all(resolved[_key(case)].error for case in cases)


def _identity(one: Case, resolved: _Resolved, simulator: str) -> str:
    parts = {
        "simulator": simulator,
        # What was refused has no resolved form; its settings stand for it.
        "config": resolved.config or [_key(one), resolved.error],
        "input": [one.input.kind, one.input.format, file_hash(one.input.file)],
        "options": [one.seed, one.limit, one.warmup],
    }
    text = json.dumps(parts, sort_keys=True, default=toml_text)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def file_hash(path: Path) -> str:
    """SHA-256 of a file's content; read again only when the file has changed."""
    state = path.stat()
    return _file_hash(path, state.st_mtime_ns, state.st_size)


@cache
def _file_hash(path: Path, _mtime: int, _size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
