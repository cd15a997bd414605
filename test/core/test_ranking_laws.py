"""From scores to an order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core.ranking import final_score, fuse, in_context, place

ARMS = st.dictionaries(st.integers(1, 20), st.floats())
UNIT = st.floats(0.0, 1.0)
SHARES = st.dictionaries(st.integers(1, 12), UNIT)
CHAIN = st.dictionaries(st.integers(1, 14), st.integers(1, 14))
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


@given(SHARES, CHAIN, UNIT)
def test_neighbours_only_add_and_stay_within_bounds(
    fused: dict[int, float], before: dict[int, int], weight: float
) -> None:
    """A score stays in [0, 1] and never falls; weight 0 changes nothing; nothing enters that was not found."""
    scores = in_context(fused, before, weight)
    assert set(scores) == set(fused)
    assert all(fused[key] <= score <= 1.0 for key, score in scores.items())
    assert in_context(fused, before, 0.0) == fused
    assert in_context(fused, {}, weight) == fused


@given(SHARES, CHAIN, UNIT, st.randoms(use_true_random=False))
def test_neighbours_add_the_same_in_whatever_order_they_come(
    fused: dict[int, float], before: dict[int, int], weight: float, random
) -> None:
    mixed, chain = list(fused.items()), list(before.items())
    random.shuffle(mixed)
    random.shuffle(chain)
    assert in_context(dict(mixed), dict(chain), weight) == in_context(fused, before, weight)


@given(UNIT, UNIT, UNIT, st.floats(0.0, 1.0))
def test_beside_equal_neighbours_the_better_stays_ahead(
    one: float, other: float, neighbour: float, weight: float
) -> None:
    """The gain is a share of what is missing to 1, so that context never turns two matches round by itself."""
    scores = in_context({1: one, 2: neighbour, 3: other, 4: neighbour}, {2: 1, 4: 3}, weight)
    assert one < other or scores[1] >= scores[3] - 1e-12


def test_both_neighbours_count_and_the_better_one_decides() -> None:
    """7, 8, 9 in one session: 8 stands between; 9 gains from 8, 8 from the better of 7 and 9."""
    scores = in_context({7: 0.5, 8: 0.2, 9: 0.1}, {8: 7, 9: 8, 10: 9}, 0.4)
    assert scores == {7: pytest.approx(0.54), 8: pytest.approx(0.36), 9: pytest.approx(0.172)}


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
