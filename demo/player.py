"""Replay a recording: own types, own order, own pace times a factor, under a simulated clock."""

import copy
import time
from collections.abc import Callable
from typing import Any

from recording import Recording, shift
from robot import Robot

STEPS_NS = ((4.0, 20_000_000), (10.0, 50_000_000), (50.0, 100_000_000))
"""Simulated time between two clock messages, by speed: 50 Hz as a simulator gives it, and some 200 a real second at the
most, for rclpy takes a millisecond of the node's time for each."""


class Player:
    """Publishes the recording's topics; ``speed`` is how many recorded seconds pass in one real one."""

    def __init__(self, robot: Robot, recording: Recording, speed: float) -> None:
        self._robot, self._recording, self._speed = robot, recording, speed
        self._step_ns = next((step_ns for limit, step_ns in STEPS_NS if speed <= limit), STEPS_NS[-1][1])
        self._publishers = {
            topic.name: robot.node.create_publisher(topic.type, topic.name, topic.qos)
            for topic in recording.topics.values()
        }

    def heard(self, topic: str) -> bool:
        """Whether somebody subscribes to a topic."""
        return self._publishers[topic].get_subscription_count() > 0

    def play(
        self, later_ns: int, at_step: Callable[[int], None], heard: Callable[[str, Any], None], rest_s: float = 2.0
    ) -> None:
        """Drive the tour once, stamped ``later_ns`` after the recording, and stand still for ``rest_s`` at its end.

        :param at_step: called after each step with the time since the start, ns; simulated time waits for it.
        :param heard: called with each topic and message published.
        """
        messages = iter(self._recording.messages)
        following = next(messages, None)
        step_s = self._step_ns / 1e9 / self._speed
        due_s = time.monotonic()
        for now_ns in range(0, self._recording.duration_ns + int(rest_s * 1e9) + 1, self._step_ns):
            self._robot.publish_clock(self._recording.start_ns + later_ns + now_ns)
            while following is not None and following.at_ns <= now_ns:
                message = later(following.message, later_ns)
                self._publishers[following.topic].publish(message)
                heard(following.topic, message)
                following = next(messages, None)
            before_s = time.monotonic()
            at_step(now_ns)
            due_s += step_s + (time.monotonic() - before_s)
            time.sleep(max(0.0, due_s - time.monotonic()))


def later(message: Any, by_ns: int) -> Any:
    """Give a message as it would have been stamped ``by_ns`` later."""
    if not by_ns or not hasattr(message, 'header'):
        return message
    moved = copy.deepcopy(message)
    shift(moved.header.stamp, by_ns)
    return moved
