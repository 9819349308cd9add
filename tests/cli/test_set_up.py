"""What ./cavern sets up and when, in a tree of its own with tools that note their calls."""

from __future__ import annotations

import re
import shlex
import signal
import time
from collections.abc import Callable
from importlib.metadata import distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.cli.installation import GROUPS, TOOLS, Installation
from tests.cli.programs import ROOT

#: They copy trees, and wait for what they started.
pytestmark = pytest.mark.slow


def test_where_nothing_is_missing_no_tool_is_called(installed: Installation) -> None:
    for command in (["config", "list"], ["run", "x.toml"], ["serve", "x.toml"]):
        assert installed(*command) == (f"{' '.join(command)}\n", [])
        assert installed.told() == []
    installed("compare", "a", "b")
    assert installed.told() == ["python -m cavern compare a b"]


def add(installed: Installation) -> None:
    (installed.root / "rtl" / "new.sv").touch()


def change(installed: Installation) -> None:
    (installed.root / "model" / "a.cpp").write_text("int a;\n")


def remove(installed: Installation) -> None:
    (installed.root / "model" / "a.cpp").unlink()


def commit(installed: Installation) -> None:
    (installed.root / ".git" / "logs" / "HEAD").write_text("a commit\n")


def commit_in_a_work_tree(installed: Installation) -> None:
    (installed.root / ".git").rename(installed.root / "elsewhere")
    (installed.root / ".git").write_text("gitdir: elsewhere\n")
    commit_to = installed.root / "elsewhere" / "logs" / "HEAD"
    commit_to.write_text("a commit\n")


def lose(installed: Installation) -> None:
    (installed.root / "build" / "release" / "bin" / "cavern-sim").unlink()


def move(installed: Installation) -> None:
    moved = installed.root.rename(installed.root.parent / "moved")
    installed.root = moved
    for tool in [*installed.tools.iterdir(), moved / ".venv" / "bin" / "python"]:
        tool.write_text(tool.read_text().replace("tree of mine", "moved"))


@pytest.mark.parametrize(
    "what",
    [add, change, remove, commit, commit_in_a_work_tree, lose, move],
    ids=lambda f: f.__name__,
)
def test_it_builds_once_after(
    what: Callable[[Installation], None], installed: Installation
) -> None:
    what(installed)
    installed("config", "list")
    assert installed.built()
    installed("config", "list")
    assert not installed.built()


def test_what_tests_leave_is_no_source(installed: Installation) -> None:
    cache = installed.root / "model" / "__pycache__"
    cache.mkdir()
    installed("config", "list")
    installed.told()
    (cache / "a.pyc").touch()
    installed("config", "list")
    assert not installed.built()


def test_each_need_is_built_once_and_everything_is_all(installed: Installation) -> None:
    installed.uncounted = "1"
    for command in ("firmware", "validate", "reproduce", "test"):
        installed(command)
        assert installed.built()
    for command in ("firmware", "validate", "reproduce", "test", "bench"):
        installed(command)
        assert not installed.built()


def test_tests_of_a_name_are_left_to_build_what_they_need(installed: Installation) -> None:
    change(installed)
    assert "test Buffer" in installed("test", "Buffer", "--fast")[0]
    assert not installed.built()
    installed("test", "--fast")
    assert installed.built()


@pytest.mark.parametrize(
    ("script", "said"),
    [("echo broken.cpp:7; exit 3", ["broken.cpp:7", "error: "]), ("exit 1", ["error: "])],
)
def test_a_build_that_failed_is_told_of_and_done_again(
    script: str, said: list[str], installed: Installation
) -> None:
    change(installed)
    installed.tool(installed.tools / "ninja", script)
    for _ in range(2):
        stdout, lines = installed("config", "list", status=1)
        assert installed.built() and stdout == ""
        assert len(lines) == len(said)
        assert all(line.startswith(start) for line, start in zip(lines, said, strict=True))
        assert "build.log:1: building failed; " in lines[-1]


def slow(installed: Installation, seconds: float) -> None:
    """Ninja that takes long, and does not bear another one beside it."""
    guard = shlex.quote(str(installed.root.parent / "guard"))
    script = f"mkdir {guard} || exit 7; sleep {seconds}; rmdir {guard}; {TOOLS['ninja']}"
    installed.tool(installed.tools / "ninja", script)


