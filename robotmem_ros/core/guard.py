"""The guard: do two sentences state one fact? Where it is in doubt, they do not.

Similarity measures do not see that 12.5 N is not 8 N, that 'not' turns a sentence round, or that A to B is not B to
A. So no duplicate layer and no consolidation merges two texts that the guard tells apart (contract 4). It takes every
difference for a difference of facts, except those that are listed as harmless (``lexicon``, ``lexicon_zh``) or proved
to be so (``quantities``, ``guard_clauses``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from robotmem_ros.core.guard_clauses import Sentence, arrange
from robotmem_ros.core.guard_phrases import canonical
from robotmem_ros.core.guard_reasons import difference
from robotmem_ros.core.guard_tokens import scan
from robotmem_ros.core.guard_words import Token
from robotmem_ros.core.lexicon import FRONTABLE, POLARITY, PREPOSITIONS, QUALIFIER, SUBORDINATORS
from robotmem_ros.core.lexicon_zh import PLACES, VERBS
from robotmem_ros.core.quantities import readable


class Verdict(NamedTuple):
    """``same``: nothing found that tells the texts apart. ``reason``: what does, empty when same.

    ``proved``: agreement is established word by word (quantities, identifiers, polarity, order); a lower cosine then
    suffices. ``same`` without ``proved`` leaves the decision to the usual thresholds.
    """

    same: bool
    reason: str
    proved: bool


_CLOSING = frozenset(('时', '以后', '以前'))
_LONGEST = 4096  # characters; a longer text is a document, no sentence, and is a repetition only of itself
_PROVED = Verdict(True, '', True)
_TOO_LONG = Verdict(False, f'content word: texts above {_LONGEST} characters differ', False)
_NO_WORDS = Verdict(False, 'content word: no words to compare', False)


def guard(a: str, b: str) -> Verdict:
    """Compare two texts as facts. Pure, symmetric in ``same`` and ``proved``, linear in their length."""
    return _verdict(a, b, difference)


def agreement(a: str, b: str) -> tuple[bool, bool]:
    """Give ``same`` and ``proved`` of :func:`guard`, without naming a difference, which takes a third of its time."""
    verdict = _verdict(a, b, _unnamed)
    return verdict.same, verdict.proved


def _unnamed(*_: tuple[Token, ...]) -> str:
    return ''


def _verdict(a: str, b: str, named: Callable[[tuple[Token, ...], tuple[Token, ...]], str]) -> Verdict:
    if a == b:
        return _PROVED
    if max(len(a), len(b)) > _LONGEST:
        return _PROVED if _written(a) == _written(b) else _TOO_LONG
    one, two = sentence(a), sentence(b)
    if not one.tokens and not two.tokens:
        return _PROVED if _written(a) == _written(b) else _NO_WORDS
    keys, others = [t.key for t in one.tokens], [t.key for t in two.tokens]
    if keys != others:
        if len(keys) != len(others) or sorted(keys) != sorted(others):
            return Verdict(False, named(one.tokens, two.tokens), False)
        if not _same_reordered(one, two, keys, others):
            return Verdict(False, f'order of arguments: {_moved(one.tokens, two.tokens)}', False)
    elif not _parted_alike(one, two, keys):
        return Verdict(False, 'order of arguments: words belong together in other ways', False)
    return Verdict(True, '', not (one.light or two.light))


def signature(text: str) -> tuple[str, ...]:
    """Give what two texts have in common if the guard takes them for one fact; most that differ have other signatures.

    So that of a thousand texts only few pairs have to be compared. Of a text above 4096 characters it is its writing.
    """
    tokens = () if len(text) > _LONGEST else sentence(text).tokens
    return tuple(sorted(token.key for token in tokens)) or ('', _written(text))


def _written(text: str) -> str:
    return ' '.join(readable(text).split())


@lru_cache(maxsize=512)  # a new text is compared with many, an old one again and again
def sentence(text: str) -> Sentence:
    """``text`` as the guard compares it."""
    return arrange(canonical(scan(text)))


def _moved(one: tuple[Token, ...], two: tuple[Token, ...]) -> str:
    first = next(i for i, (x, y) in enumerate(zip(one, two)) if x.key != y.key)
    return f'{one[first].shown} against {two[first].shown}'[:80]


def _parted_alike(one: Sentence, two: Sentence, keys: list[str]) -> bool:
    """
    Whether the same words are parted in the same places: 'no parking' is not 'no, parking'.

    A comma may be left out where grammar sees the border anyway: behind a clause put first, before a marker.
    """
    for at in one.bounds ^ two.bounds:
        if at in one.joined or at in two.joined or keys[at][:1] == '#' or keys[at][:2] == 'q:':
            return False
        if keys[at - 1] in _CLOSING or keys[at] in FRONTABLE or keys[at] == 'THEN':
            continue
        if keys[0] not in FRONTABLE or len(one.bounds ^ two.bounds) > 1 or keys[at - 1] in POLARITY | QUALIFIER:
            return False
    return True


def _same_reordered(one: Sentence, two: Sentence, keys: list[str], others: list[str]) -> bool:
    return (
        _fronted(one, two, keys, others) or _fronted(two, one, others, keys) or _place_moved(one, two, keys, others)
    )


def _fronted(one: Sentence, two: Sentence, keys: list[str], others: list[str]) -> bool:
    """Whether ``two`` is ``one`` with its last clause or phrase put first: 'X when Y' and 'when Y, X'.

    The marker must be the only one of its kind, and nothing may be coordinated: in 'use 5 N for cups and 8 N for
    bottles' a phrase put first would change sides.
    """
    marker = others[0]
    if marker not in FRONTABLE or keys.count(marker) != 1:
        return False
    at = keys.index(marker)
    if keys[at:] + keys[:at] != others:
        return False
    if not one.bounds <= {at} or not two.bounds <= {len(keys) - at} or 'OR' in keys:
        return False
    if marker in SUBORDINATORS:
        return sum(key in SUBORDINATORS for key in keys) == 1
    numbers = sum(key[:2] == 'q:' or key[:1] == '#' for key in keys)
    return numbers <= 1 or not any(key in PREPOSITIONS for key in keys[:at])


def _place_moved(one: Sentence, two: Sentence, keys: list[str], others: list[str]) -> bool:
    """Whether the texts differ only in where one 在…上 stands: before the subject or behind it."""
    if one.bounds or two.bounds:
        return False
    parts = [_place(keys), _place(others)]
    if parts[0] is None or parts[1] is None:
        return False
    (start, end), (begin, stop) = parts[0], parts[1]
    if keys[start:end] != others[begin:stop] or 0 not in (start, begin):
        return False
    return keys[:start] + keys[end:] == others[:begin] + others[stop:]


def _place(keys: list[str]) -> tuple[int, int] | None:
    if keys.count('在') != 1:
        return None
    start = keys.index('在')
    for end in range(start + 2, min(start + 10, len(keys))):
        if keys[end] in PLACES:
            moved = keys[end + 1 : end + 2] == ['的'] or any(key in VERBS for key in keys[:start])
            return None if moved else (start, end + 1)
    return None
