"""Means with intervals: the tables of statistics, and how often a word is one too many."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cavern.verdicts.intervals import different, holm, incomplete_beta, mean_of, quantile, welch

#: Two-sided, from the NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
PUBLISHED = {
    (0.95, 1): 12.706,
    (0.95, 2): 4.303,
    (0.95, 4): 2.776,
    (0.95, 9): 2.262,
    (0.95, 19): 2.093,
    (0.95, 30): 2.042,
    (0.95, 100): 1.984,
    (0.90, 5): 2.015,
    (0.99, 9): 3.250,
    (0.998, 10): 4.144,
}
MEASURES = 20


@pytest.mark.parametrize(("level", "freedom"), PUBLISHED)
def test_quantiles_are_the_published_ones(level: float, freedom: int) -> None:
    assert quantile(level, freedom) == pytest.approx(PUBLISHED[level, freedom], abs=0.0006)


def test_quantiles_are_those_of_closed_forms() -> None:
    # One degree of freedom is Cauchy's distribution; two have a root (A&S 26.7.2).
    for level in (0.5, 0.9, 0.9999):
        assert quantile(level, 1) == pytest.approx(math.tan(math.pi * level / 2), rel=1e-9)
        root = math.sqrt(2 * level**2 / (1 - level**2))
        assert quantile(level, 2) == pytest.approx(root, rel=1e-9)
    assert quantile(0.95, 1e6) == pytest.approx(1.959966, abs=1e-5)
    # I_x(a, 1) is x^a, and I_x(a, b) is 1 - I_(1-x)(b, a).
    assert incomplete_beta(0.3, 2.5, 1) == pytest.approx(0.3**2.5, rel=1e-12)
    assert incomplete_beta(0.7, 4, 0.5) == pytest.approx(1 - incomplete_beta(0.3, 0.5, 4))


def test_a_mean_has_the_half_width_of_the_formula() -> None:
    found = mean_of([9.0, 10.0, 11.0, math.nan])
    assert (found.mean, found.n) == (10.0, 3)
    assert found.half_width == pytest.approx(4.30265 / math.sqrt(3), rel=1e-5)
    assert math.isnan(mean_of([9.0]).half_width) and math.isnan(mean_of([]).mean)
    assert mean_of([0.1] * 10).half_width == 0 and mean_of([0.1] * 10).mean == 0.1


def test_welch_is_the_worked_example() -> None:
    # Variances 1 and 4 of 4 and 4 values: t = -3 / sqrt(1.25), and freedom = 1.25^2 / (17 / 48).
    first = [value * math.sqrt(3 / 2) / 1 for value in (-1.0, 1.0, 0.0, 0.0)]
    second = [2 * value + 3 for value in first]
    found = welch(first, second)
    freedom = 1.25**2 / (17 / 48)
    assert found.difference == pytest.approx(3)
    assert found.half_width() == pytest.approx(quantile(0.95, freedom) * math.sqrt(1.25))
    # The interval has 0 on its border at the level that p says.
    assert found.half_width(1 - found.p) == pytest.approx(found.difference)
    assert welch([1, 1], [1, 1]).p == 1 and welch([1, 1], [2, 2]).p == 0
    assert math.isnan(welch([1], [2, 3]).p)


def test_holm_is_the_worked_example() -> None:
    # 0.01 <= 0.05 / 4, 0.013 <= 0.05 / 3, 0.04 > 0.05 / 2: the last two stay.
    assert holm([0.008]) == [True] and holm([0.012]) == [False]  # the level of a table
    assert holm([0.04, 0.01, math.nan, 0.045, 0.013], 0.95) == [False, True, False, False, True]


def _designs(rng: np.random.Generator, change: float = 0.0, noise: float = 0.01) -> list[bool]:
    """Two designs of 10 seeds each; the second is larger by `change` in the first measure alone."""
    changes = [change] + [0.0] * (MEASURES - 1)
    draw = lambda mean: rng.normal(mean, noise, 10).tolist()  # noqa: E731
    return different([(draw(1.0), draw(1.0 + one)) for one in changes])


def test_equal_designs_differ_in_none_of_the_measures_and_a_small_change_is_found() -> None:
    rng = np.random.default_rng(7)
    wrong = sum(any(_designs(rng)) for _ in range(400))
    # 1 % at most in truth: of 100 pairs more than 5 in one of 2,000 cases.
    assert wrong <= 10
    # Without the family's level: 1 - 0.95^20 of the pairs have a word too many.
    rng = np.random.default_rng(7)
    alone = 0
    for _ in range(100):
        pairs = [(rng.normal(1, 0.1, 10), rng.normal(1, 0.1, 10)) for _ in range(MEASURES)]
        alone += any(welch(list(a), list(b)).p <= 0.05 for a, b in pairs)
    assert alone > 40
    assert sum(_designs(rng, 0.03)[0] for _ in range(100)) >= 95


def test_a_difference_that_nobody_doubts_still_has_to_be_one_that_matters() -> None:
    first, second = [1.0, 1.0001, 0.9999], [1.004, 1.0041, 1.0039]
    assert welch(first, second).p < 1e-5
    assert different([(first, second)]) == [False]
    # What cannot differ makes no test of the others stricter.
    noisy = ([1.0, 1.01, 0.99, 1.0], [1.1, 1.13, 1.08, 1.1])
    assert different([noisy]) == different([noisy, *[([2.0] * 4, [2.0] * 4)] * 500])[:1] == [True]
    assert different([noisy, *[([2.0, 2.1], [2.0, 2.1])] * 500])[:1] == [False]
    assert different([(first, [value * 1.002 for value in second])]) == [True]
