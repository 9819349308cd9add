"""Where CAVE stops paying, which its paper never looked at: latencies in simulated time beside
execution time, over shapes of the drive, buffer sizes and orders of eviction.

Both drives are those of `reproduce cave`. The paper's section 4.2 names two drawbacks without a
figure: a new request waits until all victims are written, and sequential reads lose striping.
"""

from __future__ import annotations

from papers.cave_limits.outcome import claims, figures
from papers.cave_limits.runs import NAME, PAPER, plan

__all__ = ["NAME", "PAPER", "claims", "figures", "plan"]
