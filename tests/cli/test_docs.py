"""What README.md and docs/ say of errors and decisions is what the program does."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import cavern
import pytest
from cavern.api.version import DISTRIBUTION
from cavern.simulator import SIMULATOR

from tests.cli import guides
from tests.cli.programs import BIN, CONFIGS, ENVIRONMENT, ROOT, Program
from tests.cli.test_readme import FAILS, documents

# ---- errors -------------------------------------------------------------------------------------

#: A console block of commands that fail, with what they write.
FAILING = re.compile(
    rf"^{re.escape(FAILS)}\n```console *\n(?P<text>.*?)^``` *$", re.MULTILINE | re.DOTALL
)


def failures_in(text: str) -> list[tuple[str, str]]:
    """Each command of the blocks marked so, and the error shown below it, if any."""
    found = []
    for block in FAILING.finditer(text):
        for part in re.split(r"^\$ ", block["text"], flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def difference(command: str, shown: str) -> str:
    """How a command differs from what is shown of it; "" if it does not."""
    finished = subprocess.run(
        ["bash", "-c", command.replace("./cavern ", f"'{BIN / 'cavern-sim'}' ")],
        cwd=ROOT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    expected = 2 if shown.startswith("error: ") else 0
    if finished.returncode != expected:
        return f"$ {command}: exit status {finished.returncode}"
    return (
        "" if finished.stderr == shown else f"$ {command}\nshown: {shown}says:  {finished.stderr}"
    )


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_errors_shown_are_those_of_the_program(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    failures = failures_in(text)
    shown = sum(output.count("error: ") for _, output in failures)
    # None stands outside of the blocks that are run.
    assert len(re.findall(r"^error: ", text, re.MULTILINE)) == shown
    assert [line for line in (difference(*failure) for failure in failures) if line] == []


def test_errors_are_shown() -> None:
    found = [failures_in(path.read_text(encoding="utf-8")) for path in documents()]
    assert sum(bool(failures) for failures in found) >= 3


def test_an_error_that_is_not_what_the_program_says_is_found() -> None:
    wrong = 'error: <command line>:1: unknown key "buffer.sise"\n'
    text = f"{FAILS}\n```console\n$ true\n$ ./cavern config explain sead\n{wrong}```\n"
    (nothing, sead) = failures_in(text)
    assert nothing == ("true", "") and difference(*nothing) == ""
    assert sead == ("./cavern config explain sead", wrong)
    assert "says:  error: " in difference(*sead)
    assert "exit status 0" in difference("true", wrong)
    assert "exit status 1" in difference("false", "")


INVARIANT = re.compile(r"^invariant: ([^:\n]+)", re.MULTILINE)


def unknown_invariants(text: str) -> list[str]:
    """Invariants that a document shows and no source states."""
    files = [path for path in (ROOT / "model").rglob("*") if path.suffix in {".h", ".cpp"}]
    sources = "".join(path.read_text() for path in files)
    return [shown for shown in INVARIANT.findall(text) if f'"{shown}' not in sources]


@pytest.mark.slow
def test_invariants_shown_are_those_of_the_sources() -> None:
    texts = [path.read_text(encoding="utf-8") for path in documents()]
    assert any(INVARIANT.search(text) for text in texts)
    assert [line for text in texts for line in unknown_invariants(text)] == []
    assert unknown_invariants("invariant: the moon is made of cheese: tag 1\n") != []


# ---- paths --------------------------------------------------------------------------------------

FOLDERS = "model|include|examples|firmware|bench|rtl|tb|tests|docs|configs|traces|python"
#: A path of the tree in a code span; braces, stars and words in capitals stand for several.
SPAN = re.compile(rf"`((?:{FOLDERS})/[\w./*{{}},-]+)`")


def missing_paths(text: str) -> list[str]:
    """The paths that a document names and the tree does not have."""
    found = []
    for span in SPAN.findall(text):
        braces = re.match(r"(.*)\{(.*)\}(.*)", span)
        names = (
            [braces[1] + word + braces[3] for word in braces[2].split(",")] if braces else [span]
        )
        found += [
            name
            for name in names
            if not re.search("[A-Z]{4}", name) and not list(ROOT.glob(name.rstrip("/")))
        ]
    return found


@pytest.mark.parametrize("path", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_paths_named_exist(path: Path) -> None:
    missing = missing_paths(path.read_text(encoding="utf-8"))
    assert [name for name in missing if name not in guides.read(path).new] == []


def test_a_path_that_is_not_there_is_found() -> None:
    text = "`model/core/base/units.h`, `tests/no/such_test.cpp`, `model/core/nand/*.{h,xyz}`, `a/b`"
    assert missing_paths(text) == ["tests/no/such_test.cpp", "model/core/nand/*.xyz"]


# ---- names --------------------------------------------------------------------------------------

#: A class, property or member in a code span, such as `DriveCore::end_request` or `GrantIsOneHot`.
IDENTIFIER = re.compile(r"(?<!`)`([A-Z]\w*[a-z]\w+)(?:::(\w+))?`(?!`)")


def words_of_the_tree() -> set[str]:
    words: set[str] = set()
    for folder in (
        "model",
        "firmware",
        "include",
        "bench",
        "rtl",
        "tb",
        "tests",
        "papers",
        "plots",
        "python",
    ):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".h", ".cpp", ".sv", ".py"} and path != Path(__file__):
                words.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    return words


def unknown_names(text: str, words: set[str]) -> list[str]:
    """What a document names in code spans and no source does; `Read` and the like are words of
    trace formats, which stand in sources too."""
    return [
        "::".join(filter(None, parts))
        for parts in IDENTIFIER.findall(text)
        if not set(filter(None, parts)) <= words
    ]


def test_classes_and_members_named_exist() -> None:
    words = words_of_the_tree()
    unknown = {}
    for path in documents():
        examples = "".join(guides.read(path).new.values())
        known = words | set(re.findall(r"\w+", examples))
        unknown[path.name] = unknown_names(path.read_text(encoding="utf-8"), known)
    assert {name: names for name, names in unknown.items() if names} == {}
    assert unknown_names("`DriveCore::write`, `DriveCore::no_such_call`, `NoSuch`", words) == [
        "DriveCore::no_such_call",
        "NoSuch",
    ]


# ---- decisions ----------------------------------------------------------------------------------


EVENT = re.compile(r'R"\(("ev":.*?)\)"')
#: Of a block, in several events.
PLACE = re.compile(r'R"\(("channel":.*?)\)"')


def fields_written(source: str) -> dict[str, set[str]]:
    """The fields of each event that the source of the log prints."""
    found: dict[str, set[str]] = {}
    places = set(re.findall(r'"(\w+)":', PLACE.search(source)[1]))  # type: ignore[index]
    for event in EVENT.finditer(source):
        kind, rest = re.fullmatch(r'"ev":"([{}\w]+)",(.*)', event[1]).groups()  # type: ignore[union-attr]
        fields = set(re.findall(r'"(\w+)"(?=[:,]|$)', rest)) - set(re.findall(r':"(\w+)"', rest))
        if re.search(r"(?:^|,){}(?:,|$)", rest):
            fields |= places
        kinds = [kind]
        if kind == "{}":  # one line serves all that call its function
            function = re.findall(r"DecisionJsonl::(\w+)\(", source[: event.start()])[-1]
            kinds = re.findall(rf'{function}\("(\w+)"', source)
        for each in kinds:
            found.setdefault(each, set()).update(fields)
    return found


def fields_documented(page: str) -> dict[str, set[str]]:
    found = {}
    for row in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]*`[^|]*) \|", page, re.MULTILINE):
        fields = set(re.findall(r"`(\w+)`", row[1]))
        for kind in re.findall(r"`(\w+)`", row[0]):
            found[kind] = fields
    # "as `gc`"
    return {kind: found[next(iter(f))] if f <= set(found) else f for kind, f in found.items()}


def test_every_event_of_the_decision_log_is_documented() -> None:
    source = (ROOT / "model" / "results" / "result_logs.cpp").read_text()
    page = (ROOT / "docs" / "read-a-report.md").read_text()
    page = page.split("\n## decisions.jsonl\n")[1].split("\n## ")[0]
    written = fields_written(source)
    assert len(written) >= 13
    assert fields_documented(page) == written
    # A field dropped from the page is missed.
    assert fields_documented(page.replace("`vtpn`, ", "")) != written


# ---- the index ----------------------------------------------------------------------------------

#: A row of docs/README.md: a task, the pages to read, a command to begin with.
TASK = re.compile(r"^\| [^|]+ \| (?P<pages>[^|]*\]\([^|]*) \| `(?P<command>[^`|]+)` \|$", re.M)


def strange_commands(index: str, pages: dict[str, list[str]]) -> list[str]:
    """The commands of the index that stand in none of the pages beside them. "…" stands for what is
    left out."""
    found = []
    for row in TASK.finditer(index):
        told = re.compile(re.escape(row["command"]).replace("…", ".+") + r"(?!\S)")
        linked = re.findall(r"\]\(([^)#]+)", row["pages"])
        commands = [command for page in linked for command in pages[page]]
        if not any(map(told.search, commands)):
            found.append(row["command"])
    return found


def shown_in(page: str) -> list[str]:
    """All commands of a page, those that the tests do not run too."""
    found = re.findall(r"^(?: *\$ |(?=\./cavern ))((?:.*\\\n)*.*)$", page, re.MULTILINE)
    return [re.sub(r" *\\\n *>? *", " ", command) for command in found]


def test_commands_of_the_index_stand_in_the_pages_beside_them() -> None:
    index = ROOT / "docs" / "README.md"
    text = index.read_text(encoding="utf-8")
    rows = [row["pages"] for row in TASK.finditer(text)]
    assert len(rows) >= 25
    linked = {link for pages in rows for link in re.findall(r"\]\(([^)#]+)", pages)}
    pages = {link: shown_in((index.parent / link).read_text(encoding="utf-8")) for link in linked}
    assert strange_commands(text, pages) == []
    row = "| to | [a](a.md), [b](b.md#c) | `./cavern run … --set a=1 …` |\n"
    for command, strange in (
        ("for x in 1 2; do ./cavern run x.toml --set a=1 --out y; done", 0),
        ("./cavern run x.toml --set a=1", 1),
        ("./cavern run x.toml --set a=12 --out y", 1),
    ):
        assert len(strange_commands(row, {"a.md": [], "b.md": [command]})) == strange, command
    short = "| to | [a](a.md) | `./cavern validate` |\n"
    assert strange_commands(short, {"a.md": ["./cavern validate"]}) == []
    assert strange_commands(short, {"a.md": ["./cavern wheel"]}) == ["./cavern validate"]


# ---- releases -----------------------------------------------------------------------------------

#: A default that changed: key, what it was, what it is, how to have the old one.
CHANGED = re.compile(
    r"^\| `(?P<key>\S+)` \| .* \| `?(?P<now>[^`|]+)`?[^|]* \| (?P<as_before>[^|]*) \|$", re.M
)


def test_defaults_that_changed_are_those_of_the_program() -> None:
    page = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    rows = list(
        CHANGED.finditer(page.partition("has another default now:")[2].partition("\n- ")[0])
    )
    assert len(rows) == 5
    simulator = Program(BIN / "cavern-sim", ROOT)
    listed = json.loads(simulator("config", "list", "--json").stdout)["keys"]
    defaults = {key["name"]: str(key["default"]) for key in listed}
    assert {row["key"]: row["now"] for row in rows} == {
        row["key"]: defaults[row["key"]] for row in rows
    }
    # A drive takes the old ones; N dies of it are 16.
    given = " ".join(re.findall(r"`(--set [^`]+)`", "".join(row["as_before"] for row in rows)))
    assert given.count("--set") == 4
    told = ["config", "show", CONFIGS / "tlc-modern.toml", *given.replace("=N", "=16").split()]
    assert simulator(*told).returncode == 0
    assert simulator(*(str(word).replace("=0s", "=-1s") for word in told)).returncode == 2


# ---- version ------------------------------------------------------------------------------------


def test_the_version_is_the_same_everywhere() -> None:
    version = (ROOT / "VERSION").read_text().strip()
    told = citation((ROOT / "CITATION.cff").read_text())
    changes = re.findall(
        r"^## (\S+)(?: - (\S+))?", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    released = changes[1] if changes[0][0] == "Unreleased" else changes[0]
    # A release has the date of its heading.
    assert (told["version"], told.get("date-released", "")) == released
    assert version == told["version"] == cavern.__version__
    said = subprocess.run([SIMULATOR, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"cavern {version}\n"


def citation(text: str) -> dict[str, str]:
    """The fields of one line each."""
    return dict(re.findall(r"^([a-z-]+): (.+)$", text, re.MULTILINE))


def test_the_citation_has_what_the_format_asks_for() -> None:
    text = (ROOT / "CITATION.cff").read_text()
    told = citation(text)
    # CFF 1.2.0, "Schema guide": these four are required.
    assert {"cff-version", "message", "title"} < set(told) and "\nauthors:\n  - name: " in text
    assert told["license"] == PROJECT["license"] and told["type"] == "software"
    assert "doi" not in told  # nobody has given it one


# ---- the package --------------------------------------------------------------------------------

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_name_of_the_package_is_the_same_everywhere() -> None:
    name, short = PROJECT["name"], PROJECT["name"].replace("-", "_")
    assert name == DISTRIBUTION
    texts = [path.read_text(encoding="utf-8") for path in documents()]
    named = [one for text in texts for one in re.findall(r"(\w+)-[\d.…]+\w*-?\S*\.whl", text)]
    assert named and set(named) == {short}
    # "cavern" on PyPI is another project.
    assert not any(re.search(r"pip install '?cavern\b(?!-ssd)", text) for text in texts)
