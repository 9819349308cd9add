"""The colours of all pictures: those of Okabe and Ito, and a few that go with them. One has one
meaning in all figures about requests; tests/plots/test_colours.py says who tells them apart."""

from __future__ import annotations

INK, MUTED, GRID = "#1b1f24", "#5b6470", "#d5d9de"
#: Between bars and cells; told from white text, so that the report can recolour it.
PAPER = "#fffffe"
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW = "#E69F00", "#56B4E9", "#F0E442"

#: What is read and what is written: by the host, on a bus, and in a die.
READ, WRITE, ERASE = BLUE, VERMILLION, "#661100"
OP_COLORS = {"read": READ, "write": WRITE}
#: Of both kinds, and of neither.
ALL = INK
#: Where time and energy go: what a part of a latency and a part of the drive have in common is one.
QUEUE = "#c2c8cf"
CPU, FRAME, FLASH, LINK, BUS = PURPLE, GREEN, SKY, ORANGE, YELLOW
#: The drive's own work, which no request asked for: collection, and all other.
COLLECTION, BACKGROUND = MUTED, INK
#: Of runs side by side, besides their dashes. Not in the set above; told apart by lightness too.
RUN_COLORS = ("#AA4499", "#44AA99", "#A5673F", "#6699CC", "#999933", "#CC6677", "#8C6BB1")


def ink_on(colour: str) -> str:
    """INK or PAPER: in which of them letters stand out more (contrast by WCAG 2)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return INK if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else PAPER
