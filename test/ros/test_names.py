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


def topics_of(viewer: Any, name: str, namespace: str) -> set[str]:
    """Give the topics that a node is seen to publish or hear; what is not discovered yet is missing."""
    return seen(viewer, name, namespace, 'publisher', 'subscriber')


def names_of(viewer: Any, name: str, namespace: str) -> set[str]:
    """Give all names that a node is seen to offer."""
    return seen(viewer, name, namespace, 'publisher', 'subscriber', 'service')


def seen(viewer: Any, name: str, namespace: str, *kinds: str) -> set[str]:
    if (name, namespace) not in viewer.get_node_names_and_namespaces():
        return set()
    ask = [getattr(viewer, f'get_{kind}_names_and_types_by_node') for kind in kinds]
    return {offer for each in ask for offer, _ in each(name, namespace)}


def offered(client: Any, topics: tuple[str, ...]) -> dict[str, str] | None:
    """Give the reliability with which the client's node publishes each topic, once all are discovered."""
    found = {
        topic: info.qos_profile.reliability.name
        for topic in topics for info in client.node.get_publishers_info_by_topic(topic)
        if info.node_name == client.target.rpartition('/')[2]
    }
    return found if set(found) == set(topics) else None


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
    wanted = {f'/r2/robotmem/{service.name}' for service in SERVICES}
    wanted |= {f'/r2/robotmem/{topic}' for topic in ('perception', 'scene_hit', 'status')}
    one.wait(lambda: wanted <= names_of(one.node, 'robotmem', '/r2'))
    assert {name for name in names_of(one.node, 'robotmem', '/r2') - COMMON if not name.startswith('/r2/')} == set()
    hits = one.wait(lambda: one.node.get_publishers_info_by_topic('/ui/hits'))
    assert [(info.node_namespace, info.node_name) for info in hits] == [('/r1', 'robotmem')]


def test_the_readme_names_what_a_node_offers(shared: Any) -> None:
    """NAME-01: the topics of the README are those of a running node, no more and no fewer, besides ROS's own."""
    readme = (Path(__file__).resolve().parents[2] / 'README.md').read_text('utf-8')
    named = re.findall(r'^\| `(~/\w+|/\w+)` \((?:in|out)', readme, re.MULTILINE)
    node = '/shared_memory'
    besides = ROS | {f'{node}/transition_event', '/amcl_pose'}  # the last is a tap
    wanted = {name.replace('~', node) for name in named}
    shared.wait(lambda: wanted <= topics_of(shared.node, node[1:], '/'))
    assert topics_of(shared.node, node[1:], '/') - besides == wanted


def test_the_qos_of_what_it_publishes_can_be_set(world: Any) -> None:
    """Issue 5: overridable by parameter, as ROS names it; the rest stays as it was."""
    world.start(**{'qos_overrides./diagnostics.publisher.reliability': 'best_effort'})
    client = world.client()
    client.status()
    topics = ('/diagnostics', '/robotmem/scene_hit')
    found = client.wait(lambda: offered(client, topics))
    assert found == {'/diagnostics': 'BEST_EFFORT', '/robotmem/scene_hit': 'RELIABLE'}
