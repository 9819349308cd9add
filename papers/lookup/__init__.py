"""H.-B. Lee, T.-Y. Chung, "An In-Depth Analysis and Improvement on Cache Mechanisms of SSD FTL",
2020: Tables 2 to 6, Figures 4, 6, 8 and 10, every claim that runs can judge, and a look-up of ours.

Comparisons are counted by the firmware built for the host; cycles by the same firmware on the
interpreter of the controller's processor; the paper's seconds are fitted to both.
"""

from __future__ import annotations

from papers.lookup.figure_data import figures
from papers.lookup.judged import claims, fitted
from papers.lookup.runs import NAME, PAPER, PROGRAM, plan

__all__ = ["NAME", "PAPER", "PROGRAM", "claims", "figures", "fitted", "plan"]
