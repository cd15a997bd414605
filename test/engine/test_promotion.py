"""Promotion to the long-term tier (contract 6): by need on different days, by good outcomes, never by polling."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.errors import NotFound
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.settings import PromotionSettings, Settings

Open = Callable[..., Engine]


def settle(engine: Engine) -> None:
    while engine.tick():
        pass


def tiers(engine: Engine) -> list[str]:
    with engine._rt.store.read() as tx:
        return [row[0] for row in tx.execute('SELECT tier FROM memory ORDER BY id')]


def use(engine: Engine, query: str = 'lamp') -> None:
    engine.recall(RecallRequest(query, min_confidence=0.0))
    settle(engine)


def test_recalled_on_three_different_days(engine: Engine, clock: ManualClock) -> None:
    engine.learn(LearnRequest('red lamp'))
    engine.learn(LearnRequest('loud fan'))
    for day, expected in enumerate(('stm', 'stm', 'ltm', 'ltm')):
        use(engine)
        assert tiers(engine) == [expected, 'stm'], day
        clock.advance(days=1)


def test_polling_never_promotes(engine: Engine, clock: ManualClock) -> None:
    """500 recalls on one day."""
    clock.now -= clock.now % (86_400 * 10**9)
    engine.learn(LearnRequest('red lamp'))
    for _ in range(500):
        clock.advance(seconds=100)
        engine.recall(RecallRequest('lamp'))
    settle(engine)
    assert tiers(engine) == ['stm']
    assert engine.recall(RecallRequest('lamp', reinforce=False)).memories[0].use_count == 500


def test_looking_without_reinforcing_never_promotes(engine: Engine, clock: ManualClock) -> None:
    engine.learn(LearnRequest('red lamp'))
    for _ in range(5):
        engine.recall(RecallRequest('lamp', reinforce=False))
        settle(engine)
        clock.advance(days=1)
    assert tiers(engine) == ['stm']


def episode(engine: Engine, outcome: float | None, *texts: str) -> None:
    session = engine.start_session().session_id
    for text in texts:
        engine.learn(LearnRequest(text, session_id=session))
    engine.end_session(session, outcome)


def test_part_of_two_sessions_that_went_well(engine: Engine) -> None:
    episode(engine, 0.9, 'red lamp', 'loud fan')
    episode(engine, 0.79, 'loud fan')
    episode(engine, None, 'loud fan')
    assert tiers(engine) == ['stm', 'stm']
    episode(engine, 0.8, 'red lamp')
    assert tiers(engine) == ['ltm', 'stm']


def test_one_session_that_says_it_often_is_one(engine: Engine) -> None:
    episode(engine, 1.0, *['red lamp'] * 5)
    assert tiers(engine) == ['stm']


@pytest.mark.parametrize(('rules', 'expected'), [
    (PromotionSettings(automatic=False), ['stm', 'stm']), (PromotionSettings(days=2), ['ltm', 'ltm']),
    (PromotionSettings(good_sessions=1, days=9), ['stm', 'ltm']),
    (PromotionSettings(good_outcome=0.1, days=9), ['stm', 'ltm']),
])
def test_the_rules_are_settings(
    open_engine: Open, clock: ManualClock, rules: PromotionSettings, expected: list[str]
) -> None:
    engine = open_engine(None, Settings(promotion=rules))
    engine.learn(LearnRequest('red lamp'))
    for _ in range(2):
        episode(engine, 0.8 if rules.good_sessions == 1 else 0.5, 'green lamp')
        use(engine)
        clock.advance(days=1)
    assert tiers(engine) == expected


def test_by_hand_and_twice_is_no_error(engine: Engine) -> None:
    memory = engine.learn(LearnRequest('red lamp')).memory_id
    assert (engine.promote(memory), engine.promote(memory)) == ('ltm', 'ltm')
    engine.forget(memory, 'gone')
    with pytest.raises(NotFound, match='forgotten'):
        engine.promote(memory)


def test_the_long_term_tier_fades_with_thirty_days(engine: Engine, clock: ManualClock) -> None:
    memory = engine.learn(LearnRequest('red lamp')).memory_id
    engine.promote(memory)
    clock.advance(days=30)
    (found,) = engine.recall(RecallRequest('lamp', min_confidence=0.0, reinforce=False)).memories
    assert (found.tier, found.retention) == ('ltm', pytest.approx(0.5))
