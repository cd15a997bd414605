"""SES-02: robots are switched off, not ended."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from robotmem_ros import closing, duplicates, timekeeping
from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.errors import NotFound, StoreError
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.settings import SessionSettings, Settings

Open = Callable[..., Engine]


def settle(engine: Engine) -> None:
    for _ in range(5000):
        if not engine.tick():
            return
    raise AssertionError('the tick never ends')


def learn(engine: Engine, session: str, *texts: str) -> None:
    for text in texts:
        engine.learn(LearnRequest(text, session_id=session))


def left_repeating(engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, times: int) -> str:
    """Leave a session in which one fact was kept as several memories, eight days ago; gives its id."""
    session = engine.start_session().session_id
    with monkeypatch.context() as patch:
        patch.setattr(duplicates, 'find', lambda *_: duplicates.Finding())
        learn(engine, session, *['the cart brake squeaks'] * times, 'red lamp')
    clock.advance(days=8)
    return session


def test_a_session_goes_on_after_a_kill(open_engine: Open) -> None:
    first = open_engine(None)
    session = first.start_session('{"task": "patrol"}').session_id
    learn(first, session, 'red lamp', 'loud fan', 'wet dock', 'worn pad')
    first._rt.store.close()
    first.flush = lambda: None
    second = open_engine(None)
    learn(second, session, 'open door')
    ended = second.end_session(session, 0.9)
    assert (ended.summary['facts'], ended.summary['context']) == (5, {'task': 'patrol'})
    assert ended.summary['ended_by_tick'] is False
    assert second.stats()['open_sessions'] == 0


def test_five_hundred_that_nobody_ended(engine: Engine, clock: ManualClock) -> None:
    """Listed as idle, ended by the tick; a start stays fast."""
    before = time.process_time()
    for _ in range(500):
        engine.start_session()
    took_s = (time.process_time() - before) / 500
    clock.advance(days=6.9)
    alive = engine.start_session().session_id
    settle(engine)
    assert (engine.stats()['open_sessions'], engine.stats()['idle_sessions']) == (501, 0)
    clock.advance(days=0.2)
    assert engine.stats()['idle_sessions'] == 500
    before = time.process_time()
    engine.start_session()
    assert time.process_time() - before < max(20 * took_s, 0.05)
    settle(engine)
    found = engine.stats()
    assert (found['open_sessions'], found['idle_sessions'], found['ended_sessions']) == (2, 0, 500)
    learn(engine, alive, 'red lamp')


def test_what_it_said_several_times_is_merged_before_it_ends(
    engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = left_repeating(engine, clock, monkeypatch, 3)
    settle(engine)
    assert engine.stats()['by_status'] == {'active': 2, 'superseded': 2}
    ended = engine.end_session(session)
    assert (ended.merged_groups, ended.superseded_count, ended.summary['ended_by_tick']) == (1, 2, True)
    with pytest.raises(NotFound, match='has ended'):
        learn(engine, session, 'blue lamp')


def test_a_session_in_which_something_is_learned_is_not_idle(engine: Engine, clock: ManualClock) -> None:
    """A mission of three weeks."""
    session = engine.start_session().session_id
    for day in range(21):
        clock.advance(days=1)
        learn(engine, session, f'note{day} about thing{day}')
        settle(engine)
    assert engine.stats()['open_sessions'] == 1
    clock.advance(days=6.5)
    learn(engine, session, 'note3 about thing3')  # said again: an occurrence is life, too
    clock.advance(days=6.5)
    settle(engine)
    assert engine.stats()['open_sessions'] == 1


def test_one_that_comes_to_life_while_it_is_being_ended_goes_on(engine: Engine, clock: ManualClock) -> None:
    session = engine.start_session().session_id
    learn(engine, session, 'red lamp')
    clock.advance(days=8)
    assert engine.tick()
    learn(engine, session, 'green lamp')
    settle(engine)
    assert engine.stats()['open_sessions'] == 1


def test_the_outcome_may_come_late_but_only_once(engine: Engine, clock: ManualClock) -> None:
    session = engine.start_session().session_id
    learn(engine, session, 'red lamp')
    clock.advance(days=8)
    settle(engine)
    assert engine.end_session(session, 0.9).summary['outcome_score'] == 0.9
    assert engine.end_session(session, 0.1).summary['outcome_score'] == 0.9


def test_the_limit_is_a_setting_and_zero_is_never(open_engine: Open, clock: ManualClock) -> None:
    engine = open_engine(None, Settings(sessions=SessionSettings(open_limit_days=0.0)))
    engine.start_session()
    clock.advance(days=4000)
    settle(engine)
    assert engine.stats()['open_sessions'] == 1
    engine.configure(Settings(sessions=SessionSettings(open_limit_days=1.0)))
    settle(engine)
    assert engine.stats()['open_sessions'] == 0


def test_an_ended_session_holds_nothing_against_gc(engine: Engine, clock: ManualClock) -> None:
    session = engine.start_session().session_id
    learn(engine, session, 'red lamp')
    clock.advance(days=20)
    assert engine.maintain(dry_run=True).gc_retired == 0
    settle(engine)
    assert engine.maintain().gc_retired == 1
    assert engine.recall(RecallRequest('lamp', min_confidence=0.0)).memories == ()


def test_where_none_is_ever_idle_none_is_counted(open_engine: Open, clock: ManualClock) -> None:
    """``sessions.open_limit_days`` 0: never."""
    engine = open_engine(None, Settings(sessions=SessionSettings(open_limit_days=0.0)))
    engine.start_session()
    clock.advance(days=1000)
    settle(engine)
    assert (engine.stats()['open_sessions'], engine.stats()['idle_sessions']) == (1, 0)


def test_no_step_of_the_clock_makes_a_session_idle(
    open_engine: Open, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contract 6, time: a first step forward while stamps are still being moved, and a later one."""
    monkeypatch.setattr(timekeeping, 'IDS_A_SLICE', 1)
    engine = open_engine(None)
    session = engine.start_session().session_id
    learn(engine, session, *(f'note{i} about thing{i}' for i in range(9)))
    for days in (400, 100):
        clock.advance(seconds=60)
        clock.set(days=days)
        settle(engine)
        found = engine.stats()
        assert (found['open_sessions'], found['idle_sessions']) == (1, 0)


def test_a_group_whose_merge_failed_is_merged_in_the_next_slice(
    engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = left_repeating(engine, clock, monkeypatch, 3)

    def full(*_: object) -> None:
        raise StoreError('memory.db', 'the disk is full')

    with monkeypatch.context() as patch:
        patch.setattr('robotmem_ros.closing.merge', full)
        with pytest.raises(StoreError):
            settle(engine)
    settle(engine)
    assert engine.end_session(session).superseded_count == engine.stats()['by_status']['superseded'] == 2


def test_what_was_corrected_while_its_session_was_being_ended_is_not_merged(
    engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the slice that compares and the one that merges somebody says what a fact really is."""
    session = left_repeating(engine, clock, monkeypatch, 2)

    def corrected(*args: object, merge: Callable[..., bool] = closing._merge) -> bool:
        engine.update(1, 'the cart brake is worn')
        return merge(*args)

    monkeypatch.setattr(closing, '_merge', corrected)
    settle(engine)
    assert engine.stats()['by_status'] == {'active': 3}
    assert [m.id for m in engine.recall(RecallRequest('worn')).memories] == [1]
    answer = engine.end_session(session)
    assert (answer.merged_groups, answer.superseded_count, answer.avg_similarity) == (0, 0, 0.0), 'nor counted'
