"""Read an MCAP recording into messages of their own types, in the order in which they were recorded."""

import importlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from mcap.reader import make_reader
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message


@dataclass(frozen=True)
class Topic:
    """A recorded topic, with what its publisher offered."""

    name: str
    type: type
    qos: QoSProfile


@dataclass(frozen=True)
class Recorded:
    """One message and when it was recorded, nanoseconds after the first."""

    at_ns: int
    topic: str
    message: Any


@dataclass(frozen=True)
class Recording:
    """What can be replayed, and what cannot since its type is not installed (topic → type, count)."""

    start_ns: int
    duration_ns: int
    topics: dict[str, Topic]
    messages: list[Recorded]
    skipped: dict[str, tuple[str, int]]


def read(path: Path) -> Recording:
    """Read a whole recording (CDR, as ros2 bag writes it).

    Recorders stamp with their own clock, robots with theirs: header stamps are moved by one offset, the
    least that leaves none in the future of the recorder's clock, so that one clock serves both.
    """
    topics: dict[str, Topic] = {}
    skipped: dict[str, str] = {}
    counts: Counter[str] = Counter()
    raw = []
    with path.open('rb') as stream:
        for schema, channel, message in make_reader(stream).iter_messages(log_time_order=True):
            counts[channel.topic] += 1
            if channel.topic not in topics and channel.topic not in skipped:
                found = installed(schema.name)
                if found is None:
                    skipped[channel.topic] = schema.name
                else:
                    topics[channel.topic] = Topic(channel.topic, found, offered_qos(channel.metadata))
            if channel.topic in topics:
                content = deserialize_message(message.data, topics[channel.topic].type)
                raw.append((message.log_time, channel.topic, content))
    start_ns = raw[0][0]
    align_stamps(raw)
    return Recording(
        start_ns, raw[-1][0] - start_ns, topics,
        [Recorded(at - start_ns, topic, message) for at, topic, message in raw],
        {topic: (name, counts[topic]) for topic, name in skipped.items()},
    )


def installed(name: str) -> type | None:
    """Find a message type such as ``nav_msgs/msg/Odometry``, where its package is installed."""
    package, _, type_name = name.split('/')
    try:
        return getattr(importlib.import_module(f'{package}.msg'), type_name)
    except ModuleNotFoundError:
        return None


def offered_qos(metadata: dict[str, str]) -> QoSProfile:
    """Rebuild the first recorded publisher's reliability, durability and depth."""
    profile = (yaml.safe_load(metadata.get('offered_qos_profiles', '')) or [{}])[0]
    return QoSProfile(
        depth=profile.get('depth', 10),
        reliability=ReliabilityPolicy[profile.get('reliability', 'reliable').upper()],
        durability=DurabilityPolicy[profile.get('durability', 'volatile').upper()],
    )


def align_stamps(raw: list[tuple[int, str, Any]]) -> None:
    """Move all header stamps onto the recorder's clock, in place."""
    stamped = [(at, message.header.stamp) for at, _, message in raw if hasattr(message, 'header')]
    offset_ns = min((at - stamp_ns(stamp) for at, stamp in stamped), default=0)
    for _, stamp in stamped:
        shift(stamp, offset_ns)


def stamp_ns(stamp: Any) -> int:
    """Nanoseconds of a builtin_interfaces/Time."""
    return stamp.sec * 10**9 + stamp.nanosec


def shift(stamp: Any, by_ns: int) -> None:
    """Move a builtin_interfaces/Time, in place."""
    stamp.sec, stamp.nanosec = divmod(stamp_ns(stamp) + by_ns, 10**9)
