"""./cavern sweep: a mistake in a description is one line that says where."""

from __future__ import annotations

import itertools
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from cavern.reading.toml_file import TomlLines
from cavern.sweeps.plan import MOST_WAITING, plan
from cavern.sweeps.spec import SpecReader, read_spec

from tests.cli.mistakes import is_message
from tests.cli.programs import Workspace, tree
from tests.cli.sweeps import told
from tests.pace import time_is_linear


def refused(
    workspace: Workspace, expected: str, *arguments: object, name: str = "sweep"
) -> subprocess.CompletedProcess[str]:
    """One line says where and what, and nothing is left."""
    before = tree(workspace.folder)
    done = told(workspace.folder, *arguments, name=name)
    assert is_message(done.stderr, expected), done.stderr
    assert (done.returncode, done.stdout) == (2, "")
    assert tree(workspace.folder) == before
    return done


def mistake(line: int, expected: str, old: str, new: str) -> Any:
    return pytest.param(line, expected, old, new, id=expected.replace("*", "").split(";")[0][:40])


@pytest.mark.parametrize(
    ("line", "expected", "old", "new"),
    [
        mistake(1, "*not TOML*; *", '"drive.toml"', "drive.toml"),
        mistake(1, "config is missing; *configs/cave.toml*", 'config = "drive.toml"', ""),
        mistake(1, "no such file: drve.toml; *", "drive.toml", "drve.toml"),
        mistake(1, "title = 1; *title = *", "config =", "title = 1\nconfig ="),
        mistake(2, "no such file: trase.csv; *", "trace.csv", "trase.csv"),
        mistake(2, 'unknown key "trases"; did you mean "traces"?', "traces =", "trases ="),
        mistake(2, "traces is no list; *", '["trace.csv"]', '"trace.csv"'),
        mistake(
            2,
            "two traces and workloads are trace; *name*",
            '"trace.csv"',
            '"trace.csv", "trace.csv"',
        ),
        mistake(3, 'unknown key "nme"; *"name"*', "name =", "nme ="),
        mistake(3, 'limit: "300" is no whole number*; *', "limit = 300", 'limit = "300"'),
        mistake(4, "seeds: -2 is no whole number*; *", "[1, 2]", "[1, -2]"),
        mistake(4, "two seeds are 1; *", "[1, 2]", "[1, 1]"),
        mistake(7, 'unknown key "nand.t_eras"; *"nand.t_erase"*', "t_erase", "t_eras"),
        mistake(7, "nand.t_erase = *; *", '"1ms"', '"1MiB"'),
        mistake(7, "nand.t_erase has a value of another kind*; *", '"1ms"', "2020-01-01"),
        mistake(10, "buffer.size = *; *", '"16KiB"', '"16"'),
        mistake(10, "buffer.size = * is no list of values; *", '["16KiB", "64KiB"]', '"16KiB"'),
        mistake(10, "two values are *; *", '["16KiB", "64KiB"]', '["16KiB", "16KiB"]'),
        mistake(
            10,
            "the seed is no key to vary; *seeds = *",
            '"buffer.size" = ["16KiB", "64KiB"]',
            "seed = [1, 2]",
        ),
        mistake(10, "nand.t_erase varies and is set*; *", '"buffer.size"', '"nand.t_erase"'),
        mistake(14, "nand.ways has 3 values and nand.channels * 2; *", "[2, 1]", "[2, 1, 1]"),
        mistake(14, "nand.ways = 0*; *", "[2, 1]", "[2, 0]"),
        mistake(17, "alloc.scheme = *strip-page*; *", '"stripe-page"', '"strip-page"'),
        mistake(16, '"status" is a column already; *', "variants.drive", "variants.status"),
        mistake(
            10,
            "buffer.size varies in two places; *",
            'buffer.eviction = "cave"',
            'buffer.size = "1MiB"',
        ),
    ],
)
def test_mistake_in_a_description_is_one_line_and_leaves_nothing(
    line: int, expected: str, old: str, new: str, sweeping: Workspace
) -> None:
    text = (sweeping.folder / "spec.toml").read_text()
    assert old in text
    sweeping.write("spec.toml", text.replace(old, new))
    refused(sweeping, f"spec.toml:{line}: {expected}", "spec.toml", "--out", "out")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["other.toml"], "other.toml:1: no such file; *"),
        pytest.param(
            ["spec.toml", "--scheduler", "tcp://a:1"],
            "<command line>:1: no Dask scheduler *; *",
            marks=pytest.mark.slow,  # it waits ten seconds for one
        ),
        (["spec.toml", "--jobs", "0"], "<command line>:1: *--jobs*; see ./cavern sweep --help"),
        (
            ["spec.toml", "--rezume"],
            "<command line>:1: *--rezume*; *--resume*see ./cavern sweep --help",
        ),
        ([], "<command line>:1: *SPEC*; see ./cavern sweep --help"),
        (["spec.toml", "--out", "drive.toml"], "drive.toml:1: cannot be made (*); *"),
        (["trace.csv"], "trace.csv:1: not TOML*; *"),
        (["spec.toml", "--simulator", "/bin/echo"], "/bin/echo:1: does not show *; *"),
        (["."], ".:1: cannot be read*; *"),
    ],
)
def test_wrong_option_is_one_line_and_leaves_nothing(
    arguments: list[str], expected: str, sweeping: Workspace
) -> None:
    refused(sweeping, expected, *arguments)


