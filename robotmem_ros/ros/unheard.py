"""Publishers that a subscription of ours cannot hear: said once, with the names of their nodes (QOS-02)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

NAMED_WITHIN_S = 2.0
"""DDS tells of an endpoint before ROS tells whose it is; so long is waited for the name."""
LOOK_AGAIN_S = 0.2
UNKNOWN = '_NODE_NAME_UNKNOWN_'


class Unheard:
    """
    Collects what DDS reports, and says it once the publishers have names.

    :param say: is called with the topic and a sentence.
    """

    def __init__(self, node: Node, say: Callable[[str, str], None]) -> None:
        self._node, self._say = node, say
        self._since: dict[tuple[str, str], float] = {}

    def add(self, topic: str, policy: str) -> None:
        """Note a topic and the policy of which a publisher gives too little. Any thread."""
        self._since.setdefault((topic, policy), time.monotonic())

    def step(self) -> float | None:
        """Say what can be said; gives the pause until the next look, ``None`` when nothing is left to say."""
        for (topic, policy), since in list(self._since.items()):
            name = self._node.resolve_topic_name(topic)
            infos = [i for i in self._node.get_publishers_info_by_topic(name) if gives_less(i.qos_profile, policy)]
            nodes = sorted({full_name(info) for info in infos if info.node_name != UNKNOWN})
            if nodes or time.monotonic() > since + NAMED_WITHIN_S:
                del self._since[topic, policy]
                of = ' of ' + ', '.join(nodes) if nodes else ''
                self._say(topic, f'a publisher{of} on {name} gives less {policy} than is asked for and is not heard')
        return LOOK_AGAIN_S if self._since else None


def gives_less(profile: QoSProfile, policy: str) -> bool:
    """Tell whether a publisher's profile can be the one that gives too little of ``policy``."""
    if policy == 'reliability':
        return profile.reliability is ReliabilityPolicy.BEST_EFFORT
    if policy == 'durability':
        return profile.durability is DurabilityPolicy.VOLATILE
    return True


def full_name(info: Any) -> str:
    """Give the name of a node with its namespace."""
    return f'{info.node_namespace.rstrip("/")}/{info.node_name}'
