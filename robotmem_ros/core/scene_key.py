"""The one way in which features and scene keys are written, whoever writes them.

Emerging, declaring, learning, recalling: every path goes through `feature` and `key_of` (or
`normalise_key`, for a key that a person typed), so that one situation has one name. What a value
keeps: letters, marks and numbers of any script (Unicode categories L, M, N), `_`, `-` and `.`.
Every other sign (blanks, `/`, `+`, `:`, emoji, control signs) becomes `_`, and a hash of the
normalised original is added, so that different values stay different.
"""

from __future__ import annotations

import hashlib
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import Feature
from robotmem_ros.settings import FEATURE_WEIGHTS

MAX_RAW = 1024
"""Signs of a kind or value as it comes; a longer one is refused before any work is done on it."""
MAX_VALUE = 64
"""Signs of a normalised value; a longer one is cut, with its hash at the end."""
MAX_KIND = 32
MAX_PARTS = 8
IDENTITY_PARTS = 2
NEVER_IDENTIFIES = frozenset({'robot', 'part'})
"""The robot is everywhere where it is, and the hour says nothing of the situation (seed 002, R2)."""
UNKNOWN_WEIGHT = 0.2
"""Weight of a kind without a configured one: it describes a little and does not identify."""
SIGNIFICANT_DIGITS, MAX_DECIMALS = 3, 4

_KEPT_SIGNS = frozenset('_-.')
_INVISIBLE = frozenset('\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0')
_NUMBER = re.compile(r'[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,4})?')
_NOT_FINITE = re.compile(r'[+-]?(?:nan|inf|infinity|\.nan|\.inf)|nan\(.*\)')
_STRUCTURED = re.compile(r'\[.*\]|\{.*\}|array\(.*\)', re.DOTALL)


def normalise_value(text: str) -> str:
    """Give the one spelling of a kind or value: NFKC, case-folded, trimmed, invisible signs removed.

    Idempotent. A result of more than 64 signs is cut to 55 and its hash. Blank text gives ``''``.
    """
    folded = _folded(text)
    kept = ''.join(sign if _is_kept(sign) else '_' for sign in folded)
    if kept == folded and len(kept) <= MAX_VALUE:
        return kept
    digest = hashlib.sha256(folded.encode('utf-8', 'surrogatepass')).hexdigest()[:8]
    return f'{kept[: MAX_VALUE - 9]}_{digest}'


def feature(kind: str, value: str) -> Feature | None:
    """Make a feature of a kind and a value as they came, or ``None`` where they are refused.

    Numbers: 5 = 5.0 and -0.0 = 0.0; integers stay exact, fractions keep 3 significant digits (all
    those before the point, at most 4 behind it). Refused: a blank kind or value, NaN and infinity, a
    list or an object (the sender gives several features instead), more than 1024 signs.
    """
    return None if max(len(kind), len(value)) > MAX_RAW else _feature(kind, value)


@lru_cache(maxsize=2048)
def _feature(kind: str, value: str) -> Feature | None:
    name, folded = normalise_value(kind), _folded(value)
    if not name or not folded or len(name) > MAX_KIND:
        return None
    if _NOT_FINITE.fullmatch(folded) or _STRUCTURED.fullmatch(folded):
        return None
    if _NUMBER.fullmatch(folded):
        number = _quantised(folded)
        return None if number is None else Feature(name, normalise_value(number))
    return Feature(name, normalise_value(value))


def limit_of(kind: str, value: str) -> str:
    """Say which limit a feature breaks that `feature` refused."""
    if max(len(kind), len(value)) > MAX_RAW:
        return f'kinds and values of at most {MAX_RAW} signs'
    name = normalise_value(kind)
    if not name or len(name) > MAX_KIND:
        return f'a kind of 1 to {MAX_KIND} signs'
    return 'a text or a finite number; of several values, a feature each'


def withdrawn_kind(kind: str, value: str) -> str:
    """Give the kind that a blank value withdraws (``peer`` without a value: nobody is there); ``''`` if it is none."""
    if max(len(kind), len(value)) > MAX_RAW or _folded(value):
        return ''
    name = normalise_value(kind)
    return name if len(name) <= MAX_KIND else ''


def weight_of(kind: str, weights: Mapping[str, float]) -> float:
    """Give the configured weight of a kind, 0.2 where there is none."""
    return weights.get(kind, UNKNOWN_WEIGHT)


def ordered(features: Iterable[Feature], weights: Mapping[str, float]) -> tuple[Feature, ...]:
    """Give the features once each in the order of a key: place first, heavy before light, then by code point."""
    return tuple(sorted(set(features), key=lambda each: (each.kind != 'place', -weight_of(each.kind, weights), each)))


