"""Vectors (sqlite-vec) and their search: one space, true cosines, equal texts of a collection share one vector.

Vectors have ids of their own (table ``vector``, never used again), to which memories refer. Where
sqlite-vec is missing, nothing here fails: searches find nothing, and memories wait for their vector.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import numpy as np

from robotmem_ros.errors import EmbeddingFailed
from robotmem_ros.model import Filters
from robotmem_ros.ports import Vector
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store import collections, indexed
from robotmem_ros.store.filters import Where, compile_filters
from robotmem_ros.store.tx import Tx, id_list
from robotmem_ros.store.vector_index import View

MAX_K = 4096
"""sqlite-vec's own limit of one search."""
SPARE = 4
"""Vectors beyond ``k`` that are compared at once: some may find no memory, since theirs was forgotten."""
CHUNK = 64
"""Vectors in one block of the file, a chain of pages that SQLite walks from its beginning to read one of them: 19 us,
and 43 with 256. With 1024, the default, the first memory of a collection costs 1.5 MB; with 32 a scan takes longer."""
PENDING, DONE, NONE = 0, 1, 2
SPACE_KEY = 'vector_space'


def space(tx: Tx) -> tuple[str, int, str] | None:
    """Give name, dimension and fingerprint of the model whose vectors the file holds."""
    stored = tx.value('SELECT value FROM meta WHERE key = ?', (SPACE_KEY,))
    if stored is None:
        return None
    name, dim, fingerprint = json.loads(stored)
    return name, dim, fingerprint


def ensure_space(tx: Tx, name: str, dim: int, fingerprint: str) -> bool:
    """Make the file's space that of a model; another model's vectors are dropped, never mixed with new ones.

    :return: whether the space is new, so that all active memories wait for a vector.
    """
    if not tx.has_vectors:
        return False
    known = space(tx)
    if known is not None and known[1:] == (dim, fingerprint):
        _drop_orphans(tx)
        return False
    tx.execute('DROP TABLE IF EXISTS memory_vec')
    tx.execute(
        'CREATE VIRTUAL TABLE memory_vec USING vec0(id INTEGER PRIMARY KEY, collection_id INTEGER PARTITION KEY,'
        f' embedding float[{int(dim)}] distance_metric=cosine, chunk_size={CHUNK})'
    )
    tx.execute('DELETE FROM vector')
    tx.execute('DELETE FROM vector_orphan')
    tx.execute('UPDATE memory SET vector_id = NULL, vector_state = 0 WHERE vector_state <> 0 OR vector_id IS NOT NULL')
    tx.execute('INSERT OR REPLACE INTO meta VALUES (?, ?)', (SPACE_KEY, json.dumps([name, dim, fingerprint])))
    return True


def put(tx: Tx, memory_id: int, collection_id: int, vector: Vector, text: str | None = None) -> bool:
    """Give an active memory its vector, and with it all perceptions of the same text that wait for one.

    :param vector: shape (dim,) of the file's space; need not have length 1.
    :param text: what was embedded; where the memory's text has changed since, nothing is done.
    :return: whether the memory took the vector.
    :raises EmbeddingFailed: for a vector that cannot be compared (wrong size, zero, not finite).
    """
    row = tx.one("SELECT content, content_hash FROM memory WHERE id = ? AND status = 'active'", (memory_id,))
    known = space(tx)
    if not tx.has_vectors or known is None or row is None or (text is not None and row[0] != text):
        return False
    data = np.ascontiguousarray(vector, dtype=np.float32)
    if data.shape != (known[1],) or not np.isfinite(data).all() or not data.any():
        raise EmbeddingFailed(f'a vector of shape {data.shape} cannot be used in a space of {known[1]} dimensions')
    remove(tx, memory_id)
    tx.execute('INSERT INTO vector (collection_id) VALUES (?)', (collection_id,))
    vector_id = tx.last_id
    tx.execute(
        'INSERT INTO memory_vec (id, collection_id, embedding) VALUES (?, ?, ?)',
        (vector_id, collection_id, data.tobytes()))
    tx.execute(
        "UPDATE memory SET vector_id = :v, vector_state = 1 WHERE id = :id OR (status = 'active' AND collection_id = :c"
        " AND content_hash = :hash AND vector_state = 0 AND type = 'perception' AND content = :text)",
        {'v': vector_id, 'id': memory_id, 'c': collection_id, 'hash': row[1], 'text': row[0]},
    )
    return True


