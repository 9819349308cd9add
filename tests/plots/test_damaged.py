"""Results that somebody damaged: whatever a file holds, a command ends well or in one line."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cavern.__main__ import main

from tests.cli.mistakes import is_message
from tests.plots.made_runs import RunMaker, make_events, make_summary

Damage = Callable[[Path], None]


def in_summary(old: str, new: str) -> Damage:
    def damage(directory: Path) -> None:
        file = directory / "summary.json"
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new, 1))

    return damage


def in_events(*events: Any) -> Damage:
    def damage(directory: Path) -> None:
        text = json.dumps({"traceEvents": [*make_events(), *events]}, indent=1)
        (directory / "timeline.json").write_text(text)

    return damage


def in_file(name: str, old: str, new: str) -> Damage:
    def damage(directory: Path) -> None:
        text = (directory / name).read_text()
        assert old in text
        (directory / name).write_text(text.replace(old, new, 1))

    return damage


SPAN: dict[str, Any] = {"ph": "X", "pid": 1, "tid": 0, "name": "command", "ts": 1, "dur": 1}
DAMAGED = {
    "400 digits": (
        in_summary('"iops": 2000.0', f'"iops": {"9" * 400}'),
        "summary.json:*64 bits; *",
    ),
    "5,000 digits": (
        in_summary('"iops": 2000.0', f'"iops": {"9" * 5000}'),
        "summary.json:*64 bits; *",
    ),
    "infinite": (in_summary('"iops": 2000.0', '"iops": 1e999'), "summary.json:*not finite; *"),
    "deep": (
        in_summary('"iops": 2000.0', f'"iops": {"[" * 500}{"]" * 500}'),
        "summary.json:*deeper*; *",
    ),
    "event that is a number": (in_events(5), "timeline.json:*: an event without ph; *"),
    "event without numbers": (
        in_events({**SPAN, "ts": "soon"}),
        'timeline.json:*"ts" is not a number; *',
    ),
    "event too late": (in_events({**SPAN, "ts": 1e300}), 'timeline.json:*"ts" is not a number; *'),
    "events that are none": (
        lambda directory: (directory / "timeline.json").write_text('{"traceEvents": 5}'),
        'timeline.json:1: "traceEvents" is missing; *',
    ),
    "field of many digits": (
        in_file("requests.csv", "0,W,0,8192", f"0,W,0,{'9' * 5000}"),
        "requests.csv:2: *; *",
    ),
    "field of many letters": (
        in_file("requests.csv", "0,W,0,8192", f"0,W,0,{'x' * 200_000}"),
        "requests.csv:2: *; *",
    ),
    "field with a zero byte": (
        in_file("requests.csv", "0,W,0,8192", "0,W,0,8\0192"),
        "requests.csv:2: *; *",
    ),
}
COMMANDS: dict[str, list[str]] = {
    "report": ["report", "bad"],
    "plot": ["plot", "bad"],
    "compare": ["compare", "good", "bad"],
    "explain": ["explain", "1", "bad"],
}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(words, id=name, marks=pytest.mark.slow if name == "plot" else ())
        for name, words in COMMANDS.items()
    ],
)
@pytest.mark.parametrize(("damage", "expected"), DAMAGED.values(), ids=DAMAGED)
def test_what_is_damaged_is_one_line(
    damage: Damage,
    expected: str,
    command: list[str],
    runs: RunMaker,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs.write("good", extras=False)
    damage(runs.write("bad"))
    monkeypatch.chdir(runs.base)
    if command == COMMANDS["compare"] and not expected.startswith("summary.json"):
        assert main(command) == 0  # it reads summaries alone
        return
    assert main(command) == 2
    said = capsys.readouterr()
    assert is_message(said.err, f"bad/{expected}"), said.err
    assert said.out == "" and len(said.err) < 1000


def test_numbers_of_a_profile_have_an_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.folded").write_text(f"main;f {'9' * 5000}\n")
    assert main(["flame", str(tmp_path / "a.folded")]) == 2
    assert "a.folded:1: is no folded stack; expected" in capsys.readouterr().err


def test_requests_that_were_not_written_are_one_line(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = runs.write(extras=False)
    assert main(["explain", "5", str(directory)]) == 2
    said = capsys.readouterr().err
    assert is_message(said, f"{directory}:1: no requests.csv (run with --requests); *")


# ---- by chance -----------------------------------------------------------------------------------

HOSTILE: list[Any] = [
    *(None, True, False, 0, -1, 1, 4095, 70_000, 10**18, 2**63 - 1, 2**63, -(2**63), 10**400),
    *(0.5, -1e300, 1e308, 1e-320, "", "host", "R", "$\\frac$", "<b>&", "--> <!--", "\ud800"),
    *("\x00\x1b[31m\n", "a\u2028b", "\ufffe", "x" * 5000, "9" * 300, [], {}, [[]], [{}], [5]),
    *([1, "a"], {"a": {}}, {"b": [1]}, "lockstep", "iss"),
]
BYTES = (b"9" * 400, b"9" * 5000, b"[" * 3000, b"\n", b'"', b",", b"\0", b"\xff", b"-", b"e9", b"")


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every table or list in it, with each of its keys."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    below = [value[key] for key in keys if isinstance(value[key], dict | list)]
    return [*((value, key) for key in keys), *(place for part in below for place in places(part))]


def changed(value: Any, chance: random.Random) -> Any:
    """A copy with some of its parts replaced, removed or renamed."""
    value = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 2, 5))):
        table, key = chance.choice(places(value) or [([0], 0)])
        what = chance.random()
        if what < 0.7:
            table[key] = copy.deepcopy(chance.choice(HOSTILE))
        elif what < 0.85 or isinstance(table, list):
            del table[key]
        else:
            table[chance.choice(("", "$a$", "\x01", "x" * 3000, "a.b"))] = table.pop(key)
    return value


def garbled(content: bytes, chance: random.Random) -> bytes:
    """Bytes changed, cut out, or put in."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(len(content) + 1)
        new = chance.choice((*BYTES, bytes([chance.randrange(256)])))
        content = content[:at] + new + content[at + chance.choice((0, 1, 1, 50)) :]
    return content


