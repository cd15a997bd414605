"""Edges: what is recalled together, how firmly, and what that says of a context."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core import hebbian
from robotmem_ros.core.decay import NS_PER_DAY as DAY

AGES = st.integers(0, 3000 * DAY)
WEIGHTS = st.floats(0.0, 1e6)


@given(st.lists(st.integers(1, 30)), st.integers(-1, 10))
def test_pairs_are_canonical(ids: list[int], limit: int) -> None:
    """HEB-02: one pair for A-B and B-A, none for A-A, at most the best ``limit`` linked."""
    found = hebbian.pairs(ids, limit)
    assert all(a < b for a, b in found)
    assert len(found) == len(set(found))
    top = list(dict.fromkeys(ids))[: max(0, limit)]
    assert {member for pair in found for member in pair} == (set(top) if len(top) > 1 else set())
    assert set(hebbian.pairs(reversed(top), limit)) == set(found)


def test_pairs_of_one_recall() -> None:
    """HEB-02: the same memory may come through both arms."""
    assert hebbian.pairs([7, 3], 5) == hebbian.pairs([3, 7, 3], 5) == ((3, 7),)
    assert hebbian.pairs([7, 7], 5) == ()
    assert hebbian.pairs([9, 1, 5, 2], 3) == ((1, 9), (5, 9), (1, 5))


@given(WEIGHTS, AGES, AGES, st.floats(0.1, 1000.0))
def test_weight_composes_over_any_split_of_time(weight: float, first: int, second: int, half_life: float) -> None:
    """HEB-04: reading or ticking in between changes nothing."""
    midway = hebbian.effective_weight(weight, first, half_life)
    at_once = hebbian.effective_weight(weight, first + second, half_life)
    assert hebbian.effective_weight(midway, second, half_life) == pytest.approx(at_once, rel=1e-9, abs=1e-300)
    assert 0.0 <= at_once <= midway <= weight


@given(st.dictionaries(st.integers(1, 99), WEIGHTS), WEIGHTS)
def test_association_is_bounded_and_a_busier_memory_belongs_less(weights: dict[int, float], others: float) -> None:
    """HEB-05: normalised by degree, in [0, 1], nothing without an edge."""
    shared = sum(weights.values())
    score = hebbian.association(weights, shared + others)
    assert 0.0 <= score <= 1.0
    assert (score > 0.0) == (shared > 0.0)
    assert hebbian.association(weights, shared + others + 1.0) <= score


def test_a_hub_belongs_nowhere_in_particular() -> None:
    """HEB-05: of 200 edges of weight 10, two lead into the context; one edge of weight 1 says more."""
    hub = hebbian.association({1: 10.0, 2: 10.0}, 2000.0)
    assert hub < 0.02
    assert hebbian.association({1: 1.0}, 1.0) == 0.5
    assert 0.20 + 0.3 * hub < 0.65
