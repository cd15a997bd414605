"""Which memories are drawn, where, and what ties them."""

from __future__ import annotations

import dataclasses

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, Pose, RecallRequest
from robotmem_ros.picture import EDGES_A_MEMORY
from robotmem_ros.settings import Settings

TEXTS = ('the door sticks', 'a crate stands here', 'wet floor in winter', 'cables cross this way', 'ask the porter')


def learn(engine: Engine, text: str, x: float = 0.0, frame: str = 'map', map_id: str = '', **fields: object) -> int:
    return engine.learn(LearnRequest(text, pose=Pose(frame, x, 1.0, map_id=map_id), **fields)).memory_id


def ids(engine: Engine, most: int = 100) -> list[int]:
    return [memory.id for memory in engine.picture(most).memories]


def test_an_empty_file_gives_an_empty_picture(text_engine: Engine) -> None:
    assert text_engine.picture(10).memories == ()


def test_only_active_memories_with_a_place_are_drawn(text_engine: Engine) -> None:
    placed = learn(text_engine, TEXTS[0])
    text_engine.learn(LearnRequest(TEXTS[1]))
    gone = learn(text_engine, TEXTS[2])
    text_engine.forget(gone, 'dried')
    learn(text_engine, TEXTS[3], collection='another')
    assert ids(text_engine) == [placed]


def test_a_frame_that_moves_with_the_robot_is_no_place(text_engine: Engine) -> None:
    learn(text_engine, TEXTS[0], frame='base_link')
    assert ids(text_engine) == []


def test_the_newest_place_counts(text_engine: Engine, clock: ManualClock) -> None:
    learn(text_engine, TEXTS[0], x=1.0)
    clock.advance(seconds=1)
    learn(text_engine, TEXTS[0], x=7.0)
    clock.advance(seconds=1)
    text_engine.learn(LearnRequest(TEXTS[0]))
    (memory,) = text_engine.picture(10).memories
    assert memory.pose.x == 7.0


def test_the_most_worth_come_first_and_the_others_fall_out(text_engine: Engine, clock: ManualClock) -> None:
    """The picture is bounded: by confidence x retention, computed now."""
    doubtful = learn(text_engine, TEXTS[0], confidence=0.4)
    sure = learn(text_engine, TEXTS[1], confidence=0.9)
    clock.advance(days=20)
    fresh = learn(text_engine, TEXTS[2], confidence=0.6)
    assert ids(text_engine) == [fresh, sure, doubtful]
    assert ids(text_engine, 2) == [fresh, sure]
    assert ids(text_engine, 0) == []
    faded = {memory.id: memory.confidence for memory in text_engine.picture(3).memories}
    assert faded == {fresh: 0.6, sure: round(0.9 * 0.99**20, 2), doubtful: round(0.4 * 0.99**20, 2)}


def test_in_the_robots_frame_only_its_own_map_is_drawn(text_engine: Engine) -> None:
    """PLA: a coordinate is worth nothing on another map."""
    below, above = learn(text_engine, TEXTS[0], map_id='floor_1'), learn(text_engine, TEXTS[1], map_id='floor_2')
    outside = learn(text_engine, TEXTS[2], frame='utm')
    assert set(ids(text_engine)) == {below, above, outside}
    text_engine.observe_pose('tap', Pose('map', 0.0, 0.0, map_id='floor_2'))
    assert set(ids(text_engine)) == {above, outside}


def test_edges_join_what_is_drawn_only(text_engine: Engine) -> None:
    a, b, c = (learn(text_engine, text) for text in TEXTS[:3])
    text_engine.link(a, b, 2.0)
    text_engine.link(b, c, 1.0)
    assert text_engine.picture(3).edges == ((a, b, 2.0), (b, c, 1.0))
    text_engine.forget(c, 'gone')
    assert text_engine.picture(3).edges == ((a, b, 2.0),)


def test_an_edge_to_what_is_not_drawn_is_not_drawn(text_engine: Engine) -> None:
    a, b = learn(text_engine, TEXTS[0], confidence=0.9), learn(text_engine, TEXTS[1], confidence=0.5)
    text_engine.link(a, b, 2.0)
    assert [memory.id for memory in text_engine.picture(1).memories] == [a]
    assert text_engine.picture(1).edges == ()


def test_edges_are_bounded_and_the_strongest_stay(text_engine: Engine) -> None:
    found = [learn(text_engine, f'{text} at gate {number}') for number in range(2) for text in TEXTS]
    pairs = [(a, b) for a in found for b in found if a < b]
    for number, (a, b) in enumerate(pairs):
        text_engine.link(a, b, 1.0 + number)
    edges = text_engine.picture(len(found)).edges
    assert len(pairs) > len(edges) == EDGES_A_MEMORY * len(found)
    assert [weight for _, _, weight in edges] == [1.0 + number for number in reversed(range(5, len(pairs)))]


def test_the_scene_in_force_comes_with_its_place_and_its_memories(text_engine: Engine, clock: ManualClock) -> None:
    for _ in range(2):
        for x, text in ((0.0, TEXTS[0]), (50.0, TEXTS[1])):
            for step in range(4):
                text_engine.observe_pose('tap', Pose('map', x + 0.1 * step, 1.0))
                clock.advance(seconds=2)
                text_engine.advance_scenes()
            text_engine.learn(LearnRequest(text))
    picture = text_engine.picture(10)
    assert picture.scene == text_engine.scenes.current().key
    assert picture.centre is not None and (picture.centre.x, picture.centre.frame_id) == (50.0, 'map')
    assert picture.radius_m == Settings().scenes.place_radius_m
    assert {memory.content for memory in picture.memories if memory.in_force} == {TEXTS[1]}
    assert {memory.content for memory in picture.memories} == set(TEXTS[:2])


@pytest.mark.parametrize('days', [0.0, 400.0])
def test_looking_changes_nothing(text_engine: Engine, clock: ManualClock, days: float) -> None:
    learn(text_engine, TEXTS[0])
    text_engine.recall(RecallRequest('door'))
    clock.advance(days=days)
    first = text_engine.picture(10)
    assert text_engine.picture(10) == first
    assert dataclasses.asdict(first)['memories'][0]['content'] == TEXTS[0]
