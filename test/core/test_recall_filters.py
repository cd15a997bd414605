"""The JSON fields of a recall."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core.filters import MAX_CONDITIONS, parse_context_filter, parse_spatial_sort
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import Condition, SpatialSort

KEYS = st.text(st.characters(exclude_categories=['Cs', 'Cc'], exclude_characters='\\'), min_size=1).filter(
    lambda key: not key.startswith('$')
)


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('', []),
        (' \u200b', []),
        ('{}', []),
        ('{"params.grip.force":12}', [Condition(('params', 'grip', 'force'), 'eq', 12)]),
        ('{"params":{"grip":{"force":12}}}', [Condition(('params', 'grip', 'force'), 'eq', 12)]),
        ('{"params.grip\\\\.force":12}', [Condition(('params', 'grip.force'), 'eq', 12)]),
        ('{"success":true}', [Condition(('success',), 'eq', True)]),
        ('{"success":"true"}', [Condition(('success',), 'eq', 'true')]),
        ('{"x\') OR 1=1 --":1}', [Condition(("x') OR 1=1 --",), 'eq', 1)]),
        ('{"missing":null}', [Condition(('missing',), 'eq', None)]),
        ('{"n":{"$gt":5}}', [Condition(('n',), 'gt', 5)]),
        ('{"n":{"$gte":5,"$lt":7.5}}', [Condition(('n',), 'gte', 5), Condition(('n',), 'lt', 7.5)]),
        ('{"n":{"$ne":null}}', [Condition(('n',), 'ne', None)]),
        ('{"n":{"$in":["a",1,null]}}', [Condition(('n',), 'in', ('a', 1, None))]),
        ('{"n":{"$in":[]}}', [Condition(('n',), 'in', ())]),
        ('{"n":36893488147419103232}', [Condition(('n',), 'eq', 36893488147419103232.0)]),
    ],
)
def test_a_context_filter_is_read(text: str, expected: list[Condition]) -> None:
    """FIL-03: truth, text and number stay apart; a key with SQL in it is only a key."""
    conditions = list(parse_context_filter(text))
    assert conditions == expected
    assert [type(condition.value) for condition in conditions] == [type(condition.value) for condition in expected]


@pytest.mark.parametrize(
    'text',
    [
        '{"n":{"$regex":"x"}}', '{"n":{"$gt":5,"$foo":1}}', '{"$or":[{"a":1}]}', '{"a":{"$gt":1,"b":2}}',
        '{"n":{"$GT":5}}',
        '{"n":{"$gt":null}}', '{"n":{"$lt":true}}', '{"n":{"$in":5}}', '{"n":{"$in":[[1]]}}', '{"n":{}}', '{"n":[1,2]}',
        '{"a..b":1}', '{"":1}', '{".a":1}', '[]', 'success=true', '{"n":NaN}', '{"a":1,"a":2}',
        json.dumps({f'k{n}': n for n in range(MAX_CONDITIONS + 1)}), json.dumps({'a': {'$in': list(range(101))}}),
    ],
)
def test_what_is_not_understood_is_an_error_and_not_no_filter(text: str) -> None:
    """FIL-03: an ignored filter returns everything, and a robot acts on the wrong object."""
    with pytest.raises(InvalidRequest) as caught:
        parse_context_filter(text)
    assert caught.value.field == 'context_filter'


@given(st.lists(KEYS, min_size=1, max_size=5), st.booleans())
def test_every_key_can_be_addressed(path: list[str], nested: bool) -> None:
    """FIL-03: with its dots escaped, along one path or through nested objects."""
    escaped = [key.replace('.', '\\.') for key in path]
    wanted: object = 1
    if nested:
        for key in reversed(escaped):
            wanted = {key: wanted}
    else:
        wanted = {'.'.join(escaped): 1}
    assert parse_context_filter(json.dumps(wanted)) == (Condition(tuple(path), 'eq', 1),)


def test_a_spatial_sort_is_read() -> None:
    """FIL-04: field, target and an optional limit."""
    assert parse_spatial_sort('') is None
    assert parse_spatial_sort('{"field":"object.position","target":[1,0,0.5],"max_distance":2}') == SpatialSort(
        ('object', 'position'), (1.0, 0.0, 0.5), 2.0
    )
    assert parse_spatial_sort('{"field":"position","target":[1,0]}') == SpatialSort(('position',), (1.0, 0.0), None)
    assert parse_spatial_sort('{"field":"p","target":[0],"max_distance":0}') == SpatialSort(('p',), (0.0,), 0.0)


@pytest.mark.parametrize(
    ('text', 'field'),
    [
        ('{}', 'spatial_sort'),
        ('[1]', 'spatial_sort'),
        ('{"field":"p","target":[1],"order":"desc"}', 'spatial_sort'),
        ('{"target":[1,0,0]}', 'spatial_sort.field'),
        ('{"field":5,"target":[1]}', 'spatial_sort.field'),
        ('{"field":"a..b","target":[1]}', 'spatial_sort.field'),
        ('{"field":"p"}', 'spatial_sort.target'),
        ('{"field":"p","target":[]}', 'spatial_sort.target'),
        ('{"field":"p","target":["1",0]}', 'spatial_sort.target'),
        ('{"field":"p","target":[true]}', 'spatial_sort.target'),
        ('{"field":"p","target":[1,2,3,4,5,6,7,8,9]}', 'spatial_sort.target'),
        ('{"field":"p","target":[1],"max_distance":-1}', 'spatial_sort.max_distance'),
        ('{"field":"p","target":[1],"max_distance":"2"}', 'spatial_sort.max_distance'),
    ],
)
def test_a_spatial_sort_that_says_nothing_clear_is_refused(text: str, field: str) -> None:
    """FIL-04: the part that is wrong is named."""
    with pytest.raises(InvalidRequest) as caught:
        parse_spatial_sort(text)
    assert caught.value.field == field
