"""Scenes emerge from visits, and are told when they are entered."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

MakeRobot = Callable[..., Any]


def test_two_visits_make_a_scene(robot: Any) -> None:
    assert robot.visit(place='hall') == []
    (event,) = robot.visit(place='hall')
    assert (event.scene.key, event.created, event.scene.strength) == ('place:hall', True, 2)
    (event,) = robot.visit(place='hall')
    assert (event.created, event.similarity, event.scene.strength) == (False, 1.0, 3)


def test_messages_are_not_visits(robot: Any) -> None:
    for _ in range(200):
        robot.see(place='hall')
        robot.wait(0.1)
    assert robot.evidence() == {'place:hall': 1}
    assert robot.scenes() == {}


def test_no_second_hit_without_leaving(robot: Any) -> None:
    robot.visit(place='hall')
    robot.visit(place='hall')
    for _ in range(20):
        robot.see(place='hall', topic=f't{_}')
        assert robot.wait() == []
    assert robot.scenes()['place:hall'].strength == 2


def test_reminders_come_where_they_are_asked_for(make_robot: MakeRobot) -> None:
    robot = make_robot(repeat_s=10.0)
    robot.visit(place='hall')
    robot.visit(place='hall')
    assert len(robot.wait(35.0)) == 3
    assert robot.scenes()['place:hall'].strength == 2


def test_one_scene_for_a_key_by_all_paths(robot: Any, store: Any) -> None:
    """SCN-01: emerging, declaring and reading write the same key (seed 002, R1)."""
    from robotmem_ros.core.scene_key import normalise_key
    from robotmem_ros.store import collections, scenes
    robot.visit(chan='lidar', place='hall')
    memory = robot.learn('mind the step')
    (event,) = robot.visit(chan='lidar', place='hall')
    with store.write() as tx:
        key = normalise_key('CHAN:lidar/ place:Hall')
        declared, created = scenes.declare(tx, collections.collection_id(tx, 'test'), key, 5)
    robot.tracker.reload()
    assert (declared.key, created) == (event.scene.key, False)
    assert list(robot.scenes()) == ['place:hall/chan:lidar'] == [normalise_key(event.scene.key)]
    assert robot.memories_of(event.scene.key) == {memory}


def test_spellings_of_a_place_are_one_place(robot: Any) -> None:
    """SCN-02: case, width, blanks, invisible signs and Unicode forms make no twins."""
    spellings = ('Kitchen', 'kitchen ', 'ＫＩＴＣＨＥＮ', 'kit\u200bchen', 'caf\u00e9', 'cafe\u0301', '厨房', ' 厨房')
    for _ in range(2):
        for name in spellings:
            robot.visit(place=name)
    assert set(robot.scenes()) == {'place:kitchen', 'place:café', 'place:厨房'}


def test_a_new_scene_leaves_the_evidence_of_others(make_robot: MakeRobot) -> None:
    """SCN-04: (seed 002, R5) C emerges; A and B keep their two visits and emerge at their third."""
    robot = make_robot(min_visits=3)
    for place in 'AABBCCC':
        robot.visit(place=place)
    assert set(robot.scenes()) == {'place:c'}
    assert robot.evidence() == {'place:a': 2, 'place:b': 2}
    robot.visit(place='A')
    robot.visit(place='B')
    assert set(robot.scenes()) == {'place:a', 'place:b', 'place:c'}
    assert robot.evidence() == {}


def test_a_scene_does_not_drown_in_what_it_once_saw(robot: Any) -> None:
    """SCN-06: 100 hits, each with features of its own; the bare situation is still that scene, with likeness 1."""
    for i in range(100):
        robot.visit(chan='cam', place='lab', object=[f'box_{i}'], topic=[f'talk_{i}'])
    (event,) = robot.visit(chan='cam', place='lab')
    assert (event.scene.key, event.created, event.similarity) == ('place:lab/chan:cam', False, 1.0)
    assert set(robot.scenes()) == {'place:lab/chan:cam'}
    with robot.store.read() as tx:
        assert tx.value('SELECT count(*) FROM scene_feature') <= 64


def test_an_emptied_room_makes_no_twin_and_is_learned_anew(robot: Any) -> None:
    """SCN-06: what was usual is gone: unlike at first, no second scene, and after some visits the same scene again."""
    usual = [f'machine_{i}' for i in range(6)]
    for _ in range(3):
        robot.visit(chan='cam', place='lab', object=usual)
    told = [bool(robot.visit(chan='cam', place='lab')) for _ in range(5)]
    assert told[0] is False and told[-1] is True
    assert set(robot.scenes()) == {'place:lab/chan:cam'}


def test_the_time_of_day_does_not_identify(robot: Any) -> None:
    """SCN-07: (seed 002, R2) morning and evening are one scene, and neither names one."""
    for _ in range(3):
        robot.visit(chan='cam', place='lab', part='morning')
    (event,) = robot.visit(chan='cam', place='lab', part='evening')
    assert event.scene.key == 'place:lab/chan:cam' and not event.created
    for part in ('morning', 'evening', 'morning'):
        robot.visit(part=part, robot='r1', topic='patrol')
    assert set(robot.scenes()) == {'place:lab/chan:cam'}
    for _ in range(2):
        robot.visit(chan='cam', part='morning')
    assert set(robot.scenes()) == {'place:lab/chan:cam', 'chan:cam'}


def test_identity_does_not_depend_on_the_order_of_arrival(make_robot: MakeRobot) -> None:
    """SCN-09: (seed 002, R4) all orders give one scene, another peer another, even where all weights are equal."""
    robot = make_robot(weights={'chan': 1.0, 'peer': 1.0, 'place': 1.0, 'topic': 0.4})
    for order in permutations([('chan', 'radio'), ('peer', 'operator_7'), ('place', 'gate'), ('topic', 'mc')]):
        robot.visit(**dict(order))
    assert set(robot.scenes()) == {'place:gate/peer:operator_7'}
    for _ in range(2):
        robot.visit(chan='radio', peer='operator_8', place='gate', topic='mc')
    assert set(robot.scenes()) == {'place:gate/peer:operator_7', 'place:gate/peer:operator_8'}


def test_numbers_do_not_make_scenes(make_robot: MakeRobot) -> None:
    """SCN-11: noise, NaN, infinity, signed zero, and 5 against 5.0, as values of a kind that identifies."""
    robot = make_robot(weights={'place': 1.1, 'temp': 0.6, 'chan': 1.0})
    for i in range(100):
        robot.visit(temp=str(21.3000001 + (i % 7 - 3) * 1e-6), place='lab')
    assert set(robot.scenes()) == {'place:lab/temp:21.3'}
    before = robot.tracker.refused
    assert robot.see(temp=['nan', 'NaN', '-nan', 'inf', '-Infinity', '[1, 2]', '{"a": 1}', '1e999']) == 8
    assert robot.tracker.refused == before + 8 and "'temp: nan'" in robot.tracker.refusal
    for value in ('-0.0', '0.0', '0', '5', '5.0', '5.'):
        robot.visit(temp=value)
    assert set(robot.scenes()) == {'place:lab/temp:21.3', 'temp:0', 'temp:5'}


def test_the_general_scene_is_hit_until_a_specific_one_has_emerged(robot: Any) -> None:
    for _ in range(2):
        robot.visit(place='hall')
    (event,) = robot.visit(place='hall', peer='x')
    assert event.scene.key == 'place:hall'
    assert robot.evidence() == {'place:hall/peer:x': 1}
    (event,) = robot.visit(place='hall', peer='x')
    assert (event.scene.key, event.created) == ('place:hall/peer:x', True)
    (event,) = robot.visit(place='hall', peer='x')
    assert (event.scene.key, event.created) == ('place:hall/peer:x', False)
    (event,) = robot.visit(place='hall', peer='y')
    assert event.scene.key == 'place:hall'


def test_the_more_specific_wins_over_the_likelier(robot: Any) -> None:
    for _ in range(2):
        robot.visit(place='hall', chan='cam', tool='brush')
        robot.visit(place='hall')
    (event,) = robot.visit(place='hall', chan='cam', peer='x')
    assert event.scene.key == 'place:hall/chan:cam' and event.similarity < 1.0


def test_a_scene_stays_in_force_while_its_key_holds(robot: Any) -> None:
    """What is usual goes and comes back while the robot stays: neither leaving nor entering."""
    usual = [f'machine_{i}' for i in range(6)]
    for _ in range(2):
        robot.visit(chan='cam', place='lab', object=usual)
    robot.see(object='')
    assert robot.wait() == []
    assert robot.tracker.current().key == 'place:lab/chan:cam'
    robot.see(object=usual)
    assert robot.wait() == []


def test_what_came_with_a_specific_scene_is_not_told_again(robot: Any) -> None:
    """A hit carries the memories of the scenes above it, so falling back to one of them is not entering it."""
    for _ in range(2):
        robot.visit(place='hall', peer='x')
        robot.visit(place='hall')
    (event,) = robot.visit(place='hall', peer='x')
    assert event.scene.key == 'place:hall/peer:x'
    robot.see(peer='')
    assert robot.wait() == []
    assert robot.tracker.current().key == 'place:hall'
    (event,) = robot.visit(place='hall')
    assert event.scene.key == 'place:hall'


def test_two_peers_at_one_dock_are_two_scenes(robot: Any) -> None:
    for peer in 'xyxy':
        robot.visit(place='dock', peer=peer, chan='radio')
    assert set(robot.scenes()) == {'place:dock/peer:x', 'place:dock/peer:y'}


def test_a_peer_who_comes_and_goes_is_not_a_visit_to_the_hall(robot: Any) -> None:
    for _ in range(2):
        robot.visit(place='hall', peer='x')
        robot.visit(place='hall')
    told = []
    for _ in range(5):
        robot.see(peer='x')
        told += robot.wait()
        robot.see(peer='')
        told += robot.wait()
    assert [event.scene.key for event in told if event.scene.key == 'place:hall'] == []
    assert robot.scenes()['place:hall'].strength == 2


def test_memories_learned_in_a_scene_and_before_it_hang_on_it(robot: Any) -> None:
    """SCN-08: two facts from the scene, one from the visit before it emerged, none from elsewhere."""
    robot.visit(place='hall')
    before = robot.learn('learned before the scene emerged')
    robot.visit(place='yard')
    robot.learn('learned elsewhere')
    robot.visit(place='hall')
    within = {robot.learn('one'), robot.learn('two')}
    (event,) = robot.visit(place='hall')
    assert event.scene.memory_count == 3
    assert robot.memories_of('place:hall') == {before, *within}


def test_what_is_learned_before_settling_belongs_to_the_place_arrived_at(robot: Any) -> None:
    """SCN-08: half a second of settling must not hang a memory on the place before."""
    for place in ('hall', 'dock') * 2:
        robot.visit(place=place)
    robot.see(place='hall')
    memory = robot.learn('just arrived')
    assert robot.tracker.current().key == 'place:dock'
    assert robot.memories_of('place:hall') == {memory}


def test_everything_survives_a_restart(robot: Any) -> None:
    robot.visit(place='hall')
    robot.restart()
    (event,) = robot.visit(place='hall')
    assert event.created
    robot.restart()
    (event,) = robot.visit(place='hall')
    assert (event.created, event.scene.strength) == (False, 3)
