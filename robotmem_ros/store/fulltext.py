"""Full-text search (FTS5). Texts and queries go through the same tokens of ``core.text``."""

from __future__ import annotations

from collections.abc import Sequence

from robotmem_ros.core import text as texts
from robotmem_ros.model import Filters
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store.filters import Where, compile_filters
from robotmem_ros.store.likeliest import likeliest
from robotmem_ros.store.match import Phrase, match_any
from robotmem_ros.store.memory_row import COLUMNS, MemoryRow, memory_from_row
from robotmem_ros.store.tx import Tx, id_list

RARE_SHARE = 0.3
"""Two texts with Jaccard above 0.7 share one of any 30 % + 1 of their tokens (prefix filtering;
Chaudhuri, Ganti, Kaushik 2006): the rarest of them are enough to find every duplicate."""
SENTENCE_PAIRS = 24
"""Pairs of signs of a Chinese sentence: up to here all are asked for."""
COUNTED = 512
"""A token is counted up to here; beyond it, it is frequent."""


def put(tx: Tx, memory_id: int, text: str) -> None:
    """Index ``text`` under ``memory_id``, instead of what was there."""
    remove(tx, memory_id)
    tx.execute('INSERT INTO memory_fts (rowid, tokens) VALUES (?, ?)', (memory_id, texts.index_text(text)))


def remove(tx: Tx, memory_id: int) -> None:
    """Take ``memory_id`` out of the index."""
    tx.execute('DELETE FROM memory_fts WHERE rowid = ?', (memory_id,))


def search(
    tx: Tx, phrases: Sequence[Phrase], filters: Filters, decay: DecaySettings, limit: int
) -> list[tuple[int, float]]:
    """Find memories that satisfy ``filters`` and hold any of ``phrases``.

    :return: (id, score), best first. Score is BM25 with its sign turned: above 0, larger is better.
    :raises StoreError: if the search fails; it never becomes "no hits".
    """
    match = match_any(phrases)
    if not match or limit <= 0:
        return []
    where = compile_filters(filters, decay)
    best = None if where.is_narrow else likeliest(tx, phrases, where, limit)
    return _every(tx, match, where, limit) if best is None else best


def _every(tx: Tx, match: str, where: Where, limit: int) -> list[tuple[int, float]]:
    """Score every memory that matches and satisfies the criteria."""
    return [(row[0], row[1]) for row in tx.execute(
        f'SELECT m.id, -f.rank FROM memory_fts f CROSS JOIN memory m ON m.id = f.rowid'
        f' WHERE memory_fts MATCH :match AND {where.sql} ORDER BY f.rank, m.id DESC LIMIT :limit',
        {**where.args, 'match': match, 'limit': limit},
    )]


def candidates(tx: Tx, phrases: Sequence[Phrase], collection_id: int, limit: int) -> list[MemoryRow]:
    """Find active facts of a collection that may repeat a text, best first, by its rarest phrases only.

    A query of all its words would score nearly every memory; the rarest find the same duplicates.
    """
    rare = rarest(tx, phrases)
    match = match_any(rare)
    if not match:
        return []
    where = Where(
        "m.collection_id = :collection AND m.status = 'active' AND m.type = 'fact'", 'memory m', '',
        {'collection': collection_id}, is_narrow=False)
    best = likeliest(tx, rare, where, limit)
    ids = [row[0] for row in (_every(tx, match, where, limit) if best is None else best)]
    rows = tx.execute(f'SELECT {COLUMNS} FROM json_each(?) i CROSS JOIN memory m ON m.id = i.value', (id_list(ids),))
    return [memory_from_row(row) for row in rows]


def rarest(tx: Tx, phrases: Sequence[Phrase]) -> list[Phrase]:
    """Give the rarest words that occur at all, 30 % + 1 of them and at least 4, and the rarest pairs of signs.

    One other sign breaks two pairs, so of pairs twice the share is asked for, and as many as a sentence has.
    """
    distinct = dict.fromkeys(tuple(phrase) for phrase in phrases)
    words, pairs = [p for p in distinct if len(p) == 1], [p for p in distinct if len(p) > 1]
    return [
        *_rarest(tx, words, max(4, int(RARE_SHARE * len(words)) + 1)),
        *_rarest(tx, pairs, max(SENTENCE_PAIRS, int(2 * RARE_SHARE * len(pairs)) + 1)),
    ]


def _rarest(tx: Tx, phrases: Sequence[Phrase], wanted: int) -> list[Phrase]:
    known = []
    for phrase in phrases:
        match = match_any([phrase])
        count = tx.value(
            'SELECT count(*) FROM (SELECT 1 FROM memory_fts WHERE memory_fts MATCH ? LIMIT ?)', (match, COUNTED)
        ) if match else 0
        known.append((count, phrase))
    return [phrase for count, phrase in sorted(known, key=lambda item: item[0])[:wanted] if count]
