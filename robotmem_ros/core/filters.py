r"""The two JSON fields of a recall, read into conditions (contract 8).

``{"env.site": "hall", "grip.force": {"$gte": 10, "$lt": 15}}``: every condition must hold. A path goes
through nested objects; a key that holds a dot itself is written ``grip\.force``. A nested object
without operators is the same as its dotted paths. null stands for a missing key as well as for null.
Text, numbers and truth are different things: ``true`` is neither ``1`` nor ``"true"``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from robotmem_ros.core.payload import parse_json_object
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import Condition, SpatialSort

OPERATORS = ('$lt', '$lte', '$gt', '$gte', '$ne', '$in')
MAX_CONDITIONS = 32
MAX_ALTERNATIVES = 100
MAX_DIMENSIONS = 8

_DOT = re.compile(r'(?<!\\)\.')


def parse_context_filter(text: str) -> tuple[Condition, ...]:
    """Read a context filter; none for a blank text.

    :returns: conditions whose ``op`` is eq, ne, lt, lte, gt, gte or in; a value is text, a finite number
        (integers beyond 64 bits as floats), a truth value or None, and a tuple of those for ``in``.
    :raises InvalidRequest: if it is no JSON object, has an unknown operator (never 'no filter', FIL-03),
        a value that the operator cannot compare, or more than 32 conditions.
    """
    field = 'context_filter'
    conditions = tuple(_conditions(parse_json_object(text, field), (), field))
    if len(conditions) > MAX_CONDITIONS:
        raise InvalidRequest(field, f'at most {MAX_CONDITIONS} conditions', len(conditions))
    return conditions


def parse_spatial_sort(text: str) -> SpatialSort | None:
    """Read ``{"field": "object.position", "target": [1, 0, 0], "max_distance": 2}``; None for a blank text.

    :raises InvalidRequest: if a key is unknown or missing, ``target`` is not 1 to 8 finite numbers or
        ``max_distance`` (optional) is not a number from 0 up.
    """
    field = 'spatial_sort'
    wanted = parse_json_object(text, field)
    if not wanted:
        if text.strip():
            raise InvalidRequest(field, 'keys field and target', text)
        return None
    for key in wanted:
        if key not in ('field', 'target', 'max_distance'):
            raise InvalidRequest(field, 'keys field, target and max_distance only', key)
    path, target, limit = wanted.get('field'), wanted.get('target'), wanted.get('max_distance')
    if not isinstance(path, str):
        raise InvalidRequest(f'{field}.field', 'a dotted path as text', path)
    if not isinstance(target, list) or not 1 <= len(target) <= MAX_DIMENSIONS or not all(map(_is_number, target)):
        raise InvalidRequest(f'{field}.target', f'a list of 1 to {MAX_DIMENSIONS} numbers', target)
    if limit is not None and not (_is_number(limit) and limit >= 0):
        raise InvalidRequest(f'{field}.max_distance', 'a number from 0 up', limit)
    return SpatialSort(
        parse_path(path, f'{field}.field'), tuple(float(number) for number in target),
        None if limit is None else float(limit),
    )


def parse_path(dotted: str, field: str) -> tuple[str, ...]:
    r"""Split a dotted path into its keys; ``\.`` is a dot inside a key.

    :raises InvalidRequest: if a part is empty.
    """
    path = tuple(part.replace('\\.', '.') for part in _DOT.split(dotted))
    if '' in path:
        raise InvalidRequest(field, 'a dotted path without empty parts', dotted)
    return path


def _conditions(wanted: dict[str, Any], path: tuple[str, ...], field: str) -> Iterator[Condition]:
    for key, value in wanted.items():
        if key.startswith('$'):
            raise InvalidRequest(field, _known(), key)
        here = (*path, *parse_path(key, field))
        if not isinstance(value, dict):
            yield Condition(here, 'eq', _scalar(value, here, field))
        elif any(name.startswith('$') for name in value):
            for name, operand in value.items():
                yield _operation(here, name, operand, field)
        elif value:
            yield from _conditions(value, here, field)
        else:
            raise InvalidRequest(field, f'a value for {".".join(here)}', '{}')


def _operation(path: tuple[str, ...], name: str, operand: Any, field: str) -> Condition:
    if name not in OPERATORS:
        raise InvalidRequest(field, _known(), name)
    if name == '$in':
        if not isinstance(operand, list) or len(operand) > MAX_ALTERNATIVES:
            raise InvalidRequest(field, f'a list of at most {MAX_ALTERNATIVES} values for $in', operand)
        return Condition(path, 'in', tuple(_scalar(item, path, field) for item in operand))
    if name != '$ne' and not (isinstance(operand, str) or _is_number(operand)):
        raise InvalidRequest(field, f'a number or a text for {name}', operand)
    return Condition(path, name[1:], _scalar(operand, path, field))


def _known() -> str:
    return f'one of the operators {" ".join(OPERATORS)} under a path'


def _scalar(value: Any, path: tuple[str, ...], field: str) -> Any:
    if isinstance(value, (dict, list)):
        raise InvalidRequest(field, f'a text, number, true, false or null for {".".join(path)}', value)
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        return float(value)
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
