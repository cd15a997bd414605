"""Numbers in text, with their units, in one comparable form: ``12.5N``, ``12,5 N`` and ``十二点五牛顿`` are one.

A number with a unit is a quantity and is compared by value, in base units, as an exact fraction. A number without
one may be a name (door 3, version 1.10), so its digits are compared as written. A form that can be read in two ways
(``1,000 N``) is equal to itself only.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from math import gcd
from typing import NamedTuple

from robotmem_ros.core.units import Dimension, read_unit

Ratio = tuple[int, int]

_MAX_DIGITS = 40  # longer runs are serial numbers; int() of thousands of digits is quadratic
_MAX_EXPONENT = 30
_DIGITS = re.compile(r'(?:[0-9]+(?:[.,][0-9]+)*|\.[0-9]+)(?:[eE][+-]?[0-9]+(?![0-9A-Za-z]))?')
_PLAIN = re.compile(r'([0-9]*)(?:([.,])([0-9]+))?(?:[eE]([+-]?[0-9]+))?\Z')
_THOUSANDS = re.compile(r'[0-9]{1,3}(?:,[0-9]{3}){2,}\Z|[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+\Z')
_ORDINAL = re.compile(r'(?:st|nd|rd|th)(?![A-Za-z])', re.IGNORECASE)
# Signs that NFKC may fold without losing a distinction; a text of these alone takes the short way.
_SAFE = re.compile(
    '[\x00-\x9f\xa1-\xa9\xab\xac\xae-\xb1\xb4-\xb8\xc0-\u02af\u0370-\u052f\u2010-\u2027\u2030-\u205e\u2103\u2126'
    '\u3000-\u3020\u3041-\u3096\u30a1-\u30fc\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]*'
)
_SUPERSCRIPTS = dict(zip('⁰¹²³⁴⁵⁶⁷⁸⁹⁻', '0123456789-'))
_HYPHENS = str.maketrans('−‐‑', '---')
_COMPATIBLE = ('<super>', '<sub>', '<circle>', '<fraction>')

_UNITS = 'one two three four five six seven eight nine'.split()
_TEENS = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split()
_TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split()
_VALUES = {
    'zero': 0,
    **{word: i for i, word in enumerate(_UNITS + _TEENS, 1)},
    **{word: 10 * i for i, word in enumerate(_TENS, 2)},
}
NUMBER_WORDS = frozenset(_VALUES)
_BELOW_20 = '|'.join(sorted(_TEENS + _UNITS, key=len, reverse=True))
_SMALL = rf'(?:(?:{"|".join(_TENS)})(?:[ -](?:{"|".join(_UNITS)})\b)?|{_BELOW_20})\b'
_BELOW_1000 = rf'(?:{_SMALL}(?: hundred\b(?: (?:and )?{_SMALL})?)?|zero\b)'
_WORDS = re.compile(
    rf'(?P<a>{_BELOW_1000})(?P<k> thousand\b(?: (?:and )?(?P<b>{_BELOW_1000}))?)?'
    rf'(?P<p> point(?: (?:zero|{"|".join(_UNITS)})\b)+)?',
    re.IGNORECASE,
)

_CN_DIGITS = {sign: i for i, sign in enumerate('零一二三四五六七八九')} | {'〇': 0, '两': 2}
_CN_POWERS = {'十': 10, '百': 100, '千': 1000, '万': 10000}
_CN_RUN = re.compile('[零〇一二两三四五六七八九十百千万]+')
_CN_POINT = re.compile('点([零〇一二三四五六七八九]+)')
# Signs behind a numeral that show that it is one ('一' alone is part of too many words).
_CLASSIFIERS = frozenset('号个次层楼台张条件名位辆圈遍步档级月日年倍点排列')


class Quantity(NamedTuple):
    """``number`` with ``unit`` in comparable form, from ``text[start:end]``.

    ``unit`` is empty for a bare number, ``ordinal`` for 3rd or 第三. ``number`` is a fraction in base units where it
    has a unit and can be read in one way, else the digits as written.
    """

    number: str
    unit: str
    start: int
    end: int


def readable(text: str) -> str:
    """Fold compatibility forms as NFKC does, but keep ``10⁵`` apart from ``105``, and ``①`` and ``½`` as they are.

    Superscript digits become ``^5``. Invisible format signs go. Case stays: it tells mW from MW.
    """
    if text.isascii():
        return text
    if _SAFE.fullmatch(text):
        return unicodedata.normalize('NFKC', text.translate(_HYPHENS))
    parts: list[str] = []
    plain: list[str] = []
    raised = False
    for sign in text:
        if unicodedata.category(sign) == 'Cf':
            continue
        if not unicodedata.decomposition(sign).startswith(_COMPATIBLE):
            plain.append(sign)
            raised = False
            continue
        parts.append(unicodedata.normalize('NFKC', ''.join(plain).translate(_HYPHENS)))
        plain.clear()
        power = _SUPERSCRIPTS.get(sign)
        parts.append(sign if power is None else power if raised else '^' + power)
        raised = power is not None
    parts.append(unicodedata.normalize('NFKC', ''.join(plain).translate(_HYPHENS)))
    return ''.join(parts)


def _with_unit(written: str, value: Ratio | None, text: str, start: int, end: int) -> Quantity:
    at = end
    while at < end + 3 and text[at : at + 1] == ' ':
        at += 1
    if at == end and text[at : at + 1] == '-' and text[at + 1 : at + 2].isalpha():
        at += 1
    read = read_unit(text, at) if at < len(text) else None
    if read is None:
        return Quantity(written, '', start, end)
    unit, behind = read
    name = _unit_name(unit.dimension)
    if value is None:
        return Quantity(f'{written} x {unit.factor}', name, start, behind)
    top, bottom = value[0] * unit.factor.numerator, value[1] * unit.factor.denominator
    common = gcd(top, bottom)
    return Quantity(f'{top // common}/{bottom // common}', name, start, behind)


@lru_cache(maxsize=1024)
def _unit_name(dimension: Dimension) -> str:
    return ' '.join(base if power == 1 else f'{base}^{power}' for base, power in dimension) or '1'


@lru_cache(maxsize=4096)
def _value(written: str) -> Ratio | None:
    """The number as a ratio of integers, None where it cannot be read in exactly one way."""
    if len(written) > _MAX_DIGITS:
        return None
    if _THOUSANDS.match(written):
        written = written.replace(',', '')
    parts = _PLAIN.match(written)
    if parts is None:
        return None
    whole, mark, decimals, exponent = parts.groups('')
    if mark == ',' and len(decimals) == 3:
        return None  # thousands or decimals: who can tell
    top, bottom = int(whole + decimals), 10 ** len(decimals)
    if exponent:
        if top == 0 or len(exponent) > 4 or abs(int(exponent)) > _MAX_EXPONENT:
            return None
        power = int(exponent)
        top, bottom = top * 10 ** max(0, power), bottom * 10 ** max(0, -power)
    return top, bottom


def read_digits(text: str, start: int) -> Quantity | None:
    """Read the number in ASCII digits that begins at ``start`` (a sign, a digit or a decimal point) and its unit."""
    at = start + 1 if text[start] in '+-' else start
    found = _DIGITS.match(text, at)
    if found is None:
        return None
    end, written = found.end(), found.group()
    ordinal = _ORDINAL.match(text, end)
    if ordinal is not None and written.isdigit():
        return Quantity(written, 'ordinal', start, ordinal.end())
    negative = text[start] == '-'
    value = _value(written)
    if negative and value is not None:
        value = -value[0], value[1]
    return _with_unit('-' + written if negative else written, value, text, start, end)


def _spelled(words: str) -> int:
    total = 0
    for word in re.split('[ -]', words.casefold()):
        if word == 'hundred':
            total *= 100
        elif word in _VALUES:
            total += _VALUES[word]
    return total


def read_words(text: str, start: int) -> Quantity | None:
    """Read the English number words that begin at ``start`` (up to 999 999, ``point`` included) and their unit."""
    found = _WORDS.match(text, start)
    if found is None:
        return None
    whole = _spelled(found['a'])
    if found['k']:
        whole = whole * 1000 + (_spelled(found['b']) if found['b'] else 0)
    written = str(whole)
    if found['p']:
        written += '.' + ''.join(str(_VALUES[w]) for w in found['p'].casefold().split()[1:])
    return _with_unit(written, _value(written), text, start, found.end())


def _chinese(run: str) -> int | None:
    if len(run) > 16:
        return None
    if not any(sign in _CN_POWERS for sign in run):
        return int(''.join(str(_CN_DIGITS[sign]) for sign in run))
    total = section = 0
    digit: int | None = None
    for sign in run:
        if sign in _CN_DIGITS:
            digit = _CN_DIGITS[sign]
        elif sign == '万':
            total, section, digit = (total + section + (digit or 0)) * 10000, 0, None
        else:
            section += (1 if digit is None else digit) * _CN_POWERS[sign]
            digit = None
    return total + section + (digit or 0)


def _percent(written: str, start: int, end: int) -> Quantity:
    value = _value(written)
    if value is None:
        return Quantity(written, '%', start, end)
    common = gcd(*value)
    return Quantity(f'{value[0] // common}/{value[1] // common}', '%', start, end)


def read_chinese(text: str, start: int) -> Quantity | None:
    """Read the Chinese numeral that begins at ``start``, with 第, 百分之, decimals, unit; None if it is no number."""
    if text.startswith(('第', '百分之'), start):
        return _marked(text, start, percent=text[start] == '百')
    found = _CN_RUN.match(text, start)
    value = None if found is None else _chinese(found.group())
    if found is None or value is None:
        return None
    end = found.end()
    point = _CN_POINT.match(text, end)
    if point is not None and len(point.group()) < _MAX_DIGITS:
        decimal = _decimal(value, point)
        read = _with_unit(decimal, _value(decimal), text, start, point.end())
        if read.unit:  # without a unit 十二点五 may be five past twelve
            return read
    read = _with_unit(str(value), (value, 1), text, start, end)
    return read if read.unit or text[end : end + 1] in _CLASSIFIERS else None


def _marked(text: str, start: int, percent: bool) -> Quantity | None:
    """Read what follows 第 (an ordinal) or 百分之 (a share)."""
    at = start + (3 if percent else 1)
    digits = _DIGITS.match(text, at)
    if digits is not None:
        number, end = digits.group(), digits.end()
    else:
        found = _CN_RUN.match(text, at)
        value = None if found is None else _chinese(found.group())
        if found is None or value is None:
            return None
        number, end = str(value), found.end()
        point = _CN_POINT.match(text, end) if percent else None
        if point is not None and len(point.group()) < _MAX_DIGITS:
            number, end = _decimal(value, point), point.end()
    return _percent(number, start, end) if percent else Quantity(number, 'ordinal', start, end)


def _decimal(whole: int, point: re.Match[str]) -> str:
    return f'{whole}.' + ''.join(str(_CN_DIGITS[sign]) for sign in point.group(1))
