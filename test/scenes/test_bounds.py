"""Bad and excessive input, failing writes, many threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from robotmem_ros.core.emergence import MAX_COUNTED, counted, likeness, weighted_jaccard
from robotmem_ros.core.situation import MAX_FEATURES, MAX_SLOTS
from robotmem_ros.errors import StoreError
from robotmem_ros.model import Feature
from robotmem_ros.settings import FEATURE_WEIGHTS


def test_a_message_of_ten_thousand_features_is_bounded(robot: Any) -> None:
    refused = robot.see(object=[f'o{i}' for i in range(10_000)])
    assert refused == 10_000 - MAX_FEATURES == robot.tracker.refused
    assert robot.tracker.refusal.endswith(f'features: expected at most {MAX_FEATURES}, got 10000')
    assert len(robot.tracker.situation(robot.now)) == MAX_FEATURES


def test_a_thousand_sources_are_bounded(robot: Any) -> None:
    for i in range(1000):
        robot.see(f'source_{i}', topic=f't{i}', object=f'o{i}')
    assert len(robot.tracker._situation._slots) <= MAX_SLOTS
    assert len(robot.tracker.situation(robot.now)) == MAX_FEATURES
    robot.wait(60.0)
    assert len(robot.evidence()) == 1


def test_one_bad_feature_does_not_spoil_its_message(robot: Any) -> None:
    assert robot.see(place='hall', temp='nan', peer='x' * 2000, object=['cup', '[1]']) == 3
    assert [str(each) for each in robot.tracker.situation(robot.now)] == ['place:hall', 'object:cup']


def test_a_bad_value_leaves_the_last_good_one(robot: Any) -> None:
    robot.see(temp='21')
    robot.see(temp='nan')
    assert [str(each) for each in robot.tracker.situation(robot.now)] == ['temp:21']


def test_counts_are_bounded_and_what_is_usual_stays() -> None:
    seen: dict[Feature, int] = {}
    for i in range(200):
        seen = counted(seen, [Feature('place', 'lab'), Feature('chan', 'cam'), Feature('object', f'o{i}')])
    assert len(seen) == MAX_COUNTED
    assert seen[Feature('place', 'lab')] == seen[Feature('chan', 'cam')] == 200
    assert Feature('object', 'o199') in seen


def test_likeness_for_joining_is_one_sided_and_for_recall_two_sided() -> None:
    """SCN-06: what holds beside the usual does not count against a scene that is to be joined."""
    usual = [Feature('place', 'lab'), Feature('chan', 'cam')]
    rich = [*usual, *(Feature('object', f'o{i}') for i in range(10))]
    assert likeness(usual, rich, FEATURE_WEIGHTS) == 1.0
    assert likeness(usual, usual[:1], FEATURE_WEIGHTS) == pytest.approx(1.1 / 2.1)
    assert weighted_jaccard(usual, rich, FEATURE_WEIGHTS) == pytest.approx(2.1 / 8.1)
    assert likeness([], rich, FEATURE_WEIGHTS) == weighted_jaccard([], [], FEATURE_WEIGHTS) == 0.0


def test_a_write_that_fails_changes_nothing_and_is_made_up_for(robot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    robot.visit(place='hall')
    robot.see(place='')
    robot.wait()

    def full(**_: Any) -> Any:
        raise StoreError('memory.db', 'the disk is full')

    robot.see(place='hall')
    robot.now = robot.tracker.due_ns()
    with monkeypatch.context() as patch:
        patch.setattr(robot.store, 'write', full)
        with pytest.raises(StoreError):
            robot.tracker.advance(robot.now)
        assert robot.tracker.current() is None
        assert robot.tracker.due_ns() == robot.now + 10**9
        assert robot.tracker.advance(robot.now) == []
    (event,) = robot.wait(2.0)
    assert (event.created, event.scene.strength) == (True, 2)


def test_a_disk_that_stays_full_is_tried_once_a_second(robot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while places wait to be written."""
    tries = 0

    def full(**_: Any) -> Any:
        nonlocal tries
        tries += 1
        raise StoreError('memory.db', 'the disk is full')

    robot.at(0.0)
    monkeypatch.setattr(robot.store, 'write', full)
    end = robot.now + 30 * 10**9
    while (due := robot.tracker.due_ns()) is not None and due <= end and tries < 100:
        robot.now = due
        with pytest.raises(StoreError):
            robot.tracker.advance(robot.now)
    assert tries == 30


def test_asking_never_waits_for_a_writer(robot: Any) -> None:
    """A learn holds the writer while it asks for the bucket and the scene; deciding waits for that writer meanwhile."""
    for _ in range(2):
        robot.visit(place='hall')
    robot.see(place='dock')
    now = robot.now + 10**9
    with robot.store.write():
        deciding = threading.Thread(target=robot.tracker.advance, args=(now,))
        deciding.start()
        deciding.join(0.2)
        assert deciding.is_alive()
        answers: list[Any] = []
        asking = threading.Thread(target=lambda: answers.extend((
            robot.tracker.bucket(now), robot.tracker.situation(now), robot.tracker.current(), robot.tracker.here(now),
            robot.tracker.due_ns(), robot.see(topic='x'))))
        asking.start()
        asking.join(5.0)
        assert len(answers) == 6 and answers[0] == 'place:dock'
    deciding.join(5.0)
    assert not deciding.is_alive()


def test_many_threads_agree(robot: Any) -> None:
    errors: list[Exception] = []

    def work(number: int, act: Callable[[int, int], Any]) -> None:
        try:
            for i in range(150):
                act(number, robot.now + i * 10**8)
        except Exception as error:  # noqa: BLE001  a thread must not swallow what went wrong
            errors.append(error)

    def observe(number: int, now: int) -> None:
        robot.tracker.observe(f's{number}', [('place', f'r{now // 10**9 % 5}'), ('topic', str(now))], now)
        robot.tracker.bucket(now)

    threads = [threading.Thread(target=work, args=(n, observe)) for n in range(3)]
    threads += [threading.Thread(target=work, args=(n, lambda _, now: robot.tracker.advance(now))) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert errors == [] and not any(thread.is_alive() for thread in threads)


def test_features_that_come_up_later_in_a_visit_are_counted_with_it(robot: Any) -> None:
    for _ in range(2):
        robot.visit(place='lab', chan='cam')
        robot.see(object='drill')
        robot.wait()
    robot.visit(place='hall')
    assert 'object:drill' in {str(each) for each in robot.scenes()['place:lab/chan:cam'].features}
