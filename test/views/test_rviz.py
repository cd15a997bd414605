"""config/robotmem.rviz shows what the node publishes, as the node publishes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

MESSAGES = {
    'MarkerArray': 'visualization_msgs/msg/MarkerArray', 'Map': 'nav_msgs/msg/OccupancyGrid',
    'Pose': 'geometry_msgs/msg/PoseStamped', 'PoseWithCovariance': 'geometry_msgs/msg/PoseWithCovarianceStamped',
}


@pytest.fixture(scope='module')
def manager(config: Path) -> Any:
    return yaml.safe_load((config / 'robotmem.rviz').read_text('utf-8'))['Visualization Manager']


@pytest.fixture(scope='module')
def displays(manager: Any) -> dict[str, Any]:
    return {display['Class'].split('/')[-1]: display for display in manager['Displays']}


def test_memories_are_shown_in_the_map_and_the_robot_model_is_off(manager: Any, displays: dict[str, Any]) -> None:
    assert manager['Global Options']['Fixed Frame'] == 'map'
    assert {'MarkerArray', 'Map', 'TF', 'Pose', 'RobotModel'} <= set(displays)
    assert displays['MarkerArray']['Enabled'] and not displays['RobotModel']['Enabled']


def test_its_topics_are_the_nodes_of_that_type_and_latched_where_they_are(displays: dict[str, Any], offer: Any) -> None:
    ours = {}
    for kind, display in displays.items():
        topic = display.get('Topic', {})
        if topic.get('Value', '').startswith('/robotmem/'):
            ours[topic['Value']] = topic['Durability Policy']
            assert offer.published[topic['Value']] == MESSAGES[kind]
            assert topic['Reliability Policy'] == 'Reliable'
    assert ours == {'/robotmem/markers': 'Transient Local'}
    assert '/robotmem/markers' in offer.latched
    pose = displays['PoseWithCovariance']['Topic']
    assert offer.subscribed[pose['Value']] == MESSAGES['PoseWithCovariance'], 'the pose that the tap takes is shown'


def test_it_names_the_namespaces_that_the_markers_have(displays: dict[str, Any]) -> None:
    from robotmem_ros.core.places import Centre
    from robotmem_ros.model import Pose
    from robotmem_ros.picture import Picture
    from robotmem_ros.ros.markers import Style, marker_array
    from robotmem_ros.store.placed import PlacedMemory

    memories = tuple(PlacedMemory(i, 'x', 'fact', '', 'stm', 0, 0.9, Pose('map', i, 0.0), True) for i in (1, 2))
    picture = Picture(memories, ((1, 2, 1.0),), 'place:p', Centre('p', '', 'map', 0.0, 0.0), 1.0)
    names = {marker.ns for marker in marker_array(picture, Style(0.2, True)).markers} - {''}
    assert set(displays['MarkerArray']['Namespaces']) == names
    assert all(displays['MarkerArray']['Namespaces'].values())
