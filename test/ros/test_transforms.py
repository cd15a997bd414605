"""Contract 8: `near` through tf2, where it is installed. It has no wheels: elsewhere a stand-in shows what is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped, TransformStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Empty, Header

from robotmem_ros.errors import NoTransform
from robotmem_ros.model import Pose
from robotmem_ros.ros import frames
from robotmem_ros.ros.specs import all_specs

TURNED = 0.5**0.5


def stamped(frame: str, x: float, y: float, sec: int = 0) -> PoseStamped:
    pose = PoseStamped(header=Header(frame_id=frame, stamp=Time(sec=sec)))
    pose.pose.position.x, pose.pose.position.y = x, y
    return pose


def robot_at(x: float, y: float) -> TransformStamped:
    """Give ``base_link`` in ``map``, turned to the left."""
    found = TransformStamped(header=Header(frame_id='map'), child_frame_id='base_link')
    found.transform.translation.x, found.transform.translation.y = x, y
    found.transform.rotation.z = found.transform.rotation.w = TURNED
    return found


class Tf2(ModuleType):
    """As much of ``tf2_ros`` (humble to rolling) as is used, with one transform at any time but 99 s."""

    class TransformException(Exception):
        pass

    class Buffer:
        def __init__(self) -> None:
            self.heard: list[tuple[str, Any, str]] = []

        def set_transform(self, transform: Any, authority: str) -> None:
            self.heard.append(('moving', transform, authority))

        def set_transform_static(self, transform: Any, authority: str) -> None:
            self.heard.append(('static', transform, authority))

        def lookup_transform(self, target_frame: str, source_frame: str, time: Any) -> TransformStamped:
            if (target_frame, source_frame) != ('map', 'base_link') or time.sec == 99:
                raise Tf2.TransformException('Lookup would require\nextrapolation')
            return robot_at(10.0 + time.sec, 20.0)

        def clear(self) -> None:
            self.heard.clear()


@pytest.fixture
def tf2(monkeypatch: pytest.MonkeyPatch) -> Tf2:
    module, messages = Tf2('tf2_ros'), ModuleType('tf2_msgs.msg')
    messages.TFMessage = Empty  # any type that ROS can listen to
    monkeypatch.setitem(sys.modules, 'tf2_ros', module)
    monkeypatch.setitem(sys.modules, 'tf2_msgs', ModuleType('tf2_msgs'))
    monkeypatch.setitem(sys.modules, 'tf2_msgs.msg', messages)
    return module


class Around:
    """A node with its clock, and its inflow."""

    def __init__(self) -> None:
        self.topics: dict[str, tuple[Callable[[Any, Any], None], QoSProfile]] = {}

    def subscribe(self, message: type, topic: str, on_message: Callable[[Any, Any], None], qos: QoSProfile) -> None:
        assert message is Empty
        self.topics[topic] = (on_message, qos)

    def get_clock(self) -> Around:
        return self

    def create_jump_callback(self, threshold: Any, *, post_callback: Callable[[Any], None]) -> object:
        assert threshold.min_backward is not None and threshold.on_clock_change
        self.jumped = post_callback
        return object()


def tree_of(around: Around) -> frames.TransformTree:
    tree = frames.transform_tree(around, around, pytest.fail)
    assert tree is not None
    return tree


def test_a_transform_becomes_a_pose_in_the_frame_asked_for(tf2: Tf2) -> None:
    tree, moment = tree_of(Around()), 3 * 10**9
    assert tree.locate('base_link', 'map', moment) == Pose(
        'map', 13.0, 20.0, 0.0, (0.0, 0.0, TURNED, TURNED), stamp_ns=moment)
    with pytest.raises(NoTransform, match='Lookup would require extrapolation'):
        tree.locate('camera', 'map', 0)


def test_what_is_published_reaches_tf2_until_time_jumps_back(tf2: Tf2) -> None:
    """TIME: tf2 takes nothing older than what it has, so a recording that begins anew would not be heard."""
    around = Around()
    tree = tree_of(around)
    for topic, latched in (('/tf', False), ('/tf_static', True)):
        heard, qos = around.topics[topic]
        assert (qos.durability is DurabilityPolicy.TRANSIENT_LOCAL) is latched
        heard(SimpleNamespace(transforms=[f'{topic} 1', f'{topic} 2']), None)
    assert tree._buffer.heard == [
        (kind, f'{topic} {n}', 'robotmem') for kind, topic in (('moving', '/tf'), ('static', '/tf_static'))
        for n in (1, 2)]
    around.jumped(None)
    assert tree._buffer.heard == []


def test_without_tf2_there_is_no_tree_and_a_broken_one_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder:
        missing = 'tf2_ros'

        @classmethod
        def find_spec(cls, name: str, *_: Any) -> None:
            if name == 'tf2_ros':
                raise ModuleNotFoundError(f'No module named {cls.missing!r}', name=cls.missing)

    monkeypatch.delitem(sys.modules, 'tf2_ros', raising=False)
    monkeypatch.setattr(sys, 'meta_path', [Finder, *sys.meta_path])
    said: list[str] = []
    assert frames.transform_tree(Around(), Around(), said.append) is None
    assert said == []
    monkeypatch.setattr(Finder, 'missing', 'tf2_msgs')
    assert frames.transform_tree(Around(), Around(), said.append) is None
    assert said == ["tf2 is left out: No module named 'tf2_msgs'"]


@pytest.mark.parametrize('listen', [True, False])
def test_a_recall_asks_the_tree_unless_it_is_turned_off(
    world: Any, tf2: Tf2, inside: Callable[..., Any], listen: bool
) -> None:
    client = world.client(inside(tf__listen=listen).name)
    client.status()
    client.learn('Shelf edge sticks out', pose=stamped('map', 10.0, 22.0))
    answer = client.recall(near=stamped('base_link', 2.0, 0.0), radius=0.01)
    if not listen:
        assert not answer.success and 'no pose tap has given one' in answer.error
        return
    assert answer.success, answer.error
    assert [m.content for m in answer.memories] == ['Shelf edge sticks out']
    late = client.recall(near=stamped('base_link', 2.0, 0.0, sec=99), radius=0.01)
    assert not late.success and 'extrapolation' in late.error


def test_the_real_tf2_is_heard(world: Any) -> None:
    tf2_ros = pytest.importorskip('tf2_ros', reason='tf2 is not installed; it has no wheels')
    world.start()
    client = world.client()
    client.status()
    client.learn('Shelf edge sticks out', pose=stamped('map', 10.0, 22.0))
    tf2_ros.StaticTransformBroadcaster(client.node).sendTransform(robot_at(10.0, 20.0))
    moving = tf2_ros.TransformBroadcaster(client.node)
    gripper = TransformStamped(header=Header(frame_id='base_link'), child_frame_id='gripper')
    gripper.transform.translation.x = 1.5

    def before_the_gripper() -> Any:
        gripper.header.stamp = client.node.get_clock().now().to_msg()
        moving.sendTransform(gripper)
        answer = client.recall(near=stamped('gripper', 0.5, 0.0), radius=0.01)
        return answer if answer.memories else None

    answer = client.wait(before_the_gripper)
    assert [m.content for m in answer.memories] == ['Shelf edge sticks out']
    assert not answer.warning
    assert len(client.recall(near=stamped('base_link', 2.0, 0.0), radius=0.01).memories) == 1
    lost = client.recall(near=stamped('nowhere', 2.0, 0.0), radius=0.01)
    assert lost.success and "nothing is stored in frame 'nowhere'" in lost.warning


def test_listening_is_a_parameter_of_the_start() -> None:
    (spec,) = (spec for spec in all_specs() if spec.name == 'tf.listen')
    assert spec.default is True and spec.start_only
