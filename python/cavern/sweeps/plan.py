"""From cases to runs: each configuration resolved by the simulator, each run with its identity."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cavern.errors import InputError, SimulatorError
from cavern.simulator import SIMULATOR, ask
from cavern.sweeps.case import Case, Setting, seen_from_here
from cavern.sweeps.counted import counted

#: Configurations given to the threads together. An interrupt may have to wait for them.
MOST_WAITING = 64

_PLACE = re.compile(r"error: (.+?):(\d+): (.*)", re.DOTALL)


@dataclass(frozen=True)
class Run:
    """A case and its identity: a hash of all that its result depends on (resolved configuration,
    content of what it plays, seed, limits, the simulator's own bytes). Equal ids, equal results;
    and a result says itself which id it is of (identity_of)."""

    case: Case
    id: str


@dataclass(frozen=True)
class _Resolved:
    """What there is of a configuration; a sweep may have many, whose keys would fill memory."""

    digest: str = ""
    seed: int | None = None
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
    resolved: dict[tuple[str, ...], _Resolved] = {}
    with ThreadPoolExecutor() as pool, counted(len(keys), "configurations checked") as on_done:
        waiting = list(keys)
        for begin in range(0, len(waiting), MOST_WAITING):
            some = waiting[begin : begin + MOST_WAITING]
            answers = pool.map(lambda key: _resolve(keys[key], program), some)
            for key, answer in zip(some, answers, strict=True):
                resolved[key] = answer
                on_done(len(resolved))
    if blame:
        _blame_settings(cases, resolved, spec)
    simulator = file_hash(program)
    return [Run(one, _identity(one, resolved[_key(one)], simulator)) for one in cases]


def refusal(one: Case, program: Path = SIMULATOR) -> str:
    """Why no run can take the settings of a case; empty where one can."""
    return _resolve(one, program).error


def _key(one: Case) -> tuple[str, ...]:
    return (str(one.config), *(setting.text for setting in one.settings))


def _resolve(one: Case, program: Path) -> _Resolved:
    words = ["config", "show", seen_from_here(one.config)]
    for setting in one.settings:
        words += ["--set", setting.text]
    try:
        config = tomllib.loads(ask(words, program))
    except SimulatorError as error:
        return _Resolved(error=str(error))
    except ValueError:
        right = "expected a simulator of Cavern"
        raise InputError(program, 1, "does not show a configuration", right) from None
    return _Resolved(_digest(config), config.get("seed"))


def _blame_settings(
    cases: Sequence[Case], resolved: dict[tuple[str, ...], _Resolved], spec: Path | None
) -> None:
    good = [one for one in cases if not resolved[_key(one)].error]
    good_configs = {one.config for one in good}
    good_settings = {_place(setting) for one in good for setting in one.settings}
    for one in cases:
        error = resolved[_key(one)].error
        place = _PLACE.fullmatch(error)
        if not place:
            if error:
                raise InputError(one.config, 1, error, "expected a configuration")
            continue
        what, _, right = place[3].partition("; ")
        if place[1] != "<command line>":
            if one.config not in good_configs:
                raise InputError(place[1], int(place[2]), what, right)
            continue
        setting = one.settings[int(place[2]) - 1]
        if _place(setting) not in good_settings:
            raise InputError(spec or one.config, max(1, setting.line), what, right)


def _place(setting: Setting) -> tuple[str, int]:
    return setting.text, setting.line


def _identity(one: Case, resolved: _Resolved, simulator: str) -> str:
    config: Any = resolved.digest
    if not config:
        # What was refused has no resolved form; its settings stand for it.
        config = [_key(one), resolved.error]
    seed = resolved.seed if one.seed is None else one.seed
    played = [one.input.kind, one.input.format, file_hash(one.input.file)]
    return _hash([simulator, config, seed, *played, one.limit, one.warmup or 0])


def identity_of(summary: dict[str, Any], simulator: str) -> str:
    """The identity of the run that a summary says it is of, when that program has made it."""
    config, run = summary.get("config"), summary.get("run")
    played = run.get("input") if isinstance(run, dict) else None
    if not isinstance(config, dict) or not isinstance(played, dict):
        return ""
    said = [played.get(name) for name in ("kind", "format", "sha256", "limit", "warmup")]
    return _hash([simulator, _digest(config), config.get("seed"), *said])


def _digest(config: dict[str, Any]) -> str:
    """The hash of a resolved configuration without its seed, which a sweep gives by an option."""
    return _hash({name: value for name, value in config.items() if name != "seed"})


def _hash(of: Any) -> str:
    text = json.dumps(of, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def file_hash(path: Path) -> str:
    """SHA-256 of a file's content; read again only when the file has changed."""
    state = path.stat()
    return _file_hash(path, state.st_mtime_ns, state.st_size)


@cache
def _file_hash(path: Path, _mtime: int, _size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
