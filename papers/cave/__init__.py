"""S. K. Park, Y. Park, G. Shim, K. H. Park, "CAVE: Channel-Aware Buffer Management Scheme for Solid
State Disk", SAC 2011: Figures 2 and 4 to 7, and every claim of the text that runs can judge.

The drive is that of Tables 1 and 2. Conventional: an order of eviction, one victim at a time,
MCSplit over the channels. Proposed: the same order, as many victims as dies, BAST. What the paper
leaves open (log blocks, preconditioning) is in runs.py, with the values that are tried.
"""

from __future__ import annotations

from papers.cave.figure_data import figures
from papers.cave.judged import claims, fitted
from papers.cave.runs import NAME, PAPER, plan

__all__ = ["NAME", "PAPER", "claims", "figures", "fitted", "plan"]
