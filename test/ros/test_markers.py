"""The picture of the memories: complete, bounded, and nothing old left in it."""

from __future__ import annotations

import dataclasses
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip('rclpy', reason='ROS 2 is not installed')

from geometry_msgs.msg import PoseStamped
from visualization_msgs.msg import Marker, MarkerArray

from robotmem_ros.core.places import Centre
from robotmem_ros.model import Pose
from robotmem_ros.picture import Picture
from robotmem_ros.ros.gate import Gate
from robotmem_ros.ros.markers import Style, confidence_colour, diameter, marker_array, short, spread
from robotmem_ros.ros.watching import Drawing
from robotmem_ros.store.placed import PlacedMemory

STYLE = Style(0.2, text=False)


def memory(number: int = 1, x: float = 0.0, y: float = 0.0, **fields: Any) -> PlacedMemory:
    pose = Pose(fields.pop('frame', 'map'), x, y, map_id=fields.pop('map_id', ''))
    made = PlacedMemory(number, f'memory {number}', 'fact', '', 'stm', 0, 0.9, pose)
    return dataclasses.replace(made, **fields)


def picture(*memories: PlacedMemory, **fields: Any) -> Picture:
    return Picture(memories, **fields)


def drawn(picture: Picture, style: Style = STYLE) -> dict[str, list[Marker]]:
    """Markers by namespace, without the first."""
    first, *markers = marker_array(picture, style).markers
    assert (first.action, first.ns, first.id) == (Marker.DELETEALL, '', 0)
    found: dict[str, list[Marker]] = {}
    for marker in markers:
        found.setdefault(marker.ns, []).append(marker)
    return found


def place(marker: Marker) -> tuple[float, float, float]:
    return marker.pose.position.x, marker.pose.position.y, marker.pose.position.z


def test_an_empty_picture_only_deletes() -> None:
    assert drawn(picture()) == {}


def test_a_memory_is_a_sphere_at_its_place_in_its_frame() -> None:
    (sphere,) = drawn(picture(memory(7, 3.0, -2.0, frame='/site')))['memories']
    assert (sphere.type, sphere.id, sphere.header.frame_id) == (Marker.SPHERE, 7, 'site')
    assert place(sphere) == (3.0, -2.0, 0.0)
    assert sphere.scale.x == sphere.scale.y == sphere.scale.z == pytest.approx(0.2)
    assert (sphere.header.stamp.sec, sphere.header.stamp.nanosec, sphere.frame_locked) == (0, 0, True)
    assert sphere.pose.orientation.w == 1.0 and (sphere.lifetime.sec, sphere.lifetime.nanosec) == (0, 0)


def test_colour_grows_lighter_with_confidence_and_stays_in_range() -> None:
    def lightness(confidence: float) -> float:
        red, green, blue = confidence_colour(confidence)
        assert all(0.0 <= part <= 1.0 for part in (red, green, blue))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    steps = [lightness(i / 50) for i in range(51)]
    assert steps == sorted(steps) and steps[-1] - steps[0] > 0.5
    assert confidence_colour(-1.0) == confidence_colour(0.0) and confidence_colour(9.0) == confidence_colour(1.0)
    low, high = drawn(picture(memory(1, confidence=0.1), memory(2, 5.0, confidence=0.9)))['memories']
    assert low.color != high.color


@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_size_grows_with_use_and_is_bounded(a: int, b: int) -> None:
    few, many = sorted((a, b))
    assert 0.2 <= diameter(few, 0.2) <= diameter(many, 0.2) <= 0.5
    assert diameter(0, 0.2) == 0.2 < diameter(1, 0.2) < diameter(10, 0.2)


def test_text_is_written_on_demand_only_and_cut_to_a_label() -> None:
    long = memory(content='first line\nsecond ' + 'word ' * 100)
    assert 'texts' not in drawn(picture(long))
    (label,) = drawn(picture(long), Style(0.2, text=True))['texts']
    assert label.type == Marker.TEXT_VIEW_FACING and label.scale.z == 0.2
    assert label.text.startswith('first line second word') and len(label.text) == 72 and label.text.endswith('…')
    assert place(label)[2] > 0.0
    assert short('short enough') == 'short enough'


def test_memories_at_one_point_lie_beside_each_other() -> None:
    memories = [memory(number, 4.0, 4.0) for number in range(1, 51)]
    points = spread(memories, 0.2)
    assert points[1] == (4.0, 4.0, 0.0)
    pairs = [math.dist(points[a], points[b]) for a in points for b in points if a < b]
    assert min(pairs) > 0.2
    assert max(math.dist(points[1], point) for point in points.values()) < 2.5


