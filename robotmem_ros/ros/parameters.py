"""The node's parameters: declared from :mod:`specs`, taken from the overrides, checked when they change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from robotmem_ros.errors import InvalidRequest, RobotMemError
from robotmem_ros.ros.specs import Spec, all_specs, extra_weights, settings_of, tap_specs
from robotmem_ros.settings import Settings

FOREIGN = ('use_sim_time', 'qos_overrides.', 'start_type_description_service')
"""Parameters of rclpy itself."""


class Parameters:
    """
    Declares all parameters of a node and keeps their values.

    :param on_change: is given the new settings after a change that was accepted.
    :raises InvalidRequest: naming the first parameter whose value cannot be taken, its range and what came.
    """

    def __init__(self, node: Node, on_change: Callable[[Settings], None]) -> None:
        self._node, self._on_change = node, on_change
        self._specs: dict[str, Spec] = {}
        self.values: dict[str, Any] = {}
        self.refused: dict[str, InvalidRequest] = {}
        """Parameters of taps whose given value cannot be taken: the default stands, the tap is left out."""
        self.locked = False
        """Whether the node is configured, so that fixed parameters stand."""
        # rclpy tells undeclared overrides in no other way: the typed values of the file and the command line.
        self._overrides: Mapping[str, Parameter[Any]] = getattr(node, '_parameter_overrides', {})
        self._declare(all_specs())
        self._declare(extra_weights(self._overrides))
        self.declare_taps()
        self.settings = settings_of(self.values)
        self._warn_of_unknown()
        node.add_pre_set_parameters_callback(self._with_floats)
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(self._adopt)

    def declare_taps(self) -> None:
        """Declare the parameters of each tap that ``taps.names`` lists and that has none yet."""
        for name in self.tap_names:
            for spec in tap_specs(name):
                if spec.name not in self._specs:
                    try:
                        self._declare([spec])
                    except InvalidRequest as error:
                        self.refused[spec.name] = error
                        self._store(spec, spec.default)

    @property
    def tap_names(self) -> list[str]:
        """The taps that are wanted; a blank name is none (YAML cannot write an empty list of texts)."""
        return [name for name in dict.fromkeys(self.values['taps.names']) if name.strip()]

    def _declare(self, specs: Iterable[Spec]) -> None:
        for spec in specs:
            override = self._overrides.get(spec.name)
            self._store(spec, spec.default if override is None else spec.value_of(override.value))

    def _store(self, spec: Spec, value: Any) -> None:
        self._specs[spec.name], self.values[spec.name] = spec, value
        stored = list(value) if isinstance(value, tuple) else value
        self._node.declare_parameter(spec.name, stored, descriptor_of(spec), ignore_override=True)

    def _warn_of_unknown(self) -> None:
        unknown = [n for n in self._overrides if n not in self._specs and not n.startswith(FOREIGN)]
        if unknown:
            names = ', '.join(sorted(unknown))
            self._node.get_logger().warning(f'these parameters are not known and change nothing: {names}')

    def _with_floats(self, parameters: list[Parameter[Any]]) -> list[Parameter[Any]]:
        """Make a whole number a float where a float is meant."""
        return [
            Parameter(p.name, Parameter.Type.DOUBLE, float(p.value))
            if p.type_ is Parameter.Type.INTEGER and isinstance(self._default(p.name), float) else p
            for p in parameters
        ]

    def _default(self, name: str) -> Any:
        spec = self._specs.get(name)
        return None if spec is None else spec.default

    def _check(self, parameters: list[Parameter[Any]]) -> SetParametersResult:
        try:
            settings_of({**self.values, **self._changes(parameters)})
        except RobotMemError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _changes(self, parameters: list[Parameter[Any]]) -> dict[str, Any]:
        changes = {}
        for parameter in parameters:
            spec = self._specs.get(parameter.name)
            if spec is None:
                continue
            value = spec.value_of(parameter.value)
            if self.locked and spec.notes['fixed'] and value != self.values[spec.name]:
                raise InvalidRequest(spec.name, 'no change while configured (deactivate and clean up first)', value)
            changes[spec.name] = value
        return changes

    def _adopt(self, parameters: list[Parameter[Any]]) -> None:
        changes = self._changes(parameters)
        self.values.update(changes)
        for name in changes:
            self.refused.pop(name, None)
        settings = settings_of(self.values)
        if settings != self.settings:
            self.settings = settings
            self._on_change(settings)


def descriptor_of(spec: Spec) -> ParameterDescriptor:
    """Describe a parameter for ``ros2 param describe``."""
    # Dynamic typing leaves the check of the type to us: rclpy's own says "expected '4' got '2'", and cannot fill an
    # empty list.
    descriptor = ParameterDescriptor(description=spec.description, read_only=spec.start_only, dynamic_typing=True)
    low, high = spec.notes['low'], spec.notes['high']
    if spec.ranged and isinstance(spec.default, float):
        descriptor.floating_point_range = [FloatingPointRange(from_value=float(low), to_value=float(high))]
    elif spec.ranged:
        descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(high))]
    return descriptor
