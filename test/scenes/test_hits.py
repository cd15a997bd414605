"""What an entered scene brings, unasked (contract 9): the worthiest first, with what belongs to the scenes above it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import EMERGENT, LearnRequest, RecallRequest, SceneHit
from robotmem_ros.settings import Settings


def enter(engine: Engine, clock: ManualClock, **kinds: str) -> SceneHit:
    """Come from elsewhere into a scene that exists; gives what is told."""
    engine.observe('test', [('place', 'elsewhere'), ('peer', ''), ('tool', '')])
    clock.advance(seconds=1.0)
    engine.advance_scenes()
    engine.observe('test', list(kinds.items()))
    clock.advance(seconds=1.0)
    (hit,) = engine.advance_scenes()
    return hit


def told(hit: SceneHit) -> list[str]:
    return [memory.content for memory in hit.memories]


def test_a_hit_carries_the_memories_of_the_scenes_above(engine: Engine, clock: ManualClock) -> None:
    for key, text in (
        ('place:hall', 'the floor is wet'), ('place:hall/peer:ann', 'ann takes the cups'),
        ('place:hall/peer:bob', 'bob whistles'), ('place:hall2', 'a beam hangs low'),
    ):
        engine.learn(LearnRequest(text, scene=key))
    hit = enter(engine, clock, place='hall', peer='ann')
    assert (hit.scene.key, set(told(hit))) == ('place:hall/peer:ann', {'the floor is wet', 'ann takes the cups'})
    assert hit.scene.memory_count == 2, 'as SceneHit.msg says: of the scene and its ancestors'


def test_its_memories_come_by_what_they_are_worth_now(engine: Engine, clock: ManualClock) -> None:
    """Confidence times retention; what fell below the recall threshold is not told."""
    for text, confidence, strength in (
        ('the lamp flickers', 0.9, 1.0), ('mind the step', 0.6, 2.0), ('the tap drips', 0.5, 1.0),
        ('perhaps a cat', 0.2, 1.0),
    ):
        engine.learn(LearnRequest(text, scene='place:hall', confidence=confidence, strength=strength))
    hit = enter(engine, clock, place='hall')
    assert told(hit) == ['mind the step', 'the lamp flickers', 'the tap drips']
    assert hit.scene.memory_count == 4


def test_being_shown_does_not_reinforce(engine: Engine, clock: ManualClock) -> None:
    engine.learn(LearnRequest('the lamp flickers', scene='place:hall'))
    for days in range(3):
        assert told(enter(engine, clock, place='hall')) == ['the lamp flickers']
        clock.advance(seconds=86_400.0 * days)
    while engine.tick():
        pass
    (memory,) = engine.recall(RecallRequest('lamp', reinforce=False)).memories
    assert (memory.use_count, memory.last_accessed_ns) == (0, 0)
    assert memory.confidence < 0.9, 'and it went on fading'


def test_a_hit_is_bounded(open_engine: Callable[..., Engine], clock: ManualClock) -> None:
    settings = Settings()
    engine = open_engine(None, replace(settings, scenes=replace(settings.scenes, hit_memories=2)))
    for number in range(4):
        engine.learn(LearnRequest(f'shelf {number} is empty', scene='place:hall', confidence=0.5 + number / 10))
    hit = enter(engine, clock, place='hall')
    assert (told(hit), hit.scene.memory_count) == (['shelf 3 is empty', 'shelf 2 is empty'], 4)


def test_learning_into_an_emergent_scene_by_name_leaves_it_emergent(engine: Engine, clock: ManualClock) -> None:
    """Hanging a memory on it is no declaration: it goes on to learn what is usual there."""
    hits: list[SceneHit] = []
    for _ in range(2):
        engine.observe('test', [('place', 'hall')])
        clock.advance(seconds=1.0)
        hits += engine.advance_scenes()
        engine.observe('test', [('place', '')])
        clock.advance(seconds=1.0)
        engine.advance_scenes()
    assert [(hit.created, hit.similarity, hit.memories) for hit in hits] == [(True, 1.0, ())]
    assert engine.learn(LearnRequest('the floor is wet', scene='Place:Hall')).scenes == ('place:hall',)
    (scene,) = engine.list_scenes()
    assert (scene.origin, scene.memory_count) == (EMERGENT, 1)


@pytest.mark.parametrize('prefix', ['place:hall', ' Place:HALL '])
def test_a_prefix_is_spelled_as_any_key(engine: Engine, prefix: str) -> None:
    for key in ('place:hall', 'place:hall/peer:x', 'place:hall2'):
        assert engine.declare_scene(key.upper()) == (key, True)
    assert [scene.key for scene in engine.list_scenes('', prefix)] == ['place:hall', 'place:hall/peer:x']
