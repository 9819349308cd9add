"""The commands of README.md and docs/ do what is written: they run."""

from __future__ import annotations

import re
import subprocess
import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from tests.cli.documented import FULL, ON_PURPOSE, RUNS, summaries_of, unused, wrong_figures
from tests.cli.programs import ENVIRONMENT, ROOT

NOT_RUN = "<!-- not run -->"
#: Its commands fail as shown: see test_docs.py.
FAILS = "<!-- fails -->"
BLOCK = re.compile(r"^```console *\n(?P<text>.*?)^``` *$", re.MULTILINE | re.DOTALL)

#: The tests do not run themselves.
RECURSIVE = re.compile(r"(^|[;&|]\s*)\./cavern test\b")


#: What is less by day: where a document makes a long run, or many, a short one or few show that
#: its commands are right. At night all is as written.
LESS_BY_DAY = {
    "docs/collection.md": {
        "configs/steady-tlc.toml": "configs/steady-tlc.toml --set nand.planes=1 "
        "--set nand.blocks_per_plane=96 --set workload.out_of_range=wrap",
        "greedy cost-benefit random fifo d-choices": "d-choices",
        "greedy cost-benefit fifo": "greedy fifo",
        "for depth in 32 256": "for depth in 32",
        '"burst plane" "paced plane" "paced die"': '"paced die"',
        "for pace in burst paced": "for pace in paced",
        "4KiB 8KiB 16KiB": "16KiB",
        '"page 0 fold" "slc-cache 64 fold" "slc-cache 8 fold" "slc-cache 8 bypass"': (
            '"slc-cache 8 bypass"'
        ),
        "oltp-mssql-51min oltp-mysql-1h tpcc-136ms": "oltp-mssql-51min",
    },
    "docs/verification/cpu.md": {"for cores in 1 2 4": "for cores in 2"},
    "docs/ecc.md": {
        "unlimited 1200MB/s 400MB/s": "400MB/s",
        "0 3000 5000": "5000",
        "nand.blocks_per_plane=128": "nand.blocks_per_plane=128 --set nand.pages_per_block=288",
    },
    "docs/mapping.md": {
        '"page 1MiB original" "dftl 1MiB original" "dftl 64KiB original" "dftl 64KiB shim"': (
            '"dftl 64KiB shim"'
        ),
        "--limit 40000": "--limit 4000",
    },
    "docs/performance.md": {"for arbiter in tlm rtl": "for arbiter in rtl"},
    "docs/power-loss.md": {"--limit 400000": "--limit 40000", "gap=60000": "gap=6000"},
    "docs/read-a-report.md": {
        "--limit 20000": "--limit 2000",
        "--repeat 10": "--repeat 2",
        "--limit 2000 --set buffer.size=1MiB": "--limit 500 --set buffer.size=1MiB",
    },
    "tests/README.md": {
        "ctest --test-dir build/release -L timing": "ctest --test-dir build/release -L timing -N"
    },
}
#: Other tests run these by day, with more to look at, or less to do.
ELSEWHERE = {
    "./cavern validate --only amplification": "test_amplification.py",
    "./cavern bench memory": "test_bench_memory.py",
    "./cavern archive out/paper -o out/paper.tar.zst": "test_archive.py",
    "./cavern archive --run out/paper.tar.zst": "test_archive.py",
    "./cavern search configs/sweeps/best-buffer.toml": "test_examples.py",
    "./cavern sweep configs/sweeps/buffer-and-ways.toml": "test_examples.py",
}
#: All commands of these.
DOCUMENTS_ELSEWHERE = {
    "docs/library.md": "test_library.py",
    "docs/real-software.md": "test_guest.py",
}


@dataclass(frozen=True)
class Command:
    text: str
    document: str
    line: int
    shown: str = ""  #: of what it prints


