"""Figures of one's own that look like Cavern's, drawn with matplotlib (docs/python.md)."""

from __future__ import annotations

from cavern.plots.colours import BLUE, GREEN, INK, MUTED, ORANGE, PURPLE, SKY, VERMILLION, YELLOW
from cavern.plots.inline_svg import inline_svg
from cavern.plots.style import save, style, titled
from cavern.plots.templates_of import style_sheet

__all__ = [
    "BLUE",
    "GREEN",
    "INK",
    "MUTED",
    "ORANGE",
    "PURPLE",
    "SKY",
    "VERMILLION",
    "YELLOW",
    "inline_svg",
    "save",
    "style",
    "style_sheet",
    "titled",
]
