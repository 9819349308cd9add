"""The colours of all pictures."""

from __future__ import annotations

INK, MUTED, GRID = "#1b1f24", "#5b6470", "#d5d9de"
#: Between bars and cells; told from white text, so that the report can recolour it.
PAPER = "#fffffe"
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY = "#E69F00", "#56B4E9"
OP_COLORS = {"read": BLUE, "write": VERMILLION}
