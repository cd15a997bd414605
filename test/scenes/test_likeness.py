"""Recall by likeness: a situation that is no scene gives the memories of the scenes most like it (contract 9)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.core.emergence import likeness, weighted_jaccard
from robotmem_ros.core.scene_key import features_of
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, RecallRequest, RecallResult
from robotmem_ros.settings import FEATURE_WEIGHTS, Settings


def ask(engine: Engine, scene: str, query: str = '') -> RecallResult:
    return engine.recall(RecallRequest(query, scene=scene, n=10))


def texts(result: RecallResult) -> Sequence[str]:
    return [memory.content for memory in result.memories]


@pytest.fixture
def docked(engine: Engine) -> Engine:
    """Three scenes, each with a memory."""
    for key, text in (
        ('place:hall/peer:7', 'operator 7 wants the cups first'), ('place:hall/peer:8', 'operator 8 is left-handed'),
        ('chan:radio/tool:gripper', 'the gripper is deaf on channel 3'),
    ):
        engine.learn(LearnRequest(text, scene=key))
    return engine


def test_a_scene_that_exists_is_meant_alone(docked: Engine) -> None:
    result = ask(docked, 'place:hall/peer:7')
    assert texts(result) == ['operator 7 wants the cups first'] and result.warning == ''


def test_a_prefix_of_scenes_is_meant_alone(docked: Engine) -> None:
    result = ask(docked, 'place:hall')
    assert set(texts(result)) == {'operator 7 wants the cups first', 'operator 8 is left-handed'}
    assert result.warning == ''


def test_a_situation_that_is_no_scene_gives_the_likest(docked: Engine) -> None:
    """place:hall (1.1) of peer:7 and the hall and an object: 2.3 / 2.9 for operator 7, 1.1 / 4.1 for the other."""
    result = ask(docked, 'place:hall/peer:7/object:cup')
    assert texts(result) == ['operator 7 wants the cups first'] and result.mode == 'scene'
    assert 'place:hall/peer:7 (0.79)' in result.warning and 'peer:8' not in result.warning


def test_the_likest_come_first(docked: Engine) -> None:
    docked.learn(LearnRequest('mind the step', scene='place:hall/object:cup'))
    result = ask(docked, 'place:hall/peer:7/object:cup')
    assert texts(result) == ['operator 7 wants the cups first', 'mind the step']


def test_nothing_is_alike(docked: Engine) -> None:
    result = ask(docked, 'place:cellar/peer:9')
    assert texts(result) == [] and 'none is like it' in result.warning


def test_likeness_is_a_filter_for_words_too(docked: Engine) -> None:
    docked.learn(LearnRequest('the cups are in the cellar', scene='place:cellar'))
    assert texts(ask(docked, 'place:hall/peer:7/object:cup', 'cups')) == ['operator 7 wants the cups first']


def test_the_threshold_is_a_setting(docked: Engine, open_engine: Callable[..., Engine]) -> None:
    """1.1 / 3.5 = 0.31 is too little by default."""
    assert texts(ask(docked, 'place:hall/peer:9')) == []
    docked.close()
    settings = Settings()
    engine = open_engine(settings=replace(settings, scenes=replace(settings.scenes, likeness_threshold=0.3)))
    assert set(texts(ask(engine, 'place:hall/peer:9'))) == {
        'operator 7 wants the cups first', 'operator 8 is left-handed'}


def test_what_a_scene_usually_sees_counts(engine: Engine, clock: ManualClock) -> None:
    """An emergent scene is alike by its usual features (1.0 / 2.1), not by its key alone (0.6 / 2.1)."""
    for _ in range(3):
        engine.observe('test', [('place', 'hall'), ('topic', 'lunch'), ('object', 'cup')])
        clock.advance(seconds=1.0)
        engine.advance_scenes()
        engine.learn(LearnRequest('the cups are hot'))
        engine.observe('test', [('place', ''), ('object', ''), ('topic', '')])
        clock.advance(seconds=1.0)
        engine.advance_scenes()
    assert texts(ask(engine, 'object:cup/topic:lunch')) == ['the cups are hot']


def test_nothing_crosses_a_collection(docked: Engine) -> None:
    result = docked.recall(RecallRequest(scene='place:hall/peer:7/object:cup', collection='elsewhere'))
    assert texts(result) == []


def test_the_measure_is_symmetric_and_bounded() -> None:
    a, b = features_of('place:hall/peer:7'), features_of('place:hall/object:cup')
    assert weighted_jaccard(a, b, FEATURE_WEIGHTS) == weighted_jaccard(b, a, FEATURE_WEIGHTS)
    assert weighted_jaccard(a, b, FEATURE_WEIGHTS) == pytest.approx(1.1 / 2.9)
    assert weighted_jaccard(a, a, FEATURE_WEIGHTS) == 1.0 and weighted_jaccard((), (), FEATURE_WEIGHTS) == 0.0


def test_the_order_of_a_set_does_not_show() -> None:
    """1.1 + 1.2 + 0.6 has three sums, by the order; a set has another order in each process."""
    features = features_of('place:hall/peer:7/object:cup/task:sort/topic:x')
    measures = {
        (likeness(order, order[1:], FEATURE_WEIGHTS), weighted_jaccard(order, order[1:], FEATURE_WEIGHTS))
        for order in itertools.permutations(features) if order[0] == features[0]
    }
    assert len(measures) == 1
