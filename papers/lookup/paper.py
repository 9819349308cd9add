"""The paper's tables, as printed: seconds until all threads end, by number of groups."""

from __future__ import annotations

GROUPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
#: 7 bits name 127 search groups: the paper's last column is 128 (127).
SEARCH_GROUPS = (1, 2, 4, 8, 16, 32, 64, 127)

Seconds = dict[int, float]


def _row(groups: tuple[int, ...], *seconds: float) -> Seconds:
    return dict(zip(groups, seconds, strict=True))


#: Tables 2 and 3, with two digits; Table 4 prints SQ again, with one.
LM = _row(GROUPS, 638.43, 352.32, 206.71, 118.01, 65.71, 45.61, 34.51, 30.61, 30.01)
ML = _row(GROUPS, 313.31, 175.11, 108.41, 66.91, 42.81, 32.71, 28.31, 27.01, 27.01)
SQ = _row(GROUPS, 142.11, 83.21, 57.01, 40.41, 31.71, 28.91, 34.51, 27.11, 26.11)
#: Tables 4 and 5.
SG = _row(SEARCH_GROUPS, 59.2, 51.4, 32.7, 28.5, 27.2, 26.7, 26.0, 27.4)
BT = _row(SEARCH_GROUPS, 27.4, 27.44, 27.5, 27.7, 27.7, 27.4, 27.6, 27.5)
PRINTED = {"LM": LM, "ML": ML, "SQ": SQ, "SG": SG, "BT": BT}
#: Table 6: ratios by columns of Table 4, and their average.
ML_SG = _row(SEARCH_GROUPS, 5.3, 4.2, 3.3, 2.3, 1.6, 1.2, 1.1, 1.0)
SQ_SG = _row(SEARCH_GROUPS, 2.4, 2.0, 1.7, 1.4, 1.2, 1.1, 1.1, 1.0)
ML_SG_MEAN, SQ_SG_MEAN = 2.5, 1.5

#: Slips of the pen. SQ at 64 has the figure of LM at 64, and Table 6 says 1.1 times SG's, so 28.6.
#: SG at 2 must be 41.4 for both ratios of Table 6 (4.2 and 2.0); the tables print 51.4.
SLIPS = {("SQ", 64), ("SG", 2)}

#: Which look-ups a table compares.
TABLES = {
    "Table 2": ("LM", "ML"),
    "Table 3": ("ML", "SQ"),
    "Table 4": ("SQ", "SG"),
    "Table 5": ("SG", "BT"),
}


def list_groups(column: int) -> int:
    """The groups of LM, ML and SQ beside SG's in a column of Tables 4 to 6."""
    return 128 if column == 127 else column
