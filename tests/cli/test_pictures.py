"""The pictures of examples/README.md are those that its commands make."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from matplotlib.testing.compare import compare_images

from tests.cli.programs import BIN, ROOT, Program
from tests.cli.test_readme import commands_in, run

README = ROOT / "examples" / "README.md"
#: Where the commands leave a picture, and the one that is shown.
SHOWN = re.compile(r"^<!-- (?P<made>out/\S+) -->\n!\[.*?\]\((?P<shown>\S+)\)$", re.MULTILINE)
#: Of 255, root of the mean square: what another processor may do to the last bits.
TOLERANCE = 1.0
#: The id of a run is another one with each version of the program.
MARK = re.compile("cavern-run [0-9a-f]+")


@dataclass(frozen=True)
class Picture:
    made: Path
    shown: Path


def pictures() -> dict[tuple[str, ...], list[Picture]]:
    """By the commands before them."""
    text = README.read_text(encoding="utf-8")
    found: dict[tuple[str, ...], list[Picture]] = {}
    begin = 0
    commands: tuple[str, ...] = ()
    for one in SHOWN.finditer(text):
        before = commands_in(text[begin : one.start()], README.name)
        commands = tuple(command.text for command in before) or commands
        picture = Picture(ROOT / one["made"], README.parent / one["shown"])
        found.setdefault(commands, []).append(picture)
        begin = one.end()
    assert commands_in(text[begin:], README.name) == []
    return found


def all_shown() -> list[Path]:
    return [picture.shown for together in pictures().values() for picture in together]


def difference(shown: Path, made: Path, folder: Path) -> str | None:
    """How they differ; None if they do not. Leaves nothing beside the pictures themselves."""
    if shown.suffix == ".svg":
        same = len({MARK.sub("", one.read_text(encoding="utf-8")) for one in (shown, made)}) == 1
        return None if same else f"{shown.name} is not {made}"
    copies = [folder / f"{name}.png" for name in ("shown", "made")]
    for copy, picture in zip(copies, (shown, made), strict=True):
        copy.write_bytes(picture.read_bytes())
    found = compare_images(str(copies[0]), str(copies[1]), TOLERANCE)
    return str(found) if found else None


def test_every_picture_is_shown() -> None:
    shown = all_shown()
    assert len(shown) >= 5
    assert sorted(shown) == sorted((README.parent / "pictures").iterdir())
    links = re.findall(r"\]\(([^)#:\s]+)", README.read_text(encoding="utf-8"))
    assert [link for link in links if not (README.parent / link).exists()] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "commands", pictures(), ids=[together[0].shown.name for together in pictures().values()]
)
def test_pictures_are_made_by_their_commands(
    commands: tuple[str, ...], set_up: None, tmp_path: Path
) -> None:
    assert commands
    for command in commands:
        finished = run(command)
        assert finished.returncode == 0, f"$ {command}\n{finished.stdout}{finished.stderr}"
    made = pictures()[commands]
    assert [found for one in made if (found := difference(one.shown, one.made, tmp_path))] == []


def test_examples_draw_in_the_house_style() -> None:
    """Dark is low in every map of colours, as in the pages."""
    drawing = [path for path in ROOT.glob("examples/python/*.*") if "pyplot" in path.read_text()]
    assert len(drawing) == 3
    for path in drawing:
        text = path.read_text()
        assert "cavern.plots.cavern" in text and "viridis_r" not in text, path


def test_the_picture_of_the_modules_names_all_parts_and_links() -> None:
    picture = (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8")
    memories = {path.stem.partition("-")[0].upper() for path in ROOT.glob("configs/dram/*.toml")}
    assert {"DDR3", "DDR4"} <= memories
    links = Program(BIN / "cavern-sim", ROOT)("config", "explain", "host.interface").stdout
    (accepted,) = re.findall(r"^  accepts +available: (.*)$", links, re.MULTILINE)
    names = [*memories, *accepted.split(", ")]
    assert len(names) >= 6 and "nvme" in names
    words = set(re.findall(r"\w+", picture.lower()))
    assert [name for name in names if name.lower() not in words] == []


def test_a_number_that_changes_is_found(tmp_path: Path) -> None:
    (drawn,) = (shown for shown in all_shown() if shown.suffix == ".svg")
    changed = tmp_path / "one-number.svg"
    changed.write_text(drawn.read_text(encoding="utf-8").replace("692", "693"), encoding="utf-8")
    assert difference(drawn, changed, tmp_path)


@pytest.mark.slow
def test_a_line_that_moves_is_found(tmp_path: Path) -> None:
    import matplotlib.pyplot as plt

    for name, factor in (("one", 1.0), ("same", 1.0), ("other", 1.05)):
        figure, axes = plt.subplots(figsize=(7, 3.5), dpi=100)
        axes.plot([0, 1, 2], [30, 30 * factor, 7])
        figure.savefig(tmp_path / f"{name}.png")
        plt.close(figure)
    assert difference(tmp_path / "one.png", tmp_path / "same.png", tmp_path) is None
    assert difference(tmp_path / "one.png", tmp_path / "other.png", tmp_path)
