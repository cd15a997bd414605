"""MATCH expressions (FTS5). Nothing of a user reaches MATCH unquoted: every phrase becomes one FTS5 string."""

from __future__ import annotations

from collections.abc import Sequence

Phrase = Sequence[str]


def match_any(phrases: Sequence[Phrase]) -> str:
    """Give the MATCH expression that finds any of ``phrases``; '' where there is none.

    A phrase is one quoted string with its quotes doubled; NUL would end it early and becomes a blank.
    """
    strings = (' '.join(phrase).replace('\0', ' ').replace('"', '""') for phrase in phrases)
    return ' OR '.join(f'"{string}"' for string in strings if string.strip())