def share(tx: Tx, memory_id: int) -> bool:
    """Let a perception use the vector of an equal text of its collection; ``False`` where there is none yet."""
    equal = tx.value(
        "SELECT e.vector_id FROM memory m JOIN memory e ON e.status = 'active' AND e.collection_id = m.collection_id"
        ' AND e.content_hash = m.content_hash AND e.vector_state = 1 AND e.content = m.content'
        ' WHERE m.id = ? LIMIT 1', (memory_id,))
    if equal is not None:
        tx.execute('UPDATE memory SET vector_id = ?, vector_state = 1 WHERE id = ?', (equal, memory_id))
    return equal is not None


def remove(tx: Tx, memory_id: int) -> None:
    """Take a memory's vector away; the vector itself goes with the last memory that uses it."""
    vector_id = tx.value('SELECT vector_id FROM memory WHERE id = ?', (memory_id,))
    if vector_id is None:
        return
    tx.execute('UPDATE memory SET vector_id = NULL, vector_state = 0 WHERE id = ?', (memory_id,))
    if tx.one('SELECT 1 FROM memory WHERE vector_id = ? LIMIT 1', (vector_id,)):
        return
    tx.execute('DELETE FROM vector WHERE id = ?', (vector_id,))
    if tx.has_vectors:
        tx.execute('DELETE FROM memory_vec WHERE id = ?', (vector_id,))
    else:
        tx.execute('INSERT OR IGNORE INTO vector_orphan VALUES (?)', (vector_id,))


def get(tx: Tx, memory_id: int) -> Vector | None:
    """Give a memory's vector, shape (dim,), as it was put; ``None`` where it has none."""
    if not tx.has_vectors or space(tx) is None:
        return None
    data = tx.value(
        'SELECT v.embedding FROM memory m JOIN memory_vec v ON v.id = m.vector_id WHERE m.id = ?', (memory_id,))
    return None if data is None else np.frombuffer(data, dtype=np.float32)


def nearest(tx: Tx, vector: Vector, filters: Filters, decay: DecaySettings, k: int) -> list[tuple[int, float]]:
    """Find the ``k`` (at most 4096) memories nearest to ``vector`` that satisfy ``filters``.

    :return: (id, cosine in [-1, 1]), most similar first; newer first among equals.
    :raises StoreError: if the search fails; it never becomes "no hits".
    """
    known = space(tx)
    if not tx.has_vectors or known is None or k <= 0:
        return []
    data = np.ascontiguousarray(vector, dtype=np.float32)
    if data.shape != (known[1],) or not data.any():
        return []
    collection_id = collections.known_id(tx, filters.collection)
    if collection_id is None:
        return []
    where, k = compile_filters(filters, decay), min(k, MAX_K)
    where.args.update(vector=data.tobytes(), partition=collection_id, limit=k)
    held = indexed.view(tx, known[1:])
    if held is None:
        return _scanned(tx, where, collection_id, k)
    return _held(tx, where, held, collection_id, data, k)


def index_some(tx: Tx, limit: int) -> bool:
    """
    Bring the vectors in memory nearer to those of the file, in a transaction that has written nothing.

    :param limit: most vectors that are read; where none is missing, some of those deleted since are let go.
    :return: whether more are missing.
    """
    known = space(tx)
    if not tx.has_vectors or known is None:
        return False
    more = indexed.advance(tx, known[1:], limit)
    if not more:
        indexed.sweep(tx)
    return more


def cosines(tx: Tx, vector: Vector, ids: Iterable[int]) -> dict[int, float]:
    """Give the cosine of each of ``ids`` to ``vector``; those without a vector of the space are left out."""
    known = space(tx)
    data = np.ascontiguousarray(vector, dtype=np.float32)
    if not tx.has_vectors or known is None or data.shape != (known[1],) or not data.any():
        return {}
    return {row[0]: 1.0 - row[1] for row in tx.execute(
        'SELECT m.id, vec_distance_cosine(v.embedding, ?) FROM json_each(?) i CROSS JOIN memory m ON m.id = i.value'
        ' CROSS JOIN memory_vec v ON v.id = m.vector_id',
        (data.tobytes(), id_list(ids)),
    )}


def _held(
    tx: Tx, where: Where, held: View, collection_id: int, vector: Vector, k: int
) -> list[tuple[int, float]]:
    """Search the vectors in memory, then compare with those of the file."""
    own = indexed.uncommitted(tx, held, collection_id)
    if not where.is_narrow:
        # Optimistic: most criteria let most memories through. All vectors seen, or enough found: done.
        hits = held.search(collection_id, vector, k)
        found = _nearest_among(tx, where, hits, own, k)
        if len(found) >= k or len(hits) == held.count(collection_id):
            return found
    satisfying = [row[0] for row in tx.execute(
        f'SELECT DISTINCT m.vector_id FROM {where.source} WHERE m.vector_id IS NOT NULL AND {where.sql}', where.args)]
    hits = held.search(collection_id, vector, k, satisfying)
    return _nearest_among(tx, where, hits, set(own).intersection(satisfying), k)


