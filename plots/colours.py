"""The colours of all pictures."""

from __future__ import annotations

INK, MUTED, GRID = "#1b1f24", "#5b6470", "#d5d9de"
#: Between bars and cells; told from white text, so that the report can recolour it.
PAPER = "#fffffe"
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW = "#E69F00", "#56B4E9", "#F0E442"

# One colour, one meaning, in all figures of a page that are about requests.
OP_COLORS = {"read": BLUE, "write": VERMILLION}
#: Reads and writes together.
ALL = INK
#: Where time and energy go: what a part of a latency and a part of the drive have in common is one.
QUEUE = "#9aa5b1"
CPU, FRAME, FLASH, LINK, BUS = PURPLE, GREEN, SKY, ORANGE, YELLOW
#: The drive's own work, which no request asked for.
COLLECTION = MUTED
#: Of runs side by side, besides their dashes. Not in the set above; told apart by lightness too.
RUN_COLORS = ("#AA4499", "#44AA99", "#A5673F", "#6699CC", "#999933", "#CC6677", "#8C6BB1")
