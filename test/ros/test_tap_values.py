"""What a tap makes of a field: lists, steps, meanings and a time to live, all by parameter."""

from __future__ import annotations

from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseWithCovariance
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import Bool, Float32, String

from robotmem_ros.errors import InvalidRequest
from robotmem_ros.ros.fields import FieldPath
from robotmem_ros.ros.specs import tap_specs
from robotmem_ros.ros.taps import Tap


class Recorder:
    """An engine that keeps what it is told."""

    def __init__(self) -> None:
        self.said: list[tuple[str, list[tuple[str, str]], float]] = []

    def observe(self, source: str, features: list[tuple[str, str]], ttl_s: float) -> None:
        self.said.append((source, features, ttl_s))


def tap(kind: str, message: str, field: str, **given: Any) -> Tap:
    values = {spec.name: spec.default for spec in tap_specs('t')}
    given = {'topic': '/t', 'type': message, 'field': field, 'kind': kind, **given}
    return Tap.from_parameters('t', {**values, **{f'taps.t.{key}': value for key, value in given.items()}})


def said(tapped: Tap, message: Any) -> list[str]:
    recorder = Recorder()
    tapped.observe(recorder, message)  # type: ignore[arg-type]
    ((source, features, _),) = recorder.said
    assert source == 'tap:t' and {kind for kind, _ in features} == {tapped.kind}
    return [value for _, value in features]


def array(*names: str) -> DiagnosticArray:
    return DiagnosticArray(status=[DiagnosticStatus(name=name) for name in names])


def test_a_list_of_detections_is_several_features() -> None:
    detections = tap('object', 'diagnostic_msgs/msg/DiagnosticArray', 'status[*].name')
    assert said(detections, array('cup', 'fork', 'cup')) == ['cup', 'fork']
    assert said(detections, array('', 'fork')) == ['fork']
    assert said(detections, array()) == [''], 'nothing is seen any more'


def test_lists_within_lists_and_lists_at_the_end() -> None:
    message = DiagnosticArray(status=[
        DiagnosticStatus(values=[KeyValue(key='a'), KeyValue(key='b')]), DiagnosticStatus(values=[KeyValue(key='c')])])
    nested = tap('object', 'diagnostic_msgs/msg/DiagnosticArray', 'status[*].values[*].key')
    assert said(nested, message) == ['a', 'b', 'c']
    assert said(tap('object', 'diagnostic_msgs/msg/DiagnosticArray', 'status[1].values[*].key'), message) == ['c']
    joints = tap('tool', 'sensor_msgs/msg/JointState', 'name')
    assert said(joints, JointState(name=['arm', 'hand'])) == ['arm', 'hand']
    assert said(tap('load', 'sensor_msgs/msg/JointState', 'effort'), JointState(effort=[1.0, 2.5])) == ['1', '2.5']


def test_a_star_needs_a_list() -> None:
    star = FieldPath.parse('header[*]', JointState, 'field')
    with pytest.raises(InvalidRequest, match='a list'):
        star.values_in(JointState())


def test_ten_thousand_detections_are_bounded() -> None:
    """Bad input: the first 256 are looked at."""
    many = array(*(f'o{i}' for i in range(10_000)))
    assert len(said(tap('object', 'diagnostic_msgs/msg/DiagnosticArray', 'status[*].name'), many)) == 256
    nested = DiagnosticArray(status=[
        DiagnosticStatus(values=[KeyValue(key=f'{i}/{j}') for j in range(200)]) for i in range(2)])
    assert len(said(tap('object', 'diagnostic_msgs/msg/DiagnosticArray', 'status[*].values[*].key'), nested)) == 256


@pytest.mark.parametrize(('value', 'want'), [
    (0.96, '1'), (0.74, '0.7'), (-0.04, '0'), (0.1 + 0.2, '0.3'), (12345.678, '12345.7'), (float('nan'), 'nan'),
    (float('inf'), 'inf'),
])
def test_numbers_are_rounded_to_a_step(value: float, want: str) -> None:
    """SCN-11: NaN and infinity go on as they are: the situation refuses and counts them."""
    assert said(tap('load', 'std_msgs/msg/Float32', 'data', step=0.1), Float32(data=value)) == [want]


def test_a_step_of_whole_numbers() -> None:
    battery = tap('battery', 'sensor_msgs/msg/BatteryState', 'percentage', step=25.0)
    assert said(battery, BatteryState(percentage=61.0)) == ['50']


def test_values_have_meanings() -> None:
    status = tap(
        'battery', 'sensor_msgs/msg/BatteryState', 'power_supply_status', values='1=charging, 2=, 3 = a=b ')
    assert [said(status, BatteryState(power_supply_status=i)) for i in range(5)] == [
        ['0'], ['charging'], [''], ['a=b'], ['4']]
    assert said(tap('door', 'std_msgs/msg/Bool', 'data', values='true=open,false='), Bool(data=True)) == ['open']
    level = tap('fault', 'diagnostic_msgs/msg/DiagnosticStatus', 'level', values='2=error')
    assert said(level, DiagnosticStatus(level=b'\2')) == ['error']


@pytest.mark.parametrize('pair', ['charging', '=charging', '1=a, =x', '1=a,,2=b'])
def test_a_wrong_meaning_is_one_clear_line(pair: str) -> None:
    with pytest.raises(InvalidRequest, match=r'taps\.t\.values'):
        tap('x', 'std_msgs/msg/String', 'data', values=pair)


def test_the_time_to_live_goes_with_it() -> None:
    recorder = Recorder()
    tap('task', 'std_msgs/msg/String', 'data', ttl_s=2.5).observe(recorder, String(data='sort'))  # type: ignore[arg-type]
    tap('task', 'std_msgs/msg/String', 'data').observe(recorder, String(data='sort'))  # type: ignore[arg-type]
    assert [ttl for _, _, ttl in recorder.said] == [2.5, 0.0]


def test_covariances_are_numbers_too() -> None:
    pose = PoseWithCovariance()
    pose.covariance[0] = 0.25
    assert said(tap('noise', 'geometry_msgs/msg/PoseWithCovariance', 'covariance[0]'), pose) == ['0.25']
