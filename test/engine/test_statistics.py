"""What the numbers say: bands, hidden memories, edges as seed 004 shows them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.store import collections, edges, memories
from robotmem_ros.store.memories import NewMemory


def test_the_bands_follow_retention(engine: Engine, clock: ManualClock) -> None:
    """Danger 0.15–0.35, healthy 0.35–0.65, strong above: unused at 0, 1.8, 1.9, 4.5, 4.6, 8.2 and 8.3 days."""
    now = clock.now
    for age in (0.0, 1.8, 1.9, 4.5, 4.6, 8.2, 8.3):
        clock.now = now - round(age * 86_400e9)
        with engine._rt.store.write() as tx:  # not learned: each would be taken for a step of the clock
            collection_id = collections.collection_id(tx, 'default')
            memories.insert(tx, NewMemory(collection_id, 'fact', f'note of {age}', clock.now))
    clock.now = now
    assert engine.stats()['bands'] == {'faded': 1, 'danger': 2, 'healthy': 2, 'strong': 2}


def test_how_many_are_hidden_by_the_recall_threshold(engine: Engine, clock: ManualClock) -> None:
    """DEC-06: after 200 days the observation is gone, the constraint is shown, and the answer tells."""
    engine.learn(LearnRequest('never lift above 5 kg', category='constraint', confidence=0.95))
    engine.learn(LearnRequest('the hall is noisy', category='observation', confidence=0.95))
    clock.advance(days=114)
    assert engine.stats()['hidden'] == 0
    clock.advance(days=86)
    assert engine.stats()['hidden'] == 1
    assert [m.category for m in engine.recall(RecallRequest('lift hall noisy')).memories] == ['constraint']
    assert {m.category for m in engine.recall(RecallRequest('lift hall noisy', min_confidence=0.0)).memories} == {
        'constraint', 'observation'}


def test_a_constraint_learned_below_the_threshold_is_not_lifted(engine: Engine, clock: ManualClock) -> None:
    engine.learn(LearnRequest('never lift above 5 kg', category='constraint', confidence=0.2))
    clock.advance(days=400)
    assert engine.stats()['hidden'] == 1


def test_edges_per_linked_memory(engine: Engine) -> None:
    """Seed 004: 803 edges that connect 366 memories are 2.2 each."""
    ids = [engine.learn(LearnRequest(f'note{i} of thing{i}')).memory_id for i in range(6)]
    assert engine.stats()['average_edges'] == 0.0
    for a, b in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (3, 4)):
        engine.link(ids[a], ids[b], 1.0)
    found = engine.stats()
    assert (found['edges'], found['linked_memories'], found['average_edges']) == (7, 5, pytest.approx(1.4))
    assert round(803 / 366, 1) == 2.2


def test_counting_changes_nothing(engine: Engine, rows_written: Callable[[Engine], int]) -> None:
    engine.learn(LearnRequest('red lamp'))
    before = rows_written(engine)
    engine.stats()
    assert rows_written(engine) == before > 0
    with engine._rt.store.read() as tx:
        assert edges.faded_count(tx, 0, engine.settings.hebbian) == 0
