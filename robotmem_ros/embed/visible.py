"""Which texts show a reader nothing, and are therefore not given to a model (EMB-06)."""

from __future__ import annotations

import unicodedata

# Letters and symbols by category that print nothing: Hangul fillers and the empty Braille cell.
_BLANK_LETTERS = frozenset('\u115f\u1160\u3164\uffa0\u2800')


def is_visible(text: str) -> bool:
    """Say whether ``text`` has a character that prints: no blank, control, format or lone mark."""
    return any(unicodedata.category(char)[0] not in 'CZM' and char not in _BLANK_LETTERS for char in text)
