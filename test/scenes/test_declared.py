"""Declared scenes, hierarchical keys, and what hangs on scenes."""

from __future__ import annotations

from typing import Any

from robotmem_ros.core.scene_key import normalise_key
from robotmem_ros.model import DECLARED, EMERGENT, Filters
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store import collections, lifecycle, scenes


def declare(robot: Any, key: str) -> Any:
    with robot.store.write() as tx:
        scene, created = scenes.declare(tx, collections.collection_id(tx, 'test'), normalise_key(key), robot.now)
    robot.tracker.reload()
    return scene, created


def test_a_declared_scene_exists_at_once(robot: Any) -> None:
    robot.visit(place='hall')
    scene, created = declare(robot, 'place:Hall')
    assert (scene.key, scene.origin, created) == ('place:hall', DECLARED, True)
    (event,) = robot.wait()
    assert (event.scene.key, event.scene.origin, event.created) == ('place:hall', DECLARED, False)
    assert event.scene.strength == 1
    assert declare(robot, ' PLACE:hall')[1] is False
    assert robot.wait() == []


def test_a_declared_scene_learns_nothing(robot: Any) -> None:
    declare(robot, 'place:hall')
    for topic in 'abc':
        (event,) = robot.visit(place='hall', topic=topic)
        assert [str(each) for each in event.scene.features] == ['place:hall']
    assert robot.scenes()['place:hall'].strength == 3
    with robot.store.read() as tx:
        assert tx.execute('SELECT value FROM scene_feature') == [('hall',)]


def test_a_declared_scene_swallows_no_emergent_one(robot: Any) -> None:
    declare(robot, 'place:hall')
    declare(robot, 'place:hall/chan:cam')
    for _ in range(2):
        robot.visit(place='hall', peer='x', chan='cam')
    assert robot.scenes()['place:hall/peer:x'].origin == EMERGENT
    (event,) = robot.visit(place='hall', peer='x', chan='cam')
    assert event.scene.key == 'place:hall/peer:x'


def test_a_declared_scene_of_three_parts_is_the_most_specific(robot: Any) -> None:
    declare(robot, 'task:inspect/peer:x/place:hall')
    (event,) = robot.visit(place='hall', peer='x', task='inspect')
    assert event.scene.key == 'place:hall/peer:x/task:inspect'


def test_an_emergent_scene_that_is_declared_stays_the_same_row(robot: Any) -> None:
    """SCN-01"""
    for _ in range(2):
        robot.visit(place='hall', topic='a')
    scene, created = declare(robot, 'place:hall')
    assert (scene.origin, created, scene.strength) == (DECLARED, False, 2)
    assert len(robot.scenes()) == 1


def test_keys_are_hierarchical(robot: Any) -> None:
    for key in ('place:hall', 'place:hall/peer:x', 'place:hall2', 'place:hal', 'place:hall-b/peer:x', 'peer:x'):
        declare(robot, key)
    with robot.store.read() as tx:
        known = collections.collection_id(tx, 'test')
        below = [scene.key for scene in scenes.list_scenes(tx, known, 'place:hall')]
        ids = scenes.ids_for_key(tx, known, 'place:hall')
        above = scenes.ids_above(tx, known, 'place:hall/peer:x')
    by_key = robot.scenes()
    assert below == ['place:hall', 'place:hall/peer:x']
    assert ids == [by_key[key].id for key in below]
    assert above == [by_key[key].id for key in reversed(below)]


def test_recall_gives_what_is_below_and_a_hit_what_is_above(robot: Any) -> None:
    ids = {key: declare(robot, key)[0].id for key in ('place:hall', 'place:hall/peer:x', 'place:hall2')}
    learned = {}
    for key, scene_id in ids.items():
        memory = robot.learn(f'fact of {key}')
        with robot.store.write() as tx:
            scenes.attach(tx, [scene_id, scene_id], memory, robot.now)
        learned[key] = memory
    with robot.store.read() as tx:
        def asked(key: str, **options: bool) -> set[int]:
            return set(scenes.memory_ids(tx, Filters('test', robot.now, scene_key=key), DecaySettings(), **options))
        assert asked('place:hall') == {learned['place:hall'], learned['place:hall/peer:x']}
        assert asked('place:hall/peer:x', ancestors=True) == {learned['place:hall'], learned['place:hall/peer:x']}
        assert asked('place:hall', ancestors=True) == {learned['place:hall']}
        assert asked('place:unknown') == set()
        assert set(scenes.sharing(tx, [learned['place:hall']], 5)) == set()


def test_ties_die_with_their_memories(robot: Any) -> None:
    scene = declare(robot, 'place:hall')[0]
    kept, gone = robot.learn('kept'), robot.learn('gone')
    with robot.store.write() as tx:
        for memory in (kept, gone):
            scenes.attach(tx, [scene.id], memory, robot.now)
    assert robot.memories_of('place:hall') == {kept, gone}
    with robot.store.write() as tx:
        lifecycle.set_status(tx, gone, 'forgotten', 'test', robot.now)
        assert scenes.memory_count(tx, scene.id) == 1
    assert robot.memories_of('place:hall') == {kept}


def test_memories_that_share_a_scene_are_found(robot: Any) -> None:
    scene = declare(robot, 'place:hall')[0]
    one, other, alone = robot.learn('one'), robot.learn('other'), robot.learn('alone')
    with robot.store.write() as tx:
        for memory in (one, other):
            scenes.attach(tx, [scene.id], memory, robot.now)
        assert scenes.sharing(tx, [one], 5) == [other]
        assert scenes.sharing(tx, [alone], 5) == []


def test_among_equally_specific_scenes_the_emergent_one_is_in_force(robot: Any) -> None:
    """A declared scene is always fully alike, since it learns nothing: that must not let it win."""
    for _ in range(2):
        robot.visit(place='hall', chan='cam', tool='brush')
    declare(robot, 'place:hall/object:cup')
    (event,) = robot.visit(place='hall', chan='cam', peer='x', object='cup')
    assert event.similarity < 1.0 and event.scene.key == 'place:hall/chan:cam'
