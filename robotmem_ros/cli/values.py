"""Argument types of the command line: times, places and texts."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

SECONDS = {'s': 1, 'm': 60, 'h': 3_600, 'd': 86_400}


def utf8(text: str) -> str:
    """Give ``text`` back as it is, unless the shell passed bytes that are no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError('not valid UTF-8') from None
    return text


def instant(text: str) -> dict[str, int]:
    """Read ``90s 15m 2h 3d`` as that long ago, else an ISO 8601 time (of this machine's zone where it names none)."""
    ago = re.fullmatch(r'(\d+(?:\.\d+)?)([smhd])', text)
    if ago:
        seconds = time.time() - float(ago[1]) * SECONDS[ago[2]]
    else:
        try:
            seconds = datetime.fromisoformat(text.removesuffix('Z') + '+00:00' * text.endswith('Z')).timestamp()
        except ValueError:
            raise argparse.ArgumentTypeError(
                f'{text!r} is neither a duration (90s, 15m, 2h, 3d) nor an ISO time (2026-05-08T10:15)'
            ) from None
    if not 0 <= seconds < 2**31:
        raise argparse.ArgumentTypeError(f'{text!r} lies outside of 1970 to 2038, which a ROS time can hold')
    return {'sec': int(seconds), 'nanosec': int(seconds % 1 * 1e9)}


def node_name(text: str) -> str:
    """Check a fully qualified node name; the leading slash may be left out."""
    name = '/' + text.strip('/')
    if not re.fullmatch(r'(/[A-Za-z_][A-Za-z0-9_]*)+', name):
        raise argparse.ArgumentTypeError(f'{text!r} is no node name such as /robotmem')
    return name


def whole(bits: int) -> Callable[[str], int]:
    """Give a reader of whole numbers that a ROS field of ``bits`` bits holds; rclpy itself wraps or crashes beyond."""
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f'{text!r} is not a whole number') from None
        if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
            raise argparse.ArgumentTypeError(f'{text} does not fit into {bits} bits')
        return value

    return read


def positive(text: str) -> float:
    """Read a number of seconds above zero."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value <= 86_400.0:
        raise argparse.ArgumentTypeError(f'{text!r} is not a time above 0, up to 86400 s')
    return value


def pose(point: list[float] | None, frame: str) -> dict[str, Any]:
    """Give the fields of a PoseStamped at (x, y), or nothing: without a frame the node ignores the pose."""
    if point is None:
        return {}
    return {'header': {'frame_id': frame}, 'pose': {'position': {'x': point[0], 'y': point[1]}}}


def local_path(text: str) -> str:
    """Make a path absolute here, since the node runs in another folder; empty stays empty."""
    return str(Path(text).expanduser().absolute()) if text else ''
