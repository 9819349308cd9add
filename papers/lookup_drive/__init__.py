"""H.-B. Lee, T.-Y. Chung, "An In-Depth Analysis and Improvement on Cache Mechanisms of SSD FTL",
2020, on a whole drive: what its look-ups, and ours, make of request latency and IOPS with one and
with more processors, at several clocks. The paper timed the search alone.

The drive's processors look each page up in the firmware's data cache and take the cycles that were
measured on the interpreter (`cpu.look_up`); everything else is the drive as it is.
"""

from __future__ import annotations

from papers.lookup_drive.outcome import claims, figures
from papers.lookup_drive.runs import NAME, PAPER, plan

__all__ = ["NAME", "PAPER", "claims", "figures", "plan"]
