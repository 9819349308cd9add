"""S. Kim, T. Kim, "Exploiting the Future Reference in Write Buffer Management Design for SSDs",
2013: Figures 3 to 5, every claim that runs can judge, and what comes of it with deeper queues.

NCQ-aware LRU against LRU, both over logical blocks, both taking up commands in turn. What the paper
leaves open (address range, speed of the flash, bound of what may be pinned) is in runs.py.
"""

from __future__ import annotations

from papers.ncq.figure_data import figures
from papers.ncq.others import claims, fitted
from papers.ncq.runs import NAME, PAPER, plan

__all__ = ["NAME", "PAPER", "claims", "figures", "fitted", "plan"]
