"""Messages into the vocabulary of :mod:`robotmem_ros.model`, and back.

Everything that goes into a message is made a plain Python value of the field's type here, because rclpy
answers a ``None``, a NumPy number or an ``int`` in a float field with an assertion, and the caller with
nothing (EXE-06).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Header

import robotmem_ros.msg as msg
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import (
    Feature,
    LearnRequest,
    Memory,
    PerceptionInput,
    Pose,
    RecallRequest,
    Scene,
    SceneHit,
    Similar,
)

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""Most that the memories of one message take: a larger one is slow, and some middlewares drop it (PAY-02)."""
LAST_SECOND = 2**31 - 1
"""Seconds of ``builtin_interfaces/Time`` are signed 32 bits."""


def text(value: object) -> str:
    """Give a value as text that can be sent: empty for ``None``, valid UTF-8, no NUL."""
    if value is None:
        return ''
    return str(value).encode('utf-8', 'replace').decode('utf-8').replace('\0', '\ufffd')


def whole(value: Any, low: int = -2**63, high: int = 2**63 - 1) -> int:
    """Give a number as an ``int`` within the field's limits; 0 for ``None``."""
    return min(max(int(value or 0), low), high)


def unsigned(value: Any) -> int:
    """Give a number as it fits a ``uint32``."""
    return whole(value, 0, 2**32 - 1)


def time_to_msg(ns: Any) -> Time:
    """Give UTC nanoseconds as a message; zero for ``None``, and within what the message can hold."""
    seconds, nanoseconds = divmod(whole(ns, 0), 10**9)
    return Time(sec=min(seconds, LAST_SECOND), nanosec=nanoseconds)


def time_from_msg(stamp: Time, field: str) -> int:
    """
    Give a time as UTC nanoseconds.

    :raises InvalidRequest: if it is before 1970 or has a second's worth of nanoseconds and more.
    """
    if stamp.sec < 0 or stamp.nanosec >= 10**9:
        raise InvalidRequest(field, 'seconds from 0 and nanoseconds below 1000000000', (stamp.sec, stamp.nanosec))
    return int(stamp.sec) * 10**9 + int(stamp.nanosec)


def pose_from_msg(pose: Any, header: Header, map_id: str, field: str) -> Pose:
    """Give a ``geometry_msgs/Pose`` in its header's frame; the engine checks the numbers."""
    p, q = pose.position, pose.orientation
    return Pose(
        header.frame_id, p.x, p.y, p.z, (q.x, q.y, q.z, q.w), map_id,
        time_from_msg(header.stamp, f'{field}.header.stamp'),
    )


def pose_from_stamped(stamped: PoseStamped, map_id: str, field: str) -> Pose | None:
    """Give a stamped pose; ``None`` where no frame says that it is meant."""
    return pose_from_msg(stamped.pose, stamped.header, map_id, field) if stamped.header.frame_id else None


def without_frame(stamped: PoseStamped, field: str) -> str:
    """Give a warning where there are coordinates and no frame, so that they were not used; else ``''``."""
    p = stamped.pose.position
    if stamped.header.frame_id or not (p.x or p.y or p.z):
        return ''
    return f'{field}: left out, since {field}.header.frame_id is empty'


def pose_to_msg(pose: Pose) -> PoseStamped:
    """Give a pose with its header."""
    stamped = PoseStamped()
    stamped.header = Header(stamp=time_to_msg(pose.stamp_ns), frame_id=text(pose.frame_id))
    position, orientation = stamped.pose.position, stamped.pose.orientation
    position.x, position.y, position.z = float(pose.x), float(pose.y), float(pose.z)
    orientation.x, orientation.y, orientation.z, orientation.w = (float(part) for part in pose.quaternion)
    return stamped


def learn_from_msg(request: Any) -> LearnRequest:
    """Give a ``Learn`` request."""
    return LearnRequest(
        insight=request.insight, context=request.context, category=request.category, session_id=request.session_id,
        collection=request.collection, confidence=request.confidence, strength=request.strength,
        tags=tuple(request.tags), scene=request.scene,
        pose=pose_from_stamped(request.pose, request.map_id, 'pose'),
        observed_at_ns=time_from_msg(request.pose.header.stamp, 'pose.header.stamp'),
    )


def recall_from_msg(request: Any) -> RecallRequest:
    """Give a ``Recall`` request."""
    return RecallRequest(
        query=request.query, n=request.n, min_confidence=request.min_confidence, session_id=request.session_id,
        context_session=request.context_session, collection=request.collection, category=request.category,
        type=request.type, tags=tuple(request.tags), context_filter=request.context_filter,
        spatial_sort=request.spatial_sort, near=pose_from_stamped(request.near, request.map_id, 'near'),
        radius=request.radius, map_id=request.map_id, since_ns=time_from_msg(request.since, 'since'),
        until_ns=time_from_msg(request.until, 'until'), scene=request.scene, reinforce=request.reinforce,
        plain=request.plain,
    )


