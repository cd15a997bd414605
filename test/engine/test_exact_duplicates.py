"""cleanup_exact_duplicates (contract 4, seed 000): what an older file holds twice is kept once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from robotmem_ros import cleanup, duplicates
from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, PerceptionInput, RecallRequest


@pytest.fixture(autouse=True)
def unchecked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Learn without the check at writing, as an import or an older program did."""
    monkeypatch.setattr(duplicates, 'find', lambda *_: duplicates.Finding())
    return


def learn(engine: Engine, text: str, **fields: Any) -> int:
    return engine.learn(LearnRequest(text, **fields)).memory_id


def pairs(operations: list[dict[str, Any]]) -> list[tuple[int, int]]:
    return [(o['old_id'], o['keep_id']) for o in operations]


def test_the_surest_then_the_newest_is_kept(engine: Engine, clock: ManualClock) -> None:
    first = learn(engine, 'the dock is wet', confidence=0.8)
    sure = learn(engine, 'The dock is  wet', confidence=0.9)
    clock.advance(seconds=1)
    newest = learn(engine, 'THE DOCK IS WET', confidence=0.9)
    other = learn(engine, 'the dock is dry')
    planned = engine.cleanup_exact_duplicates()
    assert planned == [
        {'old_id': sure, 'keep_id': newest, 'preview': 'The dock is  wet'},
        {'old_id': first, 'keep_id': newest, 'preview': 'the dock is wet'},
    ]
    assert engine.stats()['by_status'] == {'active': 4}, 'by default it only says what it would do'
    assert engine.cleanup_exact_duplicates(dry_run=False) == planned
    assert engine.stats()['by_status'] == {'active': 2, 'superseded': 2}
    assert {m.id for m in engine.recall(RecallRequest('dock')).memories} == {newest, other}
    assert engine.cleanup_exact_duplicates(dry_run=False) == [], 'twice changes nothing'


def test_a_perception_of_the_same_words_is_left_alone(engine: Engine) -> None:
    """Contract 4: perceptions repeat by nature."""
    seen = engine.save_perception(PerceptionInput(description='the dock is wet'))
    old, kept = learn(engine, 'the dock is wet'), learn(engine, 'the dock is wet')
    assert pairs(engine.cleanup_exact_duplicates(dry_run=False)) == [(old, kept)]
    assert {m.id for m in engine.recall(RecallRequest('dock')).memories} == {seen, kept}


@pytest.mark.parametrize(('a', 'b'), [
    ('tighten to 5 Nm', 'tighten to 5 nm'), ('laser of 5 mW', 'laser of 5 MW'), ('10⁵ cycles', '105 cycles'),
])
def test_the_guard_decides_not_the_hash(engine: Engine, a: str, b: str) -> None:
    """Folding equates 5 Nm with 5 nm."""
    learn(engine, a)
    learn(engine, b)
    assert engine.cleanup_exact_duplicates(dry_run=False) == []
    again = learn(engine, a)
    assert [o['preview'] for o in engine.cleanup_exact_duplicates(dry_run=False)] == [a]
    assert engine.stats()['by_status']['active'] == 2 and again


def test_the_kept_one_inherits(engine: Engine, clock: ManualClock) -> None:
    """CON-03: context, tags, uses, edges, scenes, strength and tier."""
    old = learn(engine, 'the dock is wet', confidence=0.8, context='{"object": "cup"}', tags=('a',), scene='place:dock',
                strength=2.0)
    engine.recall(RecallRequest('dock'))
    while engine.tick():
        pass
    engine.promote(old)
    friend = learn(engine, 'mop in the corner')
    engine.link(old, friend, 3.0)
    keep = learn(engine, 'the dock is wet', confidence=0.9)
    assert pairs(engine.cleanup_exact_duplicates(dry_run=False)) == [(old, keep)]
    request = RecallRequest('dock', context_filter='{"object": "cup"}', scene='place:dock', reinforce=False)
    (found,) = engine.recall(request).memories
    assert (found.id, found.tags, found.use_count, found.tier, found.strength) == (keep, ('a',), 1, 'ltm', 2.0)
    assert engine.link(keep, friend, 1.0) == pytest.approx(4.0, abs=0.01)


def test_at_most_200_a_call(engine: Engine) -> None:
    for _ in range(206):
        learn(engine, 'the dock is wet')
    assert len(engine.cleanup_exact_duplicates()) == 200
    assert len(engine.cleanup_exact_duplicates(dry_run=False)) == cleanup.MAX_OPERATIONS == 200
    assert len(engine.cleanup_exact_duplicates(dry_run=False)) == 5
    assert engine.stats()['by_status'] == {'active': 1, 'superseded': 205}


def test_perceptions_and_other_collections_are_left_alone(engine: Engine) -> None:
    for _ in range(2):
        engine.save_perception(PerceptionInput(description='a red box', source='camera'))
    learn(engine, 'the dock is wet')
    learn(engine, 'the dock is wet', collection='other')
    assert engine.cleanup_exact_duplicates(dry_run=False) == []


def test_a_protected_memory_gives_way_to_none_that_is_not(engine: Engine) -> None:
    rule = learn(engine, 'never lift above 5 kg', category='constraint', confidence=0.8)
    learn(engine, 'never lift above 5 kg', category='observation', confidence=0.9)
    assert engine.cleanup_exact_duplicates(dry_run=False) == []
    again = learn(engine, 'never lift above 5 kg', category='constraint', confidence=0.9)
    assert pairs(engine.cleanup_exact_duplicates(dry_run=False)) == [(rule, again)]


def test_a_row_that_changed_meanwhile_is_left_alone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c, d = (learn(engine, 'the dock is wet') for _ in range(4))
    find = cleanup.find

    def changed_meanwhile(*args: Any, **kwargs: Any) -> list[cleanup.Operation]:
        found = find(*args, **kwargs)
        engine.update(a, 'the dock is dry')
        engine.forget(b, 'gone')
        return found

    monkeypatch.setattr(cleanup, 'find', changed_meanwhile)
    assert pairs(engine.cleanup_exact_duplicates(dry_run=False)) == [(c, d)]
    assert engine.stats()['by_status'] == {'active': 2, 'forgotten': 1, 'superseded': 1}


def test_the_preview_is_short(engine: Engine) -> None:
    for _ in range(2):
        learn(engine, 'x' * 5000)
    assert [len(o['preview']) for o in engine.cleanup_exact_duplicates()] == [cleanup.PREVIEW]
