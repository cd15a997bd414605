"""How the node listens: a QoS that takes what publishers give, and a word where it cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSPolicyKind, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

from robotmem_ros.msg import Perception
from robotmem_ros.ros.inflow import Inflow, OnMessage
from robotmem_ros.ros.taps import Tap

OPEN = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE)
"""Takes from every publisher."""
LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""Also gets what was said before, from publishers that keep it, as ``amcl`` does."""
PERCEPTION_DEPTH = 200
"""Perceptions come in bursts."""

OnIncompatible = Callable[[str, str], None]
"""Is called with a topic and the policy of which a publisher gives less than is asked for."""


def incompatible_events(topic: str, on_incompatible: OnIncompatible) -> SubscriptionEventCallbacks:
    """Have a publisher reported that this subscription cannot hear: DDS itself is silent about it."""
    def report(event: Any) -> None:
        on_incompatible(topic, QoSPolicyKind(event.last_policy_kind).name.lower())
    return SubscriptionEventCallbacks(incompatible_qos=report, use_default_callbacks=False)


class PerceptionSubscription:
    """
    The subscription of ``~/perception``.

    With ``auto`` it is reliable, so that nothing is lost on the way, until a best-effort publisher appears, which a
    reliable subscription would not hear; then it is made anew as best-effort, and back when that one has gone.

    :param reliability: ``auto``, ``reliable`` or ``best_effort``.
    :param on_message: is called with the perception and what rmw knows of it.
    :param on_incompatible: is called where a publisher is not heard and will not be.
    """

    TOPIC = '~/perception'

    def __init__(
        self, node: Node, inflow: Inflow, reliability: str, on_message: OnMessage, on_incompatible: OnIncompatible
    ) -> None:
        self._node, self._inflow, self._auto = node, inflow, reliability == 'auto'
        self._on_message, self._on_incompatible = on_message, on_incompatible
        chosen = ReliabilityPolicy.BEST_EFFORT if reliability == 'best_effort' else ReliabilityPolicy.RELIABLE
        self._subscribe(chosen)

    def follow_publishers(self) -> None:
        """Make the subscription anew where its publishers need another one."""
        if not self._auto:
            return
        publishers = self._node.get_publishers_info_by_topic(self._subscription.topic_name)
        some = any(p.qos_profile.reliability is ReliabilityPolicy.BEST_EFFORT for p in publishers)
        wanted = ReliabilityPolicy.BEST_EFFORT if some else ReliabilityPolicy.RELIABLE
        if wanted is not self._reliability:
            self._node.destroy_subscription(self._subscription)
            self._subscribe(wanted)

    def _subscribe(self, reliability: ReliabilityPolicy) -> None:
        self._reliability = reliability
        qos = QoSProfile(depth=PERCEPTION_DEPTH, reliability=reliability, durability=DurabilityPolicy.VOLATILE)
        self._subscription = self._inflow.subscribe(
            Perception, self.TOPIC, self._on_message, qos,
            event_callbacks=incompatible_events(self.TOPIC, self._incompatible),
        )

    def _incompatible(self, topic: str, policy: str) -> None:
        if not (self._auto and policy == 'reliability'):
            self._on_incompatible(topic, policy)


class TapSubscriptions:
    """
    The subscriptions of all taps, with a QoS that follows the publishers.

    A subscription begins open to every publisher; once all publishers of its topic keep their last message, it
    is made anew to ask for it.

    :param on_message: is called with the tap and the message.
    :param on_incompatible: is called with the topic and the policy that a publisher cannot give.
    :param on_left_out: is called with the tap and the reason where ROS cannot listen to its topic.
    """

    def __init__(
        self, node: Node, inflow: Inflow, on_message: Callable[[Tap, Any], None],
        on_incompatible: OnIncompatible, on_left_out: Callable[[Tap, Exception], None],
    ) -> None:
        self._node, self._inflow = node, inflow
        self._on_message, self._on_incompatible = on_message, on_incompatible
        self._on_left_out = on_left_out
        self._open: dict[str, tuple[Tap, QoSProfile, Subscription[Any]]] = {}

    def set(self, taps: list[Tap]) -> None:
        """Listen to these taps and to no others; those that did not change are left alone."""
        wanted = {tap.name: tap for tap in taps}
        for name, (tap, _, subscription) in list(self._open.items()):
            if wanted.get(name) != tap:
                self._node.destroy_subscription(subscription)
                del self._open[name]
        for tap in taps:
            if tap.name not in self._open:
                self._subscribe(tap, OPEN)

    def follow_publishers(self) -> None:
        """Make a subscription anew where its publishers give, or no longer give, what was said before."""
        for tap, qos, subscription in list(self._open.values()):
            publishers = [p.qos_profile for p in self._node.get_publishers_info_by_topic(subscription.topic_name)]
            if not publishers:
                continue
            latched = all(
                p.durability is DurabilityPolicy.TRANSIENT_LOCAL and p.reliability is ReliabilityPolicy.RELIABLE
                for p in publishers
            )
            if latched != (qos is LATCHED):
                self._node.destroy_subscription(subscription)
                del self._open[tap.name]
                self._subscribe(tap, LATCHED if latched else OPEN)

    def _subscribe(self, tap: Tap, qos: QoSProfile) -> None:
        try:
            subscription = self._inflow.subscribe(
                tap.message, tap.topic, lambda message, _info: self._on_message(tap, message), qos, newest_only=True,
                event_callbacks=incompatible_events(tap.topic, self._on_incompatible),
            )
        except Exception as error:  # noqa: BLE001  no topic's name, or one that has another type: rcl has many words for it
            self._on_left_out(tap, error)
            return
        self._open[tap.name] = (tap, qos, subscription)
