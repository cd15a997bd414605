"""Every name lies under the node's own, so that robots do not meet by accident."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import robotmem_ros.srv as srv

from robotmem_ros.ros.services import SERVICES

ROS = {'/parameter_events', '/rosout', '/tf', '/tf_static'}
"""Names of ROS itself; the last two where tf2 is installed."""
COMMON = ROS | {'/diagnostics'}
"""With the one that the contract shares."""


def test_two_robots_in_one_domain(world: Any) -> None:
    """NAME-01: /r1 and /r2: all names under the namespace, nothing crosses, topic and service can be remapped."""
    world.start('robotmem', '/r1', ('robotmem/scene_hit:=/ui/hits', '~/recall:=/ui/recall'))
    world.start('robotmem', '/r2')
    one, two = world.client('/r1/robotmem'), world.client('/r2/robotmem')
    one.status(), two.status()
    assert one.learn('blue crate is empty').success
    assert two.recall('blue crate').memories == []
    found = one.call(srv.Recall, '/ui/recall', query='blue crate')
    assert [m.content for m in found.memories] == ['blue crate is empty']
    services = one.node.get_service_names_and_types_by_node('robotmem', '/r2')
    topics = one.node.get_publisher_names_and_types_by_node('robotmem', '/r2')
    topics += one.node.get_subscriber_names_and_types_by_node('robotmem', '/r2')
    names = {name for name, _ in services + topics} - COMMON
    assert {name for name in names if not name.startswith('/r2/')} == set()
    assert {f'/r2/robotmem/{service.name}' for service in SERVICES} <= names
    assert {f'/r2/robotmem/{topic}' for topic in ('perception', 'scene_hit', 'status')} <= names
    hits = one.node.get_publishers_info_by_topic('/ui/hits')
    assert [(info.node_namespace, info.node_name) for info in hits] == [('/r1', 'robotmem')]


def test_the_readme_names_what_a_node_offers(shared: Any) -> None:
    """NAME-01: the topics of the README are those of a running node, no more and no fewer, besides ROS's own."""
    readme = (Path(__file__).resolve().parents[2] / 'README.md').read_text('utf-8')
    named = re.findall(r'^\| `(~/\w+|/\w+)` \((?:in|out)', readme, re.MULTILINE)
    tap = {'/amcl_pose'}
    node, client = 'shared_memory', shared.node
    found = client.get_publisher_names_and_types_by_node(node, '/')
    found += client.get_subscriber_names_and_types_by_node(node, '/')
    offered = {name for name, _ in found} - ROS - tap
    transitions = {f'/{node}/transition_event'}
    assert offered - transitions == {name.replace('~', f'/{node}') for name in named}


def test_the_qos_of_what_it_publishes_can_be_set(world: Any) -> None:
    """Issue 5: overridable by parameter, as ROS names it; the rest stays as it was."""
    world.start(**{'qos_overrides./diagnostics.publisher.reliability': 'best_effort'})
    client = world.client()
    client.status()
    reliable = {
        topic: info.qos_profile.reliability.name
        for topic in ('/diagnostics', '/robotmem/scene_hit') for info in client.node.get_publishers_info_by_topic(topic)
    }
    assert reliable == {'/diagnostics': 'BEST_EFFORT', '/robotmem/scene_hit': 'RELIABLE'}