def commands_in(text: str, document: str) -> list[Command]:
    """The lines that begin with "$ " in the console blocks, joined where they end with a backslash,
    and the lines below each; without the blocks whose line before says that they are not run, or
    fail."""
    found: list[Command] = []
    for block in BLOCK.finditer(text):
        if text[: block.start()].rstrip().endswith((NOT_RUN, FAILS)):
            continue
        line = text.count("\n", 0, block.start("text")) + 1
        lines = enumerate(block["text"].splitlines(), line)
        for number, content in lines:
            if content.startswith("$ "):
                command = content[2:]
                while command.endswith("\\"):
                    command = command[:-1].rstrip() + " " + next(lines)[1].removeprefix(">").strip()
                found.append(Command(command, document, number))
            else:
                last = found.pop()
                found.append(replace(last, shown=f"{last.shown}{content}\n"))
    return found


def documents() -> list[Path]:
    return [
        path
        for path in [
            *sorted(ROOT.glob("*.md")),
            *sorted((ROOT / "docs").rglob("*.md")),
            *(ROOT / folder / "README.md" for folder in ("tb", "tests", "traces")),
        ]
        if path.exists()
    ]


def written() -> list[Command]:
    return [
        command
        for path in documents()
        for command in commands_in(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
        if not RECURSIVE.search(command.text)
    ]


def run(command: str) -> subprocess.CompletedProcess[str]:
    """As typed at the top of the tree, but stopping at the first failure."""
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=600,
    )


#: How long a run took on this machine.
#: Where the tree has results of before.
REPLACES = re.compile(r"^  out    \S+ replaces run \w+\n", re.MULTILINE)
WALL_TIME = re.compile(r"(?:(?<=simulated in )|(?<=windows, in ))[\d.]+ s")


def prints(printed: str, shown: str) -> bool:
    """Whether a command prints what is shown of it, if anything is."""
    printed = REPLACES.sub("", printed)
    return not shown or WALL_TIME.sub("# s", printed) == WALL_TIME.sub("# s", shown)


def test_what_is_printed_is_compared_but_for_wall_time() -> None:
    assert prints("a: 1 requests, 2.5 s simulated in 0.10 s\n", "")
    assert prints("a: 2.5 s simulated in 0.10 s\n", "a: 2.5 s simulated in 1.06 s\n")
    assert not prints("a: 2.5 s simulated in 0.10 s\n", "a: 2.6 s simulated in 0.10 s\n")
    assert not prints("more\n", "less\n")
    assert prints("a\n  out    out/run replaces run 12ab\n", "a\n")
    assert sum(bool(command.shown) for command in written()) >= 5


def test_readme_shows_commands() -> None:
    assert (ROOT / "README.md").exists()
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert commands_in(text, "README.md"), "README.md has no ```console block with a command"


def by_day(command: Command) -> Command:
    """The same, or less; nothing where it has a test of its own."""
    text = "true" if command.text in ELSEWHERE else command.text
    for written_so, by_day_so in LESS_BY_DAY.get(command.document, {}).items():
        text = text.replace(written_so, by_day_so)
    return replace(command, text=text)


def differs_by_day() -> list[Command]:
    return [command for command in written() if by_day(command) != command]


def test_little_is_less_by_day() -> None:
    assert by_day(Command("./cavern run a.toml", "x.md", 1)).text == "./cavern run a.toml"
    less = [command for command in differs_by_day() if command.text not in ELSEWHERE]
    assert {command.document for command in less} == {*LESS_BY_DAY}
    assert len(less) == 18
    for document, replaced in LESS_BY_DAY.items():
        texts = [command.text for command in less if command.document == document]
        assert all(any(written_so in text for text in texts) for written_so in replaced)
    # What is shown is what the command prints as it is written.
    assert not any(command.shown for command in less)


def test_what_is_run_elsewhere_is_written_here() -> None:
    assert {*ELSEWHERE} <= {command.text for command in written()}
    assert {*DOCUMENTS_ELSEWHERE} <= {command.document for command in written()}
    for name in (*ELSEWHERE.values(), *DOCUMENTS_ELSEWHERE.values()):
        assert (ROOT / "tests" / "cli" / name).is_file()


