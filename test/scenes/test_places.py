"""Poses become places: stable names, no borders, nothing shared between maps."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core.places import Places
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, Pose, RecallRequest

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


def test_the_latest_pose_is_kept(robot: Any) -> None:
    robot.at(1.0)
    robot.at(2.0, frame_id='odom')
    assert (robot.tracker.last_pose().x, robot.tracker.last_pose().frame_id) == (2.0, 'odom')


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


def test_a_place_founded_on_the_doorstep_of_a_known_one_yields_to_it() -> None:
    """A robot that comes back to known ground is not held by a place that it founded a step before."""
    places = Places(1.0, 0.3)
    assert tour(places, [(0, 0), (9, 0), (1.05, 0), (0.9, 0)]) == ['p1', 'p2', 'p3', 'p1']


def test_a_place_that_was_dwelt_in_does_not_yield() -> None:
    places = Places(1.0, 0.3)
    assert tour(places, [(0, 0), (9, 0), (1.25, 0), (0.99, 0), (0.9, 0)]) == ['p1', 'p2', 'p3']
    assert tour(places, [(9, 0), (1.25, 0), (1.2, 0), (0.5, 0)]) == ['p2', 'p3'], 'nor one that was known before'


def test_a_car_is_faster_than_settling(make_robot: Any) -> None:
    """At 15 m/s places of 5 m are crossed in less than the settling time: still visits, and recognised on return."""
    robot = make_robot(place_radius_m=5.0)
    for lap in range(2):
        for i in range(100):
            robot.at(1.5 * i, y=1.5 * lap)
            robot.wait(0.1)
        robot.at(500.0)
        robot.wait(5.0)
    recognised = [event.scene.key for event in robot.events]
    assert len(recognised) >= 20 and len(set(recognised)) == len(recognised)


def test_fast_noise_is_not_dwelling(robot: Any) -> None:
    """Poses that jump to and fro at 50 Hz are not travel: the place still settles by time."""
    for i in range(10):
        robot.at(0.1 * (i % 2))
        robot.wait(0.02)
    assert robot.evidence() == {}
    robot.wait(0.3)
    assert robot.evidence() == {'place:p1': 1}


def test_a_walking_robot_settles_by_time(robot: Any) -> None:
    """At 0.5 m/s sources of different rates still meet: a peer that comes 0.4 s after the place is one arrival."""
    for _ in range(2):
        for i in range(12):
            robot.at(5.0 + 0.05 * i)
            if i == 4:
                robot.see('camera', peer='x')
            robot.wait(0.1)
        robot.see('camera', peer='')
        robot.at(50.0)
        robot.wait()
    assert set(robot.scenes()) == {'place:p1/peer:x', 'place:p2'}


def test_a_tapped_pose_gives_what_is_learned_its_place(engine: Engine) -> None:
    """Contract 9: with its map; a place that the request names goes before, and another collection is not here."""
    engine.observe_pose('amcl', Pose('map', 20.5, 1.0, map_id='hall'))
    engine.learn(LearnRequest('the tap drips'))
    engine.learn(LearnRequest('a beam hangs low', pose=Pose('map', 3.0, 4.0, map_id='yard')))
    engine.learn(LearnRequest('the gate is shut', collection='elsewhere'))
    answers = [engine.recall(RecallRequest(since_ns=1, collection=name)) for name in ('', 'elsewhere')]
    found = [memory for answer in answers for memory in answer.memories]
    assert {memory.content: memory.pose and (memory.pose.x, memory.pose.map_id) for memory in found} == {
        'the tap drips': (20.5, 'hall'), 'a beam hangs low': (3.0, 'yard'), 'the gate is shut': None}

def test_of_two_that_reach_a_pose_the_nearer_is_meant() -> None:
    places = Places(1.0, 0.3)
    near, far = places.locate('a', Pose('map', 0.0, 0.0))[0], places.locate('b', Pose('map', 1.5, 0.0))[0]
    assert places.locate('c', Pose('map', 0.7, 0.0))[0] is near
    assert places.locate('d', Pose('map', 0.8, 0.0))[0] is far


def test_one_above_the_other_are_two_places() -> None:
    """A lift: the same x and y, another floor."""
    places = Places(1.0, 0.3)
    below, above = (places.locate(str(z), Pose('map', 5.0, 5.0, z))[0] for z in (-4.0, 4.0))
    assert below is not above
    assert places.locate('another', Pose('map', 5.0, 5.0, -3.5)) == (below, False)


def test_what_is_just_within_reach_is_within() -> None:
    places = Places(1.0, 0.5)
    centre = places.locate('a', Pose('map', 0.0, 0.0))[0]
    assert places.locate('b', Pose('map', 1.0, 0.0)) == (centre, False), 'the radius itself'
    assert places.locate('b', Pose('map', 1.5, 0.0)) == (centre, False), 'and the margin, once inside'
