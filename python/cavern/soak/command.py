"""`./cavern soak`."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from cavern.soak import draw as drawing
from cavern.soak import program as played
from cavern.soak.case import Case
from cavern.soak.draw import KINDS, CrashError, blamed
from cavern.soak.play import PLAYS, kind_of

Part = TypeVar("Part", tuple[str, ...], bytes)
#: A case is made smaller for so long: each try of one that hangs takes a minute.
SHRINK_S = 600.0


def play(case: Case) -> str:
    with tempfile.TemporaryDirectory(prefix="cavern-soak-") as folder:
        case.write(Path(folder))
        return PLAYS[case.kind](case, Path(folder))


def shrink(case: Case, fault: str) -> Case:
    """The smallest case found that fails alike: settings go one by one, rows and bytes in halves,
    quarters and so on; as far as SHRINK_S goes."""
    wanted = kind_of(fault)
    end = time.monotonic() + SHRINK_S

    def fails(smaller: Case) -> bool:
        if time.monotonic() >= end:
            return False
        try:
            fits = blamed(smaller.settings, served=case.kind == "serve") is None
            return fits and kind_of(play(smaller)) == wanted
        except CrashError as error:
            return kind_of(str(error)) == wanted

    for key in list(case.settings):
        if fails(case.without(key)):
            case = case.without(key)
    for option in list(case.outputs):
        fewer = {other: path for other, path in case.outputs.items() if other != option}
        if fails(replace(case, outputs=fewer)):
            case = replace(case, outputs=fewer)
    if not case.text:
        rows = _least(case.rows, lambda fewer: fails(replace(case, rows=fewer)))
        case = replace(case, rows=rows)
    for name in case.text:
        case = case.spoilt(name, _least(case.text[name], partial(_fails_with, fails, case, name)))
    return case


def _fails_with(fails: Callable[[Case], bool], case: Case, name: str, content: bytes) -> bool:
    return fails(case.spoilt(name, content))


def _least(whole: Part, fails: Callable[[Part], bool]) -> Part:
    """What is left of rows, or of bytes, when none of it can go."""
    step = max(len(whole) // 2, 1)
    while step:
        for at in range(0, len(whole), step):
            fewer = whole[:at] + whole[at + step :]
            if len(fewer) < len(whole) and fails(fewer):
                whole = fewer
                break
        else:
            step //= 2
    return whole


def seeds_of(text: str) -> range:
    first, _, last = text.partition("-")
    try:
        found = range(int(first), int(last or first) + 1)
    except ValueError:
        found = range(0)
    if not found:
        raise click.UsageError(f"--seeds {text}: no seeds; give one, or A-B")
    return found


def _settings(option: str, given: tuple[str, ...]) -> dict[str, str]:
    if odd := [setting for setting in given if "=" not in setting]:
        raise click.UsageError(f"{option} {odd[0]}: no setting; give KEY=VALUE")
    return dict(setting.split("=", 1) for setting in given)


@click.command()
@click.argument("kind", type=click.Choice([*KINDS, "all"]), default="all")
@click.option("--seeds", default="1-20", show_default=True, help="one seed, or A-B, of each kind")
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count(), help="runs at a time")
@click.option(
    "--program",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path),
    help="another build of cavern-sim, such as that of an older commit",
)
@click.option("--under", help="what it runs under, such as 'valgrind -q --error-exitcode=9'")
@click.option("--no-shrink", is_flag=True, help="print a case that fails as it was drawn")
@click.option("--with", "wanted", multiple=True, help="KEY=VALUE: drives have it where it fits")
@click.option("--set", "given", multiple=True, help="KEY=VALUE: the drive has these, and no other")
def soak(
    kind: str,
    seeds: str,
    jobs: int,
    program: Path | None,
    under: str | None,
    no_shrink: bool,
    wanted: tuple[str, ...],
    given: tuple[str, ...],
) -> None:
    """Plays cases drawn at random, and looks for what no run may do.

    KIND is pair (a drive with time, without it, and with the RTL), cut (its power goes, and goes
    again while it comes back), serve (the same under the hands of a client), input (spoilt
    configurations, traces and workloads), door (inputs and outputs under many names), debug
    (debuggers of the firmware), or all. A case that fails is made small and printed as
    commands; the exit status is 1 then."""
    numbers = seeds_of(seeds)
    settings = _settings("--set", given)
    drawing.wanted = _settings("--with", wanted)
    played.program = program or played.program
    played.under = shlex.split(under or "")
    kinds = list(KINDS) if kind == "all" else [kind]
    begin = time.monotonic()

    def one(which: tuple[str, int]) -> tuple[Case, str]:
        try:
            case = KINDS[which[0]](which[1])
        except CrashError as error:
            return Case(*which, error.settings, ()), str(error)
        if settings:
            case = replace(case, settings=settings)
        return case, play(case)

    failed = 0
    with ThreadPoolExecutor(jobs) as pool:
        for case, fault in pool.map(one, [(k, n) for n in numbers for k in kinds]):
            if fault:
                failed += 1
                if not no_shrink:
                    print(f"{case.kind} {case.seed} fails; making it small", file=sys.stderr)
                    case = shrink(case, fault)
                print(f"{case.kind} {case.seed}: {fault}\n{case.commands()}\n", flush=True)
    spent = time.monotonic() - begin
    print(f"{len(numbers) * len(kinds)} cases, {failed} failed; {spent:.0f} s", file=sys.stderr)
    sys.exit(1 if failed else 0)