def test_branches_are_counted_for_what_takes_long_once(installed: Installation) -> None:
    script = f'{TOOLS["ninja"]}; [ "${{*: -1}}" != profile ] || touch build/release/profile.stamp'
    installed.tool(installed.tools / "ninja", script)
    for command in ("run", "sweep", "search", "run"):
        _, said = installed(command, "x.toml")
        built = [told.split()[-1] for told in installed.told() if told.startswith("ninja")]
        assert built == (["fitting_counts", "profile", "cavern-sim"] if command == "sweep" else [])
        assert ("branches counted" in " ".join(said)) == (command == "sweep")
    # Counts of other sources are gone.
    (installed.root / "build" / "release" / "profile.stamp").unlink()
    installed.uncounted = "1"
    installed("sweep", "x.toml")
    assert not installed.built()
    installed.uncounted = ""
    installed("sweep", "x.toml")
    assert installed.built()


def until(what: Callable[[], bool]) -> None:
    for _ in range(1000):
        if what():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen")


@pytest.mark.slow
def test_of_two_at_once_one_builds_and_both_go_on(installed: Installation) -> None:
    change(installed)
    slow(installed, 3.5)
    both = [installed.start("config", "list"), installed.start("run", "x.toml")]
    said = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sorted(stdout for stdout, _ in said) == ["config list\n", "run x.toml\n"]
    errors = sorted(stderr for _, stderr in said)
    builder = next(p for p, (_, stderr) in zip(both, said, strict=True) if "building ..." in stderr)
    assert re.fullmatch(
        rf"cavern: another .* building \(pid {builder.pid}\), waiting ...\n", errors[0]
    )
    assert errors[1] == "cavern: building ...\n"
    assert [told.split()[-1] for told in installed.told()] == ["cavern-sim"]


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_what_ends_it_ends_the_build(how: signal.Signals, installed: Installation) -> None:
    change(installed)
    slow(installed, 30)
    guard = installed.root.parent / "guard"
    process = installed.start("config", "list")
    until(guard.exists)
    process.send_signal(how)
    process.communicate(timeout=20)
    assert process.returncode in (128 + how, -how)
    guard.rmdir()
    slow(installed, 0)
    installed.told()
    assert installed("config", "list") == ("config list\n", [])
    assert installed.built()


@pytest.mark.slow
def test_a_build_whose_front_door_was_killed_is_waited_for(installed: Installation) -> None:
    change(installed)
    slow(installed, 4)
    guard = installed.root.parent / "guard"
    process = installed.start("config", "list")
    until(guard.exists)
    process.kill()
    process.communicate(timeout=20)
    # Ninja goes on, and another one beside it would fail.
    assert installed("config", "list")[0] == "config list\n"


# ---- packages -----------------------------------------------------------------------------------


def lacking(installed: Installation) -> None:
    """No Debian package is there but those that apt-get was asked for."""
    asked = shlex.quote(str(installed.root.parent / "asked"))
    installed.tool(
        installed.tools / "dpkg-query",
        f'shift 3; for name in "$@"; do grep -qsx "$name" {asked} && echo "ii $name"; done; true',
    )
    installed.tool(installed.tools / "apt-get", f'printf "%s\\n" "$@" >>{asked}')
    installed.tool(installed.tools / "dpkg", "")
    for stamp in (installed.root / "build").glob(".debian-*"):
        stamp.unlink()


def test_a_command_installs_what_it_needs_and_no_more(installed: Installation) -> None:
    lacking(installed)
    installed("plot", "x")
    calls = [call for call in installed.told() if call.startswith("apt-get")]
    assert len(calls) == 2 and calls[0] == "apt-get update"
    assert calls[1].endswith(" python3 python3-venv")
    installed("config", "list")
    calls = [call for call in installed.told() if call.startswith("apt-get")]
    assert len(calls) == 2 and " g++ " in calls[1] and " yosys" not in calls[1]
    installed("config", "list")
    assert installed.told() == []


