"""When two figures differ enough to be called better or worse."""

from __future__ import annotations

import math

#: A change of a smaller share of the first figure is no difference: it has no colour and no
#: verdict. A measure whose figures all lie within it is left out of pages about what moves it.
LEAST_SHARE = 0.005
#: Least change of a share of a whole, such as a hit ratio: a smaller one is none, however
#: small the first one is. 0.001 is a tenth of a percentage point.
LEAST_OF_WHOLE = 0.001


def differs(first: float, second: float, least: float = LEAST_SHARE) -> bool:
    """Whether the second is further from the first than that share of it. False where one of them
    is not finite."""
    if not (math.isfinite(first) and math.isfinite(second)):
        return False
    return abs(second - first) > least * abs(first)


def shares_differ(first: float, second: float) -> bool:
    """Whether shares of a whole, 0 to 1, differ."""
    return differs(first, second) and abs(second - first) > LEAST_OF_WHOLE