BEGIN = 'config = "drive.toml"\n'
SIZES = f'{BEGIN}traces = ["trace.csv"]\n[vary]\nbuffer.size = ["16KiB", "64KiB"]\n'
#: By what is wrong: a description, and what is said of it.
EXTREME = {
    "a deep list": (
        f"{BEGIN}traces = {'[' * 3000}{']' * 3000}",
        "2: nested deeper than 64; *",
    ),
    "a deep table": (f"{BEGIN}x = {'{a = ' * 3000}1{'}' * 3000}", "2: nested deeper than 64; *"),
    "a key of 5,000 parts": (f"{BEGIN}set.{'a.' * 5000}b = 1", "2: a key of many parts; *"),
    "a number of 5,000 digits": (
        f"{BEGIN}limit = {'9' * 5000}",
        "2: a whole number of more than 64 bits; *",
    ),
    "a date for a title": (f"{BEGIN}title = 2020-01-01", '2: title = "2020-01-01"; *'),
    "a date for the configuration": ("config = 2020-01-01", '1: config = "2020-01-01"; *'),
    "a time for the seeds": (
        f'{BEGIN}traces = ["trace.csv"]\nseeds = 10:00:00',
        '3: seeds = "10:00:00"; *',
    ),
    "a date for a seed": (
        f'{BEGIN}traces = ["trace.csv"]\nseeds = [1, 2020-01-01]',
        '3: seeds: "2020-01-01" is no whole number*; *',
    ),
    "a date for a limit": (
        f'{BEGIN}traces = ["trace.csv"]\nlimit = 2020-01-01T10:00:00Z',
        '3: limit: "2020-01-01 10:00:00+00:00" is no whole number*; *',
    ),
    "a date for values": (
        f'{BEGIN}traces = ["trace.csv"]\n[vary]\nbuffer.size = 2020-01-01',
        "4: buffer.size has a value of another kind*; *",
    ),
    "a date for values that go together": (
        f'{BEGIN}traces = ["trace.csv"]\n[[zip]]\nbuffer.size = [2020-01-01]',
        "4: buffer.size has a value of another kind*; *",
    ),
    "a date for the kind of a cluster": (
        f"{SIZES}[cluster]\nkind = 2020-01-01",
        '6: kind = "2020-01-01"; *',
    ),
    "a date for the jobs of a cluster": (
        f'{SIZES}[cluster]\nkind = "local"\njobs = 2020-01-01',
        '7: jobs = "2020-01-01"; *',
    ),
    "a workload of 5,000 letters": (
        f'{BEGIN}workloads = ["{"w" * 5000}"]',
        "2: no such file: w*; *",
    ),
    "a file named as none is": (
        f'{BEGIN}traces = ["a\\u0000b\\u001b\\n"]',
        "2: no such file: a*; *",
    ),
    "more runs than can be counted": (
        f'{BEGIN}traces = ["trace.csv"]\n[vary]\n'
        + "".join(f"a.b{i} = [1, 2]\n" for i in range(14_500)),
        "1: 1,048,576 runs at least; expected at most 1,000,000",
    ),
}


