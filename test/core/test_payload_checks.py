"""What may enter, and that what may not is named."""

from __future__ import annotations

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core import payload
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import PERCEPTION_TYPES

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters='\0', exclude_categories=['Cs'])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(min_codepoint=32, max_codepoint=126)), inner),
    max_leaves=20,
)


def refused(check, *args) -> InvalidRequest:
    """Give the refusal, which must read as one short sentence of valid UTF-8."""
    with pytest.raises(InvalidRequest) as caught:
        check(*args)
    sentence = str(caught.value)
    assert len(sentence.encode('utf-8')) < 800
    assert '\0' not in sentence
    return caught.value


@pytest.mark.parametrize('text', ['', '   ', '{}', '{"a":1}', ' {"a": [1, {"b": null}]}\n', '{"k": "\\ud83d\\udd0b"}'])
def test_an_object_is_kept_as_it_came(text: str) -> None:
    """CLI-02: '' and blank are no context."""
    assert payload.check_json_object(text, 'context') == (text if text.strip() else '')


@pytest.mark.parametrize(
    'text',
    ['[1,2]', '"text"', '5', 'null', 'true', '{"a":1}garbage', '{"a":1} {}', "{'a':1}",
     '{"a":1,}', '{', '{"a', '\ufeff{}'],
)
def test_what_is_no_object_is_refused_by_name(text: str) -> None:
    """CLI-02: stored today, it would fail in every later recall."""
    error = refused(payload.check_json_object, text, 'context')
    assert error.field == 'context'
    assert 'JSON object' in error.expected


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('{"a":1,"a":2}', 'each key once'),
        ('{"x":{"a":1,"b":0,"a":2}}', 'each key once'),
        ('{"a":NaN}', 'finite'),
        ('{"a":-Infinity}', 'finite'),
        ('{"a":1e999}', 'finite'),
        ('{"a":' + '9' * 5000 + '}', '300 digits'),
        ('{"k":"\\ud83d"}', 'surrogates'),
        ('{"\\udc00":1}', 'surrogates'),
        ('{"a":["x",{"b":["\\ud83d x"]}]}', 'surrogates'),
        ('{"k":"\ud83d"}', 'surrogates'),
        ('{"k":"a\\u0000b"}', 'NUL'),
        ('{"k":1}\0', 'NUL'),
        ('{"k":"' + 'é' * 524_288 + '"}', '1 MiB'),
        ('x' * 20_000_000, '1 MiB'),
    ],
    ids=range(14),
)
def test_what_python_accepts_but_a_file_cannot_hold_is_refused(text: str, expected: str) -> None:
    """PAY-03, PAY-02: json.loads takes NaN, half surrogate pairs and keys that come twice."""
    error = refused(payload.check_json_object, text, 'context')
    assert error.field == 'context'
    assert expected in error.expected


@pytest.mark.parametrize(
    'text',
    ['[' * 5000 + ']' * 5000, '[' * 100_000 + ']' * 100_000, '{"a":' * 2000 + '1' + '}' * 2000, '[' * 65 + ']' * 65,
     '["' + '\\"' * 100 + '", ' + '[' * 64 + ']' * 65],
    ids=['5000', '100000', 'objects', '65', 'behind escaped quotes'],
)
def test_deep_nesting_is_refused_before_it_is_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PAY-01: the depth at which RecursionError comes is Python's, not ours."""
    monkeypatch.setattr(json, 'loads', lambda *_, **__: pytest.fail('parsed'))
    error = refused(payload.check_data, text, 'data')
    assert (error.field, '64 levels' in error.expected) == ('data', True)


@pytest.mark.parametrize(
    'text', ['[' * 64 + ']' * 64, '[' + ','.join(['[1,2,3]'] * 1000) + ']', '{"a": "' + '[{' * 1000 + '"}',
             '["\\\\", ' + ','.join(['{}'] * 70) + ']']
)
def test_wide_and_bracketed_text_is_not_deep(text: str) -> None:
    """PAY-01: 64 levels are allowed; brackets inside a string are text."""
    assert payload.check_data(text, 'data') == text


