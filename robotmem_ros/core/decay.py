"""Forgetting (contract 6; Ebbinghaus' curve as in seeds 000 and 004), as functions of an age.

Nothing here writes a value back: each is computed from what was learned and from the time that has
passed since the anchor, so that no result depends on how often it was asked for.
"""

from __future__ import annotations

import math

NS_PER_DAY = 86_400 * 10**9

_MAX_AGE_NS = 2**63 - 1  # the greatest integer of the file, 292 years


def age_ns(now_ns: int, anchor_ns: int) -> int:
    """Give the time since ``anchor_ns``; 0 where it lies ahead or where one of the two is unknown (0 or less)."""
    if now_ns <= 0 or anchor_ns <= 0:
        return 0
    return min(max(0, now_ns - anchor_ns), _MAX_AGE_NS)


def days(age_ns: int) -> float:
    """Give an age in days; never negative."""
    return min(max(0, age_ns), _MAX_AGE_NS) / NS_PER_DAY


def effective_confidence(confidence: float, rate_per_day: float, age_ns: int, floor: float = 0.0) -> float:
    """Give confidence × (1 − rate)^days, in [0, 1] (seed 000).

    :param rate_per_day: share lost each day, 0 to 1.
    :param floor: where decay stops (protected categories); a confidence learned below it stays as learned.

    The value composes: decaying over two spans one after the other is decaying over their sum.
    """
    learned = _unit(confidence)
    faded = learned * math.pow(1.0 - _unit(rate_per_day), days(age_ns))
    return max(faded, min(_unit(floor), learned))


def retention(
    use_count: int, age_ns: int, half_life_days: float, strength: float = 1.0, exponent: float = 0.6
) -> float:
    """Give (use_count + 1)^exponent × 2^(−days / half-life) × strength, 0 or more, unbounded above.

    Seed 004's score with λ = ln 2 / half-life. The ``+ 1`` is ours: without it what was never recalled
    scores zero and could never be found (DEC-02).
    """
    use = math.pow(max(0, use_count) + 1.0, exponent)
    return use * math.pow(2.0, -days(age_ns) / half_life_days) * strength


def bounded_factor(retention: float, bound: float) -> float:
    """Give a factor in [1 − bound, 1 + bound] that grows with ``retention`` and is 1 at 1 (new and unused).

    Bounded, so that the popular cannot bury the relevant (DEC-04): 1 + bound × (r − 1) / (r + 1).
    """
    return 1.0 + bound * (1.0 - 2.0 / (1.0 + max(0.0, retention)))


def _unit(value: float) -> float:
    """Bring a value into [0, 1]; NaN becomes 0."""
    return min(1.0, max(0.0, value))
