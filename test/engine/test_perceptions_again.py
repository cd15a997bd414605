"""A recording that is played again brings nothing new (SCN-12); perceptions that only look alike are all stored."""

from __future__ import annotations

from dataclasses import replace

from robotmem_ros.engine import Engine
from robotmem_ros.model import PerceptionInput

SEEN = PerceptionInput(description='a red crate', seq=7, source='camera', stamp_ns=5 * 10**9)


def test_the_very_same_message_is_stored_once(engine: Engine) -> None:
    first = engine.save_perception(SEEN)
    assert engine.save_perceptions([SEEN, SEEN]) == [first, first]
    assert engine.stats()['by_type'] == {'perception': 1}


def test_what_differs_is_another(engine: Engine) -> None:
    """Another source, number, stamp or collection; and without number or stamp nobody can tell."""
    others = [
        SEEN, replace(SEEN, source='lidar'), replace(SEEN, seq=8), replace(SEEN, stamp_ns=6 * 10**9),
        replace(SEEN, collection='elsewhere'), replace(SEEN, seq=0), replace(SEEN, seq=0), replace(SEEN, stamp_ns=0),
        replace(SEEN, stamp_ns=0),
    ]
    assert len(set(engine.save_perceptions(others))) == len(others)


def test_a_forgotten_one_does_not_come_back(engine: Engine) -> None:
    first = engine.save_perception(SEEN)
    engine.forget(first, 'wrong')
    assert engine.save_perception(SEEN) == first
    assert engine.stats()['by_status'] == {'forgotten': 1}
