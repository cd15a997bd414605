"""Rubbish and floods from sensors: counted, bounded, reported, and the services stay fast (issue 4, bad input)."""

from __future__ import annotations

import math
import time
from typing import Any

import robotmem_ros.msg as msg
import robotmem_ros.srv as srv
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSProfile
from std_msgs.msg import String

HUGE = 20_000_000
TASK = {
    'taps.names': ['task'], 'taps.task.topic': '/task/current', 'taps.task.type': 'std_msgs/msg/String',
    'taps.task.field': 'data', 'taps.task.kind': 'task',
}


def feature(kind: str, value: str) -> msg.SituationFeature:
    return msg.SituationFeature(kind=kind, value=value)


def refused_features(client: Any, seen: list[Any]) -> int:
    """Give the count that /diagnostics shows."""
    for array in reversed(seen):
        for part in array.status:
            for pair in part.values:
                if pair.key == 'features refused' and part.name.startswith('robotmem:'):
                    return int(pair.value)
    return -1


def test_rubbish_is_counted_and_changes_nothing(world: Any) -> None:
    """NaN, infinity, 20 MB, 10 000 features: each is refused and counted; what is right in the same message holds."""
    process = world.start(**{**TASK, 'scenes.settle_s': 0.1})
    client = world.client()
    client.status()
    seen: list[Any] = []
    client.node.create_subscription(DiagnosticArray, '/diagnostics', client._keeper(seen), 10)
    reliable = QoSProfile(depth=10)
    publisher = client.publisher(msg.Perception, 'perception', reliable)
    publisher.publish(msg.Perception(source='lidar', seq=1, features=[
        feature('range', 'nan'), feature('range', '-inf'), feature('x', '-0.0'), feature('n', '5'), feature('n', '5.0'),
        feature('', 'x'), feature('object', 'x' * HUGE), feature('place', 'hall'), feature('list', '[1, 2]'),
    ]))
    client.wait(lambda: refused_features(client, seen) == 5)
    publisher.publish(msg.Perception(
        source='lidar', seq=2, features=[feature('object', f'o{i}') for i in range(10_000)]))
    publisher.publish(msg.Perception(source='lidar', seq=3, description='x' * HUGE))
    client.status(lambda s: s.perceptions_refused == 2)
    task = client.publisher(String, '/task/current')
    # To a best-effort tap 20 MB do not even arrive; this does.
    timer = client.node.create_timer(0.2, lambda: task.publish(String(data='y' * 50_000)))
    begun = time.monotonic()
    assert client.learn('the hall is wet').success and time.monotonic() - begun < 5.0
    client.wait(lambda: refused_features(client, seen) >= 6, timeout_s=30.0)
    timer.cancel()
    assert client.recall('hall').memories and process.resident_mb < 500
    for line in process.log.splitlines():
        assert len(line) < 1000, 'a log line names what came in short'


def test_a_thousand_messages_a_second_are_stored_or_counted(world: Any) -> None:
    """Issue 4: one in ten is rubbish; the services stay fast, nothing acknowledged is lost, the memory is bounded."""
    count = 4000
    process = world.start(**{'scenes.settle_s': 0.1, 'taps.names': ['']})
    client = world.client()
    client.status()
    client.seconds_of_calls(iter([True, False]).__next__)
    before_mb = process.resident_mb
    camera = world.camera(1000.0, count, '--rubbish')
    took = client.seconds_of_calls(lambda: len(camera.lines) < 2)
    assert len(took) >= 20
    assert took[math.ceil(0.95 * len(took)) - 1] < 1.0, took[-5:]
    assert count / float(camera.lines[1]) > 200, 'the test itself was too slow to say anything'

    def accounted(s: Any) -> int:
        return s.perceptions_stored + s.perceptions_dropped + s.perceptions_refused

    status = client.status(lambda s: accounted(s) >= count, timeout_s=30.0)
    assert accounted(status) == count
    assert count / 10 - status.perceptions_dropped <= status.perceptions_refused <= count / 10
    assert process.resident_mb - before_mb < 50
    stats = client.call(srv.Stats, 'stats')
    assert (stats.perceptions, stats.facts) == (status.perceptions_stored, len(took) // 2)
