"""Features settle before they decide; noise at a border decides nothing; clocks may jump."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

MakeRobot = Callable[..., Any]


def known(robot: Any, *places: str) -> None:
    for place in places * 2:
        robot.visit(place=place)
    robot.events.clear()


def changes(robot: Any) -> int:
    return len(robot.events)


def test_nothing_is_decided_before_it_settled(robot: Any) -> None:
    known(robot, 'hall', 'dock')
    robot.see(place='hall')
    assert robot.wait(0.499) == []
    (event,) = robot.wait(0.001)
    assert event.scene.key == 'place:hall'
    assert robot.tracker.due_ns() is None


def test_sources_of_different_rates_meet(robot: Any) -> None:
    """A place and a peer that comes 0.4 s later are one arrival, not two."""
    for _ in range(2):
        robot.visit()
        robot.see('amcl', place='hall')
        robot.wait(0.4)
        robot.see('camera', peer='x')
        robot.wait()
        robot.see('camera', peer='')
        robot.see('amcl', place='')
        robot.wait()
    assert set(robot.scenes()) == {'place:hall/peer:x'}


def test_a_restless_detector_does_not_hide_the_place(robot: Any) -> None:
    known(robot, 'hall', 'dock')
    robot.see('amcl', place='hall')
    robot.see('perception', place='')
    for i in range(40):
        robot.see('camera', object=['cup'] if i % 2 else '')
        robot.wait(0.1)
    assert [event.scene.key for event in robot.events] == ['place:hall']


def test_a_source_that_never_stands_still_does_not_hide_the_place(robot: Any) -> None:
    """Each object is another one: the place waits for it three settling times, no longer."""
    known(robot, 'hall', 'dock')
    robot.see('amcl', place='hall')
    robot.see('perception', place='')
    for i in range(40):
        robot.see('camera', object=f'o{i}')
        robot.wait(0.1)
    assert [(event.scene.key, robot.now - event.at_ns) for event in robot.events] == [('place:hall', 2_500_000_000)]


def test_alternating_values_do_not_flicker(robot: Any) -> None:
    """SCN-10: two equal places, alternating at 10 Hz for 30 s: at most 2 changes, and no evidence of swings."""
    known(robot, 'near', 'far')
    strengths = {key: scene.strength for key, scene in robot.scenes().items()}
    for i in range(300):
        robot.see(place='near' if i % 2 else 'far')
        robot.wait(0.1)
    assert changes(robot) <= 2
    assert all(scene.strength - strengths[key] <= 1 for key, scene in robot.scenes().items())


@pytest.mark.parametrize('seed', range(10))
def test_random_noise_at_a_bin_edge_does_not_flicker(robot: Any, seed: int) -> None:
    """SCN-10: a distance of 2.0 m +- 2 cm in bins with an edge at 2.0 m; chance alone makes runs of half a second."""
    known(robot, 'near', 'far')
    noise = random.Random(seed)
    for _ in range(300):
        robot.see(place='near' if noise.gauss(2.0, 0.02) < 2.0 else 'far')
        robot.wait(0.1)
    assert changes(robot) <= 2


def test_after_the_noise_the_true_place_is_entered(robot: Any) -> None:
    known(robot, 'near', 'far')
    for i in range(100):
        robot.see(place='near' if i % 2 else 'far')
        robot.wait(0.1)
    robot.events.clear()
    robot.see(place='near')
    (event,) = robot.wait(8 * 0.5)
    assert event.scene.key == 'place:near'


def test_a_pose_that_swings_around_a_rim_stays_where_it_was(robot: Any) -> None:
    """SCN-10: the margin of places: 1.0 m radius, kept up to 1.3 m."""
    robot.at(0.0)
    robot.wait()
    for i in range(300):
        robot.at(0.98 if i % 2 else 1.02)
        robot.wait(0.1)
    assert robot.tracker.bucket(robot.now) == 'place:p1'
    assert robot.evidence() == {'place:p1': 1}


def test_expiry_is_not_leaving(robot: Any) -> None:
    """A feature with a time to live vanishes from the situation; its return is neither a visit nor a hit."""
    known(robot, 'hall', 'dock')
    robot.visit()
    robot.tracker.observe('tag', [('place', 'hall')], robot.now, ttl_s=2.0)
    (event,) = robot.wait(5.0)
    assert event.scene.key == 'place:hall'
    assert robot.tracker.situation(robot.now) == ()
    assert robot.tracker.current().key == 'place:hall'
    strength = robot.scenes()['place:hall'].strength
    robot.tracker.observe('tag', [('place', 'hall')], robot.now, ttl_s=2.0)
    assert robot.wait(5.0) == []
    assert robot.scenes()['place:hall'].strength == strength
    robot.see('tag', place='dock')
    (event,) = robot.wait()
    assert event.scene.key == 'place:dock'


def test_what_expired_goes_with_the_next_change(robot: Any) -> None:
    robot.tracker.observe('camera', [('peer', 'x')], robot.now, ttl_s=2.0)
    robot.see('amcl', place='hall')
    robot.wait(5.0)
    robot.see('amcl', place='dock')
    robot.wait()
    assert robot.tracker.bucket(robot.now) == 'place:dock'
    assert robot.evidence() == {'place:hall/peer:x': 1, 'place:dock': 1}


def test_a_clock_that_goes_back_restarts_settling(robot: Any) -> None:
    """SCN-12, core: no crash, no negative wait, nothing decided at once, and it still decides."""
    known(robot, 'hall', 'dock')
    robot.see(place='hall')
    robot.now = 0
    assert robot.tracker.advance(0) == []
    assert 0 <= robot.tracker.due_ns() <= 500_000_000
    (event,) = robot.wait()
    assert event.scene.key == 'place:hall' and event.at_ns == 500_000_000


def test_a_recording_that_loops_is_recognised_and_not_counted(robot: Any) -> None:
    """SCN-12, core: the second pass over the same time leaves the scenes as they were; a third, later one counts."""
    def drive() -> None:
        for place in ('a', 'b', 'a', 'c'):
            robot.see(place=place)
            robot.wait(5.0)

    begin = robot.now
    drive()
    scenes, evidence = robot.scenes(), robot.evidence()
    robot.events.clear()
    robot.now = begin
    drive()
    assert (robot.scenes(), robot.evidence()) == (scenes, evidence)
    assert [event.scene.key for event in robot.events] == ['place:a', 'place:a']
    drive()
    assert set(robot.scenes()) == {'place:a', 'place:b', 'place:c'}


def test_a_wrong_clock_that_is_corrected_still_counts(robot: Any) -> None:
    """A step back by more than a day is no recording that loops."""
    robot.now = 3_000_000_000 * 10**9
    robot.visit(place='hall')
    robot.now = 1_000_000_000 * 10**9
    robot.visit(place='hall')
    assert set(robot.scenes()) == {'place:hall'}


def test_threads_that_read_the_clock_early_are_no_step_back(robot: Any) -> None:
    robot.see(place='hall')
    robot.now += 400_000_000
    robot.see(topic='x')
    robot.now -= 100_000_000
    robot.see(topic='y')
    robot.wait(0.3)
    assert robot.evidence() == {'place:hall': 1}


def test_an_idle_robot_writes_nothing(robot: Any) -> None:
    """The same features and poses for ten minutes: not a byte, and nothing due."""
    robot.at(0.0)
    robot.see(peer='x', temp='21.3')
    robot.wait(30.0)
    before = robot.writes()
    for _ in range(600):
        robot.at(0.1)
        robot.see(peer='x', temp='21.3000001')
        robot.wait()
    assert robot.writes() == before
    assert robot.tracker.due_ns() is None
