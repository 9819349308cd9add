"""The files for containers agree with front door and README. No container is built here."""

from __future__ import annotations

import json
import re

from tests.cli.programs import ROOT

BASE = "debian:12"


def steps() -> list[tuple[str, str]]:
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    found = [re.fullmatch(r"([A-Z]+) (.+)", line) for line in lines if not line.startswith("#")]
    assert all(found), "one step a line"
    return [(each[1], each[2]) for each in found if each]


def test_the_container_is_that_of_the_readme() -> None:
    assert steps()[0] == ("FROM", BASE)
    assert "Debian 12" in (ROOT / "README.md").read_text(encoding="utf-8")
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    assert container["image"] == BASE


def test_the_front_door_sets_it_up_and_is_its_command() -> None:
    named = dict(steps())
    assert named["RUN"].startswith("./cavern config ")
    assert json.loads(named["ENTRYPOINT"]) == ["./cavern"]
    # Packages are named in one place.
    assert "apt" not in (ROOT / "Containerfile").read_text(encoding="utf-8")


def test_what_is_made_stays_outside() -> None:
    left_out = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").replace("/", "").split()
    assert {"build", ".venv", "out"} <= set(left_out) & set(ignored)
    assert all((ROOT / name).exists() for name in ("cavern", "Containerfile"))
