"""Messages come back as recorded: own types, own order, own QoS; stamps on one clock, and later on the second drive."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import player
import pytest
import recording
from geometry_msgs.msg import PoseStamped
from mcap.writer import Writer
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from rclpy.serialization import serialize_message
from std_msgs.msg import String

START_NS = 1_778_234_353_000_000_000
LATCHED = {
    'offered_qos_profiles': '- depth: 1\n  reliability: reliable\n  durability: transient_local\n'
                            '- depth: 100\n  reliability: best_effort\n  durability: volatile\n'
}


def pose(sec: int, x: float) -> PoseStamped:
    message = PoseStamped()
    message.header.stamp.sec = sec
    message.pose.position.x = x
    return message


@pytest.fixture
def tour(tmp_path: Path) -> recording.Recording:
    """Three poses and a text; the robot's clock began at 900 s, the recorder's is UTC. One type is unknown."""
    path = tmp_path / 'tour.mcap'
    with path.open('wb') as stream:
        writer = Writer(stream)
        writer.start()
        channels = {}
        for topic, kind, metadata in (
            ('/pose', 'geometry_msgs/msg/PoseStamped', LATCHED), ('/text', 'std_msgs/msg/String', {}),
            ('/odd', 'no_such_msgs/msg/Thing', {}),
        ):
            schema = writer.register_schema(kind, 'ros2msg', b'')
            channels[topic] = writer.register_channel(topic, 'cdr', schema, metadata)
        for at_ms, topic, message in (
            (100, '/text', String(data='b')), (0, '/pose', pose(897, 1.0)), (50, '/pose', pose(900, 2.0)),
            (1050, '/pose', pose(901, 3.0)), (60, '/odd', String()), (70, '/odd', String()),
        ):
            at_ns = START_NS + at_ms * 10**6
            writer.add_message(channels[topic], at_ns, serialize_message(message), at_ns)
        writer.finish()
    return recording.read(path)


def test_messages_come_in_recorded_order_with_their_types(tour: recording.Recording) -> None:
    assert [(item.at_ns // 10**6, item.topic) for item in tour.messages] == [
        (0, '/pose'), (50, '/pose'), (100, '/text'), (1050, '/pose')
    ]
    assert [type(item.message) for item in tour.messages[1:3]] == [PoseStamped, String]
    assert (tour.start_ns, tour.duration_ns) == (START_NS, 1_050_000_000)


def test_types_that_are_not_installed_are_counted(tour: recording.Recording) -> None:
    assert tour.skipped == {'/odd': ('no_such_msgs/msg/Thing', 2)}


def test_the_recorded_qos_is_offered_again(tour: recording.Recording) -> None:
    qos = tour.topics['/pose'].qos
    assert (qos.depth, qos.reliability, qos.durability) == (
        1, ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL
    )
    assert tour.topics['/text'].qos.durability == DurabilityPolicy.VOLATILE


def test_header_stamps_move_together_onto_the_recorders_clock(tour: recording.Recording) -> None:
    """A latched message stays as old as it was, and none lies in the future."""
    poses = [item.message for item in tour.messages if item.topic == '/pose']
    stamps = [recording.stamp_ns(message.header.stamp) - START_NS for message in poses]
    assert stamps == [-2_950_000_000, 50_000_000, 1_050_000_000]


def play(tour: recording.Recording, later_ns: int, at_step: Any = lambda now_ns: None) -> list[tuple[str, Any]]:
    """Replay into a list of (topic, message), the clock's included."""
    said: list[tuple[str, Any]] = []
    node = SimpleNamespace(
        create_publisher=lambda kind, name, qos: SimpleNamespace(publish=lambda message: said.append((name, message)))
    )
    robot = SimpleNamespace(node=node, publish_clock=lambda now_ns: said.append(('/clock', now_ns)))
    player.Player(robot, tour, 1000.0).play(later_ns, at_step, lambda topic, message: None, rest_s=0.1)
    return said


def test_the_clock_leads_and_the_messages_follow(tour: recording.Recording) -> None:
    said = play(tour, 0)
    clocks = [message for topic, message in said if topic == '/clock']
    assert clocks[0] == START_NS and clocks == sorted(clocks)
    assert clocks[-1] >= START_NS + tour.duration_ns
    assert [message for topic, message in said if topic != '/clock'] == [item.message for item in tour.messages]
    now_ns = 0
    for topic, message in said:
        if topic == '/clock':
            now_ns = message
        elif topic == '/pose':
            assert recording.stamp_ns(message.header.stamp) <= now_ns


def test_a_later_drive_is_stamped_later_and_leaves_the_recording_alone(tour: recording.Recording) -> None:
    day_ns = 86_400 * 10**9
    before = [recording.stamp_ns(item.message.header.stamp) for item in tour.messages if item.topic == '/pose']
    for _ in range(2):
        said = play(tour, day_ns)
        stamps = [recording.stamp_ns(message.header.stamp) for topic, message in said if topic == '/pose']
        assert stamps == [stamp + day_ns for stamp in before]
    assert said[0] == ('/clock', START_NS + day_ns)
