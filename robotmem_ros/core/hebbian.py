"""Association: memories recalled together are tied together (contract 7; Hebb, seed 004)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations, islice

from robotmem_ros.core.decay import days

_CHANCE = 1.0  # one meeting's weight: what a memory would have to show before its ties mean anything


def effective_weight(weight: float, age_ns: int, half_life_days: float) -> float:
    """Give weight × 2^(−days / half-life), 0 or more; composes over any split of the age."""
    return max(0.0, weight) * math.pow(2.0, -days(age_ns) / half_life_days)


def pairs(ids: Iterable[int], limit: int) -> tuple[tuple[int, int], ...]:
    """Give the pairs (a, b), a < b, among the first ``limit`` distinct ids, best result first.

    One order for each pair and none with itself, whatever arms of the search gave the ids (HEB-02).
    """
    top = islice(dict.fromkeys(ids), max(0, limit))
    return tuple((min(pair), max(pair)) for pair in combinations(top, 2))


def association(weights: Mapping[int, float], degree: float) -> float:
    """Give how much a memory belongs to a context, in [0, 1).

    :param weights: effective weight of its edge to each memory of the context that it is tied to.
    :param degree: sum of the effective weights of *all* its edges, those of ``weights`` included.

    It is the share of its ties that lead into the context, with one tie by chance added to the rest:
    s / (degree + 1). A hub that meets everything belongs nowhere in particular (HEB-05), and a single
    meeting counts a half, not as certainty.
    """
    shared = sum(max(0.0, weight) for weight in weights.values())
    return shared / (max(degree, shared) + _CHANCE)
