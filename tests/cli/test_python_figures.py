"""import cavern.figures: figures of one's own look like those of Cavern."""

from __future__ import annotations

from pathlib import Path

import cavern
import pytest
from cavern import figures


def test_figures_of_ones_own_are_saved_as_their_names_say(tmp_path: Path) -> None:
    def saved(title: str, *names: str) -> list[bytes]:
        with figures.style():
            drawn = figures.titled(2, title, "two bars")
            drawn.subplots().bar([0, 1], [1, 2], color=[figures.BLUE, figures.ORANGE])
            figures.save(drawn, *(tmp_path / name for name in names))
        return [(tmp_path / name).read_bytes() for name in names]

    png, svg, pdf = saved("One", "f.png", "f.svg", "f.pdf")
    assert png.startswith(b"\x89PNG") and pdf.startswith(b"%PDF") and b"</svg>" in svg
    assert figures.BLUE.lower().encode() in svg.lower()
    assert saved("One", "g.svg") == [svg] != saved("Other", "g.svg")
    inside = figures.inline_svg(svg.decode(), "f", "Two bars")
    assert inside.startswith("<svg") and 'aria-label="Two bars"' in inside
    assert "currentColor" in inside and "--muted" in figures.style_sheet()
    with pytest.raises(cavern.InputError, match="f.jpg:1: is no name of a picture; expected a"):
        saved("One", "f.jpg")
    assert {path.name for path in tmp_path.iterdir()} == {"f.png", "f.svg", "f.pdf", "g.svg"}
