"""Serves the table of :mod:`services` over ROS, so that every request gets an answer."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from robotmem_ros.errors import RobotMemError, StoreError
from robotmem_ros.ros.gate import Gate
from robotmem_ros.ros.health import SERVICES as SERVING
from robotmem_ros.ros.health import Health
from robotmem_ros.ros.services import LONG, READ, SERVICES, WRITE, Service, refusal
from robotmem_ros.ros.throttle import Throttle

REQUESTS = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.VOLATILE)
"""Requests that wait: with the default depth of 10, an eleventh in a burst pushes the first out, unanswered."""


class ServiceServer:
    """
    Offers every service in every state of the node.

    Writes have one callback group and so hold one thread of the executor, however slow the disk is; reads
    never wait for them. No callback calls another service, so none can wait for itself (EXE-05).

    :param on_served: is called after each request that was served.
    """

    def __init__(self, node: Node, gate: Gate, health: Health, on_served: Callable[[Service], None]) -> None:
        self._gate, self._health, self._on_served = gate, health, on_served
        self._logger = node.get_logger()
        self._throttle = Throttle()
        groups = {
            READ: ReentrantCallbackGroup(),
            WRITE: MutuallyExclusiveCallbackGroup(),
            LONG: MutuallyExclusiveCallbackGroup(),
        }
        for service in SERVICES:
            serve = partial(self.serve, service)
            node.create_service(
                service.type, f'~/{service.name}', serve, qos_profile=REQUESTS, callback_group=groups[service.group]
            )

    def serve(self, service: Service, request: Any, response: Any) -> Any:
        """Answer one request; never raises, for that would end the node and leave the caller waiting (EXE-02)."""
        try:
            with self._gate.enter() as engine:
                service.handler(engine, request, response)
            response.success = True
        except BaseException as error:  # noqa: BLE001  a panic of a native library is no Exception, and needs an answer, too
            return refusal(service, self._sentence(service, error), error)
        if service.is_write:
            self._health.went_well(SERVING)
        self._on_served(service)
        return response

    def _sentence(self, service: Service, error: BaseException) -> str:
        """Say what went wrong, in the answer and, where it is more than a bad request, in the log."""
        self._health.failed(SERVING, error)
        if isinstance(error, RobotMemError):
            if isinstance(error, StoreError):
                self._log(f'{service.name}:{type(error).__name__}', f'{service.name}: {error}')
            return str(error)
        sentence = f'internal error: {type(error).__name__}: {str(error) or "no details"}'
        detail = ''.join(traceback.format_exception(error))
        self._log(f'{service.name}:{type(error).__name__}', f'{service.name}: {sentence}\n{detail}')
        return sentence

    def _log(self, kind: str, message: str) -> None:
        text = self._throttle.text(kind, message)
        if text is not None:
            self._logger.error(text)
