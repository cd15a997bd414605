"""Where ``near`` is, in a frame that memories are stored in (contract 8)."""

from __future__ import annotations

from dataclasses import replace

from robotmem_ros.core.frames import compose
from robotmem_ros.errors import InvalidRequest, NoTransform
from robotmem_ros.model import Pose
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import spatial
from robotmem_ros.validation import check_pose

FIELD = 'near.header.frame_id'


def resolved(rt: Runtime, near: Pose | None, collection: str) -> tuple[Pose | None, str]:
    """Give the place asked for in the frame of the latest tapped pose, and a remark where something is to be said.

    A frame of the robot itself is carried over by the tree of transforms, where there is one, at the moment of
    ``near.stamp_ns``; else by the latest tapped pose. Of other frames only those that nothing is stored in are
    carried over.

    :raises InvalidRequest: for a pose that is none, and for one in the robot's own frame while nobody knows where
        the robot is.
    """
    near = check_pose(near, 'near')
    if near is None:
        return None, ''
    settings, robot = rt.settings.recall, rt.scenes.last_pose()
    home = robot.frame_id if robot is not None else settings.map_frame
    is_own = near.frame_id in settings.robot_frames
    if near.frame_id == home or not (is_own or _is_strange(rt, near.frame_id, collection)):
        return near, ''
    there, reason = _located(rt, near, home)
    if there is not None:
        return carried(there, near, robot), ''
    if not is_own:
        return near, f'{FIELD}: nothing is stored in frame {near.frame_id!r}, and there is {reason}'
    if robot is None:
        why = f'no pose tap has given one, and there is {reason}' if reason else 'no pose tap has given one'
        raise InvalidRequest(FIELD, f'a map frame while no pose of the robot is known ({why})', near.frame_id)
    return carried(robot, near, robot), f'near: the latest tapped pose was used: {reason}' if reason else ''


def carried(there: Pose, near: Pose, robot: Pose | None) -> Pose:
    """Give ``near`` in the frame of ``there``, which is where its own frame is; without a map, on the robot's."""
    on_map = robot.map_id if robot is not None and robot.frame_id == there.frame_id else ''
    return replace(compose(there, near), map_id=near.map_id or on_map)


def _is_strange(rt: Runtime, frame_id: str, collection: str) -> bool:
    """Tell whether no memory has a place in this frame; asked only where it could be carried over."""
    if rt.frames is None:
        return False
    with rt.store.read() as tx:
        return not spatial.has_frame(tx, collection, frame_id)


def _located(rt: Runtime, near: Pose, home: str) -> tuple[Pose | None, str]:
    """Ask the tree of transforms where the frame of ``near`` is; the reason where it does not know."""
    if rt.frames is None:
        return None, ''
    try:
        return rt.frames.locate(near.frame_id, home, near.stamp_ns), ''
    except NoTransform as error:
        return None, str(error)
