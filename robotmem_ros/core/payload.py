"""What may enter: every text, document and number of a request is checked here, once, before anything else.

Each check gives back the value that may be stored or raises ``InvalidRequest`` naming the field, the
limit and what came. Limits: contract 11.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from robotmem_ros.core.text import is_blank
from robotmem_ros.errors import InvalidRequest

MAX_INSIGHT_BYTES = 64 * 1024
MAX_JSON_BYTES = 1024 * 1024
MAX_DEPTH = 64
MAX_NAME = 200

_MAX_INTEGER_DIGITS = 300  # what a float can hold; Python takes quadratic time over more
_BRACKETS = re.compile(r'\\.|["\[\]{}]', re.DOTALL)
_OBJECT = 'a JSON object'
_VALUE = 'a JSON value'


def check_insight(text: str, field: str = 'insight') -> str:
    """Give a text to be remembered as it was written: anything that shows something, a point included.

    :raises InvalidRequest: if it is blank (invisible characters are), longer than 64 KiB of UTF-8, or
        holds NUL or half of a surrogate pair, which SQLite or UTF-8 would cut or refuse (PAY-03).
    """
    _check_text(text, field, MAX_INSIGHT_BYTES, '64 KiB')
    if is_blank(text):
        raise InvalidRequest(field, 'a text that is not empty', text)
    return text


def check_query(text: str, field: str = 'query') -> str:
    """Give a query as it came; a blank one is ''.

    :raises InvalidRequest: as ``check_insight``, save for blank.
    """
    _check_text(text, field, MAX_INSIGHT_BYTES, '64 KiB')
    return '' if is_blank(text) else text


def check_json_object(text: str, field: str) -> str:
    """Give the text of a JSON object as it came; '' where it is blank.

    :raises InvalidRequest: if it is no object, or as ``parse_json``.
    """
    parse_json_object(text, field)
    return '' if is_blank(text) else text


def check_data(text: str, field: str = 'data') -> str:
    """Give the text of any JSON value as it came; '' where it is blank.

    :raises InvalidRequest: as ``parse_json``.
    """
    if is_blank(text):
        return ''
    parse_json(text, field, _VALUE)
    return text


def parse_json_object(text: str, field: str) -> dict[str, Any]:
    """Read a JSON object; an empty one where ``text`` is blank.

    :raises InvalidRequest: if it is no object, or as ``parse_json``.
    """
    if is_blank(text):
        return {}
    value = parse_json(text, field, _OBJECT)
    if not isinstance(value, dict):
        raise InvalidRequest(field, _OBJECT, text)
    return value


def parse_json(text: str, field: str, expected: str = _VALUE) -> Any:
    """Read one JSON value strictly.

    :param expected: what the error says was expected.
    :raises InvalidRequest: if it is longer than 1 MiB of UTF-8, deeper than 64 levels, no valid JSON
        (NaN, Infinity and trailing text included), or holds a key twice, a number that no float can
        hold, NUL or half of a surrogate pair.
    """
    _check_text(text, field, MAX_JSON_BYTES, '1 MiB')
    if _is_too_deep(text):  # before the parser, whose recursion limit is not ours (PAY-01)
        raise InvalidRequest(field, f'JSON nested at most {MAX_DEPTH} levels deep', text)
    try:
        value = _Reader(field, expected, text).read()
    except ValueError as error:
        raise InvalidRequest(field, f'{expected} ({error})', text) from error
    if '\\u' in text:
        for string in _strings(value):
            _check_signs(string, field)
    return value


def check_name(text: str, field: str, limit: int = MAX_NAME) -> str:
    """Give a name (collection, category, session, tag) in NFC, without blanks around it; '' where blank.

    :raises InvalidRequest: if it is longer than ``limit`` characters or holds control characters, line
        separators or half of a surrogate pair.
    """
    if len(text) > 4 * limit + 100:  # bounds the work below; NFC makes a text shorter, four times at most
        raise InvalidRequest(field, f'at most {limit} characters', text)
    name = '' if is_blank(text) else unicodedata.normalize('NFC', text).strip()
    if len(name) > limit:
        raise InvalidRequest(field, f'at most {limit} characters', text)
    if any(unicodedata.category(sign) in ('Cc', 'Cs', 'Zl', 'Zp') for sign in name):
        raise InvalidRequest(field, 'a name without control characters', text)
    return name


def check_choice(text: str, field: str, choices: Sequence[str]) -> str:
    """Give the one of ``choices`` (lower case) that is meant, in whatever case; '' where blank.

    :raises InvalidRequest: if it is none of them.
    """
    name = check_name(text, field).casefold()
    if name and name not in choices:
        raise InvalidRequest(field, 'one of ' + ', '.join(choices), text)
    return name


def check_unit(value: float, field: str, low: float = 0.0, high: float = 1.0) -> float:
    """Give a number of the closed range.

    :raises InvalidRequest: if it is outside or NaN.
    """
    if not low <= value <= high:
        raise InvalidRequest(field, f'{low:g} to {high:g}', value)
    return float(value)


class _Reader:
    """The standard reader with every door shut that it leaves open."""

    def __init__(self, field: str, expected: str, text: str) -> None:
        self._field, self._expected, self._text = field, expected, text

    def read(self) -> Any:
        return json.loads(
            self._text, object_pairs_hook=self._object, parse_int=self._integer, parse_float=self._float,
            parse_constant=self._constant,
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
            raise InvalidRequest(self._field, 'each key once in a JSON object', twice)
        return value

    def _integer(self, digits: str) -> int:
        if len(digits) > _MAX_INTEGER_DIGITS:
            raise InvalidRequest(self._field, f'integers of at most {_MAX_INTEGER_DIGITS} digits', digits)
        return int(digits)

    def _float(self, digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            raise InvalidRequest(self._field, 'numbers that are finite', digits)
        return value

    def _constant(self, name: str) -> NoReturn:
        raise InvalidRequest(self._field, 'numbers that are finite', name)


def _check_text(text: str, field: str, limit: int, limit_name: str) -> None:
    """Refuse what is too long before anything reads it, and what cannot be stored."""
    if len(text) > limit or len(text.encode('utf-8', 'surrogatepass')) > limit:
        raise InvalidRequest(field, f'at most {limit_name} of UTF-8', text)
    _check_signs(text, field)


def _check_signs(text: str, field: str) -> None:
    if '\0' in text:
        raise InvalidRequest(field, 'a text without NUL characters', text)
    try:
        text.encode('utf-8')
    except UnicodeEncodeError as error:
        raise InvalidRequest(field, 'valid Unicode without lone surrogates', text) from error


def _is_too_deep(text: str) -> bool:
    """Count brackets outside of strings, without recursion and in linear time."""
    if text.count('[') + text.count('{') <= MAX_DEPTH:
        return False
    depth, in_string = 0, False
    for match in _BRACKETS.finditer(text):
        sign = match[0]
        if sign == '"':
            in_string = not in_string
        elif in_string or len(sign) > 1:
            continue
        else:
            depth += 1 if sign in '[{' else -1
            if depth > MAX_DEPTH:
                return True
    return False


def _strings(value: Any) -> Iterator[str]:
    """Give every string of a JSON value, keys included; no recursion."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
