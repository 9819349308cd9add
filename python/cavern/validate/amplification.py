"""Write amplification of a full drive under uniform random writes, from published models.

All take `share`, the logical pages by the physical ones, and none counts the few blocks kept free.
A block holds `pages` pages. Victims' valid pages go to blocks of their own, which under uniform
writes are like any others, so every block starts full of valid pages.
"""

from __future__ import annotations

import math
from collections.abc import Callable


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function crosses zero."""
    for _ in range(80):
        middle = (low + high) / 2
        if function(middle) > 0:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def fifo(share: float) -> float:
    """Blocks are collected in the order they were written (Desnoyers, "Analytic models of SSD write
    performance", ACM TOS 10(2), 2014: LRW cleaning). While a block waits, all others are written
    once, 1 / A of that by the host: a page survives with probability x = exp(-1 / (share A)), and
    A = 1 / (1 - x)."""
    return _root(lambda a: a * (1 - math.exp(-1 / (share * a))) - 1, 1.0, 1e4)


def greedy(share: float, pages: int) -> float:
    """The block with the fewest valid pages is collected (Desnoyers, ACM TOS 10(2), 2014; Bux and
    Iliadis, Performance Evaluation 67, 2010, for many blocks). Blocks pass through the counts
    pages, pages - 1, ... at a rate in proportion to the count, so those with i valid pages are as
    many as c / i, down to the count j at which they are collected, the only one that holds fewer.
    """
    harmonic = [0.0]
    for i in range(1, pages + 1):
        harmonic.append(harmonic[-1] + 1 / i)
    for j in range(pages):
        above = harmonic[pages] - harmonic[j]
        c = (share * pages - j) / ((pages - j) - j * above)
        collected = 1 - c * above
        if c > 0 and -1e-12 <= collected and j * collected <= c + 1e-12:
            return c / share
    raise ValueError(f"no steady state for a share of {share}")


def d_choices(share: float, pages: int, d: int) -> float:
    """The best of d random blocks is collected (Van Houdt, SIGMETRICS 2013, mean field), drawn from
    those with an invalid page. With M(i) the share of blocks with i valid pages or more, g victims
    a host page and b pages a block, what enters the counts from i on equals what leaves:
    i (M(i) - M(i + 1)) = share b g (1 - P(i)), P(i) the probability that a victim has i or more.
    d = 1 is the random policy."""

    def valid_pages(g: float) -> float:
        """Mean number of valid pages of a block, which must be share * pages."""
        full = share * g
        scale = share * pages * g
        at_least = total = full
        for i in range(pages - 1, 0, -1):
            above = at_least

            def surplus(m: float, i: int = i, above: float = above) -> float:
                return i * (m - above) - scale * (1 - ((m - full) / (1 - full)) ** d)

            at_least = _root(surplus, above, 1.0)
            total += at_least
        return total

    g = _root(lambda g: valid_pages(g) - share * pages, 1 / pages, 0.999 / share)
    return pages * g
