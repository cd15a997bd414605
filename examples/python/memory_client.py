"""The memory as a node of yours sees it: questions go out, answers come to a callback, nothing waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.task import Future
from robotmem_ros.srv import EndSession, Learn, Recall, StartSession

ANSWER_S = 5.0
"""How long an answer is waited for: a memory that was stopped must not stop its robot."""
ANSWERS = QoSProfile(depth=100)
"""Every client of a service receives the answers to all of them: with the default of 10 they push out its own."""

Then = Callable[[Any], None]
"""Takes the response, or ``None`` where the request was refused or no answer came; the log says why."""


class MemoryClient:
    """
    Clients of one memory node.

    A callback that waited for an answer would hold the executor that has to deliver it: the node would stand still
    for ever. So :meth:`ask` returns at once, and ``then`` is called by the executor.

    :param node: whose executor runs the callbacks.
    :param memory: full name of the memory node.
    """

    def __init__(self, node: Node, memory: str) -> None:
        self._logger = node.get_logger()
        self._clients = {
            service: node.create_client(service, f'{memory}/{name}', qos_profile=ANSWERS)
            for service, name in (
                (StartSession, 'start_session'), (Learn, 'learn'), (Recall, 'recall'), (EndSession, 'end_session'),
            )
        }
        self._pending: dict[Future, tuple[Any, float, Then]] = {}
        node.create_timer(0.2, self._give_up)

    def is_there(self) -> bool:
        """Whether the memory node has been found."""
        return all(client.service_is_ready() for client in self._clients.values())

    def ask(self, request: Any, then: Then) -> None:
        """Send a request of one of the services, and call ``then`` once with what came of it."""
        service, client = next((s, c) for s, c in self._clients.items() if isinstance(request, s.Request))
        future = client.call_async(request)
        self._pending[future] = service, time.monotonic() + ANSWER_S, then
        future.add_done_callback(self._answered)

    def _answered(self, future: Future) -> None:
        service, _, then = self._pending.pop(future, (None, 0.0, None))
        if then is None:
            return  # given up already
        response = future.result()
        if not response.success:
            self._logger.error(f'{service.__name__}: {response.error}')
        elif response.warning:
            self._logger.warning(f'{service.__name__}: {response.warning}')
        then(response if response.success else None)

    def _give_up(self) -> None:
        now = time.monotonic()
        for future in [future for future, (_, until, _) in self._pending.items() if until < now]:
            service, _, then = self._pending.pop(future)
            self._clients[service].remove_pending_request(future)
            self._logger.error(f'{service.__name__}: no answer within {ANSWER_S:g} s')
            then(None)
