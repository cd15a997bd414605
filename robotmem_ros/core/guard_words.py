"""One word of a text, as tokens that can be compared."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from robotmem_ros.core.inflection import lemma
from robotmem_ros.core.lexicon import BE_FORMS, DROPPED, JOINING, PAST_BE
from robotmem_ros.core.quantities import NUMBER_WORDS
from robotmem_ros.core.units import CASED

BOUNDARY = '|'
_ORDINALS = {
    word: n for n, word in enumerate('first second third fourth fifth sixth seventh eighth ninth tenth'.split(), 1)
}
_BARE_NEGATIONS = frozenset(('dont', 'doesnt', 'didnt', 'isnt', 'arent', 'wasnt', 'mustnt', 'shouldnt'))
_IS_CONTRACTED = frozenset(('it', 'that', 'there', 'he', 'she', 'what', 'here'))
_CONTEXTUAL = NUMBER_WORDS | {'a', 'lift'}
_TAILS = {'re': 'be', 'm': 'be', 'll': 'will', 've': ''}


class Token(NamedTuple):
    """``key`` is compared; ``shown`` is what the text says; ``form`` the case-folded word, empty for other signs."""

    key: str
    shown: str
    form: str


@lru_cache(maxsize=4096)
def word_tokens(word: str) -> tuple[Token, ...] | None:
    """
    Tokens of one word of an alphabetic script, as written: none for 'the', two for 'isn't'.

    None where the neighbours decide what the word is: a number word, 'a', 'lift'.
    """
    if word.casefold() in _CONTEXTUAL:
        return None
    return _tokens(word)


def _tokens(word: str) -> tuple[Token, ...]:
    if word in CASED:
        return (Token('unit:' + word, word, word),)
    form = word.casefold().replace('’', "'")
    if "'" in form:
        return _contracted(form)
    if form in _BARE_NEGATIONS:
        return (*_tokens(form[:-2]), Token('not', word, 'not'))
    if form in ('cant', 'wont'):
        return _contracted(form[:-1] + "'t")
    if not form or form in DROPPED:  # nothing is left of "n't" where it stands by itself
        return ()
    return _listed(form, word) or (Token(lemma(form), word, form),)


def _listed(form: str, word: str) -> tuple[Token, ...]:
    if form in JOINING:
        return (Token(BOUNDARY, word, form),)
    if form in _ORDINALS:
        return (Token(f'#{_ORDINALS[form]}th', word, ''),)
    if form == 'twice':
        return (Token('#2', word, ''), Token('time', word, 'times'))
    if form in BE_FORMS:
        return (Token('be', word, form),)
    if form in PAST_BE:
        return (Token('PAST', word, form), Token('be', word, form))
    return ()


def _contracted(form: str) -> tuple[Token, ...]:
    stem, _, ending = form.partition("'")
    if form == "can't":
        return (Token('cannot', form, form),)
    if form == "won't":
        return (Token('will', form, 'will'), Token('not', form, 'not'))
    if ending == 't' and stem.endswith('n'):
        return (*_tokens(stem[:-1]), Token('not', form, 'not'))
    tail = _TAILS.get(ending, ending)
    if ending == 's' and stem in _IS_CONTRACTED:
        return (*_tokens(stem), Token('be', form, 'is'))
    if ending == 's':
        return _tokens(stem)
    return (*_tokens(stem), *((Token(tail, form, ending),) if tail else ()))
