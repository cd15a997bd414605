"""The hour describes a situation, from the clock, and never identifies it (contract 9; seed 002, R2)."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from typing import Any

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.day import part_of_day
from robotmem_ros.engine import Engine
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import LearnRequest
from robotmem_ros.settings import SceneSettings

MakeRobot = Callable[..., Any]


def at(hour: int, minute: int = 0, day: int = 1) -> int:
    return calendar.timegm((2026, 6, day, hour, minute, 0)) * 10**9


@pytest.mark.parametrize(('hour', 'part'), [
    (0, 'night'), (4, 'night'), (5, 'morning'), (10, 'morning'), (11, 'noon'), (13, 'noon'), (14, 'afternoon'),
    (17, 'afternoon'), (18, 'evening'), (21, 'evening'), (22, 'night'), (23, 'night'),
])
def test_the_day_has_parts(hour: int, part: str) -> None:
    assert part_of_day(at(hour), 'utc') == part_of_day(at(hour, 59), 'utc') == part


@pytest.mark.parametrize(('zone', 'part'), [
    ('utc', 'night'), ('+02:00', 'morning'), ('+0230', 'morning'), ('-5', 'night'), ('-10:30', 'afternoon'),
    ('off', ''),
])
def test_the_zone_is_a_setting(zone: str, part: str) -> None:
    assert part_of_day(at(3, 30), zone) == part


def test_the_systems_zone_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv('TZ', 'UTC-9')  # POSIX: nine hours east
    time.tzset()
    try:
        assert part_of_day(at(23), SceneSettings().day_zone) == 'morning'
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize('zone', ['', 'Berlin', '+25', '+01:75', 'UTC', '2'])
def test_a_wrong_zone_is_refused(zone: str) -> None:
    with pytest.raises(InvalidRequest, match=r'scenes\.day_zone'):
        SceneSettings(day_zone=zone)


def test_no_time_has_no_part() -> None:
    assert part_of_day(0, 'utc') == '' and part_of_day(-1, 'utc') == ''


def test_it_is_in_the_fingerprint_and_in_no_key(make_robot: MakeRobot) -> None:
    robot = make_robot(day_zone='utc')
    for robot.now in (at(8), at(9), at(19)):
        robot.visit(place='hall')
    (scene,) = robot.scenes().values()
    assert (scene.key, [str(each) for each in scene.features]) == ('place:hall', ['place:hall', 'part:morning'])
    assert [str(each) for each in robot.events[-1].situation] == ['place:hall', 'part:evening']
    assert robot.events[-1].similarity == pytest.approx(1.1 / 1.3)


def test_the_hour_alone_is_no_situation(make_robot: MakeRobot) -> None:
    robot = make_robot(day_zone='utc')
    assert robot.tracker.situation(robot.now) == ()
    robot.see(place='hall')
    assert len(robot.tracker.situation(robot.now)) == 2


def test_a_source_that_tells_it_is_believed(make_robot: MakeRobot) -> None:
    robot = make_robot(day_zone='utc')
    robot.now = at(8)
    robot.see(place='hall', part='shift_2')
    assert [str(each) for each in robot.tracker.situation(robot.now)] == ['place:hall', 'part:shift_2']


def test_the_hour_that_changes_wakes_nobody(make_robot: MakeRobot) -> None:
    """An idle robot writes nothing, all day long."""
    robot = make_robot(day_zone='utc')
    robot.now = at(8)
    robot.see(place='hall')
    robot.wait(30.0)
    before = robot.writes()
    for hour in range(9, 24):
        robot.now = at(hour)
        robot.see(place='hall')
        assert robot.tracker.due_ns() is None
    assert robot.writes() == before


def test_each_occurrence_keeps_it(engine: Engine, clock: ManualClock) -> None:
    from robotmem_ros.store import occurrences

    engine.observe('test', [('place', 'hall')])
    clock.advance(seconds=1.0)
    engine.advance_scenes()
    memory = engine.learn(LearnRequest('the hall door is stiff')).memory_id
    with engine._rt.store.read() as tx:
        found = occurrences.newest(tx, memory)
    assert found is not None and found.bucket == 'place:hall'
    assert [each.kind for each in found.fingerprint] == ['place', 'part']
