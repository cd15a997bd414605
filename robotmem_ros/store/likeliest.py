"""The best of many texts without scoring all of them: rare words first (decision 15).

MaxScore (Turtle and Flood 1995, "Query evaluation: strategies and optimizations"): who holds none of the words asked
for so far scores at most what the others weigh together; once that is less than what the last wanted text has, nobody
else needs to be looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from robotmem_ros.store.filters import Where
from robotmem_ros.store.match import Phrase, match_any
from robotmem_ros.store.tx import Tx

FEW = 8000
"""Matches, counted word by word, up to which all of them are scored: a few milliseconds."""
MOST_WEIGHT = 1.3
"""What a word adds to a score, over its rarity (IDF), at most: 1 in a text of average length that holds it once, 1.26
in one of half that length, 1.38 in one that holds it twice. Proved is only 2.2, which hardly ever ends a search."""
MOST_SHARE = 0.5
"""Of all matches; once so many were gone through without an end, to score all takes no longer."""


def likeliest(tx: Tx, phrases: Sequence[Phrase], where: Where, limit: int) -> list[tuple[int, float]] | None:
    """Give the ``limit`` best that satisfy the criteria, as (id, BM25 score), best first.

    ``None``: they lie behind too many that do not satisfy them, and every match must be looked at.
    """
    try:
        best = _by_rarity(tx, phrases, where, limit)
        if best is None:
            best = dict(_best(tx, match_any(phrases), where, limit))
    except _Hidden:
        return None
    return sorted(best.items(), key=lambda item: (-item[1], -item[0]))[:limit]


class _Hidden(Exception):
    """What is looked for lies behind too many others."""


def _by_rarity(tx: Tx, phrases: Sequence[Phrase], where: Where, limit: int) -> dict[int, float] | None:
    """Ask for the rarest words first; ``None`` where that does not pay."""
    rows = tx.value('SELECT max(id) FROM memory', (), 0) or 0
    if rows <= FEW:
        return None
    counted = sorted(_counted(tx, phrases), key=lambda item: item[0])
    matches = sum(count for count, _ in counted)
    if matches <= FEW:
        return None
    weights = [math.log(max((rows - count + 0.5) / (count + 0.5), 1.0 + 1e-6)) for count, _ in counted]
    best: dict[int, float] = {}
    for i, (_, phrase) in enumerate(counted):
        if MOST_WEIGHT * sum(weights[i:]) <= _least(best, limit):
            break
        if sum(count for count, _ in counted[:i + 1]) > MOST_SHARE * matches:
            return None
        own, others = match_any([phrase]), match_any([other for _, other in counted[i + 1:]])
        _add(best, _best(tx, f'{own} AND ({others})', where, limit))
        if MOST_WEIGHT * weights[i] > _least(best, limit):
            _add(best, _best(tx, own, where, limit))
    return best


def _add(best: dict[int, float], found: Sequence[tuple[int, float]]) -> None:
    """A text that holds several words is found with all of them once, and with the commoner ones again."""
    for memory_id, score in found:
        best[memory_id] = max(score, best.get(memory_id, 0.0))


def _counted(tx: Tx, phrases: Sequence[Phrase]) -> list[tuple[int, Phrase]]:
    """Give each different phrase that occurs, with the number of texts that hold it."""
    counted: list[tuple[int, Phrase]] = []
    for phrase in dict.fromkeys(tuple(phrase) for phrase in phrases):
        match = match_any([phrase])
        count = tx.value('SELECT count(*) FROM memory_fts WHERE memory_fts MATCH ?', (match,)) if match else 0
        if count:
            counted.append((count, phrase))
    return counted


def _least(best: dict[int, float], limit: int) -> float:
    """Give the score of the last wanted one, 0 while there are too few."""
    return sorted(best.values(), reverse=True)[limit - 1] if len(best) >= limit else 0.0


def _best(tx: Tx, match: str, where: Where, limit: int) -> list[tuple[int, float]]:
    """Give at least the ``limit`` best of those that match and satisfy, or all of them.

    Of the best of all only, so that criteria are looked at for few. The second key keeps FTS5 from sorting by itself,
    which takes as long again.

    :raises _Hidden: if they lie behind too many that do not satisfy.
    """
    wide = 2 * limit + 16
    found = tx.execute(
        f"""
        WITH hit AS MATERIALIZED (
          SELECT rowid AS id, rank AS score FROM memory_fts WHERE memory_fts MATCH :match
          ORDER BY rank, rowid DESC LIMIT :wide)
        SELECT hit.id, -hit.score, {where.sql} FROM hit CROSS JOIN memory m ON m.id = hit.id
        """,
        {**where.args, 'match': match, 'wide': wide})
    satisfying = [(row[0], row[1]) for row in found if row[2]]
    if len(satisfying) < limit and len(found) == wide:
        raise _Hidden
    return satisfying
