"""Checks that several pipelines share: names, numbers, sessions. All raise ``InvalidRequest`` or ``NotFound``."""

from __future__ import annotations

import math
from dataclasses import replace

from robotmem_ros.core.payload import check_name
from robotmem_ros.core.places import MAX_COORDINATE_M
from robotmem_ros.errors import Conflict, InvalidRequest, NotFound
from robotmem_ros.model import Pose
from robotmem_ros.store import sessions
from robotmem_ros.store.sessions import SessionRow
from robotmem_ros.store.tx import Tx

MAX_TAGS = 64


def check_pose(pose: Pose | None, field: str) -> Pose | None:
    """Refuse a pose with a coordinate that is no finite number of metres."""
    if pose is None:
        return None
    pose = replace(
        pose, frame_id=check_name(pose.frame_id, f'{field}.header.frame_id'), map_id=check_name(pose.map_id, 'map_id')
    )
    for axis, value in (('x', pose.x), ('y', pose.y), ('z', pose.z)):
        if not math.isfinite(value) or abs(value) > MAX_COORDINATE_M:
            raise InvalidRequest(
                f'{field}.pose.position.{axis}', f'a finite number up to {MAX_COORDINATE_M:g} m', value
            )
    if not all(math.isfinite(q) for q in pose.quaternion):
        raise InvalidRequest(f'{field}.pose.orientation', 'four finite numbers', pose.quaternion)
    return pose


def check_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Give the tags without repeats, in their order."""
    if len(tags) > MAX_TAGS:
        raise InvalidRequest('tags', f'at most {MAX_TAGS}', len(tags))
    names = [check_name(tag, 'tags') for tag in tags]
    if not all(names):
        raise InvalidRequest('tags', 'tags that are not empty', tags)
    return tuple(dict.fromkeys(names))


def check_memory_id(memory_id: int) -> int:
    """Refuse an id that no memory can have."""
    if memory_id <= 0:
        raise InvalidRequest('memory_id', 'a positive id', memory_id)
    return memory_id


def open_session(tx: Tx, session_id: str, collection: str) -> SessionRow | None:
    """Give the session that a write names; ``None`` where it names none.

    :raises NotFound: if it was never started or has ended.
    :raises Conflict: if it belongs to another collection.
    """
    if not session_id:
        return None
    row = sessions.get(tx, session_id)
    if row is None:
        raise NotFound('session', session_id, 'no such session was started')
    if row.ended_at_ns:
        raise NotFound('session', session_id, 'it has ended')
    if row.collection != collection:
        raise Conflict(
            'session_id', f'session {session_id!r} belongs to collection {row.collection!r}, not {collection!r}'
        )
    return row
