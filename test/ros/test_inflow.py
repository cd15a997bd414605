"""A stream of messages is taken beside the executor, which then has its time for services."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rclpy
from rclpy.event_handler import PublisherEventCallbacks
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import Int64

from robotmem_ros.ros import inflow as module
from robotmem_ros.ros.inflow import Inflow
from robotmem_ros.ros.subscriptions import incompatible_events

RELIABLE = QoSProfile(depth=1000)


class Listener:
    """A node with an inflow; its executor counts how often it looks for work."""

    def __init__(self) -> None:
        self.node = rclpy.create_node(f'listener_{time.monotonic_ns()}')
        self.heard: list[int] = []
        self.errors: list[Exception] = []
        self.unheard: list[str] = []
        self.looks = 0
        self.inflow = Inflow(self.node, self.errors.append)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        nodes = self._executor.get_nodes

        def counted() -> Any:
            self.looks += 1
            return nodes()

        self._executor.get_nodes = counted  # called once each time that it waits
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def listen(self, hear: Callable[[int], None] | None = None, **options: Any) -> Any:
        """Subscribe; gives a publisher that is heard, and the subscription."""
        hear = hear or self.heard.append
        events = incompatible_events('/numbers', lambda topic, policy: self.unheard.append(policy))
        subscription = self.inflow.subscribe(
            Int64, '/numbers', lambda m, _: hear(m.data), RELIABLE, event_callbacks=events, **options)
        publisher = self.node.create_publisher(Int64, '/numbers', RELIABLE)
        self.wait(lambda: publisher.get_subscription_count() == 1)
        return publisher, subscription

    def wait(self, what: Callable[[], bool], timeout_s: float = 20.0) -> None:
        until = time.monotonic() + timeout_s
        while not what():
            assert time.monotonic() < until, (len(self.heard), self.heard[-3:], self.errors)
            time.sleep(0.005)

    def close(self) -> None:
        self.inflow.stop()
        self._executor.shutdown()
        self._thread.join(5.0)
        self.node.destroy_node()


@pytest.fixture
def listener(ros: None) -> Iterator[Listener]:
    listener = Listener()
    yield listener
    listener.close()


def publish(publisher: Any, numbers: range, pause_s: float = 0.0) -> None:
    for number in numbers:
        publisher.publish(Int64(data=number))
        time.sleep(pause_s)


def test_the_executor_does_not_wake_for_each_message(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    """QOS-03: of 400 messages all are heard, in their order; without the inflow it wakes three times for each."""
    monkeypatch.setattr(module, 'EVENTS_S', 1e9)  # a look at the events lets each message of that moment wake it
    listener.inflow.start()
    publisher, _ = listener.listen()
    publish(publisher, range(1))
    listener.wait(lambda: len(listener.heard) == 1)
    before = listener.looks
    publish(publisher, range(1, 401), 0.002)
    listener.wait(lambda: len(listener.heard) == 401)
    assert listener.heard == list(range(401)) and not listener.errors
    assert listener.looks - before < 200


def test_after_a_silence_the_executor_listens_again(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, 'SILENCE_S', 0.05)
    listener.inflow.start()
    publisher, _ = listener.listen()
    for number in range(3):
        publish(publisher, range(number, number + 1))
        listener.wait(lambda: len(listener.heard) == number + 1)  # noqa: B023  called at once
        listener.wait(lambda: not listener.inflow._streams.now)
    assert listener.heard == [0, 1, 2]


def test_only_the_newest_of_those_that_wait(listener: Listener) -> None:
    """A tap says what holds now: what it said meanwhile is not even converted."""
    publisher, _ = listener.listen(newest_only=True)
    publish(publisher, range(1))
    listener.wait(lambda: listener.heard == [0])
    publish(publisher, range(1, 6))
    time.sleep(0.2)  # on their way
    listener.inflow.start()
    listener.wait(lambda: listener.heard[-1] == 5)
    assert len(listener.heard) < 5 and listener.heard == sorted(listener.heard)


def test_one_look_takes_a_bounded_number(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast they come, one topic does not keep the thread; and a callback that fails holds up nothing."""
    monkeypatch.setattr(module, 'MOST_AT_ONCE', 4)
    take, looks = listener.inflow._take, []
    monkeypatch.setattr(listener.inflow, '_take', lambda *args: looks.append(take(*args)) or looks[-1])

    def hear(number: int) -> None:
        listener.heard.append(number)
        if number == 3:
            raise ValueError('three')

    publisher, _ = listener.listen(hear)
    publish(publisher, range(1))
    listener.wait(lambda: len(listener.heard) == 1)
    publish(publisher, range(1, 10))
    time.sleep(0.2)  # on their way
    listener.inflow.start()
    listener.wait(lambda: len(listener.heard) == 10)
    assert listener.heard == list(range(10)) and max(looks) <= 4
    assert [str(error) for error in listener.errors] == ['three']


def test_a_subscription_that_is_made_anew_is_a_stream_as_well(listener: Listener) -> None:
    """As when a best-effort publisher appears: the old one is forgotten, nothing stands still."""
    listener.inflow.start()
    publisher, subscription = listener.listen()
    publish(publisher, range(1))
    listener.wait(lambda: len(listener.heard) == 1)
    listener.node.destroy_subscription(subscription)
    publisher, _ = listener.listen()
    publish(publisher, range(1, 3))
    listener.wait(lambda: listener.heard == [0, 1, 2])
    listener.wait(lambda: len(listener.inflow._streams.now) == 1)
    assert not listener.errors


def test_a_publisher_that_is_not_heard_is_named_during_a_stream(listener: Listener) -> None:
    """QOS-02: while the executor leaves a stream alone, it still looks for its events."""
    listener.inflow.start()
    publisher, _ = listener.listen()
    publish(publisher, range(1))
    listener.wait(lambda: len(listener.heard) == 1)
    best_effort = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
    # rclpy's own callback warns through a deprecated function, and a warning ends the spinning thread here.
    quiet = PublisherEventCallbacks(use_default_callbacks=False)
    other = listener.node.create_publisher(Int64, '/numbers', best_effort, event_callbacks=quiet)

    def named() -> bool:
        publish(publisher, range(1))
        return bool(listener.unheard)

    listener.wait(named)
    assert listener.unheard == ['reliability'] and listener.inflow._streams.now
    listener.node.destroy_publisher(other)
