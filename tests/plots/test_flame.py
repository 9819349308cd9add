"""Flame graphs of folded stacks: what is as wide as its cycles, and upon whom it stands."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from cavern.__main__ import main
from cavern.plots.flame import HEAD, LEAST, WIDTH, flame_svg
from cavern.plots.stacks import DEEPEST, read_stacks

SVG = "{http://www.w3.org/2000/svg}"
STACKS = """start 10
start;main 40
start;main;find 100
start;main;find;compare 150
start;main;touch 50
start;main;find;compare 50
"""


def drawn(folder: Path, stacks: str, title: str = "a title") -> ElementTree.Element:
    path = folder / "stacks.folded"
    path.write_text(stacks)
    return ElementTree.fromstring(flame_svg(read_stacks(path), title))


def boxes(picture: ElementTree.Element) -> dict[str, tuple[float, float, float, str]]:
    """x, y, width and what is told, by name; each name once."""
    found = {}
    for group in picture.iter(f"{SVG}g"):
        rect, told = group.find(f"{SVG}rect"), group.findtext(f"{SVG}title")
        assert rect is not None and told is not None and group.get("data-name") not in found
        x, y, width = (float(rect.get(name, "")) for name in ("x", "y", "width"))
        found[str(group.get("data-name"))] = (x, y, width, told)
    return found


def misplaced(stacks: str, shown: dict[str, tuple[float, float, float, str]]) -> list[str]:
    """The functions that do not stand upon their caller, or are not as wide as their cycles. Each
    name must be called from one place."""
    cycles: dict[str, int] = {}
    callers: dict[str, str] = {}
    for line in stacks.splitlines():
        names = ["all", *line.rsplit(" ", 1)[0].split(";")]
        for caller, name in zip([""] + names, names, strict=False):
            cycles[name] = cycles.get(name, 0) + int(line.rsplit(" ", 1)[1])
            callers[name] = caller
    wrong = []
    for name, caller in callers.items():
        x, y, width, _ = shown[name]
        right = abs(width - cycles[name] / cycles["all"] * WIDTH) < 0.01
        if caller:
            base_x, base_y, base_width, _ = shown[caller]
            right &= y < base_y and base_x - 0.01 <= x and x + width <= base_x + base_width + 0.01
        if not right:
            wrong.append(name)
    return wrong


def test_a_function_stands_upon_its_caller_as_wide_as_its_cycles(tmp_path: Path) -> None:
    shown = boxes(drawn(tmp_path, STACKS))
    assert set(shown) == {"all", "start", "main", "find", "compare", "touch"}
    assert misplaced(STACKS, shown) == []
    assert shown["find"][2] == pytest.approx(300 / 400 * WIDTH)
    # Side by side, not one over the other.
    assert shown["find"][0] + shown["find"][2] == pytest.approx(shown["touch"][0])
    # The control: other cycles, and another caller.
    assert misplaced(STACKS.replace("touch 50", "touch 51"), shown)
    assert misplaced(STACKS.replace("main;touch", "main;find;compare;touch"), shown)


def test_the_pointer_tells_function_and_cycles(tmp_path: Path) -> None:
    shown = boxes(drawn(tmp_path, STACKS))
    assert shown["compare"][3] == "compare: 200 cycles, 50.0 %"
    assert shown["find"][3] == "find: 300 cycles, 75.0 %; 100 in itself"


def test_names_are_data_and_never_markup(tmp_path: Path) -> None:
    name = 'a<b>&"c"'
    picture = drawn(tmp_path, f"start;{name} 5\n", "<script>&")
    assert set(boxes(picture)) == {"all", "start", name}
    assert picture.findtext(f"{SVG}text") == "<script>&"
    assert len(list(picture.iter(f"{SVG}script"))) == 1


def test_characters_that_no_picture_can_hold_are_shown_as_such(tmp_path: Path) -> None:
    shown = boxes(drawn(tmp_path, "start\x01;ma\x1bin 10\n", "a\x02title"))
    assert "start\ufffd" in shown and "ma\ufffdin" in shown


def test_the_file_needs_nothing_else(tmp_path: Path) -> None:
    picture = drawn(tmp_path, STACKS)
    script = next(picture.iter(f"{SVG}script")).text or ""
    assert "<" not in script and "&" not in script
    for word in ("WIDTH", "MARGIN", "LEAST", "LETTER"):
        assert word not in script
    for element in picture.iter():
        assert "href" not in " ".join(element.attrib)
    text = ElementTree.tostring(picture, encoding="unicode")
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "") and "@import" not in text


def test_what_is_too_thin_is_left_out_and_a_label_fits_its_box(tmp_path: Path) -> None:
    thin = round(WIDTH / LEAST) * 2
    picture = drawn(tmp_path, f"start;a_rather_long_name 300\nstart;x {thin}\nstart;dust 1\n")
    assert "dust" not in boxes(picture)
    labels = {
        group.get("data-name"): group.findtext(f"{SVG}text") for group in picture.iter(f"{SVG}g")
    }
    assert labels["start"] == "start" and labels["a_rather_long_name"] == ""
    wide = drawn(tmp_path, "start;a_rather_long_name 10\nstart;x 100\n")
    label = next(
        group.findtext(f"{SVG}text")
        for group in wide.iter(f"{SVG}g")
        if group.get("data-name") == "a_rather_long_name"
    )
    assert label and label.endswith("…") and "a_rather_long_name".startswith(label[:-1])


def test_rows_are_as_many_as_the_deepest_stack(tmp_path: Path) -> None:
    picture = drawn(tmp_path, ";".join(f"f{i}" for i in range(40)) + " 7\n")
    height = float(picture.get("viewBox", "").split()[3])
    assert all(HEAD <= y < height for _, y, _, _ in boxes(picture).values())
    assert len({y for _, y, _, _ in boxes(picture).values()}) == 41


def test_command_writes_the_picture_beside_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stacks = tmp_path / "hello.folded"
    stacks.write_text(STACKS)
    assert main(["flame", str(stacks)]) == 0
    first = (tmp_path / "hello.svg").read_bytes()
    assert capsys.readouterr().out == f"{tmp_path / 'hello.svg'}\n"
    assert main(["flame", str(stacks), "--out", str(tmp_path / "to" / "it.svg")]) == 0
    assert (tmp_path / "to" / "it.svg").read_bytes() == first
    assert main(["flame", str(stacks), "--title", "mine"]) == 0
    assert b">mine<" in (tmp_path / "hello.svg").read_bytes()


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("start 5\nstart;main\n", 2, "is no folded stack; expected lines such as"),
        ("start;;main 5\n", 1, "is no folded stack"),
        ("start -5\n", 1, "is no folded stack"),
        ("start 0\n", 1, "has no cycles"),
        ("", 1, "has no cycles"),
        (";".join("f" * (DEEPEST + 1)) + " 5\n", 1, "functions deep; expected 500 at most"),
    ],
)
def test_what_is_no_profile_is_refused(
    text: str, line: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stacks = tmp_path / "bad.folded"
    stacks.write_text(text)
    assert main(["flame", str(stacks)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {stacks}:{line}: ") and told in said and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == [stacks]


def test_a_file_that_is_not_there_or_no_text_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["flame", str(tmp_path / "none")]) == 2
    (tmp_path / "binary").write_bytes(b"\x7fELF\xff\xfe")
    assert main(["flame", str(tmp_path / "binary")]) == 2
    said = capsys.readouterr().err.splitlines()
    assert ["no such file" in said[0], "is no text" in said[1], len(said)] == [True, True, 2]
