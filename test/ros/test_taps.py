"""Any field of any topic feeds the situation, and a scene that comes back brings its memories."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import robotmem_ros.srv as srv
from geometry_msgs.msg import Point, PointStamped, Pose, PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import Odometry, Path
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool, Float64, Int32, String

from robotmem_ros.errors import InvalidRequest
from robotmem_ros.ros.fields import FieldPath, message_type, pose_of, value_text
from robotmem_ros.ros.specs import tap_specs
from robotmem_ros.ros.taps import Tap, TapInbox, usable_taps

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def parameters(name: str, **given: Any) -> dict[str, Any]:
    values = {spec.name: spec.default for spec in tap_specs(name)}
    return {**values, **{f'taps.{name}.{key}': value for key, value in given.items()}}


AMCL = parameters('amcl', topic='/amcl_pose', type='geometry_msgs/msg/PoseWithCovarianceStamped', kind='place')
TASK = parameters('task', topic='/task/current', type='std_msgs/msg/String', field='data', kind='task')


def at(x: float, y: float) -> PoseWithCovarianceStamped:
    pose = PoseWithCovarianceStamped()
    pose.header.frame_id = 'map'
    pose.pose.pose.position.x, pose.pose.pose.position.y = x, y
    return pose


@pytest.mark.parametrize(('message', 'path', 'want'), [
    (String(data='Dock 2'), 'data', 'Dock 2'), (Int32(data=-3), 'data', '-3'), (Bool(data=True), 'data', 'true'),
    (Float64(data=0.5), 'data', '0.5'), (at(1.0, 2.0), 'header.frame_id', 'map'),
    (at(1.0, 2.0), 'pose.covariance[7]', '0'),
])
def test_a_field_becomes_a_value(message: Any, path: str, want: str) -> None:
    assert value_text(FieldPath.parse(path, type(message), 'field').value_in(message)) == want


@pytest.mark.parametrize(('message', 'path', 'frame'), [
    (at(3.0, 4.0), '', 'map'), (at(3.0, 4.0), 'pose', 'map'), (at(3.0, 4.0), 'pose.pose.position', 'map'),
    (Odometry(), '', 'odom'), (Pose(), '', 'odom'), (Point(), '', 'odom'), (PointStamped(), '', 'odom'),
    (TransformStamped(), '', 'odom'),
])
def test_what_has_a_position_is_a_pose(message: Any, path: str, frame: str) -> None:
    pose = pose_of(FieldPath.parse(path, type(message), 'field').value_in(message), message, 'odom', 'hall')
    assert pose is not None and (pose.frame_id, pose.map_id) == (frame, 'hall')
    assert (pose.x, pose.y) == ((3.0, 4.0) if frame == 'map' else (0.0, 0.0))


@pytest.mark.parametrize('message', [String(), Path(), Float64()])
def test_what_has_no_position_is_none(message: Any) -> None:
    assert pose_of(message, message, 'map', '') is None


@pytest.mark.parametrize(('given', 'part'), [
    ({'type': 'nowhere_msgs/msg/Thing'}, 'taps.x.type'), ({'type': 'String'}, 'taps.x.type'),
    ({'topic': ' '}, 'taps.x.topic'), ({'field': 'date'}, 'date'), ({'field': 'data..x'}, 'taps.x.field'),
    ({'field': ''}, 'taps.x.field'), ({'kind': ''}, 'taps.x.kind'),
    ({'type': 'geometry_msgs/msg/Pose', 'field': ''}, 'taps.x.kind'),
])
def test_one_wrong_tap_leaves_the_others(given: dict[str, Any], part: str) -> None:
    """Contract 9: a type that is not installed or a path that does not exist: one clear line, the others work."""
    wrong = parameters('x', **{'topic': '/t', 'type': 'std_msgs/msg/String', 'field': 'data', 'kind': 'task', **given})
    lines: list[str] = []
    assert [tap.name for tap in usable_taps(['x', 'task'], {**wrong, **TASK}, {}, lines.append)] == ['task']
    assert len(lines) == 1 and part in lines[0] and '\n' not in lines[0]


def test_a_short_list_is_refused_when_it_comes() -> None:
    path = FieldPath.parse('poses[2].pose.position', Path, 'field')
    with pytest.raises(InvalidRequest, match='2'):
        path.value_in(Path())
    assert message_type('std_msgs/String', 'type') is String


def test_only_the_newest_message_counts_at_the_taps_rate() -> None:
    slow = Tap.from_parameters('task', {**TASK, 'taps.task.rate_hz': 0.01})
    inbox = TapInbox()
    for text in ('a', 'b'):
        inbox.put(slow, String(data=text))
    taken, pause_s = inbox.take()
    assert [m.data for _, m in taken] == ['b'] and pause_s is None
    inbox.put(slow, String(data='c'))
    taken, pause_s = inbox.take()
    assert taken == [] and 90.0 < pause_s <= 100.0


def test_a_place_that_comes_back_brings_its_memory(world: Any) -> None:
    """Issue 2, item 5: poses become places, two visits a scene; entering it hands over what was learned there."""
    process = world.start(**{
        'taps.names': ['amcl', 'broken'], **AMCL, 'scenes.settle_s': 0.05, 'taps.amcl.rate_hz': 100.0,
    })
    client = world.client()
    client.status()
    assert "feature tap 'broken' is left out: taps.broken.topic" in process.log
    dock = at(0.0, 0.0)
    publisher = client.publisher(PoseWithCovarianceStamped, '/amcl_pose', LATCHED)
    where = [dock]
    client.node.create_timer(0.02, lambda: publisher.publish(where[0]))
    stay(client)
    learned = client.learn('the floor is slippery at this dock')
    assert learned.success
    for _ in range(8):
        where[0] = at(20.0, 0.0) if where[0] is dock else dock
        stay(client)
    hit = client.wait(lambda: next((hit for hit in client.hits if hit.memories), None))
    assert [m.content for m in hit.memories] == ['the floor is slippery at this dock']
    assert hit.origin == 'emergent' and hit.key.startswith('place:') and hit.strength >= 2
    assert client.status(lambda s: s.scenes >= 1 and s.scene_hits >= 1).scene_in_force.startswith('place:')
    assert {scene.key for scene in client.call(srv.ListScenes, 'list_scenes').scenes} >= {hit.key}


def stay(client: Any, seconds: float = 0.3) -> None:
    """Let the robot stand somewhere, six times as long as a situation needs to settle."""
    threading.Event().wait(seconds)


def test_a_latched_topic_tells_what_it_said_before(world: Any) -> None:
    """A robot that stood still before the node came knows where it stands, as soon as its publisher is seen."""
    client = world.client()
    publisher = client.publisher(PoseWithCovarianceStamped, '/amcl_pose', LATCHED, matched=False)
    publisher.publish(at(7.0, -2.0))
    world.start(**{'taps.names': ['amcl'], **AMCL})
    client.status()

    def place() -> Any:
        learned = client.learn('the crane is loud here', collection='', tags=[])
        assert learned.success
        found = client.recall('crane', n=1).memories[0]
        return found if found.has_pose else None

    found = client.wait(place)
    assert (found.pose.pose.position.x, found.pose.pose.position.y, found.pose.header.frame_id) == (7.0, -2.0, 'map')


def test_a_tap_that_ros_cannot_listen_to_is_left_out_alone(world: Any) -> None:
    """README: what cannot be used is one line in the log; a topic's name that is none kept the whole node down."""
    bad = parameters('bad', topic='not a topic!', type='std_msgs/msg/String', field='data', kind='task')
    twice = parameters('twice', topic='/task/current', type='std_msgs/msg/Int32', field='data', kind='task')
    listed = {**parameters('listed', topic='/l', type='std_msgs/msg/Int32', field='data', kind='task'),
              'taps.listed.values': ['1=charging', '2=full']}
    process = world.start(**{'taps.names': ['bad', 'listed', 'task', 'twice'], **bad, **listed, **TASK, **twice})
    client = world.client()
    client.status()
    client.publisher(String, '/task/current')
    for name in ('bad', 'listed', 'twice'):
        assert len([line for line in process.log.splitlines() if f"feature tap '{name}' is left out" in line]) == 1
    assert "taps.listed.values: expected a text, got ['1=charging', '2=full']" in process.log
