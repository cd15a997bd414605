"""Parameters: what the file says is what holds, and what cannot hold is refused by name."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParameters

from robotmem_ros.errors import InvalidRequest
from robotmem_ros.ros.config_file import config_text
from robotmem_ros.ros.specs import all_specs, database_path, settings_of, shown_path, tap_specs
from robotmem_ros.settings import Settings

CONFIG = Path(__file__).resolve().parents[2] / 'config' / 'robotmem.yaml'
SPECS = {spec.name: spec for spec in all_specs()}
FIELDS = {1: 'bool_value', 2: 'integer_value', 3: 'double_value', 4: 'string_value', 9: 'string_array_value'}


def flat(tree: Any, prefix: str = '') -> dict[str, Any]:
    if not isinstance(tree, dict):
        return {prefix: tree}
    found: dict[str, Any] = {}
    for key, value in tree.items():
        found |= flat(value, f'{prefix}.{key}' if prefix else key)
    return found


def shipped() -> dict[str, Any]:
    return flat(yaml.safe_load(CONFIG.read_text())['/**']['ros__parameters'])


def plain(value: ParameterValue) -> Any:
    got = getattr(value, FIELDS[value.type])
    return list(got) if value.type == 9 else got


def test_the_file_is_what_the_parameters_say() -> None:
    """PAR-04: config/robotmem.yaml holds every parameter with its default, range and meaning, keyed to any node."""
    assert CONFIG.read_text() == config_text(), 'write it anew: see robotmem_ros/ros/config_file.py'
    values = shipped()
    assert values.pop('taps.names') == ['amcl']
    for spec in tap_specs('amcl'):
        spec.value_of(values.pop(spec.name))
    defaults = {name: list(s.default) if isinstance(s.default, tuple) else s.default for name, s in SPECS.items()}
    del defaults['taps.names']
    assert values == defaults


def test_the_defaults_are_the_settings() -> None:
    assert settings_of({name: spec.default for name, spec in SPECS.items()}) == Settings()


@pytest.mark.parametrize(('name', 'value'), [
    *(('decay.stm_half_life_days', v) for v in (0, -5, math.nan, math.inf, 1e-12)),
    ('scenes.join_threshold', -0.1), ('scenes.join_threshold', 1.5), ('learn.jaccard_duplicate', 0),
    ('decay.rate_per_day', -1), ('scenes.weights.peer', math.nan), ('executor.threads', 0), ('executor.threads', 2.5),
    ('collection', 7), ('collection', True), ('collection', 1000.0), ('collection', None), ('db_path', 3),
    ('autostart', 'yes'), ('taps.names', 'amcl'), ('perception.reliability', 'maybe'), ('tick.period_s', True),
])
def test_what_cannot_hold_is_refused_by_name(name: str, value: Any) -> None:
    """PAR-05 and PAR-02: half-lives, thresholds and texts that YAML took for numbers, each with name and range."""
    with pytest.raises(InvalidRequest) as refused:
        SPECS[name].value_of(value)
    assert str(refused.value).startswith(f'{name}: expected ')


@pytest.mark.parametrize(
    ('name', 'value'), [('tick.period_s', 60), ('decay.rate_per_day', 0), ('decay.ltm_half_life_days', 30)]
)
def test_whole_numbers_are_floats_where_floats_are_meant(name: str, value: int) -> None:
    """PAR-01: 60 is 60.0."""
    taken = SPECS[name].value_of(value)
    assert taken == value and isinstance(taken, float)


def test_the_database_lies_under_ros_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    assert database_path('') == f'{tmp_path}/robotmem/memory.db'
    monkeypatch.delenv('ROS_HOME')
    monkeypatch.setenv('HOME', str(tmp_path))
    assert database_path('') == f'{tmp_path}/.ros/robotmem/memory.db'
    assert database_path('~/a.db') == f'{tmp_path}/a.db'


def get(client: Any, names: list[str]) -> dict[str, Any]:
    return dict(zip(names, map(plain, client.call(GetParameters, 'get_parameters', names=names).values)))


def set_one(client: Any, name: str, value: ParameterValue) -> Any:
    return client.call(SetParameters, 'set_parameters', parameters=[Parameter(name=name, value=value)]).results[0]


def double(value: float) -> ParameterValue:
    return ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)


def test_the_shipped_file_holds_under_another_name_and_namespace(world: Any) -> None:
    """PAR-04: namespace robot1, node name mem2: the effective values are those of the file."""
    world.start('mem2', '/robot1', params_file=CONFIG, status__period_s=None)
    client = world.client('/robot1/mem2')
    client.status()
    want = {k: v for k, v in shipped().items() if k not in ('db_path', 'embed.model_path')}
    assert get(client, list(want)) == want


def test_changes_at_run_time_are_taken_or_refused(world: Any) -> None:
    """PAR-01, PAR-02, PAR-05: integers pass for floats, impossible values are refused, get says what holds."""
    world.start(tick__period_s=60, decay__rate_per_day=0, collection='007')
    client = world.client()
    assert client.status().collection == '007'
    assert get(client, ['tick.period_s', 'decay.rate_per_day']) == {'tick.period_s': 60.0, 'decay.rate_per_day': 0.0}
    whole = ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=1)
    assert set_one(client, 'tick.period_s', whole).successful
    for name, value, word in (
        ('decay.rate_per_day', double(-1.0), 'decay.rate_per_day'), ('decay.rate_per_day', double(math.nan), '0.99'),
        ('collection', ParameterValue(type=ParameterType.PARAMETER_STRING, string_value='on'), 'collection'),
        ('db_path', ParameterValue(type=ParameterType.PARAMETER_STRING, string_value='/tmp/other.db'), 'db_path'),
        ('collection', ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=7), 'collection'),
        ('executor.threads', ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=2), 'read-only'),
    ):
        result = set_one(client, name, value)
        assert not result.successful and word in result.reason, (name, result.reason)
    assert get(client, ['tick.period_s', 'decay.rate_per_day', 'collection']) == {
        'tick.period_s': 1.0, 'decay.rate_per_day': 0.0, 'collection': '007',
    }
    described = client.call(DescribeParameters, 'describe_parameters', names=['tick.period_s']).descriptors[0]
    assert described.floating_point_range[0].to_value == 86_400.0 and '[s]' in described.description


@pytest.mark.parametrize(('parameters', 'words'), [
    ({'collection': 7}, ('collection', 'quote')),
    ({'decay.stm_half_life_days': -5.0}, ('decay.stm_half_life_days', '0.001')),
    ({'scenes.join_threshold': 1.5}, ('scenes.join_threshold', '0 to 1')),
])
def test_a_bad_value_at_start_ends_it_with_one_line(
    world: Any, parameters: dict[str, Any], words: tuple[str, str]
) -> None:
    """PAR-02, PAR-05: exit status 1, one sentence with the parameter's name, no traceback."""
    process = world.start(**parameters)
    assert process.process.wait(10.0) == 1
    assert all(word in process.log for word in words), process.log
    assert len(process.log.strip().splitlines()) == 1, process.log


