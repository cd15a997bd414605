"""tf2, where it is installed: says where the robot's frames are. No wheel has it, so nothing here is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.clock import JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node

from robotmem_ros.errors import NoTransform
from robotmem_ros.model import Pose
from robotmem_ros.ros.convert import time_to_msg


def transform_tree(node: Node, report: Callable[[str], None]) -> TransformTree | None:
    """Listen to ``/tf`` and ``/tf_static``; ``None`` where tf2 is not installed, and a report where it is broken."""
    try:
        import tf2_ros
    except ImportError as error:
        if error.name != 'tf2_ros':
            report(f'tf2 is left out: {error}')
        return None
    return TransformTree(node, tf2_ros)


class TransformTree:
    """
    A ``ports.FrameTree`` over ``tf2_ros``.

    :param tf2: the module ``tf2_ros``.
    """

    def __init__(self, node: Node, tf2: Any) -> None:
        self._tf2 = tf2
        self._buffer = tf2.Buffer()  # given the node, it would offer a service of a global name
        self._listener = tf2.TransformListener(self._buffer, node)
        # tf2 refuses what is older than what it has: a recording that begins anew would never be heard again.
        back = JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=True)
        self._jumps = node.get_clock().create_jump_callback(back, post_callback=lambda _: self._buffer.clear())

    def locate(self, frame: str, within: str, at_ns: int) -> Pose:
        """See ``ports.FrameTree``; without a timeout tf2 answers at once from what it has heard."""
        try:
            found = self._buffer.lookup_transform(within, frame, time_to_msg(at_ns))
        except self._tf2.TransformException as error:
            raise NoTransform(frame, within, ' '.join(str(error).split())) from error
        t, q = found.transform.translation, found.transform.rotation
        return Pose(within, t.x, t.y, t.z, (q.x, q.y, q.z, q.w), stamp_ns=at_ns)
