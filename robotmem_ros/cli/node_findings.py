"""Is everything well with the running node? What it says of itself, and whether it is of this version and time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from robotmem_ros import __version__
from robotmem_ros.doctor import AHEAD_S, FAIL, OK, WARN, Finding
from robotmem_ros.store import ownership, paths

if TYPE_CHECKING:
    from robotmem_ros.cli.running import RunningNode

LEVELS = (OK, WARN, FAIL)
"""By the level of a diagnostic_msgs/msg/DiagnosticStatus; a stale part belongs to a node that is not active."""
STEPS = {'unconfigured': 'configure', 'inactive': 'activate'}


def absent(why: str, path: str) -> Finding:
    """Say that no node answers, which matters where one has the file."""
    owner = ownership.owner_of(paths.resolve(path))
    if owner is None:
        return Finding('node', OK, why)
    return Finding('node', WARN, f'{why}, but {owner} owns {path}',
                   'ROS_DOMAIN_ID as the node has it, its name by --node, or more time by --timeout')


def examination(node: RunningNode, timeout_s: float, now_s: float | None = None) -> Iterator[Finding]:
    """Look at a node, and for ``timeout_s`` seconds at ``/diagnostics``.

    :param now_s: what the clock shows when its diagnostics come; default: the system's.
    """
    heard = hear(node, timeout_s)
    now_s = time.time() if now_s is None else now_s
    parts = {} if heard is None else _parts(heard, node.name)
    yield _state(node, parts)
    yield _model(node.status)
    if heard is None:
        yield Finding('diagnostics', WARN, f'nothing on /diagnostics within {timeout_s:g} s',
                      'diagnostics.period_s may be longer (then --timeout), or the topic is remapped')
        return
    yield _version(parts)
    yield _clock(heard, parts, now_s)
    yield from _troubles(parts)


def hear(node: RunningNode, timeout_s: float) -> Any | None:
    """Give the next message on ``/diagnostics`` that is of this node."""
    from diagnostic_msgs.msg import DiagnosticArray

    found: list[Any] = []
    node.connection.listen(
        '/diagnostics', DiagnosticArray, lambda array: found.append(array) if _parts(array, node.name) else None,
        latched=False)
    return found[0] if node.connection.wait(lambda: found, timeout_s) else None


def _parts(array: Any, node: str) -> dict[str, Any]:
    return {status.name.rpartition(': ')[2]: status for status in array.status if status.hardware_id == node}


def _state(node: RunningNode, parts: dict[str, Any]) -> Finding:
    status = node.status
    level = OK if status.ready and not status.reason else WARN
    if 'memory' in parts:
        level = LEVELS[min(parts['memory'].level[0], 2)]
    text = f'{node.name} is {status.state}, {"ready" if status.ready else "not ready"}'
    step = STEPS.get(status.state)
    reason = '' if status.reason == f'the node is {status.state}' else status.reason
    return Finding('node', level, f'{text}: {reason}' if reason else text,
                   f'ros2 lifecycle set {node.name} {step}' if step else '')


def _model(status: Any) -> Finding:
    if status.mode == 'hybrid':
        waiting = f'; {status.pending_vectors} memories wait for their vector' if status.pending_vectors else ''
        what = f'{status.model}, {status.embed_backend}, {status.embed_dim} dimensions{waiting}'
        return Finding('node model', OK, f'words and meaning: {what}')
    return Finding('node model', WARN if status.state == 'active' else OK, 'words alone')


def _version(parts: dict[str, Any]) -> Finding:
    theirs = _value(parts, 'memory', 'version')
    if theirs == __version__:
        return Finding('node version', OK, f'{theirs}, as here')
    return Finding('node version', WARN, f'{theirs or "older"}, and {__version__} here', 'start the node again')


def _clock(heard: Any, parts: dict[str, Any], now_s: float) -> Finding:
    ahead_s = heard.header.stamp.sec + heard.header.stamp.nanosec / 1e9 - now_s
    if _value(parts, 'clock', 'simulated') == 'true':
        return Finding('node clock', OK, 'simulated time')
    if abs(ahead_s) > AHEAD_S:
        side = 'ahead of' if ahead_s > 0 else 'behind'
        return Finding('node clock', WARN, f'{abs(ahead_s) / 3600:.1f} h {side} the clock here', 'set both by NTP')
    return Finding('node clock', OK, 'as here')


def _troubles(parts: dict[str, Any]) -> Iterator[Finding]:
    """Give what warns; what the status has said is not said again."""
    bad = {name: part for name, part in parts.items() if name != 'memory' and part.level in (b'\1', b'\2')}
    for name, part in bad.items():
        yield Finding(f'node {name}', LEVELS[part.level[0]], part.message, 'its values: ros2 topic echo /diagnostics')
    if not bad:
        yield Finding('diagnostics', OK, f'{len(parts)} parts, none warns')


def _value(parts: dict[str, Any], part: str, key: str) -> str:
    values = parts[part].values if part in parts else ()
    return next((str(pair.value) for pair in values if pair.key == key), '')
