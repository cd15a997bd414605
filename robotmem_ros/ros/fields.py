"""Any field of any message: finds its type by name, its value by path, and what the engine can make of it."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import Pose
from robotmem_ros.ros.convert import time_from_msg

MAX_VALUE = 200
MAX_VALUES = 256
"""Values that are taken from the lists of one message."""
STEP = re.compile(r'([A-Za-z]\w*)((?:\[(?:\d+|\*)\])*)')
ALL = '*'
POSITIONED = ('pose', 'transform', 'point')
"""Fields in which the stamped messages of geometry_msgs and nav_msgs carry where something is."""


def message_type(name: str, field: str) -> Any:
    """
    Import a message type by its name, such as ``std_msgs/msg/String`` or ``std_msgs/String``.

    :raises InvalidRequest: if the name is none, or the type is not installed.
    """
    parts = name.split('/')
    if len(parts) == 2:
        parts.insert(1, 'msg')
    if len(parts) != 3 or parts[1] != 'msg' or not all(part.isidentifier() for part in parts):
        raise InvalidRequest(field, 'a message type such as std_msgs/msg/String', name)
    try:
        return getattr(importlib.import_module(f'{parts[0]}.msg'), parts[2])
    except (ImportError, AttributeError):
        raise InvalidRequest(field, 'a message type that is installed', name) from None


@dataclass(frozen=True)
class FieldPath:
    """
    A way into a message, such as ``poses[0].position``: names and list indexes; empty: the message itself.

    ``[*]`` stands for each item of a list, so that there are several values.
    """

    steps: tuple[str | int, ...]

    @classmethod
    def parse(cls, path: str, message: Any, field: str) -> FieldPath:
        """
        Read a path, and check its names against the type ``message`` as far as lists allow.

        :raises InvalidRequest: naming the part that the type does not have.
        """
        steps: list[str | int] = []
        for part in path.split('.') if path else ():
            match = STEP.fullmatch(part)
            if match is None:
                raise InvalidRequest(field, 'a path such as data or poses[0].position', path)
            steps.append(match[1])
            steps += [index if index == ALL else int(index) for index in re.findall(r'\d+|\*', match[2])]
        found = cls(tuple(steps))
        found._check(message(), path, field)
        return found

    def _check(self, value: Any, path: str, field: str) -> None:
        for step in self.steps:
            if isinstance(step, int) or step == ALL:
                # A list of a fresh message is empty; what is in it shows with the first real one.
                return
            if not hasattr(value, 'get_fields_and_field_types') or step not in value.get_fields_and_field_types():
                raise InvalidRequest(field, f'a field of {type_name(value)}, and {step} is none', path)
            value = getattr(value, step)

    @property
    def reaches_into_lists(self) -> bool:
        """Whether what it leads to shows with a real message only."""
        return any(isinstance(step, int) or step == ALL for step in self.steps)

    def values_in(self, message: Any) -> list[Any]:
        """
        Follow the path to its value, or to those of the lists on it and at its end; of more than 256, the first.

        :raises InvalidRequest: if a list is shorter than the path needs, or what should be one is none.
        """
        if ALL not in self.steps:
            return items_of(self.value_in(message))
        at = self.steps.index(ALL)
        items, rest = FieldPath(self.steps[:at]).value_in(message), FieldPath(self.steps[at + 1:])
        if not is_list(items):
            raise InvalidRequest(str(self), 'a list before [*]', type_name(items))
        found: list[Any] = []
        for item in items:
            found += rest.values_in(item)
            if len(found) >= MAX_VALUES:
                break
        return found[:MAX_VALUES]

    def __str__(self) -> str:
        return '.'.join(map(str, self.steps))

    def value_in(self, message: Any) -> Any:
        """
        Follow the path, which has no ``[*]``.

        :raises InvalidRequest: if a list is shorter than the path needs.
        """
        value = message
        for step in self.steps:
            try:
                value = value[step] if isinstance(step, int) else getattr(value, step)
            except (IndexError, AttributeError, TypeError):
                raise InvalidRequest(str(self), f'a message that has {step}', type_name(value)) from None
        return value


def is_list(value: Any) -> bool:
    """Say whether a field's value is a list, an array or a vector of numbers."""
    return not isinstance(value, (str, bytes)) and hasattr(value, '__len__') and hasattr(value, '__getitem__')


def items_of(value: Any) -> list[Any]:
    """Give the items of a list, at most 256, or the value itself as the only one."""
    return list(value[:MAX_VALUES]) if is_list(value) else [value]


def type_name(value: Any) -> str:
    """Give the name of a message's type for people."""
    return f'{type(value).__module__.split(".")[0]}/{type(value).__name__}'


def value_text(value: Any) -> str:
    """
    Give a field's value as the value of a feature; '' for an empty text.

    :raises InvalidRequest: if it is neither text nor number nor truth.
    """
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, bytes) and len(value) == 1:
        return str(value[0])  # how Python gives a field of type byte
    if isinstance(value, (float, np.floating)):
        return f'{float(value):g}'
    if isinstance(value, np.integer):
        return str(int(value))
    raise InvalidRequest('field', 'a text, a number or a truth value', type_name(value))


def pose_of(value: Any, message: Any, frame_id: str, map_id: str) -> Pose | None:
    """
    Give the pose that ``value`` is, or ``None`` if it is something else.

    Takes what has a ``position`` or a ``translation``, a point, and the stamped and covariance forms around them.

    :param message: the whole message, for its header.
    :param frame_id: frame where no header names one.
    """
    header = getattr(value, 'header', None) or getattr(message, 'header', None)
    for _ in range(3):
        inner = next((getattr(value, name) for name in POSITIONED if hasattr(value, name)), None)
        if inner is None:
            break
        value = inner
    position = getattr(value, 'position', None) or getattr(value, 'translation', None) or value
    if not all(hasattr(position, axis) for axis in 'xyz') or hasattr(position, 'w'):
        return None
    q = getattr(value, 'orientation', None) or getattr(value, 'rotation', None)
    quaternion = (0.0, 0.0, 0.0, 1.0) if q is None else (q.x, q.y, q.z, q.w)
    stamp_ns = 0 if header is None else time_from_msg(header.stamp, 'header.stamp')
    frame = header.frame_id if header is not None and header.frame_id else frame_id
    return Pose(frame, float(position.x), float(position.y), float(position.z), quaternion, map_id, stamp_ns)
