"""Keys that were not written by `core.scene_key`: which situation they mean (seed 002, R1 and R2; SCN-13).

Older programs joined parts with ``+`` on one path and with ``_`` on another, put ``auto:`` in front and
``#2`` behind, and let the hour into the identity. Only here is ``+`` the same joiner as ``_``, and what a
scene has stored of its features decides where a joiner is one and where it belongs to a value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping

from robotmem_ros.core.scene_key import MAX_PARTS, NEVER_IDENTIFIES, feature, features_of, key_of, normalise_key
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import DECLARED, Feature

NAMED = 'scene'
"""Kind of what was declared under a bare name: ``kitchen`` becomes ``scene:kitchen``."""

Raw = tuple[str, str]
"""Kind and value as they were stored."""


def is_current(key: str, weights: Mapping[str, float]) -> bool:
    """Say whether a key is written as `core.scene_key` writes it, with these weights."""
    try:
        return normalise_key(key, weights) == key
    except InvalidRequest:
        return False


def flat(text: str) -> str:
    """Give what twins have in common: one joiner, no prefix, no number, one case."""
    folded = unicodedata.normalize('NFKC', text).casefold().strip()
    return re.sub(r'[+/]', '_', re.sub(r'#\d+$', '', folded.removeprefix('auto:')))


def current_key(key: str, origin: str, stored: Iterable[Raw], weights: Mapping[str, float]) -> str:
    """Give the key of today that an old one means.

    :param stored: the features that the scene, and those of the same `flat` key, have stored.
    """
    text = flat(key)
    known = {flat(f'{kind}:{value}'): (kind, value) for kind, value in stored}
    parts = _joined(text, known, MAX_PARTS) or _at_kinds(text, weights)
    features = {made for kind, value in parts if (made := feature(kind, value)) is not None}
    if origin != DECLARED:
        features = {each for each in features if each.kind not in NEVER_IDENTIFIES} or features
    return key_of(features, weights) if features else _as_it_is(key, weights)


def _joined(text: str, known: Mapping[str, Raw], depth: int) -> tuple[Raw, ...]:
    """Read a flat key as stored features with joiners between them; ``()`` where it is none."""
    if text in known:
        return (known[text],)
    for piece in sorted(known, key=len, reverse=True) if depth else ():
        if text.startswith(f'{piece}_') and (rest := _joined(text[len(piece) + 1:], known, depth - 1)):
            return known[piece], *rest
    return ()


def _at_kinds(text: str, kinds: Collection[str]) -> tuple[Raw, ...]:
    """Where nothing is stored that explains a key: a joiner before the name of a kind is one."""
    names = '|'.join(map(re.escape, kinds))
    pieces = re.split(rf'_(?=(?:{names}):)', text)
    pairs = [piece.split(':', 1) for piece in pieces]
    return tuple((pair[0], pair[1]) for pair in pairs) if all(len(pair) == 2 for pair in pairs) else ()


def _as_it_is(key: str, weights: Mapping[str, float]) -> str:
    try:
        return key_of(features_of(key, weights), weights)
    except InvalidRequest:
        return str(feature(NAMED, flat(key)[:200]) or Feature(NAMED, 'unnamed'))
