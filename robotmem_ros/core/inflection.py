"""Inflected English words and their base forms, by rules that keep 'tub' from 'tube' and 'tap' from 'tape'."""

from __future__ import annotations

import re
from functools import lru_cache

from robotmem_ros.core.lexicon import BASE_WORDS, IRREGULAR, PARTICIPLES, VOCABULARY

_VOWELS = frozenset('aeiouy')
_SHORT = re.compile(r'[^aeiou]*[aeiou][^aeiouwxy]\Z')  # one short syllable: 'tap', 'mov'
_LOST_E = re.compile(r'(?:[csuvz]|[bcdfgkptz]l|[dr]g|[ai]t|[aeiou][kr]|[ai]n|os)\Z')
_LONGEST = 40


def _without_ending(stem: str) -> str:
    """What stood before -ing or -ed: 'gripp' is grip, 'clos' close, 'open' open."""
    if _SHORT.match(stem):
        return stem + 'e'  # its consonant is not doubled: 'taping' is no 'tapping'
    if stem in VOCABULARY:
        return stem
    if stem + 'e' in VOCABULARY:
        return stem + 'e'
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in 'aeiou':
        return stem if stem[-1] in 'lsfz' and stem[:-1] not in VOCABULARY else stem[:-1]
    if stem[-1] in 'cuvz' or (stem[-1] == 's' and stem[-2:] != 'ss'):
        return stem + 'e'
    return stem + 'e' if _LOST_E.search(stem) and _one_vowel_before(stem) else stem


def _one_vowel_before(stem: str) -> bool:
    """'locat' lost its e, 'repeat' and 'wait' did not: two vowels before the last consonant."""
    two_vowels = stem[-2] in 'aeiou' and stem[-3:-2] in 'aeiou'
    return len(stem) > 3 and not two_vowels and stem[-2:] not in ('er', 'or', 'en', 'in')


@lru_cache(maxsize=8192)
def lemma(word: str) -> str:
    """Base form of a case-folded English word; a word of another script, or one not understood, comes back as it is."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word in VOCABULARY or len(word) < 4 or len(word) > _LONGEST or not word.isascii():
        return word
    if word.endswith('ing') and len(word) > 5 and not _VOWELS.isdisjoint(word[:-3]):
        return _without_ending(word[:-3])
    if word.endswith('ed') and not word.endswith('eed') and len(word) > 4 and not _VOWELS.isdisjoint(word[:-2]):
        return word[:-3] + 'y' if word.endswith('ied') else _without_ending(word[:-2])
    if word.endswith('s') and word[-2] not in 'sui':
        if word.endswith('ies') and len(word) > 4:
            return word[:-3] + 'y'
        if word.endswith(('sses', 'xes', 'ches', 'shes', 'zzes')):
            return word[:-2]
        return word[:-1]
    return word


def is_participle(word: str) -> bool:
    """Whether a case-folded word has the form of a past participle."""
    return word in PARTICIPLES or (word.endswith('ed') and word not in BASE_WORDS and lemma(word) != word)
