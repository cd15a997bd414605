"""What people look at beside the status: ``/diagnostics`` and ``~/markers``, by a worker of their own."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rclpy.qos_overriding_options import QoSOverridingOptions
from visualization_msgs.msg import MarkerArray

from robotmem_ros.errors import NotActive
from robotmem_ros.picture import Picture
from robotmem_ros.ros.diagnostics import Diagnosis
from robotmem_ros.ros.gate import Gate
from robotmem_ros.ros.markers import Style, marker_array
from robotmem_ros.ros.status import LATCHED
from robotmem_ros.ros.worker import Worker

COST_SHARE = 50.0
"""Drawing takes at most this part of one core: a large file is drawn less often. To wait for a busy core costs none."""


class Watching:
    """
    Publishes both, each in its own period, whatever state the node is in.

    :param values: the node's parameters, read anew each time.
    :param on_error: is told what a step raised.
    """

    def __init__(
        self, node: Node, gate: Gate, diagnosis: Diagnosis, values: Callable[[], Mapping[str, Any]],
        on_error: Callable[[Exception], None],
    ) -> None:
        self._values, self._diagnosis, self._clock = values, diagnosis, node.get_clock()
        self._diagnostics = node.create_publisher(
            DiagnosticArray, '/diagnostics', 10, qos_overriding_options=QoSOverridingOptions.with_default_policies())
        self._drawing = Drawing(node, gate, values)
        self._due_s = [0.0, 0.0]
        self._worker = Worker('watching', self.step, on_error)
        self.start, self.stop = self._worker.start, self._worker.stop

    def step(self) -> float:
        """Publish what is due and give the seconds until the next time."""
        for number, publish in enumerate((self._diagnose, self._drawing.step)):
            if time.monotonic() >= self._due_s[number]:
                self._due_s[number] = time.monotonic() + publish()
        return max(min(self._due_s) - time.monotonic(), 0.0)

    def _diagnose(self) -> float:
        array = DiagnosticArray(status=self._diagnosis.statuses())
        array.header.stamp = self._clock.now().to_msg()
        self._diagnostics.publish(array)
        return float(self._values()['diagnostics.period_s'])


class Drawing:
    """
    ``~/markers``: the whole picture, whenever it looks otherwise than the last one and somebody looks.

    It is latched, so one who comes late gets the last picture at once, and the present one a period later.
    """

    def __init__(self, node: Node, gate: Gate, values: Callable[[], Mapping[str, Any]]) -> None:
        self._gate, self._values = gate, values
        self._publisher = node.create_publisher(
            MarkerArray, '~/markers', LATCHED, qos_overriding_options=QoSOverridingOptions.with_default_policies())
        self._last: tuple[Picture, Style] | None = None

    def step(self) -> float:
        """Draw where that is needed and give the seconds until the next time."""
        values, began_s = self._values(), time.thread_time()
        if self._publisher.get_subscription_count() == 0:
            return float(values['markers.period_s'])
        drawn = self._picture(values['markers.max']), Style(values['markers.size_m'], values['markers.text'])
        if drawn != self._last:
            self._publisher.publish(marker_array(*drawn))
            self._last = drawn
        return max(values['markers.period_s'], COST_SHARE * (time.thread_time() - began_s))

    def _picture(self, most: int) -> Picture:
        """Give what there is to see; nothing while the file is not in use, so that no other file's memories stay."""
        try:
            with self._gate.enter() as engine:
                return engine.picture(most)
        except NotActive:
            return Picture()
