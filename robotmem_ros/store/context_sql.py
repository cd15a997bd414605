"""Conditions on the JSON context of occurrence ``o``, as SQL.

Paths and values are bound, never written into the SQL. Text, numbers, truth and null are told apart
by ``json_type``: ``true`` is neither ``1`` nor ``"true"``. null stands for a missing key as well.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import Condition, SpatialSort

CONTEXT = "nullif(o.context, '')"
_COMPARISONS = {'lt': '<', 'lte': '<=', 'gt': '>', 'gte': '>='}


def json_path(keys: Sequence[str]) -> str:
    """Give SQLite's path to nested ``keys``; each is quoted as a JSON string, so any sign is only a sign."""
    return '$' + ''.join('.' + json.dumps(key, ensure_ascii=False) for key in keys)


def condition(test: Condition, name: str, args: dict[str, Any]) -> str:
    """Give ``test`` as SQL and add its values to ``args`` under names that begin with ``name``.

    ``ne`` also holds where the key is missing; ``lt`` to ``gte`` compare numbers with numbers and texts
    (by code point) with texts.

    :raises InvalidRequest: for an operator or a value that nothing can be compared with.
    """
    args[f'{name}_path'] = json_path(test.path)
    if test.op == 'in':
        return any_of([_equal(value, name, f'{name}_{i}', args) for i, value in enumerate(test.value)])
    if test.op == 'eq':
        return _equal(test.value, name, f'{name}_0', args)
    if test.op == 'ne':
        return f'NOT ({_equal(test.value, name, f"{name}_0", args)})'
    if test.op not in _COMPARISONS:
        raise InvalidRequest('context_filter', 'a known operator', test.op)
    return _typed(test.value, _COMPARISONS[test.op], name, f'{name}_0', args)


def any_of(parts: Sequence[str]) -> str:
    """Join alternatives; none of them holds where there are none."""
    return ' OR '.join(f'({part})' for part in parts) if parts else '0'


def _equal(value: Any, name: str, bound: str, args: dict[str, Any]) -> str:
    kind = f"coalesce(json_type({CONTEXT}, :{name}_path), 'null')"
    if value is None:
        return f"{kind} = 'null'"
    if isinstance(value, bool):
        return f"{kind} = '{'true' if value else 'false'}'"
    return _typed(value, '=', name, bound, args)


def _typed(value: Any, operator: str, name: str, bound: str, args: dict[str, Any]) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InvalidRequest('context_filter', 'a text or a number to compare with', value)
    args[bound] = value
    kinds = "'text'" if isinstance(value, str) else "'integer', 'real'"
    return (
        f"coalesce(json_type({CONTEXT}, :{name}_path), 'null') IN ({kinds})"
        f' AND json_extract({CONTEXT}, :{name}_path) {operator} :{bound}'
    )


def distance(sort: SpatialSort, name: str, args: dict[str, Any]) -> str:
    """Give the distance (metres) of the numbers at ``sort.path`` to its target, NULL where there is no such list."""
    path = json_path(sort.path)
    args[f'{name}_path'] = path
    checks, squares = [f'json_array_length({CONTEXT}, :{name}_path) = {len(sort.target)}'], []
    for i, number in enumerate(sort.target):
        args |= {f'{name}_path{i}': f'{path}[{i}]', f'{name}_{i}': number}
        checks.append(f"json_type({CONTEXT}, :{name}_path{i}) IN ('integer', 'real')")
        away = f'(json_extract({CONTEXT}, :{name}_path{i}) - :{name}_{i})'
        squares.append(f'{away} * {away}')
    # CASE: a position of texts must not be computed with.
    return f'CASE WHEN {" AND ".join(checks)} THEN sqrt({" + ".join(squares)}) END'


def within(sort: SpatialSort, name: str, args: dict[str, Any]) -> str:
    """Require a list of as many numbers as the target has, at most ``max_distance`` metres from it."""
    args[f'{name}_max'] = sort.max_distance
    return f'coalesce({distance(sort, name, args)} <= :{name}_max, 0)'