def damage_by_chance(directory: Path, chance: random.Random) -> None:
    name = chance.choice(("summary.json", "timeline.json", "requests.csv", "power.csv"))
    file = directory / name
    if name.endswith(".json") and chance.random() < 0.8:
        data = make_summary() if name == "summary.json" else {"traceEvents": make_events()}
        file.write_text(json.dumps(changed(data, chance), indent=1))
    else:
        file.write_bytes(garbled(file.read_bytes(), chance))


@pytest.mark.parametrize(
    ("seeds", "commands"),
    [
        pytest.param(range(40), ("compare", "explain"), id="read"),
        pytest.param(range(40, 42), ("report", "plot"), id="drawn", marks=pytest.mark.slow),
        pytest.param(
            range(1000, 1400), (*COMMANDS,), id="both at length", marks=pytest.mark.nightly
        ),
    ],
)
def test_what_is_damaged_by_chance_is_one_line_at_most(
    seeds: range,
    commands: tuple[str, ...],
    runs: RunMaker,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs.write("good", extras=False)
    whole = runs.write("whole")
    monkeypatch.chdir(runs.base)
    refused = 0
    for seed in seeds:
        shutil.rmtree("bad", ignore_errors=True)
        shutil.copytree(whole, "bad")
        damage_by_chance(Path("bad"), random.Random(seed))
        for command in commands:
            status = main(COMMANDS[command])
            said = capsys.readouterr().err
            if status == 0:
                assert said == "", (seed, said)
                continue
            assert status == 2 and said.startswith("error: bad/") and "; " in said, (seed, said)
            assert said.count("\n") == 1 and len(said) < 1000, (seed, said)
            refused += 1
    # Damage that nobody sees would prove nothing.
    assert refused > len(seeds) * len(commands) / 10
