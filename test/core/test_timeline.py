"""The clock of a machine: which jump tells the truth, which one nothing may follow (contract 6, Time)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core.timeline import Marks, Reading, Shift, Step, Timeline, observe

S = 10**9
DAY = 86_400 * S
NOW = 1_780_000_000 * S
STEP = S


def marks() -> Marks:
    return Marks(7, 9)


def booted(utc_ns: int = NOW) -> Timeline:
    timeline, step = observe(None, Reading(utc_ns, 0, boot='a'), marks, STEP)
    assert timeline is not None and step is None
    return timeline


def after(timeline: Timeline, passed_ns: int, stepped_ns: int = 0) -> tuple[Timeline, Step | None]:
    reading = Reading(timeline.utc_ns + passed_ns + stepped_ns, timeline.steady_ns + passed_ns, boot=timeline.boot)
    found, step = observe(timeline, reading, marks, STEP)
    assert found is not None
    return found, step


def test_a_quiet_clock_is_nothing_to_store() -> None:
    timeline, step = after(booted(), 10 * DAY)
    assert step is None and timeline.shifts == () and timeline.skipped_ns == 0
    assert timeline.age_now_ns(NOW + 10 * DAY) == timeline.anchor_ns(NOW + 10 * DAY) == NOW + 10 * DAY


def test_a_reading_that_comes_after_a_newer_one_is_no_step() -> None:
    """A thread may be held up for seconds between looking at the clocks and saying so."""
    timeline, _ = after(booted(), 60 * S)
    assert after(timeline, -5 * S) == (timeline, None)
    assert after(timeline, -5 * S, 400 * DAY)[1] is not None, 'what disagrees with the steady clock is one'


def test_slewing_is_no_step() -> None:
    """A time server slews by up to 500 ppm: an hour of it is 1.8 s, and no step."""
    timeline, step = after(booted(), 3600 * S, 1800 * 10**6)
    assert step is None and not timeline.has_stepped


def test_the_first_step_forward_moves_what_was_stamped_since_boot() -> None:
    timeline, step = after(booted(), 60 * S, 400 * DAY)
    assert step == Step(400 * DAY, is_first=True)
    assert timeline.shifts == (Shift(NOW, NOW + 60 * S, 400 * DAY, Marks(7, 9)),)
    utc = timeline.utc_ns
    assert timeline.age_now_ns(utc) == NOW + 60 * S, 'until it is done, ages are counted as if nothing had happened'
    assert timeline.anchor_ns(utc) == utc
    assert replace(timeline, shifts=()).age_now_ns(utc) == utc


def test_a_stamp_of_the_wrong_time_is_corrected_and_no_other() -> None:
    (shift,) = after(booted(), 60 * S, 400 * DAY)[0].shifts
    assert [shift.corrected(NOW + s * S) for s in (-1, 0, 60, 61)] == [
        NOW - S, NOW + 400 * DAY, NOW + 60 * S + 400 * DAY, NOW + 61 * S]


def test_a_later_step_forward_is_taken_off_and_a_step_back_returns_it() -> None:
    timeline = replace(booted(), has_stepped=True)
    timeline, step = after(timeline, 60 * S, 1000 * DAY)
    assert step == Step(1000 * DAY) and timeline.age_now_ns(timeline.utc_ns) == NOW + 60 * S
    timeline, step = after(timeline, 60 * S, -1000 * DAY)
    assert step == Step(-1000 * DAY)
    assert timeline.skipped_ns == 0 and timeline.age_now_ns(timeline.utc_ns) == NOW + 120 * S


def test_a_step_back_never_makes_a_debt() -> None:
    timeline, step = after(booted(), 60 * S, -100 * DAY)
    assert step == Step(-100 * DAY) and timeline.skipped_ns == 0
    assert timeline.since_ns == timeline.utc_ns, 'what was stamped before is not of the time that a first step corrects'


def test_a_reboot_begins_anew_and_returns_what_the_clock_returned_meanwhile() -> None:
    timeline = replace(booted(), has_stepped=True, skipped_ns=1000 * DAY)
    same, _ = observe(timeline, Reading(NOW + DAY, 5, boot='b'), marks, STEP)
    back, _ = observe(timeline, Reading(NOW - 900 * DAY, 5, boot='b'), marks, STEP)
    assert same is not None and back is not None
    assert (same.has_stepped, same.skipped_ns, back.skipped_ns) == (False, 1000 * DAY, 100 * DAY)


@pytest.mark.parametrize('reading', [
    Reading(0, 5, is_simulated=True), Reading(0, 5), Reading(NOW - DAY, 5, is_simulated=True),
])
def test_simulated_and_unknown_time_have_no_steps(reading: Reading) -> None:
    timeline = booted()
    assert observe(timeline, reading, marks, STEP) == (timeline, None)
    assert timeline.age_now_ns(0) == timeline.anchor_ns(0) == 0


@dataclass
class Model:
    """A memory in the real world: what its age must be, whatever the clock does."""

    anchor_ns: int
    age_ns: int = 0


jumps = st.lists(st.tuples(
    st.integers(0, 10 * DAY),
    st.one_of(st.just(0), st.integers(2 * DAY, 4000 * DAY), st.integers(-30 * DAY, -2 * DAY)),
), max_size=8)


@given(jumps)
def test_after_the_first_step_only_time_that_passes_ages(steps: list[tuple[int, int]]) -> None:
    """No step makes a memory older than the time that passed; one back may hold its age up, by its size at most."""
    timeline = replace(booted(NOW + 5000 * DAY), has_stepped=True)
    memory = Model(timeline.anchor_ns(timeline.utc_ns))
    back = 0
    for passed, stepped in steps:
        back += max(0, -stepped - timeline.skipped_ns)
        timeline, _ = after(timeline, passed, stepped)
        memory.age_ns += passed
        age = timeline.age_now_ns(timeline.utc_ns) - memory.anchor_ns
        assert age == memory.age_ns - back


@given(jumps)
def test_a_look_between_changes_nothing(steps: list[tuple[int, int]]) -> None:
    """However often the clock is read between its steps, what is known is the same."""
    once = often = booted()
    for passed, stepped in steps:
        once, _ = after(once, passed, stepped)
        for part in (passed // 3, passed // 3, passed - 2 * (passed // 3)):
            often, none = after(often, part)
            assert none is None
        often, _ = after(often, 0, stepped)
        assert often == once
