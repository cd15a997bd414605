"""Every parameter of the node as data: name, type, default, range, meaning. Knows no rclpy.

Those of the engine come from :mod:`robotmem_ros.settings`; the node adds its own few here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any

from robotmem_ros.core.payload import check_name
from robotmem_ros.embed.loading import MODELS
from robotmem_ros.errors import InvalidRequest, RobotMemError
from robotmem_ros.settings import GROUPS, Settings, check_value, checked, setting
from robotmem_ros.store import paths


@dataclass(frozen=True)
class NodeSettings:
    """What only the node needs to know."""

    db_path: str = setting(
        '', 'database file, ~ is expanded; empty: robotmem/memory.db under $ROS_HOME or ~/.ros', fixed=True
    )
    autostart: bool = setting(True, 'configure and activate at start, without a lifecycle manager', fixed=True)


@dataclass(frozen=True)
class ExecutorSettings:
    """How many callbacks run at the same time."""

    threads: int = setting(
        4, 'threads of the executor; below 3 a slow write may delay a recall', low=1, high=64, fixed=True
    )


@dataclass(frozen=True)
class PerceptionSettings:
    """How perceptions come in."""

    queue: int = setting(
        1000, 'perceptions that wait for the disk; beyond it the oldest are dropped and counted', low=1, high=100_000,
        fixed=True,
    )
    batch: int = setting(100, 'perceptions stored in one transaction', low=1, high=10_000, fixed=True)
    reliability: str = setting(
        'auto', 'auto is reliable until a best-effort publisher appears, which reliable would not hear', fixed=True
    )


@dataclass(frozen=True)
class TransformSettings:
    """Whether the robot's transforms are listened to."""

    listen: bool = setting(
        True, 'listen to /tf where tf2_ros is installed, so that `near` may name any frame of the robot', fixed=True
    )


@dataclass(frozen=True)
class StatusSettings:
    """How the node reports."""

    period_s: float = setting(1.0, 'time between two status messages', low=0.1, high=3600.0, unit='s')


@dataclass(frozen=True)
class DiagnosticsSettings:
    """How the node reports to rqt_robot_monitor and Foxglove."""

    period_s: float = setting(1.0, 'time between two messages on /diagnostics', low=0.1, high=3600.0, unit='s')


@dataclass(frozen=True)
class MarkersSettings:
    """How the memories are drawn for rviz and Foxglove."""

    period_s: float = setting(2.0, 'shortest time between two pictures on ~/markers', low=0.1, high=3600.0, unit='s')
    max: int = setting(500, 'memories drawn at most, those worth the most; 0: none', low=0, high=10_000)
    size_m: float = setting(0.2, 'diameter of a memory that was never used', low=0.001, high=100.0, unit='m')
    text: bool = setting(False, 'write the beginning of its text beside each memory')


@dataclass(frozen=True)
class TapNames:
    """Which feature taps there are; each has parameters of its own, see :data:`TAP_NOTES`."""

    names: tuple[str, ...] = setting((), 'names of the feature taps; each has taps.<name>.topic and so on', fixed=True)


NODE_GROUPS: Mapping[str, type] = {
    'executor': ExecutorSettings, 'perception': PerceptionSettings, 'tf': TransformSettings, 'status': StatusSettings,
    'diagnostics': DiagnosticsSettings, 'markers': MarkersSettings, 'taps': TapNames,
}
START_ONLY = frozenset(
    {'autostart', 'executor.threads', 'perception.queue', 'perception.batch', 'perception.reliability', 'tf.listen'}
)
CHOICES = {'perception.reliability': ('auto', 'best_effort', 'reliable'), 'embed.model': MODELS}


@dataclass(frozen=True)
class TapSettings:
    """One feature tap: a field of a topic that feeds a kind of feature."""

    topic: str = setting('', "topic to listen to; relative to the node's namespace, or absolute", fixed=True)
    type: str = setting('', 'its message type, such as std_msgs/msg/String', fixed=True)
    field: str = setting(
        '', 'path in the message: data, poses[0].position or detections[*].id; empty: the whole message', fixed=True
    )
    kind: str = setting('', 'kind of feature that it feeds; a pose feeds place', fixed=True)
    values: str = setting('', 'what values mean: 1=charging, 2= (says nothing); others pass as they are', fixed=True)
    step: float = setting(
        0.0, 'numbers are rounded to whole multiples of it; 0: to three digits', low=0.0, high=1e9, fixed=True
    )
    ttl_s: float = setting(
        0.0, 'time to live of what it feeds; 0: until replaced', low=0.0, high=1e6, unit='s', fixed=True
    )
    map_id: str = setting('', 'map that the poses are on; empty: none is named', fixed=True)
    frame_id: str = setting('map', 'frame of poses that name none', fixed=True)
    rate_hz: float = setting(
        10.0, 'messages taken at most; of more, the newest counts', low=0.01, high=1000.0, unit='Hz', fixed=True
    )


