"""What runs with several seeds say: means with intervals, and which of them differ.

Student's t comes from the regularised incomplete beta function I_x(a, b): Abramowitz & Stegun,
Handbook of Mathematical Functions, 26.7.1 and 26.5.27. That is summed as the continued fraction
DLMF 8.17.22, by the method of Lentz as Thompson and Barnett changed it (J. Comput. Phys. 64, 490,
1986).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from cavern.verdicts.noise import differs

#: Probability of an interval.
LEVEL = 0.95
#: Probability that no word of a table is one too many. It is above LEVEL,
#: so that a table of equal designs with a word in it is rare: hardly 5 in any 100 of them.
FAMILY_LEVEL = 0.99
_TERMS, _ACCURACY, _TINY = 10_000, 1e-15, 1e-300


def _continued(x: float, a: float, b: float) -> float:
    """DLMF 8.17.22, which converges fast where x < (a + 1) / (a + b + 2)."""
    above, below = 1.0, 1.0 - (a + b) * x / (a + 1)
    below = 1 / (below if abs(below) > _TINY else _TINY)
    found = below
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            below = 1 + term * below
            below = 1 / (below if abs(below) > _TINY else _TINY)
            above = 1 + term / above
            above = above if abs(above) > _TINY else _TINY
            found *= above * below
        if abs(above * below - 1) < _ACCURACY:
            break
    return found


def incomplete_beta(x: float, a: float, b: float) -> float:
    """I_x(a, b), for x from 0 to 1 and positive a and b."""
    if x <= 0 or x >= 1:
        return min(max(x, 0.0), 1.0)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(log + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _continued(x, a, b) / a
    return 1 - front * _continued(1 - x, b, a) / b


def outside(t: float, freedom: float) -> float:
    """The share of Student's t with `freedom` degrees that is further from 0 than `t`."""
    return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)


@lru_cache(maxsize=256)
def quantile(level: float, freedom: float) -> float:
    """The t that has the share `level` between −t and t, for a level from 0 to below 1."""
    low, high = 0.0, 1.0
    while outside(high, freedom) > 1 - level:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if outside(middle, freedom) > 1 - level:
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True)
class Mean:
    """The mean of `n` values. It lies within `half_width` of the true one with the probability
    LEVEL, where values are independent and about normal. NaN below one value, and below two."""

    mean: float
    half_width: float
    n: int


def mean_of(values: Sequence[float], level: float = LEVEL) -> Mean:
    """Values that are not finite were not measured, and do not count."""
    known = [value for value in values if math.isfinite(value)]
    mean, variance = _moments(known)
    if len(known) < 2:
        return Mean(mean, math.nan, len(known))
    t = quantile(level, len(known) - 1)
    return Mean(mean, t * math.sqrt(variance / len(known)), len(known))


@dataclass(frozen=True)
class Difference:
    """The second mean less the first, by Welch's test (B. L. Welch, Biometrika 34, 28, 1947), with
    its standard error and degrees of freedom. NaN where one of the samples has fewer than two
    values that were measured."""

    difference: float
    error: float
    freedom: float

    @property
    def p(self) -> float:
        """The probability of one as large, on either side, where both are samples of one
        population."""
        if self.error == 0:  # both are the same for every seed
            return float(self.difference == 0)
        if math.isnan(self.error):
            return math.nan
        return outside(self.difference / self.error, self.freedom)

    def half_width(self, level: float = LEVEL) -> float:
        """Half of the interval of the difference."""
        if self.error == 0 or math.isnan(self.error):
            return self.error
        return quantile(level, self.freedom) * self.error


def welch(first: Sequence[float], second: Sequence[float]) -> Difference:
    samples = [[value for value in one if math.isfinite(value)] for one in (first, second)]
    (mean, variance), (other_mean, other_variance) = map(_moments, samples)
    difference = other_mean - mean
    if min(map(len, samples)) < 2:
        return Difference(difference, math.nan, math.nan)
    parts = [variance / len(samples[0]), other_variance / len(samples[1])]
    if not any(parts):
        return Difference(difference, 0.0, math.nan)
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(sample) - 1) for part, sample in zip(parts, samples, strict=True)
    )
    return Difference(difference, math.sqrt(sum(parts)), freedom)


def holm(ps: Sequence[float], level: float = FAMILY_LEVEL) -> list[bool]:
    """Which of several tests say that there is a difference, so that the probability of one such
    word too many, in all of them together, is at most 1 − `level` (S. Holm, Scand. J. Statist. 6,
    65, 1979). A NaN is no test."""
    order = sorted((p, place) for place, p in enumerate(ps) if not math.isnan(p))
    found = [False] * len(ps)
    for rank, (p, place) in enumerate(order):
        if p > (1 - level) / (len(order) - rank):
            break
        found[place] = True
    return found


def different(
    pairs: Sequence[tuple[Sequence[float], Sequence[float]]], level: float = FAMILY_LEVEL
) -> list[bool]:
    """Takes the values of each measure in two designs, and says of each whether the designs differ
    in it, by more than the least share. Where they are equal in truth, a word that they differ in
    any of the measures is said with the probability 1 − `level` at most. What is one and
    the same in every run of both cannot differ, and is no test."""
    tests = [welch(first, second) for first, second in pairs]
    ps = [math.nan if one.error == 0 == one.difference else one.p for one in tests]
    found = holm(ps, level)
    return [
        one and differs(mean_of(first).mean, mean_of(second).mean)
        for one, (first, second) in zip(found, pairs, strict=True)
    ]


def _moments(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and variance of the population that the values are a sample of."""
    if not values:
        return math.nan, math.nan
    if all(value == values[0] for value in values):
        return values[0], 0.0  # not what rounding makes of it
    mean = math.fsum(values) / len(values)
    return mean, math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
