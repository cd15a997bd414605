"""What goes into a message is what the message can hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import robotmem_ros.msg as msg
from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message, serialize_message

from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import Feature, Memory, Pose, Scene, SceneHit
from robotmem_ros.ros import convert

ODD = Memory(
    id=np.int64(7), content='a\0b\ud83d', collection='c', confidence=1, score=np.float32(0.5), score_text=None,
    use_count=-1, session_id=None, perception_type=None, created_at_ns=None, last_accessed_ns=2**63,
    tags=('x',), pose=Pose('map', 1, np.float32(2.0), stamp_ns=5),
)


def test_odd_values_of_a_row_are_sent() -> None:
    """EXE-06: integers, NumPy numbers, nulls, lone surrogates and times beyond 2038 become what the fields want."""
    answer = deserialize_message(serialize_message(convert.memory_to_msg(ODD)), msg.Memory)
    assert (answer.id, answer.confidence, answer.score, answer.score_text, answer.use_count) == (7, 1.0, 0.5, 0.0, 0)
    assert (answer.session_id, answer.perception_type, answer.created_at) == ('', '', Time())
    assert answer.content == 'a\ufffdb?' and answer.last_accessed.sec == 2**31 - 1
    assert answer.has_pose and answer.pose.pose.position.y == 2.0


WHOLE = Memory(
    7, 'text', 'c', 'perception', 'gotcha', 'visual', 'ltm', 0.5, 0.9, 1.5, 3, '{"a": 1}', 's', ('t',), ('place:hall',),
    11, 12, 13, Pose('map', 1.0, 2.0, map_id='floor', stamp_ns=14), 0.1, 0.2, 0.3, 0.4, 0.6, 15,
)


def test_every_field_of_a_memory_is_filled() -> None:
    answer = convert.memory_to_msg(WHOLE)
    same = ('id content collection type category perception_type tier confidence use_count context session_id score '
            'score_text score_vector score_hebbian retention').split()
    assert {name: getattr(answer, name) for name in same} == {name: getattr(WHOLE, name) for name in same}
    times = (answer.created_at, answer.last_accessed, answer.observed_at, answer.pose.header.stamp)
    assert [at.nanosec for at in times] == [11, 12, 15, 14]
    assert (list(answer.tags), list(answer.scenes), answer.has_pose, answer.map_id) == (
        ['t'], ['place:hall'], True, 'floor')
    filled = {*same, 'created_at', 'last_accessed', 'observed_at', 'pose', 'tags', 'scenes', 'has_pose', 'map_id'}
    assert filled == set(msg.Memory.get_fields_and_field_types())


def test_every_field_of_a_hit_is_filled() -> None:
    """Its features are what holds now; those of a listed scene, what is usual there."""
    scene = Scene(1, 'place:hall', 'c', 'declared', 4, (Feature('place', 'hall'),), 5, 16)
    now = (Feature('place', 'hall'), Feature('part', 'night'))
    hit = convert.scene_hit_to_msg(SceneHit(scene, True, 0.75, now, (WHOLE,), 17))
    assert (hit.header.stamp.nanosec, hit.key, hit.origin, hit.created, hit.similarity, hit.strength) == (
        17, 'place:hall', 'declared', True, 0.75, 4)
    assert [(each.kind, each.value) for each in hit.features] == [('place', 'hall'), ('part', 'night')]
    assert (hit.memory_count, [memory.id for memory in hit.memories]) == (5, [7])
    listed = convert.scene_to_msg(scene)
    assert (listed.key, listed.collection, listed.origin, listed.strength, listed.memory_count) == (
        'place:hall', 'c', 'declared', 4, 5)
    assert [(each.kind, each.value) for each in listed.features] == [('place', 'hall')]
    assert listed.last_hit.nanosec == 16


def test_an_answer_is_bounded() -> None:
    """PAY-02: contexts go first, then the list ends; both are said, and the best memories are kept."""
    memories = [replace(ODD, id=n, content='x' * 1000, context='c' * 1000) for n in range(10)]
    answers, warning = convert.memories_to_msg(memories, 20_000)
    assert len(answers) == 10 and '0 memories and 6 contexts left out' in warning
    assert answers[0].context and not answers[-1].context
    answers, warning = convert.memories_to_msg(memories, 10_000)
    assert [a.id for a in answers] == list(range(len(answers))) and len(answers) < 10
    assert warning.startswith(f'{10 - len(answers)} memories')
    assert convert.memories_to_msg(memories)[1] == ''


@pytest.mark.parametrize('stamp', [Time(sec=-1), Time(sec=1, nanosec=10**9)])
def test_what_is_no_time_is_refused(stamp: Time) -> None:
    with pytest.raises(InvalidRequest, match='since'):
        convert.time_from_msg(stamp, 'since')


def test_a_pose_without_a_frame_is_not_guessed() -> None:
    with pytest.raises(InvalidRequest, match=r'header\.frame_id'):
        convert.perception_from_msg(msg.Perception(has_pose=True))
