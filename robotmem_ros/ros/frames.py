"""tf2, where it is installed: says where the robot's frames are. No wheel has it, so nothing here is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.clock import JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from robotmem_ros.errors import NoTransform
from robotmem_ros.model import Pose
from robotmem_ros.ros.convert import time_to_msg
from robotmem_ros.ros.inflow import Inflow

HEARD = QoSProfile(depth=100)
HEARD_STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""As tf2's own listener asks for."""


def transform_tree(node: Node, inflow: Inflow, report: Callable[[str], None]) -> TransformTree | None:
    """Give what listens to ``/tf``; ``None`` where tf2 is not installed, and a report where it is broken."""
    try:
        import tf2_ros
        from tf2_msgs.msg import TFMessage
    except ImportError as error:
        if error.name != 'tf2_ros':
            report(f'tf2 is left out: {error}')
        return None
    return TransformTree(node, inflow, tf2_ros, TFMessage)


class TransformTree:
    """
    A ``ports.FrameTree`` over ``tf2_ros.Buffer``, fed by the inflow.

    ``tf2_ros.TransformListener`` would hear the same in the executor, where 100 messages a second took half a core.

    :param tf2: the module ``tf2_ros``.
    :param message: ``tf2_msgs.msg.TFMessage``.
    """

    def __init__(self, node: Node, inflow: Inflow, tf2: Any, message: type) -> None:
        self._tf2, self._buffer = tf2, tf2.Buffer()  # given the node, it would offer a service of a global name
        inflow.subscribe(message, '/tf', lambda heard, _: self._put(heard, self._buffer.set_transform), HEARD)
        inflow.subscribe(
            message, '/tf_static', lambda heard, _: self._put(heard, self._buffer.set_transform_static), HEARD_STATIC)
        # tf2 refuses what is older than what it has: a recording that begins anew would never be heard again.
        back = JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=True)
        self._jumps = node.get_clock().create_jump_callback(back, post_callback=lambda _: self._buffer.clear())

    @staticmethod
    def _put(heard: Any, put: Callable[[Any, str], None]) -> None:
        for transform in heard.transforms:
            put(transform, 'robotmem')

    def locate(self, frame: str, within: str, at_ns: int) -> Pose:
        """See ``ports.FrameTree``; without a timeout tf2 answers at once from what it has heard."""
        try:
            found = self._buffer.lookup_transform(within, frame, time_to_msg(at_ns))
        except self._tf2.TransformException as error:
            raise NoTransform(frame, within, ' '.join(str(error).split())) from error
        t, q = found.transform.translation, found.transform.rotation
        return Pose(within, t.x, t.y, t.z, (q.x, q.y, q.z, q.w), stamp_ns=at_ns)
