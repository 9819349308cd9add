"""The palette: one meaning has one colour, and readers of any colour vision tell two apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from cavern.plots import colours
from cavern.plots.explain_svg import CAUSE_COLOURS, KIND_COLOURS, STAGE_COLOURS
from cavern.plots.figures import breakdown, gantt, power
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: What is seen of linear red, green and blue: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes,
#: IEEE Trans. Vis. Comput. Graph. 15(6), 2009, table 1, the last row of each.
VISION = {
    "normal": np.eye(3),
    "no red": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no blue": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
#: To CIE XYZ, and the white there (IEC 61966-2-1).
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
#: Of CIE 1976 L*a*b*: 2.3 is just seen where two colours touch, bars and lines lie apart.
LEAST = 15.0
MEANINGS = ("READ", "WRITE", "ERASE", "ALL", "QUEUE", "CPU", "FRAME", "FLASH", "LINK", "BUS")


def lab(colour: str, seen: FloatArray) -> FloatArray:
    parts = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    share = XYZ @ np.clip(seen @ linear, 0, 1) / WHITE
    x, y, z = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def nearest(palette: set[str], seen: FloatArray) -> float:
    pairs = itertools.combinations(sorted(palette), 2)
    return min(float(np.linalg.norm(lab(a, seen) - lab(b, seen))) for a, b in pairs)


@pytest.mark.parametrize("vision", VISION)
def test_any_two_meanings_are_told_apart(vision: str) -> None:
    palette = {getattr(colours, name) for name in (*MEANINGS, "COLLECTION")}
    assert len(palette) == len(MEANINGS) + 1  # no two meanings have one
    assert nearest({*palette, colours.PAPER}, VISION[vision]) > LEAST
    # The control: purple and a grey as light as it are one colour to who sees no green.
    spoilt = (palette - {colours.QUEUE}) | {"#9aa5b1"}
    assert (nearest(spoilt, VISION[vision]) > LEAST) == (vision in ("normal", "no blue"))


def test_pictures_take_their_colours_from_the_meanings() -> None:
    meant = {getattr(colours, name) for name in (*MEANINGS, "COLLECTION", "BACKGROUND")}
    tables = (CAUSE_COLOURS, KIND_COLOURS, STAGE_COLOURS)
    for table in (*tables, breakdown.COLORS, gantt.COLORS, power.COLORS):
        assert set(table.values()) <= meant
    assert list(STAGE_COLOURS.values()) == list(breakdown.COLORS.values())
    assert CAUSE_COLOURS["link"] == STAGE_COLOURS["transfer"] != CAUSE_COLOURS["gc"]


def test_letters_stand_out_from_every_colour() -> None:
    assert colours.ink_on(colours.BUS) == colours.INK
    assert colours.ink_on(colours.ERASE) == colours.PAPER