def perception_from_msg(perception: msg.Perception) -> PerceptionInput:
    """
    Give a perception.

    :raises InvalidRequest: if a pose is meant and no frame says where, or the stamp is no time.
    """
    pose = None
    if perception.has_pose:
        if not perception.header.frame_id:
            raise InvalidRequest('header.frame_id', 'the frame of the pose, since has_pose is true', '')
        pose = pose_from_msg(perception.pose, perception.header, perception.map_id, 'perception')
    return PerceptionInput(
        features=tuple((f.kind, f.value) for f in perception.features), source=perception.source, seq=perception.seq,
        stamp_ns=time_from_msg(perception.header.stamp, 'header.stamp'), perception_type=perception.perception_type,
        description=perception.description, data=perception.data, session_id=perception.session_id,
        collection=perception.collection, pose=pose,
    )


def memory_to_msg(memory: Memory) -> msg.Memory:
    """Give a memory."""
    answer = msg.Memory()
    for name in ('content', 'type', 'category', 'perception_type', 'tier', 'context', 'session_id', 'collection'):
        setattr(answer, name, text(getattr(memory, name)))
    for name in ('confidence', 'score', 'score_text', 'score_vector', 'score_hebbian', 'retention'):
        setattr(answer, name, float(getattr(memory, name) or 0.0))
    answer.id, answer.use_count = whole(memory.id), unsigned(memory.use_count)
    answer.tags, answer.scenes = [text(t) for t in memory.tags], [text(s) for s in memory.scenes]
    answer.created_at = time_to_msg(memory.created_at_ns)
    answer.observed_at = time_to_msg(memory.observed_at_ns or memory.created_at_ns)
    answer.last_accessed = time_to_msg(memory.last_accessed_ns)
    if memory.pose is not None:
        answer.has_pose, answer.pose, answer.map_id = True, pose_to_msg(memory.pose), text(memory.pose.map_id)
    return answer


def memories_to_msg(memories: Sequence[Memory], limit: int = MAX_ANSWER_BYTES) -> tuple[list[msg.Memory], str]:
    """
    Give memories, best first, within ``limit`` bytes of text: as many as fit, then as many of their contexts.

    :return: the messages, and a sentence on what was left out, else ''.
    """
    answers: list[msg.Memory] = []
    left, bare = limit, 0
    for memory in memories:
        answer = memory_to_msg(memory)
        size = _size(answer)
        if size > left:
            break
        left -= size
        answers.append(answer)
    for answer in answers:
        size = len(answer.context.encode())
        if size > left:
            answer.context, bare = '', bare + 1
        else:
            left -= size
    missing = len(memories) - len(answers)
    if not missing and not bare:
        return answers, ''
    return answers, f'{missing} memories and {bare} contexts left out: an answer holds at most {limit} bytes'


def _size(answer: msg.Memory) -> int:
    return 512 + len(answer.content.encode()) + sum(len(t.encode()) for t in (*answer.tags, *answer.scenes))


def similar_to_msg(similar: Similar) -> msg.SimilarMemory:
    """Give a memory that resembles another."""
    return msg.SimilarMemory(id=whole(similar.id), content=text(similar.content), similarity=float(similar.similarity))


def features_to_msg(features: Sequence[Feature]) -> list[msg.SituationFeature]:
    """Give features."""
    return [msg.SituationFeature(kind=text(f.kind), value=text(f.value)) for f in features]


def scene_to_msg(scene: Scene) -> msg.Scene:
    """Give a scene."""
    return msg.Scene(
        key=text(scene.key), collection=text(scene.collection), origin=text(scene.origin),
        strength=unsigned(scene.strength), features=features_to_msg(scene.features),
        memory_count=unsigned(scene.memory_count), last_hit=time_to_msg(scene.last_hit_ns),
    )


def scene_hit_to_msg(hit: SceneHit) -> msg.SceneHit:
    """Give an entered scene with its memories."""
    memories, _ = memories_to_msg(hit.memories)
    return msg.SceneHit(
        header=Header(stamp=time_to_msg(hit.at_ns)), key=text(hit.scene.key), origin=text(hit.scene.origin),
        created=bool(hit.created), similarity=float(hit.similarity), strength=unsigned(hit.scene.strength),
        features=features_to_msg(hit.situation), memory_count=unsigned(hit.scene.memory_count), memories=memories,
    )
