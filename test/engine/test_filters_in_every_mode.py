"""Contract 8: whatever the arm that finds it, a memory that satisfies the criteria is not lost behind others."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, PerceptionInput, Pose, RecallRequest

CROWD = 60
"""More than the 50 candidates of an arm."""


def ids(engine: Engine, query: str, **criteria: object) -> list[int]:
    return [m.id for m in engine.recall(RecallRequest(query, reinforce=False, n=5, **criteria)).memories]


@pytest.mark.parametrize('has_model', [True, False])
def test_the_needle_behind_better_matches(
    open_engine: Callable[..., Engine], clock: ManualClock, has_model: bool
) -> None:
    """Type, time, place and map, alone and together, by vectors and by words alone."""
    engine = open_engine(HashEmbedder() if has_model else None)

    def crowd(name: str) -> None:
        for i in range(CROWD):
            engine.learn(LearnRequest(f'spill ramp {name}{i}', context='{"at": [9, 9]}'))
        clock.advance(days=1)

    crowd('early')
    pose = Pose('map', 7.0, 8.0, map_id='hall')
    needle = engine.save_perception(PerceptionInput(
        description='a spill was seen near the ramp by the camera of the lift', source='camera', pose=pose))
    moment = clock.now_ns()
    clock.advance(days=1)
    crowd('late')
    while engine.tick():
        pass
    criteria: dict[str, dict[str, object]] = {
        'type': {'type': 'perception'},
        'time': {'since_ns': moment - 10**9, 'until_ns': moment + 10**9},
        'place': {'near': pose, 'radius': 1.0},
        'map': {'map_id': 'hall'},
    }
    everything: dict[str, object] = {}
    for name, wanted in criteria.items():
        everything |= wanted
        assert ids(engine, 'spill ramp', **wanted) == [needle], name
        assert ids(engine, 'spill ramp', **everything) == [needle], sorted(everything)
    result = engine.recall(RecallRequest('spill ramp', **everything))
    assert (result.mode, result.total) == ('hybrid' if has_model else 'bm25_only', 1)


def test_a_scene_and_a_position_behind_better_matches(text_engine: Engine, clock: ManualClock) -> None:
    """Scene, ``max_distance`` and both, by words alone."""
    for i in range(CROWD):
        text_engine.learn(LearnRequest(f'spill ramp nr{i}', context='{"at": [9, 9]}'))
    text_engine.declare_scene('place:ramp')
    text_engine.observe('here', [('place', 'ramp')])
    clock.advance(days=0.01)
    text_engine.advance_scenes()
    needle = text_engine.learn(LearnRequest(
        'a spill was seen near the ramp, says the night shift', context='{"at": [1, 1]}')).memory_id
    sort = json.dumps({'field': 'at', 'target': [1, 1], 'max_distance': 0.5})
    assert ids(text_engine, 'spill ramp', spatial_sort=sort) == [needle]
    assert ids(text_engine, 'spill ramp', scene='place:ramp') == [needle]
    assert ids(text_engine, 'spill ramp', scene='place:ramp', spatial_sort=sort) == [needle]


def test_what_shows_nothing_is_no_query(text_engine: Engine) -> None:
    """Contract 8: with a criterion, an empty query lists by it; zero-width signs are as empty as no signs."""
    wanted = text_engine.learn(LearnRequest('red lamp', tags=('a',))).memory_id
    for query in ('', '  ', '\u200b'):
        result = text_engine.recall(RecallRequest(query, tags=('a',), reinforce=False))
        assert ([m.id for m in result.memories], result.mode) == ([wanted], 'recent')


def test_without_words_the_newest_comes_first(text_engine: Engine, clock: ManualClock) -> None:
    """Contract 8, mode ``recent``: however much an older one is worth."""
    older = text_engine.learn(LearnRequest('red lamp', tags=('a',), confidence=0.99, strength=2.0)).memory_id
    clock.advance(days=1)
    newer = text_engine.learn(LearnRequest('loud fan', tags=('a',), confidence=0.5)).memory_id
    assert ids(text_engine, '', tags=('a',)) == [newer, older]


def test_the_mode_says_that_no_word_matched(engine: Engine) -> None:
    """Contract 8, mode ``vec_only``: the model answers, and the words found nothing."""
    engine.learn(LearnRequest('red lamp'))
    assert [engine.recall(RecallRequest(query)).mode for query in ('lamp', 'piano')] == ['hybrid', 'vec_only']


def test_the_real_robots_memories_weigh_half_as_much_again(text_engine: Engine) -> None:
    """Contract 8: × 1.5 where ``env.sim_or_real`` is ``real``, everything else being equal."""
    for text, where in (('cup slips today', 'sim'), ('cup slips later', 'real')):
        text_engine.learn(LearnRequest(text, context=json.dumps({'env': {'sim_or_real': where}})))
    real, sim = text_engine.recall(RecallRequest('cup slips', reinforce=False)).memories
    assert real.score == pytest.approx(1.5 * sim.score)


def test_of_equal_matches_the_used_comes_before_the_unused(text_engine: Engine, clock: ManualClock) -> None:
    """Contract 8: × bounded retention, which outweighs only that the other is newer."""
    used = text_engine.learn(LearnRequest('cup slips today')).memory_id
    unused = text_engine.learn(LearnRequest('cup slips later')).memory_id
    assert ids(text_engine, 'cup slips') == [unused, used]
    for _ in range(3):
        clock.advance(seconds=3600)
        text_engine.recall(RecallRequest('today'))
    text_engine.flush()
    assert ids(text_engine, 'cup slips') == [used, unused]
