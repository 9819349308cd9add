"""Texts that a browser shows at the marks of a figure: <title> elements, which need no script."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass, field

from cavern.plots.texts import printable
from matplotlib.artist import Artist

SVG = "{http://www.w3.org/2000/svg}"


@dataclass
class Tips:
    """Which texts belong to which artists of one figure."""

    texts: dict[str, list[str]] = field(default_factory=dict)

    def tell(self, artist: Artist, texts: Sequence[str]) -> None:
        """One text for the artist as a whole, or one for each mark of a collection of points."""
        name = f"tip{len(self.texts)}"
        artist.set_gid(name)
        self.texts[name] = list(texts)

    def into(self, svg: str) -> str:
        """The figure with its texts. Each mark of a collection must be there."""
        root = ElementTree.fromstring(svg)
        for element in root.iter():
            texts = self.texts.get(element.get("id", ""))
            if texts is None:
                continue
            marks = [element] if len(texts) == 1 else _marks(element)
            if len(marks) != len(texts):
                raise AssertionError(f"{len(texts)} texts for {len(marks)} marks")
            for mark, text in zip(marks, texts, strict=True):
                title = ElementTree.Element(f"{SVG}title")
                title.text = printable(text)
                mark.insert(0, title)
        return ElementTree.tostring(root, encoding="unicode")


def _marks(group: ElementTree.Element) -> list[ElementTree.Element]:
    """Matplotlib writes each point as a use of one path."""
    return list(group.iter(f"{SVG}use"))
