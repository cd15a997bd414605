"""One service call to the running node. rclpy is imported here, when a call is made, so that help is instant."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import Any

from robotmem_ros.errors import RobotMemError


class NoAnswer(RobotMemError):
    """No node offers the service, or it did not answer in time."""


def call(service: str, type_name: str, fields: Mapping[str, Any], timeout_s: float) -> Any:
    """Call ``service`` (fully qualified) of type ``robotmem_ros/srv/<type_name>`` once.

    ``fields`` holds what differs from the request's defaults, nested messages as mappings. The
    context is our own and gets no arguments: a text that looks like ``--ros-args`` stays a text.

    :returns: the response message, whatever its ``success``.
    :raises NoAnswer: when the service is not there, or silent, for ``timeout_s`` seconds each.
    """
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.signals import SignalHandlerOptions

    service_type = getattr(importlib.import_module('robotmem_ros.srv'), type_name)
    request = service_type.Request()
    fill(request, fields)
    context = rclpy.Context()
    rclpy.init(args=[], context=context, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = rclpy.create_node(
            f'robotmem_cli_{os.getpid()}', context=context, start_parameter_services=False, enable_rosout=False
        )
        client = node.create_client(service_type, service)
        if not client.wait_for_service(timeout_sec=timeout_s):
            raise NoAnswer(absent(service, timeout_s))
        # This is the main program, not a callback: waiting here blocks nobody else.
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        future = client.call_async(request)
        executor.spin_until_future_complete(future, timeout_sec=timeout_s)
        if not future.done():
            raise NoAnswer(f'{service} is there, but did not answer within {timeout_s:g} s (--timeout waits longer).')
        return future.result()
    finally:
        rclpy.shutdown(context=context, uninstall_handlers=False)


def absent(service: str, timeout_s: float) -> str:
    """Say what was looked for and where, and how to start it."""
    domain = os.environ.get('ROS_DOMAIN_ID', '0') or '0'
    reach = os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE']
    where = 'on this machine only' if reach == 'LOCALHOST' else 'on the network'
    return (
        f'no node answers: there was no service {service} within {timeout_s:g} s, looking {where} '
        f'(ROS_AUTOMATIC_DISCOVERY_RANGE={reach}) in ROS domain {domain}. Start the node with `make run` in the '
        'checkout or with `memory_node` where the package is installed, name another one with --node, or ask the '
        'database itself with --file.'
    )


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