def is_dominant(kind: str, weights: Mapping[str, float], dominant: float) -> bool:
    """Say whether features of this kind may identify a scene; ``robot`` and ``part`` never do."""
    return kind not in NEVER_IDENTIFIES and weight_of(kind, weights) >= dominant


def identity(features: Iterable[Feature], weights: Mapping[str, float], dominant: float) -> tuple[Feature, ...]:
    """Choose the at most two features that say which situation this is, in the order of a key.

    One of each kind before a second of any, so that two places cannot crowd out the person met
    there (seed 002, R4). Equal weights are decided by the default weights, then by code point: never
    by the order of arrival. Nothing dominant: ``()``.
    """
    able = [each for each in set(features) if is_dominant(each.kind, weights, dominant)]
    able.sort(key=lambda each: (
        each.kind != 'place', -weight_of(each.kind, weights), -FEATURE_WEIGHTS.get(each.kind, 0.0), each))
    seen: set[str] = set()
    first: list[Feature] = []
    further: list[Feature] = []
    for each in able:
        (further if each.kind in seen else first).append(each)
        seen.add(each.kind)
    return ordered((first + further)[:IDENTITY_PARTS], weights)


def key_of(features: Iterable[Feature], weights: Mapping[str, float]) -> str:
    """Join features to a key: ``place:hall/peer:operator_7``."""
    return '/'.join(str(each) for each in ordered(features, weights))


def features_of(key: str, weights: Mapping[str, float] = FEATURE_WEIGHTS, *, field: str = 'key') -> tuple[Feature, ...]:
    """Take a key apart, as written by us or by a person; parts in any order, each once.

    :raises InvalidRequest: if it is blank or too long, or a part is not ``kind:value``.
    """
    expected = f'1 to {MAX_PARTS} parts kind:value joined by /, such as place:hall/peer:operator_7'
    if len(key) > MAX_PARTS * MAX_RAW:
        raise InvalidRequest(field, expected, key)
    found = set()
    for part in key.split('/'):
        kind, colon, value = part.partition(':')
        made = feature(kind, value) if colon else None
        if made is None:
            raise InvalidRequest(field, expected, key)
        found.add(made)
    if len(found) > MAX_PARTS:
        raise InvalidRequest(field, expected, key)
    return ordered(found, weights)


def normalise_key(text: str, weights: Mapping[str, float] = FEATURE_WEIGHTS, *, field: str = 'key') -> str:
    """Give the one spelling of a key that a person typed; a key of ours comes back unchanged.

    :raises InvalidRequest: as `features_of`.
    """
    return key_of(features_of(text, weights, field=field), weights)


def is_descendant(key: str, prefix: str) -> bool:
    """Say whether ``key`` is ``prefix`` or below it: ``place:hall/peer:x`` lies below ``place:hall``.

    ``place:hall2`` does not.
    """
    return key == prefix or key.startswith(f'{prefix}/')


def ancestors(key: str) -> tuple[str, ...]:
    """Give the keys above this one, the nearest first."""
    parts = key.split('/')
    return tuple('/'.join(parts[:length]) for length in range(len(parts) - 1, 0, -1))


def _folded(text: str) -> str:
    """Fold until nothing changes: case folding can undo NFKC and trimming can bare a mark."""
    while True:
        visible = ''.join(sign for sign in unicodedata.normalize('NFKC', text) if not _is_invisible(sign))
        folded = unicodedata.normalize('NFKC', visible.casefold()).strip()
        if folded == text:
            return folded
        text = folded


def _is_kept(sign: str) -> bool:
    return sign in _KEPT_SIGNS or unicodedata.category(sign)[0] in 'LMN'


def _is_invisible(sign: str) -> bool:
    """Zero-width and direction marks, joiners, soft hyphens, fillers and variation selectors."""
    return (unicodedata.category(sign) == 'Cf' or sign in _INVISIBLE
            or '\ufe00' <= sign <= '\ufe0f' or '\U000e0100' <= sign <= '\U000e01ef')


def _quantised(digits: str) -> str | None:
    """Give a number's one spelling, ``None`` beyond the range of a double.

    Integers are not rounded: they are mostly numbers of persons and things. `007` never comes here,
    since a number has no leading zeros: it is a name.
    """
    if not any(sign in digits for sign in '.e'):
        return digits.lstrip('+') if digits.strip('+-') != '0' else '0'
    number = float(digits)
    if not math.isfinite(number):
        return None
    if number == 0.0:
        return '0'
    decimals = SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(abs(number)))
    rounded = round(number, min(MAX_DECIMALS, max(0, decimals)))
    return str(int(rounded)) if rounded == int(rounded) else repr(rounded)
