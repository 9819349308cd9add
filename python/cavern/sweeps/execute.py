"""Runs simulations on all cores. What is finished stays finished, whatever happens to the rest."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from cavern.errors import InputError, SimulatorError
from cavern.plots.files import make_directory, write_file
from cavern.plots.results import SCHEMA, Summary
from cavern.reading.json_file import read_json
from cavern.simulator import SIMULATOR, raise_for
from cavern.sweeps.plan import Run, file_hash, identity_of
from cavern.sweeps.states import environment

POLL_S = 0.004
#: Else a kill -9 would leave simulations behind that nobody waits for. A program of util-linux and
#: not a preexec_fn: with one, Python runs hooks around the fork, and an interrupt that comes in
#: such a hook is lost.
DIE_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL")


@dataclass(frozen=True)
class Outcome:
    """What became of one run: its summary, or the error text and exit status of a failed one."""

    run: Run
    status: int
    error: str = ""
    summary: dict[str, Any] | None = None


#: Runs what is given into a folder of results, and yields the outcomes as they come.
Pool = Callable[[list[Run], Path], Iterator[Outcome]]


@dataclass
class _Running:
    run: Run
    process: subprocess.Popen[bytes]
    folder: Path
    attempts: int


def execute(
    runs: Sequence[Run],
    out: Path,
    *,
    jobs: int | None = None,
    resume: bool = True,
    program: Path = SIMULATOR,
    retries: int = 0,
    pool: Pool | None = None,
    on_done: Callable[[Outcome, bool], None] = lambda outcome, was_there: None,
) -> list[Outcome]:
    """Runs what is not yet there and returns the outcomes in the order of `runs`.

    Each result is a folder `out`/runs/ID, which appears whole or not at all. With `resume`, results
    that are there are taken, failed ones tried again; else everything is run again. `on_done` is
    told of each run, and whether its result was there. KeyboardInterrupt ends what is running.

    `pool` runs them elsewhere (cluster.py). Else `jobs` processes of this machine do, and try a run
    again, `retries` times, that failed by no mistake of the input.
    """
    store = out / "runs"
    outcomes: dict[str, Outcome] = {}
    with only_one(out):
        make_directory(store)
        for left in store.glob(".*.part"):
            shutil.rmtree(left, ignore_errors=True)
        waiting: list[Run] = []
        simulator = file_hash(program)
        for run in {run.id: run for run in runs}.values():
            known = _stored(run, store, simulator) if resume else None
            if known:
                outcomes[run.id] = known
                on_done(known, True)
            else:
                waiting.append(run)
        pool = pool or partial(
            _run_all, jobs=jobs or usable_cores(), program=program, retries=retries
        )
        for outcome in pool(waiting, store):
            outcomes[outcome.run.id] = outcome
            on_done(outcome, False)
    return [
        Outcome(run, known.status, known.error, known.summary)
        for run in runs
        for known in [outcomes[run.id]]
    ]


def usable_cores() -> int:
    return len(os.sched_getaffinity(0))


def _stored(run: Run, store: Path, simulator: str) -> Outcome | None:
    """What is there of a run: a complete result, which says itself that it is of this run."""
    try:
        summary = read_summary(store / run.id)
    except InputError:
        return None
    of_it = summary.get("schema") != SCHEMA or identity_of(summary, simulator) == run.id
    whole = summary.get("complete") is True and of_it
    return Outcome(run, 0, summary=summary) if whole else None


def read_summary(folder: Path) -> dict[str, Any]:
    """What a run wrote of itself; what another program wrote only has to be an object."""
    path = folder / "summary.json"
    summary, _ = read_json(path, "the object a run writes")
    if not isinstance(summary, dict):
        raise InputError(path, 1, "not an object", "expected what a run writes")
    return Summary(path).data if summary.get("schema") == SCHEMA else summary


def may_be_retried(status: int) -> bool:
    """Status 2 is a mistake of the input, which stays one; else a process was ended, its memory or
    its disk was full."""
    return status not in (0, 2)


def _run_all(
    waiting: list[Run], store: Path, jobs: int, program: Path, retries: int
) -> Iterator[Outcome]:
    """Outcomes as they come. One thread: children die with it (see DIE_WITH_PARENT)."""
    identity = file_hash(program)
    queue = list(reversed(waiting))
    running: list[_Running] = []
    try:
        while queue or running:
            while queue and len(running) < jobs:
                if file_hash(program) != identity:
                    raise SimulatorError(
                        1,
                        f"{program} was built anew during the sweep; start "
                        "again: what is the same is kept",
                    )
                running.append(_start(queue.pop(), store, program))
            ended = [one for one in running if one.process.poll() is not None]
            for one in ended:
                if may_be_retried(one.process.returncode) and one.attempts <= retries:
                    running.remove(one)
                    shutil.rmtree(one.folder)
                    running.append(_start(one.run, store, program, one.attempts + 1))
                else:
                    outcome = _settle(one, store)
                    running.remove(one)
                    yield outcome
            if not ended:
                time.sleep(POLL_S)
    finally:
        for one in running:
            one.process.kill()
            one.process.wait()
            shutil.rmtree(one.folder, ignore_errors=True)


def _start(run: Run, store: Path, program: Path, attempts: int = 1) -> _Running:
    folder = store / f".{run.id}.part"
    folder.mkdir()
    with open(folder / "stderr", "wb") as errors:
        process = started([*run.case.arguments(), "--out", str(folder)], errors, program)
    return _Running(run, process, folder, attempts)


def started(
    words: Sequence[str], errors: int | IO[bytes], program: Path = SIMULATOR
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*DIE_WITH_PARENT, str(program), *words, "--quiet"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=environment(),
        start_new_session=True,  # Ctrl-C is ours to handle
    )


def play_all(
    commands: Sequence[list[str]], on_done: Callable[[int], None] = lambda done: None
) -> None:
    """Runs those commands of the simulator, as many at a time as there are cores; `on_done` is told
    how many have ended. Raises SimulatorError with the first of them that fails."""
    waiting, done = list(reversed(commands)), 0
    running: list[subprocess.Popen[bytes]] = []
    try:
        while waiting or running:
            while waiting and len(running) < usable_cores():
                running.append(started(waiting.pop(), subprocess.PIPE))
            # The first is looked at first: its error is that of all.
            process = running[0]
            said = process.communicate()[1].decode(errors="replace")
            running.remove(process)
            raise_for(process.returncode, said)
            done += 1
            on_done(done)
    finally:
        for process in running:
            process.kill()
            process.communicate()


def _settle(one: _Running, store: Path) -> Outcome:
    text = (one.folder / "stderr").read_text(encoding="utf-8", errors="replace").strip()
    (one.folder / "stderr").unlink()
    return settle(one.run, one.folder, store, one.process.returncode, text)


def settle(run: Run, folder: Path, store: Path, status: int, text: str) -> Outcome:
    """Moves a finished run to its place. `text` is what it said on standard error."""
    summary = None
    if status == 0:
        try:
            summary = read_summary(folder)
        except InputError as error:
            status, text = 1, f"no summary that can be read ({error.what})"
    elif status < 0:
        text = text or f"ended by {signal.Signals(-status).name}"
    if status != 0:
        text = text or f"exit status {status}"
        failure = {"status": status, "error": text}
        write_file(folder / "failure.json", f"{json.dumps(failure)}\n".encode())
    place = store / run.id
    shutil.rmtree(place, ignore_errors=True)
    folder.rename(place)
    return Outcome(run, status, text if status else "", summary)


@contextmanager
def only_one(out: Path, name: str = ".lock") -> Iterator[None]:
    """Makes the folder. Two commands at a time in it would take each other's runs for left-overs;
    one that calls another has a lock of its own name."""
    make_directory(out)
    with open(out / name, "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            what = "another command is writing into this folder"
            right = "wait for it or choose another folder with --out"
            raise InputError(out, 1, what, right) from None
        yield