def test_places_on_two_maps_do_not_push_each_other_aside() -> None:
    on_two = [memory(1, map_id='floor_1'), memory(2, map_id='floor_2')]
    assert spread(on_two, 0.2) == {1: (0.0, 0.0, 0.0), 2: (0.0, 0.0, 0.0)}
    assert set(drawn(picture(*on_two))) == {'memories, map floor_1', 'memories, map floor_2'}


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf, 1e300])
def test_a_place_that_cannot_be_drawn_is_left_out(bad: float) -> None:
    """A viewer drops a whole message for one NaN."""
    found = drawn(picture(memory(1, bad), memory(2, 0.0, bad), memory(3), memory(4, frame='/'), edges=((1, 3, 1.0),)))
    assert [sphere.id for sphere in found['memories']] == [3] and 'edges' not in found


def test_edges_are_lines_between_places_of_one_frame_and_map() -> None:
    memories = (
        memory(1, 0.0), memory(2, 3.0), memory(3, 6.0, frame='odom'), memory(4, 9.0, map_id='upstairs'), memory(5, 12.0)
    )
    edges = ((1, 2, 9.0), (1, 3, 9.0), (1, 4, 9.0), (2, 5, 0.2), (5, 99, 1.0))
    strong, weak = drawn(picture(*memories, edges=edges))['edges']
    assert [(p.x, p.y) for p in strong.points] == [(0.0, 0.0), (3.0, 0.0)]
    assert [(p.x, p.y) for p in weak.points] == [(3.0, 0.0), (12.0, 0.0)]
    assert strong.type == Marker.LINE_LIST and strong.id != weak.id
    assert strong.scale.x > weak.scale.x > 0.0 and strong.color.a > weak.color.a > 0.0


def test_the_scene_in_force_is_a_disc_at_its_place_under_its_key() -> None:
    centre = Centre('p3', '', 'map', 5.0, 6.0, 0.5)
    found = drawn(picture(memory(1), memory(2, 5.0, in_force=True), scene='place:p3', centre=centre, radius_m=1.5))
    disc, label = found['scene in force']
    assert disc.type == Marker.CYLINDER and place(disc)[:2] == (5.0, 6.0) and disc.scale.x == disc.scale.y == 3.0
    assert disc.color.a < 0.5 and place(disc)[2] < 0.5 < place(label)[2] and label.text == 'place:p3'
    assert [halo.id for halo in found['memories in force']] == [2]
    assert found['memories in force'][0].scale.x > found['memories'][1].scale.x


def test_a_scene_without_a_place_stands_over_its_first_memory() -> None:
    found = drawn(picture(memory(1, 2.0), memory(2, 8.0, in_force=True), scene='task:dock'))
    (label,) = found['scene in force']
    assert label.text == 'task:dock' and place(label)[0] == 8.0
    assert 'scene in force' not in drawn(picture(memory(1), scene='task:dock'))
    assert 'scene in force' not in drawn(picture(memory(1)))


number = st.floats(allow_nan=True, allow_infinity=True, width=64)
metres = st.floats(-100.0, 100.0) | number
memories = st.lists(st.builds(
    memory, st.integers(1, 2**62), metres, metres, frame=st.sampled_from(['map', '/map', '', 'odom']),
    map_id=st.sampled_from(['', 'a', 'b']), confidence=number, use_count=st.integers(-5, 2**40), in_force=st.booleans(),
    content=st.text(),
), max_size=12, unique_by=lambda m: m.id)


@given(memories, st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5), number), max_size=5), st.booleans())
def test_whatever_the_file_holds_the_message_is_whole(
    found: list[PlacedMemory], edges: list[tuple[int, int, float]], text: bool
) -> None:
    """Each marker has a name of its own, a frame, a size, and finite numbers."""
    centre = Centre('p1', 'a', '/map', 1.0, 1.0)
    array = marker_array(Picture(tuple(found), tuple(edges), 'place:p1', centre, 1.0), Style(0.2, text))
    names = [(marker.ns, marker.id) for marker in array.markers]
    assert len(names) == len(set(names)) and len(array.markers) <= 1 + 3 * len(found) + 2 + 6
    for marker in array.markers[1:]:
        assert marker.header.frame_id and not marker.header.frame_id.startswith('/')
        numbers = [*place(marker), marker.scale.x, marker.scale.y, marker.scale.z, marker.color.r, marker.color.a]
        numbers += [v for point in marker.points for v in (point.x, point.y, point.z)]
        assert all(map(math.isfinite, numbers)) and marker.color.a > 0.0
        assert max(marker.scale.x, marker.scale.z) > 0.0 and len(marker.points) % 2 == 0


class Publisher:
    """Stands for a publisher and the node that makes it."""

    def __init__(self) -> None:
        self.viewers, self.sent = 1, []

    def create_publisher(self, *_: Any, **__: Any) -> Publisher:
        return self

    def get_subscription_count(self) -> int:
        return self.viewers

    def publish(self, array: MarkerArray) -> None:
        self.sent.append(array)


