"""The clocks of a node, as the engine wants them."""

from __future__ import annotations

import rclpy.clock

from robotmem_ros.clock import boot_id, steady_ns


class RosClock:
    """``ports.Clock`` over a node's clock: ROS time names moments, the machine's steady clock measures.

    Under ``use_sim_time`` the moments are those of ``/clock``, and 0 until the first one has come.
    """

    def __init__(self, clock: rclpy.clock.ROSClock) -> None:
        self._clock, self.boot = clock, boot_id()

    @property
    def simulated(self) -> bool:
        """Whether time comes from ``/clock``, and so may stand still, run fast, or jump."""
        return bool(self._clock.ros_time_is_active)

    def now_ns(self) -> int:
        """Nanoseconds since 1970, of wall or simulated time."""
        return int(self._clock.now().nanoseconds)

    def steady_ns(self) -> int:
        """Nanoseconds that only grow, whatever happens to ROS time."""
        return steady_ns()
