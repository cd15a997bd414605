"""What geometry calls a return, and a drive of several laps that meets the bars of issue 4."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from benchmarks import loops
from benchmarks.drives import Drive, drive_of, known_ground, returns

STEP_M = 0.8


def along(*points: tuple[float, float], speed_mps: float = 8.0) -> Drive:
    """Drive from point to point, with a pose each 0.8 m."""
    path = [points[0]]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        steps = math.ceil(math.hypot(x1 - x0, y1 - y0) / STEP_M)
        path += [(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps) for i in range(1, steps + 1)]
    drive = drive_of('test', range(len(path)), path)
    return drive_of('test', drive.travel_m / speed_mps, path)


def test_what_is_a_return() -> None:
    """Back along a street, within 5 m: ground that was left more than 60 m of travel ago, for 10 m or more."""
    drive = along((0, 0), (100, 0), (100, 4), (0, 4))
    (only,) = returns(drive, known_ground(drive, 5.0))
    assert drive.travel_m[only.first] - 104 == pytest.approx((60 - 4) / 2, abs=2.0)
    assert only.last == len(drive.t_s) - 1
    beside = along((0, 0), (100, 0), (100, 6), (0, 6))
    assert not any(returns(beside, known_ground(beside, 5.0)))


def test_a_crossing_is_too_short_to_be_a_return() -> None:
    drive = along((0, 0), (100, 0), (100, 50), (50, 50), (50, -50))
    known = known_ground(drive, 4.9)
    assert known.any() and not any(returns(drive, known))


@pytest.mark.parametrize(('aside_m', 'speed_mps'), [(0.0, 8.0), (2.0, 14.0), (-2.0, 4.0)])
def test_several_laps_meet_the_bars(aside_m: float, speed_mps: float) -> None:
    """Issue 4, real loops: the same with a made drive, which lies in the repository."""
    lap = [(0.0, 0.0), (150.0, 0.0), (150.0, 90.0), (0.0, 90.0)]
    shifted = [(x + aside_m, y + aside_m) for x, y in lap]
    drive = along((-80.0, 0.0), *lap, *shifted, *reversed(lap), speed_mps=speed_mps)
    row = loops.judged(drive, loops.drive_through(drive, loops.by_places))
    shares = loops.summary([row])
    assert row['returns'] >= 1 and row['misses'] == []
    assert shares['returns_recognised'] == 1.0 and shares['hits_right'] >= 0.98
    assert shares['known_metres_recognised'] >= 0.9 and shares['hits_again_without_leaving'] == 0


def test_the_judge_sees_what_is_wrong() -> None:
    """A tracker that says nothing misses, one that tells the same scene twice is told so, one that guesses is wrong."""
    drive = along((0, 0), (100, 0), (100, 4), (0, 4))
    silent = loops.judged(drive, loops.Driven([], [''] * len(drive.t_s)))
    assert len(silent['misses']) == 1 and 'no hit came' in silent['misses'][0]
    assert silent['known_metres_recognised'] == 0.0
    wrong = loops.judged(drive, loops.Driven([(10, 'a'), (20, 'a')], ['a'] * len(drive.t_s)))
    assert wrong['hits_right'] == 0 and wrong['hits_again_without_leaving'] == 1
    assert np.isclose(wrong['known_metres_recognised'], wrong['known_metres'])