#: A search reads them the same way.
AS_A_SEARCH = {name: EXTREME[name] for name in ("a key of 5,000 parts", "a date for a limit")} | {
    "a date for the trials": (f"{SIZES}[search]\ntrials = 2020-01-01", '6: trials = "2020-*')
}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param(name, *case, id=f"{name}: {what}")
        for name, cases in (("sweep", EXTREME), ("search", AS_A_SEARCH))
        for what, case in cases.items()
    ],
)
def test_whatever_a_description_holds_a_mistake_is_one_line(
    name: str, text: str, expected: str, workspace: Workspace
) -> None:
    workspace.write("spec.toml", text)
    done = refused(workspace, f"spec.toml:{expected}", "spec.toml", name=name)
    assert len(done.stderr) < 1000


@pytest.mark.slow
def test_many_values_take_no_time_with_their_square(sweeping: Workspace) -> None:
    def seeds(number: int) -> None:
        text = f'{BEGIN}traces = ["trace.csv"]\nseeds = '
        sweeping.write("spec.toml", f"{text}{list(range(number))}\n")
        done = told(sweeping.folder, "spec.toml", "--dry-run")
        assert done.stdout == f"{number:,} runs, {number:,} of them different\n"

    def twice(number: int) -> None:
        text = f'{BEGIN}traces = ["trace.csv"]\nseeds = '
        sweeping.write("spec.toml", f"{text}{[*range(number), number - 1]}\n")
        done = told(sweeping.folder, "spec.toml", "--dry-run")
        assert is_message(done.stderr, f"spec.toml:3: two seeds are {number - 1}; *")

    def axes(number: int) -> None:
        rows = "".join(f"a{i}.b = [1]\n" for i in range(number))
        spec = sweeping.write("spec.toml", f'{BEGIN}traces = ["trace.csv"]\n[vary]\n{rows}')
        assert len(next(SpecReader(spec).cases()).settings) == number

    time_is_linear(seeds, 20_000)
    time_is_linear(twice, 20_000)
    time_is_linear(axes, 8_000)