@dataclass(frozen=True)
class Spec:
    """One parameter; ``default`` decides its type: bool, int, float, str, or a tuple of texts."""

    name: str
    default: Any
    notes: Mapping[str, Any]

    @property
    def start_only(self) -> bool:
        """Whether it can be set only when the process starts."""
        return self.name in START_ONLY

    @property
    def description(self) -> str:
        """Meaning, unit and range, and when it may change."""
        unit = f' [{self.notes["unit"]}]' if self.notes['unit'] else ''
        limits = f', {self.notes["low"]:g} to {self.notes["high"]:g}' if self.ranged else ''
        choices = ', one of: ' + ' '.join(CHOICES[self.name]) if self.name in CHOICES else ''
        fixed = '; set at start only' if self.start_only else '; fixed once configured' if self.notes['fixed'] else ''
        return f'{self.notes["meaning"]}{unit}{limits}{choices}{fixed}'

    @property
    def ranged(self) -> bool:
        """Whether it is a number between two finite limits."""
        number = isinstance(self.default, (int, float)) and not isinstance(self.default, bool)
        return number and math.isfinite(self.notes['low']) and math.isfinite(self.notes['high'])

    def value_of(self, raw: Any) -> Any:
        """
        Give ``raw`` in this parameter's type.

        Whole numbers count as floats, since YAML writes 60 where 60.0 is meant (PAR-01). A text that YAML took
        for a number is refused, for 007 and 7 can no longer be told apart (PAR-02).

        :raises InvalidRequest: naming the parameter, its type or range, and what came.
        """
        value = self._typed(raw)
        check_value(self.name, value, self.notes)
        if isinstance(value, float) and math.isnan(value):
            raise InvalidRequest(self.name, 'a number', value)
        if self.name in CHOICES and value not in CHOICES[self.name]:
            raise InvalidRequest(self.name, f'one of {", ".join(CHOICES[self.name])}', value)
        return value

    def _typed(self, raw: Any) -> Any:
        if isinstance(self.default, bool):
            expected, fits = 'true or false', isinstance(raw, bool)
        elif isinstance(self.default, float):
            expected, fits = 'a number', isinstance(raw, (int, float)) and not isinstance(raw, bool)
            raw = float(raw) if fits else raw
        elif isinstance(self.default, int):
            expected, fits = 'a whole number', isinstance(raw, int) and not isinstance(raw, bool)
        elif isinstance(self.default, str):
            expected, fits = 'a text', isinstance(raw, str)
            if isinstance(raw, (bool, int, float)):
                expected += '; YAML takes this for something else, so quote it twice, like "\'007\'"'
        else:
            raw = () if raw is None else raw
            expected, fits = 'a list of texts', not isinstance(raw, str) and _all_texts(raw)
            raw = tuple(raw) if fits else raw
        if not fits:
            raise InvalidRequest(self.name, expected, raw)
        return raw


def _all_texts(raw: Any) -> bool:
    try:
        return all(isinstance(item, str) for item in raw)
    except TypeError:
        return False


def specs_of(group: type, prefix: str = '') -> list[Spec]:
    """Give a parameter for each setting of a group, and one for each key of a table."""
    found: list[Spec] = []
    for item in fields(group):
        if 'meaning' not in item.metadata:
            continue
        default = _default_of(item)
        if isinstance(default, dict):
            found += [Spec(f'{prefix}{item.name}.{key}', value, item.metadata) for key, value in default.items()]
        else:
            found.append(Spec(f'{prefix}{item.name}', default, item.metadata))
    return found


def _default_of(item: Field[Any]) -> Any:
    return item.default_factory() if item.default_factory is not MISSING else item.default


def all_specs() -> list[Spec]:
    """Give every parameter that is always there, in the order of the configuration file."""
    found = [*specs_of(NodeSettings), *specs_of(Settings)]
    for name, group in {**NODE_GROUPS, **GROUPS}.items():
        found += specs_of(group, f'{name}.')
    return found


def tap_specs(name: str) -> list[Spec]:
    """Give the parameters of the tap ``name``."""
    return specs_of(TapSettings, f'taps.{name}.')


def extra_weights(names: Iterable[str]) -> list[Spec]:
    """Give a parameter for each weight of a kind of feature that the defaults do not know."""
    known = {spec.name for spec in all_specs()}
    notes = next(item.metadata for item in fields(GROUPS['scenes']) if item.name == 'weights')
    return [Spec(n, 0.0, notes) for n in names if n.startswith('scenes.weights.') and n not in known]


def settings_of(values: Mapping[str, Any]) -> Settings:
    """
    Build the engine's settings from parameter values.

    :raises InvalidRequest: naming the setting, its range and what came.
    """
    groups = {name: checked(_group(group, f'{name}.', values), f'{name}.') for name, group in GROUPS.items()}
    collection = check_name(values['collection'], 'collection')
    if not collection:
        raise InvalidRequest('collection', 'a name', values['collection'])
    return Settings(collection=collection, **groups)


def _group(group: type, prefix: str, values: Mapping[str, Any]) -> Any:
    chosen: dict[str, Any] = {}
    for item in fields(group):
        name = f'{prefix}{item.name}'
        if isinstance(_default_of(item), dict):
            chosen[item.name] = {k[len(name) + 1:]: v for k, v in values.items() if k.startswith(f'{name}.')}
        else:
            chosen[item.name] = values[name]
    return group(**chosen)


def database_path(value: str) -> str:
    """
    Give the absolute path of the database: as set, else under ``$ROS_HOME`` or ``~/.ros``.

    :raises InvalidRequest: for what can be no file, before anything makes a path of it.
    :raises StoreError: with the system's own reason.
    """
    return paths.resolve(value or paths.default())


def shown_path(value: str) -> str:
    """Give the path that the status shows until the node is configured: as set, where it can be no file."""
    try:
        return database_path(value)
    except RobotMemError:
        return value or paths.default()
