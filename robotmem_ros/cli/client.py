"""The wire to the running node. rclpy is imported here, when something is asked, so that help is instant."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from robotmem_ros.errors import RobotMemError

LOOK_S = 0.05
"""Waiting goes in such steps: Ctrl-C is heard between two of them."""


class NoAnswer(RobotMemError):
    """No node offers the service, or it did not answer in time, or ROS itself is not there."""


class Connection:
    """A node of our own for some calls; use it in a ``with`` block.

    Its context is our own and gets no arguments: a text that looks like ``--ros-args`` stays a text.

    :raises NoAnswer: where ROS is not installed or does not start.
    """

    def __enter__(self) -> Connection:
        os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        try:
            import rclpy
            from rclpy.executors import SingleThreadedExecutor
            from rclpy.signals import SignalHandlerOptions
        except ImportError as error:
            raise NoAnswer(
                f'no node can be asked: ROS 2 is not installed or not sourced ({error}); --file asks a database itself'
            ) from error
        self._context = rclpy.Context()
        try:
            rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
            self._node = rclpy.create_node(
                f'robotmem_cli_{os.getpid()}', context=self._context, start_parameter_services=False,
                enable_rosout=False,
            )
        except Exception as error:  # whatever rcl finds wrong with the environment, a person is told
            self.__exit__()
            raise NoAnswer(f'ROS 2 does not start: {" ".join(str(error).split())}') from error
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        return self

    def __exit__(self, *_: object) -> None:
        import rclpy

        if self._context.ok():
            rclpy.shutdown(context=self._context, uninstall_handlers=False)

    def call(
        self, service: str, service_type: Any, fields: Mapping[str, Any], timeout_s: float, answer_s: float = 0.0
    ) -> Any:
        """Call ``service`` (fully qualified) once.

        ``fields`` holds what differs from the request's defaults, nested messages as mappings.

        :param answer_s: how long to wait for the answer, seconds; 0: as long as for the service.
        :returns: the response message, whatever its ``success``.
        :raises NoAnswer: when the service is not there, or silent, for so long, or goes away.
        """
        request = service_type.Request()
        fill(request, fields)
        client = self._node.create_client(service_type, service)
        if not self.wait(client.service_is_ready, timeout_s):
            raise NoAnswer(absent(service, timeout_s))
        future, answer_s = client.call_async(request), answer_s or timeout_s
        self.wait(lambda: future.done() or not client.service_is_ready(), answer_s)
        if future.done():
            return future.result()
        if not client.service_is_ready():
            raise NoAnswer(f'{service} went away before it answered.')
        raise NoAnswer(f'{service} is there, but did not answer within {answer_s:g} s (--timeout waits longer).')

    def listen(self, topic: str, message_type: Any, on_message: Callable[[Any], None], *, latched: bool) -> None:
        """Hear a topic from now on, and with ``latched`` also what was last said on it."""
        from rclpy.qos import DurabilityPolicy, QoSProfile

        kept = DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
        self._node.create_subscription(message_type, topic, on_message, QoSProfile(depth=1, durability=kept))

    def wait(self, what: Callable[[], object], timeout_s: float) -> bool:
        """Take in what comes until ``what()`` is true; ``False`` after ``timeout_s`` seconds.

        This is the main program, not a callback: waiting here blocks nobody else.
        """
        until = time.monotonic() + timeout_s
        while not what():
            if time.monotonic() >= until:
                return False
            self._executor.spin_once(timeout_sec=LOOK_S)
        return True


def call(service: str, type_name: str, fields: Mapping[str, Any], timeout_s: float) -> Any:
    """Call a service of the type ``robotmem_ros/srv/<type_name>`` once; see :meth:`Connection.call`."""
    with Connection() as connection:
        service_type = getattr(importlib.import_module('robotmem_ros.srv'), type_name)
        return connection.call(service, service_type, fields, timeout_s)


def absent(service: str, timeout_s: float) -> str:
    """Say what was looked for and where, and how to start it."""
    return (
        f'no node answers: there was no service {service} within {timeout_s:g} s, {where()}. Start the node with '
        '`make run` in the checkout or with `memory_node` where the package is installed, name another one with '
        '--node, or ask the database itself with --file.'
    )


def where() -> str:
    """Say where a node is looked for."""
    domain = os.environ.get('ROS_DOMAIN_ID', '0') or '0'
    reach = os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE']
    place = 'on this machine only' if reach == 'LOCALHOST' else 'on the network'
    return f'looking {place} (ROS_AUTOMATIC_DISCOVERY_RANGE={reach}) in ROS domain {domain}'


def fill(message: Any, fields: Mapping[str, Any]) -> None:
    """Set the fields of a message; a mapping sets the fields of the message inside."""
    for name, value in fields.items():
        if isinstance(value, Mapping):
            fill(getattr(message, name), value)
        else:
            setattr(message, name, value)


def plain(value: Any) -> Any:
    """Turn a message into dicts, lists and scalars that json can write."""
    if hasattr(value, 'get_fields_and_field_types'):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, (str, bool, int, float)):
        return value
    return [plain(item) for item in value]
