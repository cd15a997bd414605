"""What comes in unasked and may be a flood: taken by a thread of its own, beside the executor.

For every message, rclpy's executor makes anew, two or three times, the list of all that the node waits for: more than
a millisecond of the interpreter for one perception. At a few hundred a second, services wait for that and for little
else. So the executor hears only the first message after a silence; while they keep coming, they are taken here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription

from robotmem_ros.ros.worker import Worker

PAUSE_S = 0.01
"""Between two looks for messages; so long does one wait at most."""
SILENCE_S = 0.5
"""After so long without a message the executor waits for the next one, and nobody looks."""
EVENTS_S = 1.0
"""How often the executor looks whether a stream has an event."""
MOST_AT_ONCE = 50
"""Messages of one topic that one look takes. Of more than 5 000 a second DDS drops some; else services would wait."""

OnMessage = Callable[[Any, Any], None]
"""Takes a message and what rmw knows of it."""


@dataclass(slots=True)
class Stream:
    """A subscription that the executor leaves alone."""

    on_message: OnMessage
    newest_only: bool
    heard_s: float
    """When a message last came, seconds of the steady clock."""


class Streams(MutuallyExclusiveCallbackGroup):
    """
    The callback group of the subscriptions, without those that are streams now.

    Their QoS events are left alone, too: Fast DDS wakes who waits for them with every message that nobody has taken.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now: dict[Any, Stream] = {}
        self._silent: frozenset[Any] = frozenset()
        self._silencing = threading.Lock()

    def silence(self, *, events: bool) -> None:
        """Have the executor wait for streams no more, and for their events only where ``events`` says so."""
        with self._silencing:  # who comes last has seen all streams
            streams = list(self.now)
            handlers = () if events else (handler for each in streams for handler in each.event_handlers)
            self._silent = frozenset((*streams, *handlers))

    def can_execute(self, entity: Any) -> bool:
        """Tell the executor whether to wait for ``entity``."""
        return entity not in self._silent and super().can_execute(entity)


class Inflow:
    """
    Subscriptions whose flood does not disturb the executor. Messages of one topic keep their order.

    :param on_error: is told what a callback raised.
    """

    def __init__(self, node: Node, on_error: Callable[[Exception], None]) -> None:
        self._node, self._streams, self._on_error = node, Streams(), on_error
        self._events_s = 0.0
        self._worker = Worker('taking in', self._step, on_error)

    def start(self) -> None:
        """Begin to take streams over."""
        self._worker.start()

    def stop(self) -> None:
        """End; what comes then waits."""
        self._worker.stop()

    def subscribe(
        self, message: type, topic: str, on_message: OnMessage, qos: QoSProfile, *, newest_only: bool = False,
        **options: Any,
    ) -> Subscription[Any]:
        """
        Make a subscription.

        :param on_message: is called by one thread at a time, and must only hand over.
        :param newest_only: of several that wait only the newest counts; the others are not even converted.
        :param options: others of ``create_subscription``.
        """
        subscription: Subscription[Any]

        def first(taken: Any, info: Any) -> None:
            try:
                on_message(taken, info)
            finally:
                self._streams.now[subscription] = Stream(on_message, newest_only, time.monotonic())
                self._streams.silence(events=False)
                self._worker.wake()

        subscription = self._node.create_subscription(
            message, topic, first, qos, callback_group=self._streams, **options)
        return subscription

    def _step(self) -> float | None:
        """Take what has come, and give silent streams back to the executor."""
        now = time.monotonic()
        streams = self._streams.now
        for subscription, stream in list(streams.items()):
            try:
                with subscription.handle:
                    if self._take(subscription, stream):
                        stream.heard_s = now
                    elif now > stream.heard_s + SILENCE_S:
                        del streams[subscription]
            except InvalidHandle:  # made anew meanwhile, or not wanted any more
                del streams[subscription]
        look = now > self._events_s + EVENTS_S
        self._streams.silence(events=look)
        if look or not streams:
            self._events_s = now
            if self._node.executor is not None:
                self._node.executor.wake()
        return PAUSE_S if streams else None

    def _take(self, subscription: Subscription[Any], stream: Stream) -> int:
        count, newest = 0, None
        while count < MOST_AT_ONCE:
            taken: Any = subscription.handle.take_message(subscription.msg_type, stream.newest_only)
            if taken is None:
                break
            count += 1
            if stream.newest_only:
                newest = taken
            else:
                self._hand_over(stream, *taken)
        if newest is not None:
            self._hand_over(stream, deserialize_message(newest[0], subscription.msg_type), newest[1])
        return count

    def _hand_over(self, stream: Stream, message: Any, info: Any) -> None:
        try:
            stream.on_message(message, info)
        except Exception as error:  # noqa: BLE001  one message must not hold up those behind it
            self._on_error(error)
