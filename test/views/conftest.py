"""What the node really offers, for comparison with the files that name it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

rclpy = pytest.importorskip('rclpy', reason='ROS 2 is not installed')


@dataclass(frozen=True)
class Offer:
    """Full names with their types, as a running node has them; ``latched``: topics that it keeps for late listeners."""

    published: dict[str, str]
    subscribed: dict[str, str]
    services: dict[str, str]
    latched: frozenset[str]


@pytest.fixture(scope='session')
def config() -> Path:
    return Path(__file__).resolve().parents[2] / 'config'


@pytest.fixture(scope='session')
def offer(tmp_path_factory: pytest.TempPathFactory, config: Path, ros_domain: int) -> Offer:
    """What ``/robotmem`` had, with the tap of config/robotmem.yaml, in simulated time; it has gone since."""
    from rclpy.qos import DurabilityPolicy

    from robotmem_ros.ros.node import MemoryNode

    os.environ.update(ROS_DOMAIN_ID=str(ros_domain), ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')
    folder = tmp_path_factory.mktemp('offer')
    context = rclpy.Context()
    rclpy.init(
        context=context, args=[
            '--ros-args', '--params-file', str(config / 'robotmem.yaml'), '-p', f'db_path:={folder / "memory.db"}',
            '-p', f'embed.model_path:={folder / "none"}', '-p', 'use_sim_time:=true',
        ])
    node = MemoryNode(context=context)
    try:
        node.start()

        def named(ask: Any) -> dict[str, str]:
            return {name: types[0] for name, types in ask(node.get_name(), node.get_namespace())}

        published = named(node.get_publisher_names_and_types_by_node)
        # rcl opens it once for each name in a process: where an earlier test had such a node, this one has none.
        published.setdefault('/rosout', 'rcl_interfaces/msg/Log')
        latched = {
            name for name in published for info in node.get_publishers_info_by_topic(name)
            if info.qos_profile.durability is DurabilityPolicy.TRANSIENT_LOCAL
        }
        return Offer(
            published, named(node.get_subscriber_names_and_types_by_node),
            named(node.get_service_names_and_types_by_node), frozenset(latched),
        )
    finally:
        node.stop()
        node.destroy_node()
        context.try_shutdown()