def test_many_configurations_take_no_memory_each(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep may have a million, of which each has some 40 kB of keys and values."""
    size = 100_000

    def ask(words: list[str], _: object) -> str:
        return f"[a]\nb = '{words[-1]:{size}}'"

    monkeypatch.setattr(sys.modules[plan.__module__], "ask", ask)
    axis = f"[vary]\nchannel.age_limit = {list(range(1, 101))}"
    spec = workspace.write("spec.toml", f'{BEGIN}traces = ["trace.csv"]\n{axis}\n')
    cases = read_spec(spec)
    tracemalloc.start()
    assert len({run.id for run in plan(cases)}) == 100
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * size


def test_lines_of_keys_are_found() -> None:
    lines = TomlLines(
        'a = 1\n[b]\n"c.d" = [\n  1,\n]\nc.d.e = 2\n[[f]]\nx = 1\n[[f]]\nx = 2\n[f.g]\ny = 3\n'
    )
    wanted = {
        ("a",): 1,
        ("b",): 2,
        ("b", "c.d"): 3,
        ("b", "c", "d", "e"): 6,
        ("f", 0, "x"): 8,
        ("f", 1): 9,
        ("f", 1, "x"): 10,
        ("f", 1, "g", "y"): 12,
    }
    assert {path: lines.of(*path) for path in wanted} == wanted
    assert lines.of("b", "none") == 2 and lines.of("none") == 1


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file grows beyond it, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    ("size", "name", "left"),
    [
        (0, "sweep", "runs/.*.part/failure.json"),
        pytest.param(100, "sweep", "table.parquet", marks=pytest.mark.slow),
        pytest.param(0, "search", "runs/.*.part/failure.json", marks=pytest.mark.slow),
        pytest.param(50_000, "search", "study.db", marks=pytest.mark.slow),
    ],
)
def test_a_full_disk_is_one_line(size: int, name: str, left: str, workspace: Workspace) -> None:
    workspace.write("spec.toml", SIZES)
    with room(size):
        done = told(workspace.folder, "spec.toml", "--out", "out", name=name)
    assert is_message(done.stderr, f"out/{left}:1: cannot be written (*); *"), done.stderr
    assert done.returncode == 2
    assert list((workspace.folder / "out").rglob("*.part")) == []


@pytest.mark.parametrize("name", ["sweep", "search"])
def test_a_folder_of_5000_letters_is_one_line(name: str, workspace: Workspace) -> None:
    workspace.write("spec.toml", SIZES)
    refused(workspace, "o*:1: *name too long*; *", "spec.toml", "--out", "o" * 5000, name=name)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("seconds", [0.001, 10.0])
@pytest.mark.parametrize("shown", [StringIO, Terminal])
def test_who_waits_for_many_configurations_is_told_how_long(
    seconds: float, shown: type[StringIO], workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program is started for each: 200,000 take half an hour."""
    moments = itertools.count(0.0, seconds)
    clock = SimpleNamespace(monotonic=lambda: next(moments))
    monkeypatch.setattr("cavern.sweeps.counted.time", clock)
    monkeypatch.setattr(sys.modules[plan.__module__], "ask", lambda words, _: "")
    axis = f"[vary]\nhost.queue_depth = {list(range(1, 301))}"
    spec = workspace.write("spec.toml", f'{BEGIN}traces = ["trace.csv"]\n{axis}\n')
    with redirect_stderr(shown()) as said:
        assert len(plan(read_spec(spec))) == 300
    lines = said.getvalue().replace("\033[K", "").split("\r")
    if shown is Terminal and seconds == 10:
        # The first is done after 10 s, each other one 10 s later.
        assert lines[1:4] == [
            "1 of 300 configurations checked",
            "2 of 300 configurations checked, 49:40 left",
            "3 of 300 configurations checked, 49:30 left",
        ]
        assert lines[-2:] == ["300 of 300 configurations checked, 0:00 left", ""]
    else:
        assert lines == [""]


def test_an_interrupt_does_not_wait_for_the_configurations_that_are_left(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes while they are given to the threads, which are slow."""
    given: list[object] = []
    asked: list[object] = []
    before = 0

    class Interrupted(ThreadPoolExecutor):
        def submit(self, *words: Any, **more: Any) -> Any:
            nonlocal before
            given.append(words)
            if len(given) == 5 * MOST_WAITING:
                before = len(asked)
                raise KeyboardInterrupt
            return super().submit(*words, **more)

    def ask(words: object, _: object) -> str:
        time.sleep(0.005)
        asked.append(words)
        return ""

    module = sys.modules[plan.__module__]
    monkeypatch.setattr(module, "ask", ask)
    monkeypatch.setattr(module, "ThreadPoolExecutor", Interrupted)
    axis = f"[vary]\nhost.queue_depth = {list(range(1, 1001))}"
    spec = workspace.write("spec.toml", f'{BEGIN}traces = ["trace.csv"]\n{axis}\n')
    with pytest.raises(KeyboardInterrupt):
        plan(read_spec(spec))
    assert len(asked) - before <= MOST_WAITING