class Pictures:
    """Stands for an engine with one picture."""

    def __init__(self) -> None:
        self.now, self.asked = picture(memory()), 0

    def picture(self, most: int) -> Picture:
        self.asked += 1
        return self.now


def test_what_waits_for_a_busy_computer_is_drawn_no_less_often() -> None:
    """The picture costs time of a core; a demo under load waited 15 s for its memories, since waiting counted."""
    class Busy(Pictures):
        def picture(self, most: int) -> Picture:
            time.sleep(0.2)
            return super().picture(most)

    class Large(Pictures):
        def picture(self, most: int) -> Picture:
            until = time.thread_time() + 0.1
            while time.thread_time() < until:
                pass
            return super().picture(most)

    values = {'markers.period_s': 0.5, 'markers.max': 9, 'markers.size_m': 0.2, 'markers.text': False}
    pauses = []
    for pictures in (Busy(), Large()):
        gate = Gate('inactive')
        gate.open(pictures)
        pauses.append(Drawing(Publisher(), gate, lambda: values).step())
    assert pauses[0] < 5.0 <= pauses[1]


def test_it_draws_what_changed_and_only_while_somebody_looks() -> None:
    publisher, pictures, gate = Publisher(), Pictures(), Gate('inactive')
    values = {'markers.period_s': 2.0, 'markers.max': 9, 'markers.size_m': 0.2, 'markers.text': False}
    drawing = Drawing(publisher, gate, lambda: values)
    gate.open(pictures)
    publisher.viewers = 0
    assert drawing.step() == 2.0 and (pictures.asked, publisher.sent) == (0, [])
    publisher.viewers = 1
    drawing.step(), drawing.step()
    assert pictures.asked == 2 and len(publisher.sent) == 1
    pictures.now = picture(memory(confidence=0.5))
    assert drawing.step() >= 2.0 and len(publisher.sent) == 2
    gate.shut('inactive')
    drawing.step(), drawing.step()
    assert [len(array.markers) for array in publisher.sent] == [2, 2, 1]


# ---- over the wire

def pose(x: float) -> PoseStamped:
    stamped = PoseStamped()
    stamped.header.frame_id, stamped.pose.position.x = 'map', x
    return stamped


def spheres(array: MarkerArray) -> dict[int, float]:
    return {m.id: m.pose.position.x for m in array.markers if m.ns == 'memories'}


def watch(client: Any) -> list[MarkerArray]:
    from rclpy.qos import DurabilityPolicy, QoSProfile

    arrays: list[MarkerArray] = []
    qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    client.node.create_subscription(MarkerArray, f'{client.target}/markers', arrays.append, qos)
    return arrays


def test_a_viewer_gets_what_is_there_and_every_change_once(world: Any) -> None:
    world.start(markers__period_s=0.1, markers__max=3)
    client = world.client()
    client.status()
    first = client.learn('the door sticks', pose=pose(1.0)).memory_id
    arrays = watch(client)
    client.wait(lambda: arrays and spheres(arrays[-1]) == {first: 1.0})
    second = client.learn('wet floor in winter', pose=pose(2.0)).memory_id
    client.wait(lambda: spheres(arrays[-1]) == {first: 1.0, second: 2.0})
    assert len(arrays) == 2, 'the same picture is not sent twice'
    late = watch(world.client())
    client.wait(lambda: late and spheres(late[-1]) == {first: 1.0, second: 2.0})
    for number in range(4):
        client.learn(f'shelf {number} is empty', pose=pose(10.0 + number))
    client.wait(lambda: len(spheres(arrays[-1])) == 3)
    assert all(array.markers[0].action == Marker.DELETEALL for array in arrays)


def test_an_inactive_node_leaves_no_memories_on_the_screen(world: Any) -> None:
    from lifecycle_msgs.srv import ChangeState

    world.start(markers__period_s=0.1)
    client = world.client()
    client.status()
    client.learn('the door sticks', pose=pose(1.0))
    arrays = watch(client)
    client.wait(lambda: arrays and spheres(arrays[-1]))
    request = ChangeState.Request()
    request.transition.id = 4
    assert client.call(ChangeState, 'change_state', transition=request.transition).success
    client.wait(lambda: not spheres(arrays[-1]))
    assert [marker.action for marker in arrays[-1].markers] == [Marker.DELETEALL]


def test_parameters_change_the_picture_while_it_is_looked_at(world: Any) -> None:
    from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
    from rcl_interfaces.srv import SetParameters

    world.start(markers__period_s=0.1)
    client = world.client()
    client.status()
    client.learn('the door sticks', pose=pose(1.0))
    arrays = watch(client)
    client.wait(lambda: arrays and spheres(arrays[-1]))
    value = ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=True)
    client.call(SetParameters, 'set_parameters', parameters=[Parameter(name='markers.text', value=value)])
    client.wait(lambda: [m.text for m in arrays[-1].markers if m.ns == 'texts'] == ['the door sticks'])
