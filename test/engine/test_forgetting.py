"""Contract 6, sentence by sentence, through the engine: what a memory is worth when it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, Memory, RecallRequest

S = 10**9


def look(engine: Engine, query: str = 'lamp') -> Memory:
    (memory,) = engine.recall(RecallRequest(query, min_confidence=0.0, reinforce=False)).memories
    return memory


def stored(engine: Engine, column: str) -> list[object]:
    with engine._rt.store.read() as tx:
        return [row[0] for row in tx.execute(f'SELECT {column} FROM memory ORDER BY id')]  # noqa: S608


def settle(engine: Engine) -> None:
    while engine.tick():
        pass


def test_it_is_computed_when_it_is_read_and_confidence_stays_as_learned(engine: Engine, clock: ManualClock) -> None:
    engine.learn(LearnRequest('red lamp', confidence=0.9))
    for _ in range(50):
        clock.advance(days=1)
        settle(engine)
    assert look(engine).confidence == pytest.approx(0.9 * 0.99**50, rel=1e-12)
    assert stored(engine, 'confidence') == [0.9]


def test_it_reaches_the_threshold_after_109_3_days(engine: Engine, clock: ManualClock) -> None:
    """The seed's 93 days are wrong."""
    engine.learn(LearnRequest('red lamp', confidence=0.9))
    clock.advance(days=109.2)
    assert len(engine.recall(RecallRequest('lamp', reinforce=False)).memories) == 1
    clock.advance(days=0.2)
    assert engine.recall(RecallRequest('lamp', reinforce=False)).memories == ()


def test_six_ends_of_session_on_one_day_compound_nothing(engine: Engine, clock: ManualClock) -> None:
    """A peer's 0.90 becomes 0.49."""
    engine.learn(LearnRequest('red lamp', confidence=0.9))
    clock.advance(days=10)
    for _ in range(6):
        engine.end_session(engine.start_session().session_id)
        settle(engine)
    assert look(engine).confidence == pytest.approx(0.9 * 0.99**10, rel=1e-12)
    assert len(set(stored(engine, 'decay_anchor'))) == 1


def test_only_reinforcement_moves_the_anchor(engine: Engine, clock: ManualClock) -> None:
    """Not an update, not a duplicate, not an end of session, not a promotion, not being shown by a scene."""
    session = engine.start_session().session_id
    memory = engine.learn(LearnRequest('red lamp', session_id=session)).memory_id
    (begun,) = stored(engine, 'decay_anchor')
    clock.advance(days=5)
    engine.update(memory, 'green lamp')
    engine.learn(LearnRequest('green lamp'))
    engine.promote(memory)
    engine.end_session(session)
    engine.maintain()
    settle(engine)
    assert stored(engine, 'decay_anchor') == [begun]
    engine.recall(RecallRequest('lamp'))
    settle(engine)
    assert stored(engine, 'decay_anchor') == [clock.now]


def test_a_new_memory_is_worth_something(engine: Engine, clock: ManualClock) -> None:
    """DEC-02: (0 + 1)^0.6."""
    engine.learn(LearnRequest('red lamp'))
    assert look(engine).retention == 1.0
    clock.advance(days=3)
    assert look(engine).retention == pytest.approx(0.5)


@pytest.mark.parametrize('strength', [1.0, 1.5, 2.0])
def test_retention_is_use_times_age_times_strength(engine: Engine, clock: ManualClock, strength: float) -> None:
    engine.learn(LearnRequest('red lamp', strength=strength))
    for _ in range(4):
        engine.recall(RecallRequest('lamp'))
        settle(engine)
        clock.advance(seconds=61)
    clock.advance(days=6)
    age = 6 + 61 / 86_400
    assert look(engine).retention == pytest.approx(5**0.6 * 2 ** (-age / 3) * strength, rel=1e-9)


def test_a_protected_category_never_falls_below_the_recall_threshold(engine: Engine, clock: ManualClock) -> None:
    for category in ('constraint', 'postmortem', 'gotcha'):
        engine.learn(LearnRequest(f'lamp rule {category}', category=category))
    clock.advance(days=40_000)
    found = engine.recall(RecallRequest('lamp rule', reinforce=False)).memories
    assert [m.confidence for m in found] == [0.3] * 3


def test_a_kill_may_lose_a_use_and_never_a_memory(open_engine: Callable[..., Engine]) -> None:
    killed = open_engine(None)
    killed.learn(LearnRequest('red lamp'))
    killed.recall(RecallRequest('lamp'))
    killed._rt.store.close()
    killed.flush = lambda: None
    stopped = open_engine(None)
    assert look(stopped).use_count == 0
    stopped.recall(RecallRequest('lamp'))
    stopped.close()
    assert look(open_engine(None)).use_count == 1


def test_when_nothing_is_due_nothing_is_looked_at_one_by_one(engine: Engine) -> None:
    """The tick costs in proportion to what is due: every look goes through an index, whatever the file holds."""
    for i in range(20):
        engine.learn(LearnRequest(f'note{i} of thing{i}'))
    settle(engine)
    plans: list[str] = []
    read = engine._rt.store.read

    class Explaining:
        def __init__(self) -> None:
            self.context = read()

        def __enter__(self) -> object:
            tx = self.context.__enter__()
            plain = tx.execute

            def explained(sql: str, args: Any = ()) -> Any:
                plans.extend(row[3] for row in plain('EXPLAIN QUERY PLAN ' + sql, args))
                return plain(sql, args)

            tx.execute = explained
            return tx

        def __exit__(self, *args: object) -> None:
            self.context.__exit__(*args)

    engine._rt.store.read = Explaining
    try:
        assert engine.tick() is False
    finally:
        engine._rt.store.read = read
    partial = ('_undated', 'memory_pending')  # indexes that hold only what is due
    scans = [plan for plan in plans if plan.startswith('SCAN') and not plan.endswith(partial)]
    few = ('collection', 'c', 'CONSTANT', 'sqlite_sequence')  # a row for each collection, for each table
    assert plans and [s for s in scans if s.split()[1] not in few] == [], plans