@given(JSON_VALUES, st.booleans())
def test_any_valid_json_is_accepted_unchanged(value: object, ascii_only: bool) -> None:
    """What a correct writer writes comes in, in both spellings of non-ASCII."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert payload.check_data(text, 'data') == text
    assert payload.parse_json(text, 'data') == value


@given(st.text(alphabet='[]{}",:\\ua0d81eE+-.NaI tfn\0'))
def test_any_text_is_accepted_or_refused_with_the_field_named(text: str) -> None:
    """PAY-01, PAY-03: nothing but InvalidRequest comes out, and what is accepted can be stored."""
    with contextlib.suppress(InvalidRequest):
        kept = payload.check_data(text, 'data')
        kept.encode('utf-8')
        json.loads(kept or 'null')


@pytest.mark.parametrize('text', ['.', ' 门 ', 'a\u202eb', 'x' * 65_536, 'é' * 32_768, 'two\nlines\ttab'])
def test_an_insight_is_kept_as_it_was_written(text: str) -> None:
    """EMB-06: the minimum is one visible sign; PAY-03: control characters other than NUL stay."""
    assert payload.check_insight(text) == text


@pytest.mark.parametrize(
    ('text', 'expected'),
    [('', 'empty'), ('  ', 'empty'), ('\u200b', 'empty'), ('ab\0cd', 'NUL'), ('\ud83d', 'surrogates'),
     ('x' * 65_537, '64 KiB'), ('é' * 32_769, '64 KiB'), ('x' * 20_000_000, '64 KiB')],
    ids=range(8),
)
def test_an_insight_that_cannot_be_kept_is_refused(text: str, expected: str) -> None:
    """EMB-06, PAY-02, PAY-03."""
    error = refused(payload.check_insight, text)
    assert error.field == 'insight'
    assert expected in error.expected


def test_a_blank_query_is_empty_and_a_bad_one_refused() -> None:
    """FTS-05: blank is the documented way to ask by place, scene or recency alone."""
    assert payload.check_query(' \u200b') == ''
    assert payload.check_query(' dock? ') == ' dock? '
    assert refused(payload.check_query, 'a\0').field == 'query'


@pytest.mark.parametrize(
    ('text', 'expected'), [('', ''), ('  ', ''), (' dock A ', 'dock A'), ('cafe\u0301', 'café'), ('x' * 200, 'x' * 200)]
)
def test_a_name_is_trimmed_and_composed(text: str, expected: str) -> None:
    """DUP-08: a name in NFD is the same name."""
    assert payload.check_name(text, 'collection') == expected


@pytest.mark.parametrize(
    'text', ['a\nb', 'a\0', '\x1b[31m', 'a\u2028b', '\ud800', 'x' * 201, 'x' * 20_000_000], ids=range(7)
)
def test_what_is_no_name_is_refused(text: str) -> None:
    """PAY-03, PAY-04."""
    assert refused(payload.check_name, text, 'tags').field == 'tags'


@pytest.mark.parametrize(('text', 'expected'), [('VISUAL', 'visual'), (' tactile', 'tactile'), ('', '')])
def test_a_choice_is_found_in_any_case(text: str, expected: str) -> None:
    """PAY-04: 'VISUAL' is visual, '' the caller's default."""
    assert payload.check_choice(text, 'perception_type', PERCEPTION_TYPES) == expected


@pytest.mark.parametrize('text', ['visuel', 'vis\nual', 'v' * 300])
def test_what_is_no_choice_is_refused(text: str) -> None:
    """PAY-04."""
    assert refused(payload.check_choice, text, 'perception_type', PERCEPTION_TYPES).field == 'perception_type'


@pytest.mark.parametrize('value', [math.nan, math.inf, -math.inf, -0.001, 1.001])
def test_a_number_outside_its_range_is_refused(value: float) -> None:
    """CLI-04: and zero is zero."""
    error = refused(payload.check_unit, value, 'confidence', 0.0, 1.0)
    assert str(error) == f'confidence: expected 0 to 1, got {value!r}'
    assert payload.check_unit(0, 'confidence', 0.0, 1.0) == 0.0
