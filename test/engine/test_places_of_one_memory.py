"""Contract 4 and 8: of a memory with several places, only those count that satisfy the criteria."""

from __future__ import annotations

import json

from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, Pose, RecallRequest


def learn(engine: Engine, text: str, x: float, session: str = '') -> int:
    return engine.learn(LearnRequest(
        text, session_id=session, pose=Pose('map', x, 0.0), context=json.dumps({'at': [x]}))).memory_id


def ids(engine: Engine, **criteria: object) -> list[int]:
    return [m.id for m in engine.recall(RecallRequest(reinforce=False, **criteria)).memories]


def test_the_nearest_place_that_satisfies_decides(text_engine: Engine) -> None:
    """By pose and by a position in the context: what another session saw nearer does not count."""
    session = text_engine.start_session().session_id
    twice = learn(text_engine, 'wet floor here', 5.0, session)
    assert learn(text_engine, 'wet floor here', 0.0) == twice
    once = learn(text_engine, 'bumpy tile', 3.0, session)
    near, sort = Pose('map', 0.0, 0.0), '{"field": "at", "target": [0]}'
    assert ids(text_engine, near=near) == ids(text_engine, spatial_sort=sort) == [twice, once]
    assert ids(text_engine, near=near, session_id=session) == [once, twice]
    assert ids(text_engine, spatial_sort=sort, session_id=session) == [once, twice]


def test_what_is_before_the_robot_lies_on_its_map(text_engine: Engine) -> None:
    """``near`` in the robot's own frame takes the map of the tapped pose, unless it names one."""
    hall, yard = (
        text_engine.learn(LearnRequest(text, pose=Pose('map', 1.0, 0.0, map_id=on))).memory_id
        for text, on in (('wet floor here', 'hall'), ('bumpy tile', 'yard')))
    text_engine.observe_pose('amcl', Pose('map', 0.0, 0.0, map_id='hall'))
    ahead = Pose('base_link', 1.0, 0.0)
    assert ids(text_engine, near=ahead, radius=0.1) == [hall]
    assert ids(text_engine, near=Pose('base_link', 1.0, 0.0, map_id='yard'), radius=0.1) == [yard]


def test_the_occurrence_that_satisfies_is_the_one_that_is_weighed(text_engine: Engine) -> None:
    """What the simulator saw in this session weighs as simulated, though the real robot saw it since."""
    session = text_engine.start_session().session_id
    for where, of in (('sim', session), ('real', '')):
        text_engine.learn(LearnRequest('cup slips', session_id=of, context=json.dumps({'env': {'sim_or_real': where}})))
    anywhere, here = (
        text_engine.recall(RecallRequest('cup', reinforce=False, session_id=of)).memories[0] for of in ('', session))
    assert anywhere.score > 1.4 * here.score


def test_without_a_radius_closer_counts_on_the_same_map_only(text_engine: Engine) -> None:
    """A coordinate of another map is worth nothing."""
    hall, yard = (
        text_engine.learn(LearnRequest(f'wet floor {on}', pose=Pose('map', 1.0, 0.0, map_id=on))).memory_id
        for on in ('hall', 'yard'))
    for on, first in (('hall', hall), ('yard', yard)):
        near = Pose('map', 1.0, 0.0, map_id=on)
        assert text_engine.recall(RecallRequest('wet floor', near=near, reinforce=False)).memories[0].id == first
