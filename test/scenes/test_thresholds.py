"""Contract 9 says "at least" four times: what lies exactly on a limit counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from robotmem_ros.core.emergence import KnownScene, SceneIndex
from robotmem_ros.core.scene_key import identity
from robotmem_ros.engine import Engine
from robotmem_ros.model import DECLARED, EMERGENT, Feature, LearnRequest, RecallRequest
from robotmem_ros.settings import FEATURE_WEIGHTS, SceneSettings, Settings

CAM, BOT = Feature('chan', 'cam'), Feature('robot', 'r1')
"""Both weigh 1.0, so that one of them is exactly half."""


def known(**visits: int) -> KnownScene:
    return KnownScene(1, 'chan:cam', EMERGENT, 4, (CAM,), {CAM: 4, **{Feature(k, 'r1'): n for k, n in visits.items()}})


def test_a_weight_of_the_limit_identifies() -> None:
    weights = {**FEATURE_WEIGHTS, 'mood': 0.5, 'light': 0.4999}
    assert identity([Feature('mood', 'calm'), Feature('light', 'dim')], weights, 0.5) == (Feature('mood', 'calm'),)


def test_half_of_the_visits_is_usual() -> None:
    assert known(robot=2).usual() == {CAM, BOT} and known(robot=1).usual() == {CAM}


def test_half_of_the_usual_weight_joins() -> None:
    index = SceneIndex([known(robot=3)])
    assert index.join({CAM}, 'chan:cam', 0.5, FEATURE_WEIGHTS) == (known(robot=3), 0.5)
    assert index.join({CAM}, 'chan:cam', 0.5001, FEATURE_WEIGHTS) is None


def test_among_equally_specific_scenes_the_likeliest_joins() -> None:
    """Not the heavier one (chan before task), nor the older."""
    task, lunch = Feature('task', 'sort'), Feature('topic', 'lunch')
    busy = KnownScene(1, 'chan:cam', EMERGENT, 2, (CAM,), {CAM: 2, lunch: 2})
    plain = KnownScene(2, 'task:sort', EMERGENT, 2, (task,), {task: 2})
    for scenes in ((busy, plain), (plain, busy)):
        assert SceneIndex(scenes).join({CAM, task}, '', 0.5, FEATURE_WEIGHTS) == (plain, 1.0)
        assert SceneIndex(scenes).join({CAM, task}, 'chan:cam', 0.5, FEATURE_WEIGHTS) == (busy, 1.0 / 1.4)


def test_what_was_declared_is_its_key_alone() -> None:
    """Whatever it saw while it was an emergent scene, and whatever comes."""
    declared = replace(known(robot=4), origin=DECLARED)
    assert declared.usual() == {CAM} and declared.visited((CAM, Feature('tool', 'saw')), 5).seen == declared.seen


def test_a_likeness_of_the_limit_is_recalled(open_engine: Callable[..., Engine]) -> None:
    settings = Settings()
    engine = open_engine(None, replace(settings, scenes=replace(settings.scenes, likeness_threshold=0.5)))
    engine.learn(LearnRequest('the lens is dirty', scene='chan:cam/robot:r1'))
    assert [memory.content for memory in engine.recall(RecallRequest(scene='robot:r1')).memories] == [
        'the lens is dirty']


def test_the_limits_are_those_of_the_contract() -> None:
    """As defaults of parameters."""
    settings = SceneSettings()
    assert (settings.dominant_weight, settings.join_threshold, settings.likeness_threshold) == (0.5, 0.5, 0.35)
    assert (settings.min_visits, settings.settle_s) == (2, 0.5)
    assert settings.weights == {
        'peer': 1.2, 'place': 1.1, 'chan': 1.0, 'robot': 1.0, 'task': 0.9, 'tool': 0.8, 'object': 0.6, 'topic': 0.4,
        'part': 0.2}
