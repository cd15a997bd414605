"""Parameters as people set them: on the command line, from YAML, at run time; what is answered is what is in force."""

from __future__ import annotations

import math
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParameters

ROOT = Path(__file__).resolve().parents[2]


def double(value: float) -> ParameterValue:
    return ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)


def text(value: str) -> ParameterValue:
    return ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=value)


def set_one(client: Any, name: str, value: ParameterValue) -> Any:
    return client.call(SetParameters, 'set_parameters', parameters=[Parameter(name=name, value=value)]).results[0]


def get_one(client: Any, name: str) -> ParameterValue:
    return client.call(GetParameters, 'get_parameters', names=[name]).values[0]


@pytest.mark.parametrize(('given', 'taken'), [
    ('007', None), ('1e3', None), ('on', None), ('null', 'null'), ("'007'", '007'), ("'1e3'", '1e3'), ("'on'", 'on'),
])
def test_a_collection_on_the_command_line_is_the_exact_text_or_refused(
    tmp_path: Path, given: str, taken: str | None
) -> None:
    """PAR-02: what YAML takes for a number, a truth or nothing is refused by name; quoted it is the text."""
    program = (
        'import sys, rclpy\n'
        'from robotmem_ros.ros.node import MemoryNode\n'
        'from robotmem_ros.errors import InvalidRequest\n'
        'rclpy.init(args=sys.argv)\n'
        'try:\n'
        "    node = MemoryNode()\n"
        'except InvalidRequest as error:\n'
        "    print('refused', error)\n"
        'else:\n'
        "    print('taken', repr(node.parameters.values['collection']))\n"
        '    node.destroy_node()\n'
        'rclpy.try_shutdown()\n')
    done = subprocess.run(
        [sys.executable, '-c', program, '--ros-args', '-p', f'collection:={given}', '-p', f'db_path:={tmp_path}/m.db',
         '-p', 'autostart:=false'],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    last = (done.stdout + done.stderr).strip().splitlines()[-1]
    if taken is None:
        assert 'collection' in last and 'taken' not in done.stdout, done.stdout + done.stderr
    else:
        assert last == f'taken {taken!r}'


def test_the_launch_file_hands_names_over_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """PAR-02, PAR-04: launch is not among the wheels, so it is played here: 007 stays text, the file comes first."""
    made: dict[str, Any] = {}
    given = {'name': 'mem2', 'namespace': 'robot1', 'collection': '007', 'db_path': '', 'params_file': '/p.yaml',
             'autostart': 'true', 'log_level': 'info', 'respawn': 'true'}

    class Configuration:
        def __init__(self, name: str) -> None:
            self.name = name

        def perform(self, context: Any) -> str:
            return given[self.name]

    class Value:
        def __init__(self, value: Any, value_type: type) -> None:
            self.value, self.value_type = value, value_type

    modules = {name: types.ModuleType(name) for name in (
        'launch', 'launch.substitutions', 'launch_ros', 'launch_ros.actions', 'launch_ros.parameter_descriptions')}
    modules['launch.substitutions'].LaunchConfiguration = Configuration
    modules['launch_ros.actions'].Node = lambda **options: made.update(options)
    modules['launch_ros.parameter_descriptions'].ParameterValue = Value
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    scope: dict[str, Any] = {'__name__': 'robotmem_launch'}
    source = (ROOT / 'launch' / 'robotmem.launch.py').read_text('utf-8')
    exec(compile(source, 'robotmem.launch.py', 'exec'), scope)  # noqa: S102 - our own launch file
    scope['start_node'](None)
    assert (made['name'], made['namespace'], made['executable']) == ('mem2', 'robot1', 'memory_node')
    file, overrides = made['parameters']
    assert file == '/p.yaml' and set(overrides) == {'autostart', 'collection'} and made['respawn'] is True
    assert (overrides['collection'].value, overrides['collection'].value_type) == ('007', str)


def test_whole_numbers_in_yaml(world: Any) -> None:
    """PAR-01: 0, 60 and 30 in the file are 0.0, 60.0 and 30.0 in force."""
    world.start(tick__period_s=60, decay__rate_per_day=0, decay__stm_half_life_days=30, decay__ltm_half_life_days=30)
    client = world.client()
    client.status()
    for name, value in (('tick.period_s', 60.0), ('decay.rate_per_day', 0.0), ('decay.stm_half_life_days', 30.0)):
        found = get_one(client, name)
        assert (found.type, found.double_value) == (ParameterType.PARAMETER_DOUBLE, value)


def used(client: Any) -> int:
    return client.recall('charging dock', reinforce=False).memories[0].use_count


def test_what_is_set_at_run_time_is_used_at_once(world: Any) -> None:
    """PAR-03: the period of the tick, what counts as a repeat; and what is refused stays what it was."""
    world.start(tick__period_s=3600.0)
    client = world.client()
    client.status()
    assert client.learn('the charging dock is behind the green door').success
    assert client.recall('charging dock').memories
    assert used(client) == 0
    assert set_one(client, 'tick.period_s', double(0.05)).successful
    client.wait(lambda: used(client) == 1, 5.0)
    assert set_one(client, 'decay.repeat_s', double(0.0)).successful
    for _ in range(3):  # a change itself begins one pass: only the period can bring more
        seen = used(client)
        assert client.recall('charging dock').success
        client.wait(lambda seen=seen: used(client) > seen, 5.0)
    for name, value, word in (
        ('db_path', text('/elsewhere.db'), 'db_path'), ('decay.rate_per_day', double(-1.0), 'decay.rate_per_day')):
        before = get_one(client, name)
        refused = set_one(client, name, value)
        assert not refused.successful and word in refused.reason
        assert get_one(client, name) == before


@pytest.mark.parametrize('value', [0.0, -5.0, math.nan, math.inf, 1e-12])
def test_an_impossible_half_life_is_refused_at_run_time(shared: Any, value: float) -> None:
    """PAR-05: by name and range, and so are thresholds outside theirs; confidence stays a share."""
    before = get_one(shared, 'decay.stm_half_life_days').double_value
    for name in ('decay.stm_half_life_days', 'decay.ltm_half_life_days', 'hebbian.half_life_days'):
        refused = set_one(shared, name, double(value))
        assert not refused.successful and name in refused.reason and '0.001' in refused.reason
    for name, bad in (
        ('scenes.join_threshold', -0.1), ('scenes.join_threshold', 1.5), ('learn.jaccard_duplicate', 0.0),
    ):
        refused = set_one(shared, name, double(bad))
        assert not refused.successful and name in refused.reason
    assert get_one(shared, 'decay.stm_half_life_days').double_value == before
    shared.learn('red lamp')
    assert 0.0 <= shared.recall('red lamp').memories[0].confidence <= 1.0