def test_an_unknown_parameter_is_named(world: Any) -> None:
    """A misspelt parameter does not vanish without a word."""
    process = world.start(decay__rate=0.5)
    world.client().status()
    assert 'decay.rate' in process.log


@pytest.mark.parametrize('bad', [':memory:', 'file:m.db?mode=ro', '   ', '~nobody-of-this-name/m.db', '/tmp/'])
def test_a_database_that_is_no_file_is_a_reason_and_no_crash(world: Any, bad: str) -> None:
    """Contract 11: refused as it was written; made an absolute path first, ``:memory:`` became a file of that name."""
    process = world.start(db_path=bad)
    client = world.client()
    status = client.status(lambda s: s.state == 'unconfigured' and s.reason.startswith('db_path: expected'))
    assert (bad.rstrip('/') or bad) in status.reason and '\n' not in status.reason
    assert not (process.folder / bad).is_file()


def test_a_user_without_a_home_is_told(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's user that has no entry and no HOME: a sentence, not a traceback."""
    monkeypatch.delenv('ROS_HOME', raising=False)
    monkeypatch.setattr('os.path.expanduser', lambda path: path)
    assert shown_path('').endswith('.ros/robotmem/memory.db')


@pytest.mark.parametrize('bad', ['', ' \u200b', 'a\x01b', 'x' * 201])
def test_a_collection_that_no_request_could_name_is_refused(bad: str) -> None:
    """The node's own collection is a name like those in requests; it was taken as it came."""
    with pytest.raises(InvalidRequest, match=r'^collection: expected'):
        settings_of({**{spec.name: spec.default for spec in all_specs()}, 'collection': bad})


def test_a_collection_is_normalised_as_in_requests(world: Any) -> None:
    world.start(collection=' cafe\u0301 ')
    client = world.client()
    assert client.status().collection == 'caf\u00e9'
    assert client.learn('the oven is hot', collection='caf\u00e9').success
    assert len(client.recall('oven').memories) == 1
