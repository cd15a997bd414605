"""Poses become places: stable names, no borders, nothing shared between maps."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core.places import Places
from robotmem_ros.model import Pose

LOOP = [(10 * math.cos(i / 200), 10 * math.sin(i / 200)) for i in range(1257)]


def tour(places: Places, path: list[tuple[float, float]]) -> list[str]:
    """Give the sequence of places along a path, each stay once."""
    names: list[str] = []
    for x, y in path:
        name = places.locate('amcl', Pose('map', x, y))[0].name
        if names[-1:] != [name]:
            names.append(name)
    return names


def test_the_same_tour_gives_the_same_places() -> None:
    places = Places(1.0, 0.3)
    first = tour(places, LOOP)
    assert first[:3] == ['p1', 'p2', 'p3'] and len(set(first)) == len(first) - 1
    assert tour(places, LOOP) == first
    assert tour(places, LOOP) == first


def test_a_tour_beside_the_first_founds_little() -> None:
    """0.3 m beside the first tour, with a radius of 1 m, everything is known ground."""
    places = Places(1.0, 0.3)
    known = set(tour(places, LOOP))
    assert set(tour(places, [(x * 1.03, y * 1.03) for x, y in LOOP])) <= known


def test_a_place_is_kept_until_it_is_clearly_left() -> None:
    places = Places(1.0, 0.3)
    assert tour(places, [(0, 0), (1.29, 0)]) == ['p1']
    assert tour(places, [(1.31, 0)]) == ['p2']
    assert tour(places, [(0.7, 0), (0.02, 0)]) == ['p2']
    assert tour(places, [(0.0, 0)]) == ['p1']


@given(st.lists(st.tuples(st.floats(-20, 20), st.floats(-20, 20)), max_size=60))
def test_a_pose_is_never_far_from_its_place(path: list[tuple[float, float]]) -> None:
    places = Places(1.0, 0.3)
    for x, y in path:
        pose = Pose('map', x, y)
        centre, is_new = places.locate('amcl', pose)
        assert centre.distance_m(pose) <= 1.3
        assert not is_new or centre.distance_m(pose) == 0


def test_frames_and_maps_share_nothing(robot: Any) -> None:
    names = []
    for frame, map_id in (('map', 'a'), ('map', 'b'), ('odom', 'a'), ('map', 'a')):
        robot.at(0.0, frame_id=frame, map_id=map_id)
        robot.wait()
        names.append(robot.tracker.bucket(robot.now))
    assert names == ['place:p1', 'place:p2', 'place:p3', 'place:p1']


def test_names_survive_a_restart(robot: Any) -> None:
    for x in (0.0, 5.0, 0.0):
        robot.at(x)
        robot.wait()
    robot.restart()
    for x, name in ((5.1, 'p2'), (9.0, 'p3'), (0.1, 'p1')):
        robot.at(x)
        robot.wait()
        assert robot.tracker.bucket(robot.now) == f'place:{name}'


@pytest.mark.parametrize('pose', [
    Pose('map', math.nan, 0.0), Pose('map', math.inf, 0.0), Pose('map', 0.0, 0.0, -math.inf), Pose('', 0.0, 0.0),
    Pose('map', 1e300, 0.0), Pose('map', 0.0, 0.0, quaternion=(math.nan, 0.0, 0.0, 1.0)),
])
def test_a_pose_without_a_place_is_refused(robot: Any, pose: Pose) -> None:
    """SCN-11: counted, and nothing moves."""
    assert robot.tracker.observe_pose('amcl', pose, robot.now) == 1
    assert robot.tracker.refused == 1
    assert robot.tracker.last_pose() is None and robot.tracker.due_ns() is None


def test_the_latest_pose_of_a_frame_is_kept(robot: Any) -> None:
    robot.at(1.0)
    robot.at(2.0, frame_id='odom')
    robot.at(3.0)
    last = robot.tracker.last_pose
    assert (last().x, last('map').x, last('odom').x, last('x')) == (3.0, 3.0, 2.0, None)


def test_places_passed_without_a_stop_reach_the_file(robot: Any) -> None:
    """A robot that never settles still keeps its places, in batches."""
    for i in range(150):
        robot.at(i * 2.0)
        robot.wait(0.1)
    with robot.store.read() as tx:
        assert tx.value('SELECT count(*) FROM place') >= 100
    robot.restart()
    robot.at(2.1)
    robot.wait()
    assert robot.tracker.bucket(robot.now) == 'place:p2'
