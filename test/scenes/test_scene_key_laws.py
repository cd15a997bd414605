"""Laws of the one spelling (SCN-01, SCN-02, SCN-09, SCN-11)."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotmem_ros.core.scene_key import (
    MAX_VALUE,
    ancestors,
    feature,
    features_of,
    identity,
    is_descendant,
    key_of,
    limit_of,
    normalise_key,
    normalise_value,
    withdrawn_kind,
)
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import Feature
from robotmem_ros.settings import FEATURE_WEIGHTS

ANY = st.text(st.characters(), max_size=80)
KINDS = st.sampled_from([*FEATURE_WEIGHTS, 'temp'])
FEATURES = st.lists(st.builds(feature, KINDS, ANY).filter(lambda made: made is not None), max_size=8)


@given(ANY)
@settings(max_examples=500)
def test_a_spelling_is_its_own_spelling(text: str) -> None:
    once = normalise_value(text)
    assert normalise_value(once) == once
    assert len(once) <= MAX_VALUE
    assert all(sign in '_-.' or unicodedata.category(sign)[0] in 'LMN' for sign in once)


@given(ANY)
def test_forms_of_one_text_are_one_value(text: str) -> None:
    """SCN-02"""
    for form in ('NFC', 'NFD', 'NFKC', 'NFKD'):
        assert normalise_value(unicodedata.normalize(form, text)) == normalise_value(text)
    assert normalise_value(f' \u200b{text}\ufeff\t') == normalise_value(text)


@given(st.builds(feature, KINDS, ANY).filter(lambda made: made is not None))
def test_a_feature_is_its_own_feature(made: Feature) -> None:
    assert feature(made.kind, made.value) == made


@given(FEATURES.filter(bool))
def test_a_key_of_ours_reads_as_itself(found: list[Feature]) -> None:
    """SCN-01: what a hit prints is what recall and declare understand, in any order of its parts."""
    key = key_of(found, FEATURE_WEIGHTS)
    assert normalise_key(key) == key == key_of(features_of(key), FEATURE_WEIGHTS)
    parts = key.split('/')
    random.Random(1).shuffle(parts)
    assert normalise_key('/'.join(parts)) == key


@given(FEATURES, st.randoms())
def test_identity_is_one_of_the_situation_whatever_its_order(found: list[Feature], chance: random.Random) -> None:
    """SCN-07, SCN-09"""
    own = identity(found, FEATURE_WEIGHTS, 0.5)
    chance.shuffle(found)
    assert identity(found, FEATURE_WEIGHTS, 0.5) == own
    assert len(own) <= 2 and set(own) <= set(found)
    assert not {'robot', 'part', 'topic', 'temp'} & {each.kind for each in own}


@pytest.mark.parametrize(('one', 'other'), [
    ('main hall', 'main_hall'), ('a/b', 'a+b'), ('a/b', 'a_b'), ('🍎', '🍌'), ('+1', '-1'), ('x' * 100, 'x' * 101),
    ('dock:2', 'dock 2'), ('007', '7'), ('1234567', '1234568'), ('bin-7', 'bin_7'),
])
def test_different_values_stay_different(one: str, other: str) -> None:
    assert feature('place', one) != feature('place', other)


@pytest.mark.parametrize(('text', 'value'), [
    ('5', '5'), ('5.0', '5'), ('-0.0', '0'), ('0', '0'), ('-0', '0'), ('1e3', '1000'), ('21.3000001', '21.3'),
    ('0.0123456', '0.0123'), ('1234.56', '1235'),
    ('-2.0001', '-2'), ('.5', '0.5'), ('1e-9', '0'), ('007', '007'), ('٣', '٣'), ('3.2.1', '3.2.1'),
])
def test_numbers_have_one_spelling(text: str, value: str) -> None:
    """SCN-11"""
    made = feature('temp', text)
    assert made is not None and made.value == value


@pytest.mark.parametrize('value', ['nan', 'NaN', '-inf', 'Infinity', '.inf', '1e999', '[1, 2]', '{"a": 1}',
                                   '', '\u200b', 'x' * 1025])
def test_what_is_no_value_is_refused(value: str) -> None:
    """SCN-11"""
    assert feature('temp', value) is None


@pytest.mark.parametrize(('kind', 'value', 'limit'), [
    ('temp', 'nan', 'finite'), ('temp', '[1, 2]', 'a feature each'), ('temp', 'x' * 1025, '1024 signs'),
    ('k' * 33, 'x', '1 to 32 signs'), (' ', 'x', '1 to 32 signs'),
])
def test_what_is_refused_breaks_a_limit_that_can_be_named(kind: str, value: str, limit: str) -> None:
    assert feature(kind, value) is None
    assert limit in limit_of(kind, value)


def test_a_huge_value_costs_nothing_and_is_not_kept() -> None:
    assert feature('place', 'x' * 20_000_000) is None
    assert withdrawn_kind('place', ' ' * 20_000_000) == ''


@pytest.mark.parametrize('key', ['', 'hall', 'place:', ':hall', 'place:hall/', '/', 'place:nan',
                                 '/'.join(f'a:{i}' for i in range(9))])
def test_what_is_no_key_is_refused_by_name(key: str) -> None:
    with pytest.raises(InvalidRequest, match=r'^scene: expected 1 to 8 parts'):
        normalise_key(key, field='scene')


def test_two_places_do_not_crowd_out_a_person() -> None:
    """SCN-09: (seed 002, R4)"""
    found = [Feature('place', 'kitchen'), Feature('place', 'p7'), Feature('peer', 'x')]
    assert key_of(identity(found, FEATURE_WEIGHTS, 0.5), FEATURE_WEIGHTS) == 'place:kitchen/peer:x'


def test_hierarchy_is_by_parts() -> None:
    assert is_descendant('place:hall/peer:x', 'place:hall') and is_descendant('place:hall', 'place:hall')
    assert not is_descendant('place:hall2', 'place:hall')
    assert ancestors('place:hall/peer:x/chan:c') == ('place:hall/peer:x', 'place:hall')
