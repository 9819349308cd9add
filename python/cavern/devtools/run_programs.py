"""Runs tests of GoogleTest programs, many in a process, on all processors.

The programs say on a pipe which test begins and how each ended (tests/support/test_events.h). So a
test that crashes or hangs is known by name, and those after it run in a new process.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from cavern.devtools.programs import OtherTest, Program, kind_of
from cavern.simulator import ENVIRONMENT, clock_of

#: Tests in a process: few of the slow ones, so that no processor waits long for the others.
TOGETHER = {"": 200, "slow": 8, "nightly": 1}
#: In the place of a program's name, for what ctest runs.
OTHERS = "ctest"
#: What is shown of a test's output, in characters.
SHOWN = 20_000


@dataclass(frozen=True)
class Result:
    """The result of one test. `why` is empty unless it failed; `seconds` are of processor time."""

    program: str
    name: str
    status: str
    why: str
    seconds: float
    output: str


@dataclass(frozen=True)
class Batch:
    """Tests that one process runs."""

    program: Program
    tests: tuple[str, ...]


def batches_of(program: Program, tests: Iterable[str]) -> list[Batch]:
    """Neighbours stay together: they share what their suite sets up."""
    kinds: dict[str, list[str]] = {}
    for test in tests:
        kinds.setdefault(kind_of(test), []).append(test)
    batches = []
    for kind, names in kinds.items():
        size = 1 if program.alone else TOGETHER[kind]
        parts = range(0, len(names), size)
        batches += [Batch(program, tuple(names[at : at + size])) for at in parts]
    return batches


def output_of(test: str, text: str) -> str:
    """What the program wrote while that test ran."""
    _, mark, rest = text.partition(f"[ RUN      ] {test}\n")
    part = rest.partition("[ RUN      ] ")[0] if mark else text
    if len(part) > SHOWN:
        part = part[: SHOWN // 2] + "\n[...]\n" + part[-SHOWN // 2 :]
    return part


def how_it_ended(status: int) -> str:
    if status < 0:
        return f"crashed: {signal.Signals(-status).name}"
    return f"ended the program, with status {status}"


class _Running:
    """The processes that run, each the first of a group."""

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._lock = threading.Lock()
        self.stopped = False

    def begin(self, process: int) -> None:
        with self._lock:
            self._groups.add(process)
            if self.stopped:
                _kill(process)

    def end(self, process: int) -> None:
        with self._lock:
            self._groups.discard(process)

    def stop(self) -> None:
        """Ends those that run, and those that begin from now on."""
        with self._lock:
            self.stopped = True
            for group in self._groups:
                _kill(group)


class Runner:
    """Runs batches of one build, on `workers` processors; with `first_failure` a batch ends with
    its first test that fails."""

    def __init__(self, build: Path, workers: int, first_failure: bool = False) -> None:
        self._build = build
        self._workers = workers
        self._first_failure = first_failure
        self._running = _Running()

    def run(
        self,
        batches: list[Batch],
        others: list[OtherTest],
        report: Callable[[list[Result]], None],
    ) -> None:
        """What takes longest begins first. `report` is called as each process has ended, by one
        thread at a time."""
        slowest = {"nightly": 0, "slow": 1, "": 2}
        work: list[tuple[int, Batch | OtherTest]] = [(slowest[o.kind], o) for o in others]
        work += [(slowest[kind_of(b.tests[0])], b) for b in batches]
        work.sort(key=lambda each: each[0])
        reporting = threading.Lock()

        def act(item: Batch | OtherTest) -> None:
            results = self._run_batch(item) if isinstance(item, Batch) else [self._run_other(item)]
            with reporting:
                if not self._running.stopped:
                    report(results)

        with ThreadPoolExecutor(self._workers) as pool:
            running = [pool.submit(act, item) for _, item in work]
            try:
                for each in as_completed(running):
                    each.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self._running.stop()
                raise

    def _run_batch(self, batch: Batch) -> list[Result]:
        results: list[Result] = []
        left = list(batch.tests)
        while left and not self._running.stopped:
            done = self._one_process(batch.program, left)
            results += done
            if self._first_failure and any(result.status == "failed" for result in done):
                break
            known = {result.name for result in done}
            left = [test for test in left if batch.program.prefix + test not in known]
        return results

    def _one_process(self, program: Program, tests: list[str]) -> list[Result]:
        """At least one result; the tests without are to be run again."""
        command = [str(self._build / "tests" / program.name), f"--gtest_filter={':'.join(tests)}"]
        command += ["--gtest_fail_fast"] if self._first_failure else []
        with tempfile.TemporaryFile() as log:
            run = _Run(program.timeout)
            try:
                status = run.follow(command, self._build / "tests", log, self._running)
            except OSError as error:
                return _all(program, tests, f"cannot be started: {error.strerror}")
            log.seek(0)
            text = log.read().decode(errors="replace")

        def result(test: str, state: str, why: str, seconds: float) -> Result:
            shown = output_of(test, text) if state == "failed" else ""
            return Result(program.name, program.prefix + test, state, why, seconds, shown)

        results = [result(*end) for end in run.ended]
        if run.current:
            why = how_it_ended(status)
            if run.hung:
                why = f"hangs: it has not ended after {program.timeout:g} s"
            results.append(result(run.current, "failed", why, 0.0))
        elif not results:
            return _all(program, tests, how_it_ended(status) + " before its first test", text)
        elif status != 0 and not any(each.status == "failed" for each in results):
            why = how_it_ended(status) + " after its tests"
            results.append(Result(program.name, program.name, "failed", why, 0.0, text[-SHOWN:]))
        return results

    def _run_other(self, test: OtherTest) -> Result:
        command = ["ctest", "--test-dir", str(self._build), "--output-on-failure"]
        command += ["--tests-regex", f"^{_escaped(test.name)}$"]
        with tempfile.TemporaryFile() as log:
            run = _Run(timeout=None)
            status = run.follow(command, self._build, log, self._running)
            log.seek(0)
            text = log.read().decode(errors="replace")
        passed = status == 0
        return Result(
            OTHERS,
            test.name,
            "passed" if passed else "failed",
            "" if passed else "failed",
            run.seconds,
            "" if passed else text[-SHOWN:],
        )


class _Run:
    """One process, followed to its end or its timeout."""

    def __init__(self, timeout: float | None) -> None:
        self._timeout = timeout
        self._text = b""
        self.current = ""  # the test that has begun and not ended
        self.ended: list[tuple[str, str, str, float]] = []
        self.hung = False
        self.seconds = 0.0

    def follow(self, command: list[str], folder: Path, log: IO[bytes], running: _Running) -> int:
        """Its exit status, negative where a signal ended it."""
        events, theirs = os.pipe()
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={**ENVIRONMENT, "CAVERN_TEST_EVENTS": str(theirs)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[theirs],
                start_new_session=True,
            )
        except OSError:
            os.close(events)
            raise
        finally:
            os.close(theirs)
        running.begin(process.pid)
        try:
            self._listen(process.pid, events)
            if self.hung:
                _kill(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            running.end(process.pid)
            os.close(events)
        self.seconds = usage.ru_utime + usage.ru_stime
        process.returncode = os.waitstatus_to_exitcode(status)
        if self.current:
            _kill(process.pid)  # what it had started
        return process.returncode

    def _listen(self, pid: int, events: int) -> None:
        """Until the process ends, or a test takes too long. It does not wait for the end of the
        pipe: a process that a test left behind would hold it."""
        os.set_blocking(events, False)
        process = os.pidfd_open(pid)
        poller = select.poll()
        poller.register(events, select.POLLIN)
        poller.register(process, select.POLLIN)
        deadline = self._deadline(pid)
        try:
            while True:
                rest = None if deadline is None else max(0.0, deadline - clock_of(pid)) * 1000
                ready = {descriptor for descriptor, _ in poller.poll(rest)}
                if events in ready:
                    if self._read(events):
                        deadline = self._deadline(pid)
                    elif process not in ready:
                        poller.unregister(events)  # it was closed
                if process in ready:
                    return
                if not ready and deadline is not None and deadline <= clock_of(pid):
                    self.hung = True
                    return
        finally:
            os.close(process)

    def _deadline(self, pid: int) -> float | None:
        return None if self._timeout is None else clock_of(pid) + self._timeout

    def _read(self, events: int) -> bool:
        more = False
        with suppress(BlockingIOError):
            while part := os.read(events, 65536):
                more = True
                self._text += part
        *lines, self._text = self._text.split(b"\n")
        for line in lines:
            self._take(line.decode())
        return more

    def _take(self, line: str) -> None:
        what, name, *rest = line.split(" ")
        if what == "start":
            self.current = name
            return
        status, seconds = rest
        self.current = ""
        self.ended.append((name, status, "failed" if status == "failed" else "", float(seconds)))


def _all(program: Program, tests: list[str], why: str, output: str = "") -> list[Result]:
    """Each fails for the same reason, which is shown once."""
    first = Result(program.name, program.prefix + tests[0], "failed", why, 0.0, output[-SHOWN:])
    rest = [Result(program.name, program.prefix + t, "failed", why, 0.0, "") for t in tests[1:]]
    return [first, *rest]


def _kill(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _escaped(name: str) -> str:
    """For ctest, whose regular expressions are simpler than Python's."""
    return "".join(f"\\{c}" if c in "^$.[]-*+?|()" else c for c in name)
