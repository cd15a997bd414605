"""Name the difference that the guard found: one short phrase for ``similar`` lists, logs and the confusion matrix."""

from __future__ import annotations

import re
from collections import Counter

from robotmem_ros.core import lexicon, lexicon_zh
from robotmem_ros.core.guard_words import Token

Tokens = tuple[Token, ...]

_POLARITY = lexicon.POLARITY | lexicon_zh.POLARITY
_QUALIFIER = lexicon.QUALIFIER | lexicon_zh.QUALIFIER
_COLOURS = lexicon.COLOURS | lexicon_zh.COLOURS
_DIRECTIONS = {**lexicon.DIRECTIONS, **lexicon_zh.DIRECTIONS}
_LEAD = re.compile(r'[-−+]?[0-9.,]+(?:[eE][-+]?[0-9]+)?|百分之|[零〇一二两三四五六七八九十百千万点]+|[A-Za-z]+')
_SHOWN = 60


def difference(one: Tokens, two: Tokens) -> str:
    """The most telling difference between two unequal token multisets."""
    left, right = _only_in(one, two), _only_in(two, one)
    for reason in (_quantity(left, right), _identifier(left, right, one, two)):
        if reason:
            return reason
    return (
        _telling('polarity', _POLARITY, left + right, one, two)
        or _direction(left, right)
        or _telling('qualifier', _QUALIFIER, left + right, one, two)
        or _words(left, right)
    )


def _telling(kind: str, words: frozenset[str], differing: list[Token], one: Tokens, two: Tokens) -> str:
    telling = next((t for t in differing if t.key in words), None)
    return '' if telling is None else f'{kind}: {_shown(_context(telling, one, two))}'


def _direction(left: list[Token], right: list[Token]) -> str:
    groups = {_DIRECTIONS[y.key]: y for y in reversed(right) if y.key in _DIRECTIONS}
    for x in left:
        if x.key in _DIRECTIONS and _DIRECTIONS[x.key] in groups:
            return f'direction: {_shown([x])} against {_shown([groups[_DIRECTIONS[x.key]]])}'
    return 'direction: minus' if any(t.key == 'minus' for t in left + right) else ''


def _words(left: list[Token], right: list[Token]) -> str:
    if not left or not right:
        return f'qualifier: {_shown(left or right)}'
    colours = ([t for t in left if t.key in _COLOURS], [t for t in right if t.key in _COLOURS])
    if all(colours):
        return f'colour: {_shown(colours[0])} against {_shown(colours[1])}'
    return f'content word: {_shown(left[:3])} against {_shown(right[:3])}'


def _only_in(one: Tokens, two: Tokens) -> list[Token]:
    surplus = Counter(t.key for t in one) - Counter(t.key for t in two)
    result: list[Token] = []
    for token in one:
        if surplus[token.key] > 0:
            surplus[token.key] -= 1
            result.append(token)
    return result


def _number(token: Token) -> str:
    """The number as the text writes it, without its unit."""
    found = _LEAD.match(token.shown)
    return found.group() if found is not None else token.shown


def _quantity(left: list[Token], right: list[Token]) -> str:
    x = [t for t in left if t.key.startswith(('q:', 'unit:'))]
    y = [t for t in right if t.key.startswith(('q:', 'unit:'))]
    if not x and not y:
        return ''
    if not x or not y:
        bare = [t for t in (left if not x else right) if t.key[:1] == '#']
        kind = 'unit' if any(_number(t) == _number((x or y)[0]) for t in bare) else 'quantity'
        return f'{kind}: {_shown((x or y)[:1])} against {_shown(bare[:1]) or "none"}'
    kind = 'unit' if _number(x[0]) == _number(y[0]) and not x[0].shown.startswith('百分之') else 'quantity'
    return f'{kind}: {_shown(x[:1])} against {_shown(y[:1])}'


def _identifier(left: list[Token], right: list[Token], one: Tokens, two: Tokens) -> str:
    x = [t for t in left if t.key[:1] == '#']
    y = [t for t in right if t.key[:1] == '#']
    if not x or not y:
        return f'identifier: {_shown((x or y)[:1])}' if x or y else ''
    counted = _clock(x[0], one) or _clock(y[0], two) or any(_is_measure(t.shown) for t in (x[0], y[0]))
    return f'{"quantity" if counted else "identifier"}: {_shown(x[:1])} against {_shown(y[:1])}'


def _is_measure(shown: str) -> bool:
    """'1.5' and '-3' are measured, '2.1.4' and '3' may be names."""
    return shown.count('.') == 1 or shown.startswith('-')


def _clock(token: Token, tokens: Tokens) -> bool:
    at = next(i for i, t in enumerate(tokens) if t is token)
    return ':' in (t.key for t in tokens[max(0, at - 1) : at + 2])


def _context(token: Token, one: Tokens, two: Tokens) -> list[Token]:
    tokens = one if any(t is token for t in one) else two
    at = next(i for i, t in enumerate(tokens) if t is token)
    return list(tokens[at : at + 3])


def _shown(tokens: list[Token]) -> str:
    text = ' '.join(t.shown for t in tokens)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'
