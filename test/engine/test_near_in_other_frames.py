"""Contract 8: `near` in a frame of the robot, where somebody (tf2) knows where frames are, and where nobody does."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from robotmem_ros.engine import Engine
from robotmem_ros.errors import InvalidRequest, NoTransform
from robotmem_ros.model import LearnRequest, Pose, RecallRequest, RecallResult
from robotmem_ros.settings import RecallSettings, Settings

HALF = math.sqrt(0.5)
LEFT = (0.0, 0.0, HALF, HALF)
"""A quarter turn to the left about z."""
UP = (0.0, -HALF, 0.0, HALF)
"""A quarter turn about y that lifts the nose."""


class Tree:
    """Knows what it was told: (frame, within, at) to a pose."""

    def __init__(self, **known: Pose) -> None:
        self.known = known
        self.asked: list[tuple[str, str, int]] = []

    def locate(self, frame: str, within: str, at_ns: int) -> Pose:
        self.asked.append((frame, within, at_ns))
        if frame not in self.known or self.known[frame].frame_id != within:
            raise NoTransform(frame, within, 'never heard of it')
        return self.known[frame]


def learn(engine: Engine, text: str, x: float, y: float, z: float = 0.0, frame: str = 'map', on: str = '') -> int:
    return engine.learn(LearnRequest(text, pose=Pose(frame, x, y, z, map_id=on))).memory_id


def near(engine: Engine, pose: Pose) -> RecallResult:
    return engine.recall(RecallRequest(near=pose, radius=0.01, reinforce=False))


def found(engine: Engine, pose: Pose) -> list[int]:
    result = near(engine, pose)
    assert not result.warning
    return [m.id for m in result.memories]


def test_a_frame_of_the_robot_is_where_the_tree_says(open_engine: Callable[..., Engine]) -> None:
    """Turned and moved, in all three axes, at the moment that the request names; no tap is needed."""
    tree = Tree(base_link=Pose('map', 10.0, 20.0, 1.0, LEFT), camera=Pose('map', 0.0, 0.0, 0.5, UP))
    engine = open_engine(frames=tree)
    ahead, above = learn(engine, 'shelf edge sticks out', 10.0, 22.0, 1.0), learn(engine, 'low beam', 0.0, 0.0, 3.5)
    assert found(engine, Pose('base_link', 2.0, 0.0, stamp_ns=7)) == [ahead]
    assert found(engine, Pose('camera', 3.0, 0.0)) == [above]
    assert tree.asked == [('base_link', 'map', 7), ('camera', 'map', 0)]


def test_the_tree_comes_before_the_tapped_pose_and_speaks_its_frame(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(frames=Tree(base_link=Pose('odom', 5.0, 0.0)))
    engine.observe_pose('odom', Pose('odom', 50.0, 0.0, map_id='hall'))
    wanted = learn(engine, 'wet floor', 5.0, 1.0, frame='odom', on='hall')
    learn(engine, 'bumpy tile', 5.0, 1.0, frame='odom', on='yard')
    assert found(engine, Pose('base_link', 0.0, 1.0)) == [wanted]


def test_the_frame_of_the_map_is_a_parameter(open_engine: Callable[..., Engine]) -> None:
    settings = Settings(recall=RecallSettings(map_frame='site'))
    engine = open_engine(settings=settings, frames=Tree(base_link=Pose('site', 5.0, 0.0)))
    wanted = learn(engine, 'wet floor', 6.0, 0.0, frame='site')
    assert found(engine, Pose('base_link', 1.0, 0.0)) == [wanted]


def test_a_frame_that_memories_are_stored_in_stays_as_it_is(open_engine: Callable[..., Engine]) -> None:
    """Also where the tree could carry it over; another collection's memories do not count."""
    tree = Tree(odom=Pose('map', 100.0, 0.0))
    engine = open_engine(frames=tree)
    engine.learn(LearnRequest('bumpy tile', collection='other', pose=Pose('odom', 1.0, 0.0)))
    here = learn(engine, 'wet floor', 101.0, 0.0)
    assert found(engine, Pose('odom', 1.0, 0.0)) == [here]
    there = learn(engine, 'cable on the floor', 1.0, 0.0, frame='odom')
    assert found(engine, Pose('odom', 1.0, 0.0)) == [there]
    assert found(engine, Pose('map', 101.0, 0.0)) == [here]
    assert len(tree.asked) == 1


def test_where_the_tree_does_not_know_the_tapped_pose_is_used_and_said_so(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(frames=Tree())
    wanted = learn(engine, 'wet floor', 11.0, 0.0)
    with pytest.raises(InvalidRequest, match=r'no pose of the robot .*never heard of it'):
        near(engine, Pose('base_link', 1.0, 0.0))
    engine.observe_pose('amcl', Pose('map', 10.0, 0.0))
    result = near(engine, Pose('base_link', 1.0, 0.0))
    assert [m.id for m in result.memories] == [wanted]
    assert result.warning == (
        "near: the latest tapped pose was used: no transform from 'base_link' to 'map': never heard of it")


def test_a_strange_frame_that_nobody_can_place_is_named(open_engine: Callable[..., Engine]) -> None:
    engine = open_engine(frames=Tree())
    learn(engine, 'wet floor', 1.0, 0.0)
    result = near(engine, Pose('camera', 1.0, 0.0))
    assert not result.memories
    assert result.warning.startswith("near.header.frame_id: nothing is stored in frame 'camera', and there is no tra")


def test_without_a_tree_other_frames_are_left_alone(text_engine: Engine) -> None:
    wanted = learn(text_engine, 'wet floor', 1.0, 0.0, frame='camera')
    assert found(text_engine, Pose('camera', 1.0, 0.0)) == [wanted]
    assert found(text_engine, Pose('lidar', 1.0, 0.0)) == []
    with pytest.raises(InvalidRequest, match=r'\(no pose tap has given one\)'):
        near(text_engine, Pose('base_link', 1.0, 0.0))
