"""H. Shim, B.-K. Seo, J.-S. Kim, S. Maeng, "An Adaptive Partitioning Scheme for DRAM-based Cache in
Solid State Drives", MSST 2010: Figures 2 and 4 to 10, and every claim of the text that runs can
judge.

Memory is divided between write buffer and map in fixed shares from 0 % to 100 %, or by the paper's
Algorithm 1, over DFTL and FAST. What the paper leaves open (how full the drive is, how long its
traces are, how large a map entry is) is in runs.py, with what is run.
"""

from __future__ import annotations

from papers.partition.decided import claims, fitted
from papers.partition.figure_data import figures
from papers.partition.runs import NAME, PAPER, plan

__all__ = ["NAME", "PAPER", "claims", "figures", "fitted", "plan"]
