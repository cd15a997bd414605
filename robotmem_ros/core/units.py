"""The units that robots speak of, as (dimension, factor); symbols keep their case, names do not.

A dimension is a product of base symbols, written as sorted ``(base, exponent)`` pairs. Torque (N, m) and energy
(J) are kept apart on purpose, and so are angle in degrees and in radians (the factor is irrational) and the
temperature scales (they differ by more than a factor): what cannot be converted exactly is not equated.
A table and not a units library: it is loaded on every start, must know Chinese names, and must not equate J with Nm.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

Dimension = tuple[tuple[str, int], ...]


class Unit(NamedTuple):
    """``factor`` turns a number in this unit into one in the base units of ``dimension``."""

    dimension: Dimension
    factor: Fraction


_PREFIXES = {
    'n': Fraction(1, 10**9),
    'u': Fraction(1, 10**6),
    'μ': Fraction(1, 10**6),
    'm': Fraction(1, 1000),
    'c': Fraction(1, 100),
    'd': Fraction(1, 10),
    'h': Fraction(100),
    'k': Fraction(1000),
    'M': Fraction(10**6),
    'G': Fraction(10**9),
}
# base symbol: prefixes in use, English names, Chinese names
_BASES = {
    'm': ('n u μ m c d k', 'meter metre', '米'),
    's': ('n u μ m', 'second sec', '秒 秒钟'),
    'g': ('u μ m k', 'gram gramme', '克'),
    'N': ('m k M', 'newton', '牛 牛顿'),
    'Pa': ('h k M', 'pascal', '帕 帕斯卡'),
    'bar': ('m', '', '巴'),
    'J': ('m k M', 'joule', '焦 焦耳'),
    'W': ('u μ m k M G', 'watt', '瓦 瓦特'),
    'V': ('u μ m k', 'volt', '伏 伏特'),
    'A': ('u μ m k', 'ampere amp', '安 安培'),
    'Hz': ('m k M G', 'hertz', '赫 赫兹'),
    'Ω': ('m k M', 'ohm', '欧 欧姆'),
    'L': ('m c d', 'liter litre', '升'),
    'K': ('m', 'kelvin', '开尔文'),
    'rad': ('m', 'radian', '弧度'),
    'deg': ('', 'degree', '度'),
    'degC': ('', 'celsius', '摄氏度'),
    'degF': ('', 'fahrenheit', '华氏度'),
    'px': ('', 'pixel', '像素'),
    'rpm': ('', '', '转每分 转每分钟'),
    'dB': ('', 'decibel', '分贝'),
    'lx': ('k', 'lux', '勒克斯'),
    '%': ('', 'percent pct', ''),
    '‰': ('', 'permille', ''),
}
_PREFIX_NAMES = {
    'nano': 'n',
    'micro': 'u',
    'milli': 'm',
    'centi': 'c',
    'deci': 'd',
    'kilo': 'k',
    'mega': 'M',
    'giga': 'G',
}
_PREFIX_SIGNS = {'纳': 'n', '微': 'u', '毫': 'm', '厘': 'c', '分': 'd', '千': 'k', '兆': 'M'}
_S, _M, _G = (('s', 1),), (('m', 1),), (('g', 1),)
_NM: Dimension = (('N', 1), ('m', 1))
_SPEED: Dimension = (('m', 1), ('s', -1))
_BYTE: Dimension = (('byte', 1),)
# symbol or name that is no prefix + base
_OTHER = {
    'min mins minute': (_S, Fraction(60)),
    'h hr hrs hour': (_S, Fraction(3600)),
    'd day': (_S, Fraction(86400)),
    'week': (_S, Fraction(604800)),
    't ton tonne': (_G, Fraction(10**6)),
    'inch inches': (_M, Fraction(254, 10000)),
    'ft foot feet': (_M, Fraction(3048, 10000)),
    'mile': (_M, Fraction(1609344, 1000)),
    'lb lbs pound': (_G, Fraction(45359237, 100000)),
    'l': ((('L', 1),), Fraction(1)),
    'ml': ((('L', 1),), Fraction(1, 1000)),
    'cl': ((('L', 1),), Fraction(1, 100)),
    'Nm': (_NM, Fraction(1)),
    'mNm': (_NM, Fraction(1, 1000)),
    'kNm': (_NM, Fraction(1000)),
    'Ncm': (_NM, Fraction(1, 100)),
    'kph kmh': (_SPEED, Fraction(1000, 3600)),
    'mph': (_SPEED, Fraction(1609344, 3600000)),
    'Wh': ((('W', 1), ('s', 1)), Fraction(3600)),
    'kWh': ((('W', 1), ('s', 1)), Fraction(3600000)),
    'Ah': ((('A', 1), ('s', 1)), Fraction(3600)),
    'mAh': ((('A', 1), ('s', 1)), Fraction(3600, 1000)),
    'kB': (_BYTE, Fraction(10**3)),
    'MB': (_BYTE, Fraction(10**6)),
    'GB': (_BYTE, Fraction(10**9)),
    'TB': (_BYTE, Fraction(10**12)),
    '°': ((('deg', 1),), Fraction(1)),
    '°C': ((('degC', 1),), Fraction(1)),
    '°F': ((('degF', 1),), Fraction(1)),
    '公里': (_M, Fraction(1000)),
    '公斤': (_G, Fraction(1000)),
    '吨': (_G, Fraction(10**6)),
    '分钟': (_S, Fraction(60)),
    '小时': (_S, Fraction(3600)),
    '天': (_S, Fraction(86400)),
    '牛米': (_NM, Fraction(1)),
    '牛顿米': (_NM, Fraction(1)),
    '毫安时': ((('A', 1), ('s', 1)), Fraction(3600, 1000)),
}


def _tables() -> tuple[dict[str, Unit], dict[str, Unit]]:
    symbols: dict[str, Unit] = {}
    names: dict[str, Unit] = {}
    for base, (prefixes, english, chinese) in _BASES.items():
        dimension: Dimension = ((base, 1),)
        factors = {'': Fraction(1), **{prefix: _PREFIXES[prefix] for prefix in prefixes.split()}}
        signs = {'': '', **{sign: prefix for sign, prefix in _PREFIX_SIGNS.items() if prefix in factors}}
        longs = {'': '', **{long: prefix for long, prefix in _PREFIX_NAMES.items() if prefix in factors}}
        symbols |= {prefix + base: Unit(dimension, factor) for prefix, factor in factors.items()}
        for name in chinese.split():
            symbols |= {sign + name: Unit(dimension, factors[prefix]) for sign, prefix in signs.items()}
        for name in (word + plural for word in english.split() for plural in ('', 's')):
            names |= {long + name: Unit(dimension, factors[prefix]) for long, prefix in longs.items()}
    for spelled, (dimension, factor) in _OTHER.items():
        for word in spelled.split():
            symbols[word] = Unit(dimension, factor)
            if len(word) > 3 and word.isascii():
                names[word] = names[word + 's'] = Unit(dimension, factor)
    return symbols, names


SYMBOLS, NAMES = _tables()
_FOLDED: dict[str, set[str]] = {}
for _symbol in SYMBOLS:
    _FOLDED.setdefault(_symbol.casefold(), set()).add(_symbol)
# Written alone too, these keep their case: folding would equate mW with MW and Nm with nm.
CASED = frozenset(s for same in _FOLDED.values() if len(same) > 1 for s in same if len(s) > 1)

_ATOM = re.compile(r'°[CF]?(?![A-Za-z])|[A-Za-zμΩ]+|[%‰]')
_FIRST_SIGNS = frozenset(s[0] for s in SYMBOLS if s[0] >= '\u3400')
_LONGEST_SIGN = max(len(s) for s in SYMBOLS if not s.isascii() and s[0] >= '\u3400')
_POWER = re.compile(r'\^(-?[1-4])(?![0-9])')
_DEGREES_OF = re.compile(r' (celsius|fahrenheit|C|F)(?![A-Za-z])', re.IGNORECASE)
_TIMES = re.compile(r'[·⋅*]| (?=m(?![A-Za-z^]))')
_PER = re.compile(r' ?/ ?| per |每')


def _atom(text: str, position: int) -> tuple[Unit, int] | None:
    found = _ATOM.match(text, position)
    if found is None:
        if text[position : position + 1] not in _FIRST_SIGNS:
            return None
        for length in range(_LONGEST_SIGN, 0, -1):
            unit = SYMBOLS.get(text[position : position + length])
            if unit is not None:
                return unit, position + length
        return None
    word, end = found.group(), found.end()
    if text[end : end + 1].isdigit() or text[end : end + 1] == '_':
        return None  # 'm2' is a name, not a unit
    unit = SYMBOLS.get(word) or NAMES.get(word.casefold())
    if unit is None:
        return None
    if unit.dimension == (('deg', 1),):
        scale = _DEGREES_OF.match(text, end)
        if scale is not None:
            return SYMBOLS['deg' + scale.group(1)[0].upper()], scale.end()
    return unit, end


def _raised(text: str, position: int) -> tuple[int, int]:
    found = _POWER.match(text, position)
    if found is not None:
        return int(found.group(1)), found.end()
    if text.startswith(' squared', position):
        return 2, position + len(' squared')
    return 1, position


def read_unit(text: str, position: int) -> tuple[Unit, int] | None:
    """Read a unit expression (``m/s^2``, ``N·m``, ``metres per second``, ``米每秒``) that begins at ``position``.

    :param text: text in which superscripts are written ``^2`` and ``μ`` is the Greek letter.
    :returns: the unit and the position behind it, or None where no known unit begins.
    """
    powers: dict[str, int] = {}
    factor = Fraction(1)
    sign, end = 1, position
    for _ in range(4):  # no robot's unit has more parts; also bounds the work
        read = _atom(text, position)
        if read is None:
            break
        unit, position = read
        exponent, position = _raised(text, position)
        for base, power in unit.dimension:
            powers[base] = powers.get(base, 0) + sign * exponent * power
        factor *= unit.factor ** (sign * exponent)
        end = position
        joint = _PER.match(text, position)
        if joint is not None:
            sign = -1
        else:
            joint = _TIMES.match(text, position)
            if joint is None or (joint.group() == ' ' and text[position - 1] != 'N'):
                break  # a blank multiplies in 'N m' only
        position = joint.end()
    if not powers:
        return None
    return Unit(tuple(sorted((base, power) for base, power in powers.items() if power)), factor), end
