"""Inflected forms find their base; words that only look alike keep apart."""

from __future__ import annotations

import pytest

from robotmem_ros.core.inflection import is_participle, lemma


@pytest.mark.parametrize(
    ('word', 'base'),
    [
        ('taping', 'tape'),
        ('tapping', 'tap'),
        ('stopped', 'stop'),
        ('moved', 'move'),
        ('opened', 'open'),
        ('carries', 'carry'),
        ('carried', 'carry'),
        ('locating', 'locate'),
        ('waited', 'wait'),
        ('rolling', 'roll'),
        ('boxes', 'box'),
        ('tubs', 'tub'),
        ('tubes', 'tube'),
        ('held', 'hold'),
        ('shelves', 'shelf'),
        ('needed', 'need'),
    ],
)
def test_the_base_form(word, base):
    assert lemma(word) == base


@pytest.mark.parametrize('word', 'glass bus red bed speed string wing lens always chassis дверь 杯'.split())
def test_what_is_no_inflection(word):
    assert lemma(word) == word


def test_participles():
    assert all(map(is_participle, ('closed', 'held', 'driven', 'shut')))
    assert not any(map(is_participle, ('red', 'speed', 'open', 'needs')))
