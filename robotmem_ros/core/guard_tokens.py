"""A sentence as the guard sees it: canonical tokens, in order, with every sign that may carry a fact.

Numbers become comparable quantities, inflections base forms, listed words and phrases their canonical form. Only
articles, blanks and plain punctuation go. Time is linear in the length: each position is read once, with bounded
look-ahead.
"""

from __future__ import annotations

import re
from functools import lru_cache

from robotmem_ros.core import lexicon_zh
from robotmem_ros.core.guard_words import BOUNDARY, Token, word_tokens
from robotmem_ros.core.quantities import NUMBER_WORDS, Quantity, read_chinese, read_digits, read_words, readable

_CJK = '\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff'
_SKIP = r"""\s_"'`“”‘’「」『』《》【】\#="""
_SCANNER = re.compile(
    rf"""[{_SKIP}]*(?:
    (?P<word>[^\W\d_{_CJK}]+(?:['’][a-zA-Z]{{1,2}}(?![^\W_]))?)
    |(?P<cjk>[{_CJK}])
    |(?P<number>(?:(?<![\w.)])-)?(?:[0-9]|(?<![\w.])\.[0-9]))
    |(?P<bound>[,;.!:，。；！、：…()\[\]{{}}]+(?!=)|[,;.:，。；！、：…()\[\]{{}}])
    |(?P<other>[<>!]=|[^{_SKIP}]))""",
    re.VERBOSE,
)
_OPERATORS = {'<=': '≤', '>=': '≥', '!=': '≠'}
_RANGE = frozenset('-~–—')
_LISTED = {word: Token(keys[0] if keys else '', word, '') for word, keys in lexicon_zh.WORDS.items()}
_CN_NUMERALS = frozenset('零〇一二两三四五六七八九十百千万第')


def _quantity_token(read: Quantity, text: str) -> Token:
    shown = text[read.start : read.end].strip()
    if read.unit == 'ordinal':
        return Token(f'#{read.number}th', shown, '')
    return Token(f'q:{read.number} {read.unit}' if read.unit else f'#{read.number}', shown, '')


def _article(word: str, text: str, end: int, first: bool) -> bool:
    """'a cup' has an article, 'bin A' and 'from a to b' have names."""
    if word == 'A':
        return first
    following = text[end : end + 4].lstrip().lower()
    return following[:1].isalnum() and not following.startswith(('to ', 'or ', 'is ', 'in ', 'on '))


def scan(text: str) -> list[Token]:
    """
    Cut ``text`` into tokens, words as base forms, clause boundaries as ``|``; no phrase is joined yet.

    Each position is read once with bounded look-ahead, so the time is linear in the length.
    """
    text = readable(text)
    tokens: list[Token] = []
    found = _SCANNER.match(text)
    while found is not None:
        kind, position = found.lastgroup, found.end()
        if kind == 'word':
            word = found['word']
            read = word_tokens(word)
            if read is None:
                position = _scan_word(tokens, text, word, position)
            else:
                tokens += read
        elif kind == 'cjk':
            position = _scan_chinese(tokens, text, position - 1)
        elif kind == 'number':
            position = _scan_number(tokens, text, found.start('number'))
        elif kind == 'bound':
            _scan_bound(tokens, text, found['bound'], position)
        else:
            _scan_sign(tokens, text, found['other'], position)
        found = _SCANNER.match(text, position)
    return tokens


def _scan_number(tokens: list[Token], text: str, start: int) -> int:
    read = read_digits(text, start)
    assert read is not None  # the scanner saw its first digit
    tokens.append(_quantity_token(read, text))
    return read.end


def _scan_bound(tokens: list[Token], text: str, sign: str, end: int) -> None:
    """'arm.left' and '22:00' keep their sign; a stop or comma elsewhere parts clauses."""
    inside = sign in '.:' and text[end - 2 : end - 1].isalnum() and text[end : end + 1].isalnum()
    tokens.append(Token(sign if inside else BOUNDARY, sign, ''))


def _scan_chinese(tokens: list[Token], text: str, start: int) -> int:
    """Read a numeral, the longest listed word or one sign."""
    sign = text[start]
    if sign in _CN_NUMERALS and (start == 0 or text[start - 1] not in _CN_NUMERALS or sign == '第'):
        read = read_chinese(text, start)
        if read is not None:
            tokens.append(_quantity_token(read, text))
            return read.end
    for length in lexicon_zh.LENGTHS.get(sign, ()):
        word = text[start : start + length]
        token = _LISTED.get(word)
        if token is not None:
            # 桌上的: there the place belongs to what follows, so 的 counts
            if token.key or (word == '的' and start > 0 and text[start - 1] in lexicon_zh.PLACES):
                tokens.append(token if token.key else Token(word, word, ''))
            return start + length
    tokens.append(_sign_token(sign))
    return start + 1


@lru_cache(maxsize=4096)
def _sign_token(sign: str) -> Token:
    return Token(sign, sign, '')


def _scan_word(tokens: list[Token], text: str, word: str, end: int) -> int:
    """Read a word whose neighbours decide: a number, an article or a name, 'lift' as noun or verb."""
    form = word.casefold()
    if form in NUMBER_WORDS:
        read = read_words(text, end - len(word))
        assert read is not None  # each of the number words is a number by itself
        tokens.append(_quantity_token(read, text))
        return read.end
    if form == 'lift':
        noun = text[max(0, end - 9) : end - 5].casefold().endswith(('the', ' a'))
        tokens.append(Token('elevator' if noun else 'raise', word, form))
    elif not _article(word, text, end, not tokens or tokens[-1].key == BOUNDARY):
        tokens.append(Token('#a', word, ''))
    return end


def _scan_sign(tokens: list[Token], text: str, sign: str, end: int) -> None:
    before, after = text[end - 2 : end - 1] if end > 1 else '', text[end : end + 1]
    if sign in _RANGE:
        if tokens and tokens[-1].key[:1] in '#q' and text[end : end + 2].strip()[:1].isdigit():
            tokens.append(Token('~', sign, ''))
        elif sign == '-' and after.isalnum() and not before.strip():
            tokens.append(Token('minus', sign, ''))
        elif sign in '–—':
            tokens.append(Token(BOUNDARY, sign, ''))
    else:
        tokens.append(Token(_OPERATORS.get(sign, sign), sign, ''))