def test_packages_of_tests_come_while_it_builds(installed: Installation) -> None:
    lacking(installed)
    installed("config", "list")
    installed.told()
    change(installed)
    began = shlex.quote(str(installed.root.parent / "began"))
    waits = f"[ $1 = update ] || until [ -e {began} ]; do sleep 0.1; done"
    installed.tool(installed.tools / "apt-get", waits)
    installed.tool(installed.tools / "ninja", f"touch {began}; {TOOLS['ninja']}")
    (installed.root / "build" / "guest").mkdir()
    (installed.root / "build" / "guest" / "vmlinuz").touch()
    installed("test")
    calls = [call for call in installed.told() if call.startswith("apt-get")]
    assert [call.split()[1] for call in calls] == ["update", "install", "install"]
    assert calls[1].endswith(" yosys") and " fio " in calls[2]


def test_a_package_that_cannot_be_had_is_told_of(installed: Installation) -> None:
    lacking(installed)
    installed.tool(installed.tools / "apt-get", "[ $1 = update ] || { echo no such; exit 100; }")
    stdout, lines = installed("config", "list", status=1)
    assert stdout == "" and "no such" in lines
    assert re.fullmatch(r"error: .*packages\.log:1: installing .* failed; .*", lines[-1])
    assert not installed.built()


def test_python_packages_are_those_of_the_command(installed: Installation) -> None:
    venv = installed.root / ".venv"
    for stamp in venv.glob(".requirements-*"):
        stamp.unlink()
    installed.tool(venv / "bin" / "uv", "")
    installed("config", "list")
    uv = [call for call in installed.told() if call.startswith("uv")]
    assert len(uv) == 1 and uv[0].endswith("requirements/build.txt")
    installed("plot", "x")
    uv = [call for call in installed.told() if call.startswith("uv")]
    assert len(uv) == 1 and uv[0].endswith("requirements/commands.txt")
    # What pip is told, uv is told; and where uv fails, pip does it.
    (venv / ".requirements-commands").unlink()
    installed.tool(venv / "bin" / "uv", 'echo "$SSL_CERT_FILE $UV_DEFAULT_INDEX"; exit 1')
    said = "global.cert='/a/b.crt'\nglobal.index-url='https://x/y=z'"
    installed.tool(
        venv / "bin" / "python", f'case "$*" in *config*) printf "%s\\n" {shlex.quote(said)}; esac'
    )
    installed("plot", "x")
    assert "/a/b.crt https://x/y=z" in (installed.root / "build" / "python.log").read_text()
    assert any("install --quiet --no-deps" in call for call in installed.told())


def test_changed_pins_begin_a_new_environment(installed: Installation) -> None:
    kept = installed.root / ".venv" / "old"
    kept.touch()
    make = f"mkdir -p .venv/bin; cp {shlex.quote(str(installed.tools))}/git .venv/bin/python"
    installed.tool(installed.tools / "python3", f"{make}; cp .venv/bin/python .venv/bin/uv")
    with (installed.root / "requirements" / "commands.txt").open("a") as file:
        file.write("another==1\n")
    installed("config", "list")
    assert kept.exists() and not any(call.startswith("uv") for call in installed.told())
    installed("plot", "x")
    assert not kept.exists()
    assert (installed.root / ".venv" / ".requirements-build").exists()


def pins() -> dict[str, dict[str, str]]:
    """Of each file of requirements/: the version of each package."""
    found = {}
    for group in GROUPS:
        lines = (ROOT / "requirements" / f"{group}.txt").read_text().splitlines()
        words = [line.split("#")[0].strip().split("==") for line in lines if line[:1] not in "# "]
        found[group] = {str(canonicalize_name(word[0])): word[1] for word in words}
    return found


def test_every_python_package_is_named_once_before_what_needs_it() -> None:
    there = {str(canonicalize_name(each.name)): each for each in distributions()}
    known: set[str] = set()
    assert {path.stem for path in (ROOT / "requirements").glob("*.txt")} == set(GROUPS)
    for group, packages in pins().items():
        assert not known & packages.keys(), group
        known |= packages.keys()
        for name, version in packages.items():
            assert there[name].version == version
            for text in there[name].requires or []:
                needed = Requirement(text)
                if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                    assert canonicalize_name(needed.name) in known, f"{group}: {name} needs {text}"
    # Nothing else came with them. pip makes the environment.
    assert there.keys() - known <= {"pip", "setuptools"}
