"""TIME-*: simulated time, which has not begun, jumps, or begins anew with its recording."""

from __future__ import annotations

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, Memory, RecallRequest
from robotmem_ros.settings import SceneSettings, Settings
from robotmem_ros.store.store import Store

DAY = 86_400 * 10**9


def settle(engine: Engine) -> None:
    for _ in range(1000):
        if not engine.tick():
            return
    raise AssertionError('the tick never ends')


def look(engine: Engine, query: str) -> Memory:
    """Give the one memory that holds these words, without using it."""
    (memory,) = [m for m in engine.recall(RecallRequest(query, n=50, min_confidence=0.0, reinforce=False)).memories
                 if query in m.content]
    return memory


def rows(engine: Engine, sql: str) -> list[tuple[object, ...]]:
    with engine._rt.store.read() as tx:
        return tx.execute(sql)


def dates(engine: Engine, column: str, table: str) -> set[object]:
    return {row[0] for row in rows(engine, f'SELECT {column} FROM {table}')}  # noqa: S608


@pytest.fixture
def sim(db_path: str) -> tuple[Engine, ManualClock, list[str]]:
    clock, said = ManualClock(0, simulated=True), []
    engine = Engine(Store.open(db_path), clock, lambda: None, Settings(), said.append)
    yield engine, clock, said
    engine.close()


def test_without_a_clock_nothing_ages_and_what_is_stored_is_dated_when_it_comes(
    sim: tuple[Engine, ManualClock, list[str]]
) -> None:
    """TIME-04."""
    engine, clock, said = sim
    session = engine.start_session().session_id
    a = engine.learn(LearnRequest('red lamp', session_id=session, scene='place:dock')).memory_id
    b = engine.learn(LearnRequest('loud fan')).memory_id
    engine.link(a, b, 4.0)
    clock.steady += 3 * 10**9
    engine.recall(RecallRequest('lamp'))
    settle(engine)
    assert (look(engine, 'lamp').confidence, look(engine, 'lamp').age_ns) == (0.9, 0)
    assert [s for s in said if '/clock' in s] == said and len(said) == 1, 'said once'
    assert '/clock' in engine.stats()['clock'][0]
    clock.now = 1_700_000_000 * 10**9
    assert look(engine, 'lamp').confidence == 0.9, 'not 54 years old'
    settle(engine)
    for column, table in (
        ('created_at', 'memory'), ('decay_anchor', 'memory'), ('at', 'occurrence'), ('started_at', 'session'),
        ('last_updated', 'co_occurrence'), ('last_updated', 'scene_ref'),
    ):
        assert dates(engine, column, table) == {clock.now}, (column, table)
    clock.advance(days=10)
    assert look(engine, 'lamp').confidence == pytest.approx(0.9 * 0.99**10)
    assert engine.stats()['clock'] == []
    assert engine.end_session(session).summary['facts'] == 1


def test_before_the_clock_a_memory_is_recalled_on_no_day(sim: tuple[Engine, ManualClock, list[str]]) -> None:
    """Contract 6: how often a memory was polled never promotes it."""
    engine, clock, _ = sim
    engine.learn(LearnRequest('red lamp'))
    for _ in range(5):
        engine.recall(RecallRequest('lamp'))
        settle(engine)
    assert rows(engine, 'SELECT use_count, use_days, tier FROM memory') == [(5, 0, 'stm')]
    clock.now = 1_700_000_000 * 10**9
    engine.recall(RecallRequest('lamp'))
    settle(engine)
    assert rows(engine, 'SELECT use_days FROM memory') == [(1,)]


def test_what_was_retired_before_the_clock_is_purged_by_its_age(sim: tuple[Engine, ManualClock, list[str]]) -> None:
    engine, clock, _ = sim
    engine.forget(engine.learn(LearnRequest('red lamp')).memory_id, 'wrong')
    clock.now = 1_700_000_000 * 10**9
    settle(engine)
    assert engine.maintain(purge_after_days=30).purged == 0
    clock.advance(days=31)
    assert engine.maintain(purge_after_days=30).purged == 1


def test_what_was_visited_before_the_clock_is_not_forgotten_when_it_comes(
    sim: tuple[Engine, ManualClock, list[str]]
) -> None:
    engine, clock, _ = sim
    engine.configure(Settings(scenes=SceneSettings(settle_s=0.0)))
    for place in ('hall', 'dock', 'hall', 'lift'):
        engine.observe('test', [('place', place)])
        engine.advance_scenes()
    clock.now = 1_700_000_000 * 10**9
    settle(engine)
    assert [scene.key for scene in engine.list_scenes()] == ['place:hall']
    assert rows(engine, 'SELECT bucket, last_at FROM situation_evidence') == [
        ('place:dock', clock.now), ('place:lift', clock.now)]
    assert dates(engine, 'last_hit', 'scene') == dates(engine, 'created_at', 'scene') == {clock.now}



def test_a_jump_forward_of_simulated_time_ages(sim: tuple[Engine, ManualClock, list[str]]) -> None:
    """TIME-06: 0 → 10 → 86 400 s in one message; 0.9 becomes 0.891, in one tick."""
    engine, clock, _ = sim
    engine.learn(LearnRequest('red lamp'))
    clock.set(seconds=10)
    engine.tick()
    clock.set(seconds=86_390)
    assert engine.tick() is False
    assert look(engine, 'lamp').confidence == pytest.approx(0.891, abs=1e-5)
    assert engine.stats()['clock'] == []


def test_a_loop_of_a_recording_ages_nothing_and_the_tick_goes_on(sim: tuple[Engine, ManualClock, list[str]]) -> None:
    """TIME-01: 100 s over midnight, ten times; a use in the second pass is applied in the second pass."""
    engine, clock, _ = sim
    clock.now = 86_350 * 10**9
    engine.learn(LearnRequest('red lamp'))
    for turn in range(10):
        for _ in range(10):
            clock.advance(seconds=10)
            engine.recall(RecallRequest('lamp'))
            assert engine.tick() is False
        found = look(engine, 'lamp')
        assert found.age_ns <= 100 * 10**9 and found.use_count > turn
        clock.set(seconds=-100)
    assert rows(engine, 'SELECT use_days FROM memory') == [(2,)], 'a day that is played again is no other day'


# ---- one representation
