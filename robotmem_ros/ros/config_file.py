"""Writes ``config/robotmem.yaml`` from the parameters.

``python3 -m robotmem_ros.ros.config_file > config/robotmem.yaml``
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from robotmem_ros.ros.specs import Spec, all_specs, tap_specs

HEAD = """\
# All parameters of the node `robotmem`, with their defaults; written by `python3 -m robotmem_ros.ros.config_file`.
# `/**` makes them hold under any name and namespace. `ros2 param describe /robotmem NAME` says what stands here.

/**:
  ros__parameters:"""
TAPS = '    # Feature taps: any field of any topic of an installed type feeds a kind of feature. A pose feeds place.'
TAIL = """\
      # Another tap, to be named above too: the task at hand, from a text field.
      # task:
      #   topic: 'task/current'
      #   type: 'std_msgs/msg/String'
      #   field: 'data'
      #   kind: 'task'"""
EXAMPLE = {
    'taps.names': ('amcl',), 'taps.amcl.topic': 'amcl_pose', 'taps.amcl.kind': 'place',
    'taps.amcl.type': 'geometry_msgs/msg/PoseWithCovarianceStamped',
}
"""What the file sets otherwise than the default: the tap that most robots have."""


def config_text() -> str:
    """Give the whole file."""
    usual = [spec for spec in all_specs() if spec.name != 'taps.names']
    taps = [spec for spec in all_specs() if spec.name == 'taps.names'] + tap_specs('amcl')
    taps = [replace(spec, default=EXAMPLE.get(spec.name, spec.default)) for spec in taps]
    return '\n'.join([HEAD, *_lines(usual), '', TAPS, *list(_lines(taps))[1:], TAIL]) + '\n'


def _lines(specs: list[Spec]) -> Iterator[str]:
    last: list[str] = []
    for spec in specs:
        *groups, name = spec.name.split('.')
        for depth, group in enumerate(groups):
            if groups[: depth + 1] != last[: depth + 1]:
                if depth == 0:
                    yield ''
                yield f'    {"  " * depth}{group}:'
        last = groups
        indent = '    ' + '  ' * len(groups)
        yield f'{indent}# {spec.description}'
        yield f'{indent}{name}: {_literal(spec.default)}'


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, tuple):
        return f'[{", ".join(map(_literal, value))}]'
    return repr(value)


if __name__ == '__main__':
    print(config_text(), end='')
