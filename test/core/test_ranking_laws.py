"""From scores to an order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core.ranking import final_score, fuse, place

ARMS = st.dictionaries(st.integers(1, 20), st.floats())
UNIT = st.floats(0.0, 1.0)
ITEMS = st.lists(
    st.tuples(st.sampled_from([0.1, 0.5, math.nan, -1.0]), st.integers(0, 3), st.integers(1, 50)),
    unique_by=lambda item: item[2],
)


@given(ARMS, ARMS, UNIT)
def test_fused_scores_are_shares(text: dict[int, float], vector: dict[int, float], weight: float) -> None:
    """Every candidate of either arm keeps a place, in [0, 1], whatever the arms gave."""
    fused = fuse(text, vector, weight)
    assert set(fused) == set(text) | set(vector)
    assert all(0.0 <= score <= 1.0 for score in fused.values())


@given(st.dictionaries(st.integers(1, 20), st.floats(0.01, 100.0), min_size=2), UNIT)
def test_an_arm_alone_keeps_its_order(scores: dict[int, float], weight: float) -> None:
    """FTS-08: larger is better, and an arm that found nothing takes nothing away."""
    for fused in (fuse(scores, {}, weight), fuse({}, scores, weight)):
        assert max(fused.values()) == 1.0
        by_score = sorted(fused, key=scores.__getitem__)
        assert [fused[key] for key in by_score] == sorted(fused.values())


def test_fusion_divides_each_arm_by_its_best() -> None:
    """Contract 8: BM25 has no scale of its own; a cosine below zero counts nothing."""
    assert fuse({1: 8.0, 2: 4.0}, {2: 0.6, 3: 0.3, 4: -0.2}, 0.5) == {1: 0.5, 2: 0.75, 3: 0.25, 4: 0.0}
    assert fuse({1: 8.0, 2: 4.0}, {2: 0.6}, 0.25) == {1: 0.25, 2: pytest.approx(0.875)}
    assert fuse({}, {}, 0.5) == {}


def test_equal_vectors_leave_the_order_of_the_words() -> None:
    """FTS-08: 1, 2, 3 by text only and with vectors that say nothing."""
    words = {1: 3.0, 2: 2.0, 3: 1.0}
    for vector in ({}, {1: 0.9, 2: 0.9, 3: 0.9}):
        fused = fuse(words, vector, 0.5)
        assert sorted(fused, key=fused.__getitem__, reverse=True) == [1, 2, 3]


def test_the_final_score_is_similarity_then_association_then_source_and_retention() -> None:
    """Seed 004: (similarity + 0.3 × association) × decay; × 1.5 for what the real robot learned."""
    assert final_score(0.5, 1.0, 0.3) == pytest.approx(0.8)
    assert final_score(0.5, 0.0, 0.3, 1.5, 0.9) == pytest.approx(0.675)


@given(ITEMS, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_how_candidates_were_found(items: list[tuple[float, int, int]], random) -> None:
    """Contract 8: equal scores have a stable order."""
    shuffled = items[:]
    random.shuffle(shuffled)
    by_place = [sorted(each, key=lambda item: place(*item)) for each in (items, shuffled)]
    assert [item[2] for item in by_place[0]] == [item[2] for item in by_place[1]]


def test_ties_go_to_the_newer_and_then_to_the_greater_id() -> None:
    """And a score that is no number comes last."""
    items = [(0.5, 10, 1), (0.5, 20, 2), (0.5, 20, 3), (math.nan, 99, 4), (0.9, 0, 5)]
    assert [item[2] for item in sorted(items, key=lambda item: place(*item))] == [5, 3, 2, 1, 4]
