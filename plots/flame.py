"""A flame graph of folded stacks (`start;main;printf 62`): one SVG file that needs nothing else.

Each function stands upon its caller, as wide as the cycles that it took with all that it called
(B. Gregg, "The Flame Graph", CACM 59(6), 2016). The picture tells name and cycles under the
pointer; a click widens a function to the whole width, one on the base goes back.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

from cavern.plots.colours import INK, MUTED, PAPER
from cavern.plots.stacks import Frame
from cavern.plots.texts import digits, printable

WIDTH, ROW, HEAD, MARGIN = 1200.0, 18.0, 52.0, 10.0
LETTER = 6.7  #: width of a letter of the labels
LEAST = 0.1  #: what is narrower is not drawn

SCRIPT = """
const picture = document.documentElement;
const width = WIDTH, margin = MARGIN;
const frames = [...picture.querySelectorAll("g.frame")];
const number = (frame, name) => Number(frame.dataset[name]);
function show(chosen) {
  const from = number(chosen, "from"), cycles = number(chosen, "cycles");
  for (const frame of frames) {
    const low = Math.max(number(frame, "from"), from);
    const high = Math.min(number(frame, "from") + number(frame, "cycles"), from + cycles);
    const wide = Math.max(high - low, 0) / cycles * width;
    const x = margin + (low - from) / cycles * width, [rect] = frame.getElementsByTagName("rect");
    frame.style.display = wide > LEAST ? "" : "none";
    rect.setAttribute("x", x);
    rect.setAttribute("width", Math.max(wide, 0));
    const [text] = frame.getElementsByTagName("text"), room = Math.floor((wide - 6) / LETTER);
    const name = frame.dataset.name;
    text.setAttribute("x", x + 3);
    text.textContent = room >= name.length ? name : room > 2 ? name.slice(0, room - 1) + "…" : "";
  }
}
for (const frame of frames) frame.addEventListener("click", () => show(frame));
"""
# Upon the colours of the boxes, which are the same on every background.
LETTERS = "#1b1f20"
# It holds for nothing else of a page that the picture is a part of.
STYLE = f"""
svg.flame text {{ font: 11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }}
svg.flame text.title {{ font: bold 15px "DejaVu Sans", sans-serif; }}
svg.flame text.below {{ font: 12px "DejaVu Sans", sans-serif; }}
svg.flame g.frame text {{ fill: {LETTERS}; pointer-events: none; }}
svg.flame g.frame:hover rect {{ stroke: {LETTERS}; stroke-width: 1; }}
"""
CLICKED = "svg.flame g.frame { cursor: pointer; }\n"


@dataclass(frozen=True)
class Placed:
    frame: Frame
    depth: int
    start: int  #: cycles to its left
    cycles: int


def placed(frame: Frame, depth: int = 0, start: int = 0) -> Iterator[Placed]:
    """Callers first; what a function calls stands from its left edge on, by name."""
    cycles = {name: each.cycles for name, each in frame.called.items()}
    yield Placed(frame, depth, start, frame.own + sum(cycles.values()))
    for name in sorted(cycles):
        yield from placed(frame.called[name], depth + 1, start)
        start += cycles[name]


def _color(name: str) -> str:
    """A warm colour, the same for a function everywhere."""
    drawn = crc32(name.encode())
    return f"hsl({12 + drawn % 40}, {68 + drawn // 64 % 20}%, {68 + drawn // 4096 % 12}%)"


def _shortened(name: str, width: float) -> str:
    room = math.floor((width - 6) / LETTER)
    if room >= len(name):
        return name
    return name[: room - 1] + "…" if room > 2 else ""


def _text(parent: ElementTree.Element, text: str, x: float, y: float, **more: str) -> None:
    at = {"x": f"{x:.2f}", "y": f"{y:.2f}", **more}
    ElementTree.SubElement(parent, "text", at).text = text


def _script() -> str:
    text = SCRIPT
    for word, value in (("WIDTH", WIDTH), ("MARGIN", MARGIN), ("LEAST", LEAST), ("LETTER", LETTER)):
        text = text.replace(word, f"{value:g}")
    return text


def flame_svg(root: Frame, title: str, script: bool = True) -> str:
    """The same bytes for the same stacks. Without the script nothing happens on a click."""
    total = root.cycles
    shown = [each for each in placed(root) if each.cycles / total * WIDTH >= LEAST]
    rows = max(each.depth for each in shown) + 1
    height = HEAD + rows * ROW + MARGIN
    svg = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": "flame",
            "viewBox": f"0 0 {WIDTH + 2 * MARGIN:g} {height:g}",
            "role": "img",
            "aria-label": f"flame graph: {title}",
        },
    )
    ElementTree.SubElement(svg, "style").text = STYLE + (CLICKED if script else "")
    back = {"width": "100%", "height": "100%", "fill": PAPER}
    ElementTree.SubElement(svg, "rect", back)
    _text(svg, title, MARGIN, 22, **{"class": "title", "fill": INK})
    below = f"{total:,} cycles; a function stands upon its caller, as wide as its cycles"
    _text(svg, below, MARGIN, 40, **{"class": "below", "fill": MUTED})
    for each in shown:
        x, width = MARGIN + each.start / total * WIDTH, each.cycles / total * WIDTH
        y = height - MARGIN - (each.depth + 1) * ROW
        name = each.frame.name
        data = {"class": "frame", "data-name": name}
        data |= {"data-from": str(each.start), "data-cycles": str(each.cycles)}
        group = ElementTree.SubElement(svg, "g", data)
        told = f"{name}: {each.cycles:,} cycles, {digits(100 * each.cycles / total)} %"
        if each.frame.called:
            told += f"; {each.frame.own:,} in itself"
        ElementTree.SubElement(group, "title").text = told
        box = {"x": f"{x:.3f}", "y": f"{y:g}", "width": f"{width:.3f}", "height": f"{ROW - 1:g}"}
        ElementTree.SubElement(group, "rect", {**box, "rx": "1", "fill": _color(name)})
        _text(group, _shortened(name, width), x + 3, y + 12.5)
    if script:
        ElementTree.SubElement(svg, "script").text = _script()
    return printable(ElementTree.tostring(svg, encoding="unicode")) + "\n"