def _nearest_among(
    tx: Tx, where: Where, hits: Mapping[int, float], own: Iterable[int], k: int
) -> list[tuple[int, float]]:
    """
    Compare with the file the likeliest of ``hits``, and then those only that may be nearer than the last of these.

    To read a vector costs more than all that the index does for it (see ``CHUNK``).

    :param hits: ids of vectors with the greatest cosine that each may have, the greatest first.
    :param own: vectors of which no such bound is known.
    """
    ids = list(hits)
    found = _compared(tx, where, [*ids[:k + SPARE], *own])
    least = found[k - 1][1] if len(found) >= k else -np.inf
    rest = [i for i in ids[k + SPARE:] if hits[i] >= least]
    if rest:
        found = sorted([*found, *_compared(tx, where, rest)], key=lambda hit: (-hit[1], -hit[0]))[:k]
    return found


def _compared(tx: Tx, where: Where, hits: Iterable[int]) -> list[tuple[int, float]]:
    """Give the memories of these vectors that satisfy the criteria, by cosine."""
    return _memories_of(
        tx, where,
        'SELECT v.id, vec_distance_cosine(v.embedding, :vector) AS distance'
        ' FROM json_each(:hits) i CROSS JOIN memory_vec v ON v.id = i.value',
        {'hits': id_list(sorted(hits))})


def _scanned(tx: Tx, where: Where, collection_id: int, k: int) -> list[tuple[int, float]]:
    """Let sqlite-vec read all vectors of the collection: right at any time, and slow for many."""
    if not where.is_narrow:
        # Optimistic: most criteria let most memories through. All vectors seen, or enough found: done.
        wide = min(MAX_K, 2 * k + 16)
        found = _nearest_of_all(tx, where, wide, '')
        if len(found) >= k or _is_exhausted(tx, collection_id, wide):
            return found
    inside = f' AND v.id IN (SELECT m.vector_id FROM {where.source} WHERE m.vector_id IS NOT NULL AND {where.sql})'
    return _nearest_of_all(tx, where, k, inside)


def _nearest_of_all(tx: Tx, where: Where, k: int, inside: str) -> list[tuple[int, float]]:
    return _memories_of(
        tx, where,
        'SELECT v.id, v.distance FROM memory_vec v'
        f' WHERE v.embedding MATCH :vector AND v.k = :k AND v.collection_id = :partition{inside}',
        {'k': k})


def _memories_of(tx: Tx, where: Where, hits: str, args: dict[str, object]) -> list[tuple[int, float]]:
    """
    Give the memories of the vectors that ``hits``, a SELECT of id and distance, finds.

    CROSS JOIN keeps that order: SQLite cannot know how few it finds.
    """
    return [(row[0], 1.0 - row[1]) for row in tx.execute(
        f"""
        WITH hit AS MATERIALIZED ({hits})
        SELECT m.id, hit.distance FROM hit CROSS JOIN memory m ON m.vector_id = hit.id
        WHERE {where.sql} ORDER BY hit.distance, m.id DESC LIMIT :limit
        """,
        {**where.args, **args},
    )]


def _is_exhausted(tx: Tx, collection_id: int, k: int) -> bool:
    """Tell whether the collection has at most ``k`` vectors, all of which a search has then seen."""
    seen = tx.value(
        'SELECT count(*) FROM (SELECT 1 FROM vector WHERE collection_id = ? LIMIT ?)', (collection_id, k + 1))
    return int(seen) <= k


def pending(tx: Tx, limit: int) -> list[tuple[int, int, str]]:
    """Give (id, collection id, text) of active memories that wait for a vector, each text once."""
    found = tx.execute(
        "SELECT id, collection_id, content FROM memory WHERE status = 'active' AND vector_state = 0"
        ' ORDER BY id LIMIT ?', (limit,))
    return list({(row[1], row[2]): (row[0], row[1], row[2]) for row in reversed(found)}.values())[::-1]


def mark_unembeddable(tx: Tx, memory_id: int) -> None:
    """Note that the model gave no vector for this text, so that it is not tried for ever."""
    tx.execute('UPDATE memory SET vector_state = 2 WHERE id = ? AND vector_state = 0', (memory_id,))


def pending_count(tx: Tx) -> int:
    """Count the active memories that wait for a vector."""
    return int(tx.value("SELECT count(*) FROM memory WHERE status = 'active' AND vector_state = 0"))


def _drop_orphans(tx: Tx) -> None:
    """Delete the vectors that were let go while sqlite-vec was missing."""
    orphans = tx.execute('SELECT id FROM vector_orphan')
    if orphans:
        tx.executemany('DELETE FROM memory_vec WHERE id = ?', orphans)
        tx.execute('DELETE FROM vector_orphan')
