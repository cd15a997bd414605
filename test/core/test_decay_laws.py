"""Forgetting: laws that hold for any time, any value and any split."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core import decay

DAY = decay.NS_PER_DAY
AGES = st.integers(0, 400 * DAY)
ANY_INT = st.integers(-(2**70), 2**70)
UNIT = st.floats(0.0, 1.0)


@given(UNIT, UNIT, AGES, AGES, UNIT)
def test_confidence_composes_over_any_split_of_time(
    confidence: float, rate: float, first: int, second: int, floor: float
) -> None:
    """Contract 6: hence it cannot depend on how often it was computed."""
    at_once = decay.effective_confidence(confidence, rate, first + second, floor)
    midway = decay.effective_confidence(confidence, rate, first, floor)
    assert decay.effective_confidence(midway, rate, second, floor) == pytest.approx(at_once, rel=1e-9, abs=1e-12)


@given(st.floats(), st.floats(), ANY_INT, st.floats())
def test_confidence_is_a_share_whatever_comes(confidence: float, rate: float, age: int, floor: float) -> None:
    """DEC-05: extreme dates and broken numbers give neither NaN nor an exception."""
    assert 0.0 <= decay.effective_confidence(confidence, rate, age, floor) <= 1.0


@given(UNIT, UNIT, AGES, AGES, UNIT)
def test_confidence_never_grows_and_never_falls_below_its_floor(
    confidence: float, rate: float, age: int, more: int, floor: float
) -> None:
    """DEC-06: a floor stops decay but lifts nothing."""
    now = decay.effective_confidence(confidence, rate, age, floor)
    later = decay.effective_confidence(confidence, rate, age + more, floor)
    assert later <= now <= confidence
    assert later >= min(floor, confidence)


@pytest.mark.parametrize(
    ('confidence', 'days', 'expected'), [(0.90, 0, 0.90), (0.90, 109.3, 0.30), (0.95, 200, 0.1273), (0.35, 40, 0.2341)]
)
def test_known_confidences(confidence: float, days: float, expected: float) -> None:
    """Seed 000's formula at 0.01 a day; its '93 days' is wrong, 109.3 is right."""
    assert decay.effective_confidence(confidence, 0.01, int(days * DAY)) == pytest.approx(expected, abs=1e-4)


def test_a_protected_memory_stays_above_the_recall_threshold() -> None:
    """DEC-06: 'never lift above 5 kg' is still there after 200 days."""
    assert decay.effective_confidence(0.95, 0.01, 200 * DAY, floor=0.3) == 0.3
    assert decay.effective_confidence(0.2, 0.01, 200 * DAY, floor=0.3) == 0.2


@given(ANY_INT, ANY_INT)
def test_an_age_is_never_negative(now: int, anchor: int) -> None:
    """DEC-05: a date ahead, and one that no clock gave, are 'now'."""
    age = decay.age_ns(now, anchor)
    assert 0 <= age < 2**63
    assert decay.days(age) >= 0.0
    if now <= 0 or anchor <= 0 or anchor >= now:
        assert age == 0


def test_an_age_is_the_time_since() -> None:
    """Nanoseconds in, days out."""
    assert decay.age_ns(5 * DAY, 2 * DAY) == 3 * DAY
    assert decay.days(3 * DAY) == 3.0
    assert decay.days(-3 * DAY) == 0.0


def test_a_new_memory_has_retention() -> None:
    """DEC-02: 0^0.6 would be 0; an unused memory keeps at least what an equal older one keeps."""
    assert decay.retention(0, 0, 3.0) == 1.0
    assert decay.retention(0, 0, 3.0) > decay.retention(0, DAY, 3.0) > 0.0


@pytest.mark.parametrize(
    ('uses', 'days', 'half_life', 'strength', 'expected'),
    [(0, 3, 3.0, 1.0, 0.5), (0, 30, 30.0, 2.0, 1.0), (9, 0, 3.0, 1.0, 10**0.6), (0, 9.97, 3.0, 1.0, 0.0999)],
)
def test_known_retentions(uses: int, days: float, half_life: float, strength: float, expected: float) -> None:
    """Seed 004: (n + 1)^0.6 × e^(−λΔt) × strength; an unused STM memory reaches 0.1 in ten days."""
    assert decay.retention(uses, int(days * DAY), half_life, strength) == pytest.approx(expected, abs=1e-4)


@given(st.integers(-5, 2**63), ANY_INT, st.floats(0.001, 1e6), st.floats(1.0, 2.0), st.floats(0.0, 0.5))
def test_retention_moves_a_score_within_its_bound(
    uses: int, age: int, half_life: float, strength: float, bound: float
) -> None:
    """DEC-04, DEC-05: use is bounded in effect, whatever the counts and the dates say."""
    value = decay.retention(uses, age, half_life, strength)
    assert 0.0 <= value < math.inf
    assert 1.0 - bound <= decay.bounded_factor(value, bound) <= 1.0 + bound


@given(st.floats(0.0), st.floats(0.0), st.floats(0.0, 0.5))
def test_more_retention_never_lowers_a_score(a: float, b: float, bound: float) -> None:
    """And what is new and unused is left as it is."""
    low, high = sorted((decay.bounded_factor(a, bound), decay.bounded_factor(b, bound)))
    assert (low, high) == (decay.bounded_factor(min(a, b), bound), decay.bounded_factor(max(a, b), bound))
    assert decay.bounded_factor(1.0, bound) == 1.0


def test_the_popular_do_not_bury_the_relevant() -> None:
    """DEC-04: 500 uses against none cannot lift 0.65 over 0.80 at the default bound of a tenth."""
    popular = 0.65 * decay.bounded_factor(decay.retention(500, 0, 3.0), 0.1)
    assert popular < 0.80 * decay.bounded_factor(decay.retention(0, 0, 3.0), 0.1)