def commands_of(document: str) -> list[Command]:
    return [command for command in written() if command.document == document]


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    sorted({command.document for command in written()} - {*DOCUMENTS_ELSEWHERE}),
    ids=lambda name: name,
)
def test_commands_run(document: str, set_up: None) -> None:
    check([by_day(command) for command in commands_of(document)])
    if document not in LESS_BY_DAY:
        assert wrong_figures((ROOT / document).read_text(encoding="utf-8")) == []


@pytest.mark.nightly
@pytest.mark.parametrize("document", sorted({command.document for command in differs_by_day()}))
def test_commands_run_as_written(document: str, set_up: None) -> None:
    check(commands_of(document))
    assert wrong_figures((ROOT / document).read_text(encoding="utf-8")) == []


def check(commands: list[Command]) -> None:
    # In the order written: a later one may use what an earlier one made, below out/.
    for command in commands:
        begun = time.time()
        finished = run(command.text)
        where = f"{command.document}:{command.line}: $ {command.text}"
        assert finished.returncode == 0, f"{where}\n{finished.stdout}{finished.stderr}"
        assert prints(finished.stdout, command.shown), f"{where}\n{finished.stdout}"
        if not any(part in command.text for part in ON_PURPOSE):
            made = summaries_of(command.text, begun)
            assert made or not RUNS.search(command.text), f"{where}\nno results"
            for summary in made:
                why = unused(summary, bool(FULL.search(command.text)))
                assert not why, f"{where}\n{why}"


#: A link to a file of the tree, or to a heading.
LINK = re.compile(r"\]\((?P<file>[^)#:\s]*)(?:#(?P<heading>[^)\s]*))?\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@cache
def headings(path: Path) -> set[str]:
    """Of a document, as links name them."""
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    found = re.findall(r"^#+ +(.*?) *$", text, re.MULTILINE)
    shown = (re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading) for heading in found)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in shown}


def dead_links(path: Path) -> list[str]:
    """The links of a document to files and headings that are not there."""
    dead = []
    for link in LINK.finditer(FENCED.sub("", path.read_text(encoding="utf-8"))):
        target = path.parent / link["file"] if link["file"] else path
        heading = link["heading"]
        if not target.exists() or (heading and heading not in headings(target)):
            dead.append(link[0])
    return dead


def test_documents_name_files_and_headings_that_exist(tmp_path: Path) -> None:
    linked = [*documents(), ROOT / "examples" / "README.md"]
    dead = {str(path.relative_to(ROOT)): links for path in linked if (links := dead_links(path))}
    assert dead == {}
    (tmp_path / "a.md").write_text(
        "# A `b` [c](d)\n[x](#a-b-c), [y](#no), [z](a.md#a-b-c), [w](no.md)"
    )
    assert dead_links(tmp_path / "a.md") == ["](d)", "](#no)", "](no.md)"]


EXAMPLE = """\
# Title

```console
$ ./cavern run a.toml \\
    --quiet
out of the program
$ true
```

```sh
$ not this
```

<!-- not run -->
```console
$ nor this
```

<!-- fails -->
```console
$ nor that
```

```console
$ ./cavern test
```
"""


def test_commands_are_found() -> None:
    assert commands_in(EXAMPLE, "x.md") == [
        Command("./cavern run a.toml --quiet", "x.md", 4, "out of the program\n"),
        Command("true", "x.md", 7),
        Command("./cavern test", "x.md", 25),
    ]
    assert RECURSIVE.search("./cavern test") and RECURSIVE.search("cd . && ./cavern test Arbiter")
    assert not RECURSIVE.search("./cavern run tests.toml")


def test_failing_command_is_found(set_up: None) -> None:
    assert run("./cavern config explain seed | grep -q seed").returncode == 0
    for command in ("false | true", "false; true", "./cavern config explain sead | cat"):
        assert run(command).returncode != 0
