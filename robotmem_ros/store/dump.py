"""Reads what a file holds as records, page by page, within one snapshot."""

from __future__ import annotations

import json
from collections.abc import Iterator

from robotmem_ros.model import Feature
from robotmem_ros.store.evidence import from_json
from robotmem_ros.store.occurrences import COLUMNS, Occurrence, occurrence_from_row
from robotmem_ros.store.records import (
    EdgeRecord,
    EvidenceRecord,
    MemoryRecord,
    PlaceRecord,
    SceneRecord,
    SceneTie,
    SessionRecord,
)
from robotmem_ros.store.tx import Tx

PAGE = 500
"""Memories that are held at a time."""

_MEMORY = (
    'SELECT CAST(m.id AS TEXT), m.content, c.name, m.type, m.category, m.perception_type, m.data, m.source, m.seq,'
    ' m.tier, m.confidence, m.strength, m.use_count, m.use_days, m.session_id, m.created_at, m.last_accessed,'
    ' m.decay_anchor,'
    ' (SELECT json_group_array(t.tag) FROM memory_tag t WHERE t.memory_id = m.id)'
    ' FROM memory m JOIN collection c ON c.id = m.collection_id'
)
_FIELDS = (
    'origin', 'content', 'collection', 'type', 'category', 'perception_type', 'data', 'source', 'seq', 'tier',
    'confidence', 'strength', 'use_count', 'use_days', 'session_id', 'created_at_ns', 'last_accessed_ns',
)
"""What the first columns of ``_MEMORY`` are in a record."""
_CHOSEN = "m.status = 'active' AND (:collection = '' OR c.name = :collection) AND (:tier = '' OR m.tier = :tier)"


def skipped_ns(tx: Tx) -> int:
    """Give by how much anchors lie before UTC: steps of the clock that must not age anything (0 on most robots)."""
    return int(tx.value("SELECT json_extract(value, '$.skipped_ns') FROM meta WHERE key = 'clock'", (), 0) or 0)


def memory_count(tx: Tx, collection: str, tier: str) -> int:
    """Count what :func:`memories` gives."""
    return int(tx.value(
        f'SELECT count(*) FROM memory m JOIN collection c ON c.id = m.collection_id WHERE {_CHOSEN}',
        {'collection': collection, 'tier': tier}))


def memories(tx: Tx, collection: str = '', tier: str = '') -> Iterator[MemoryRecord]:
    """Give the active memories in the order of their ids.

    :param collection: only this one; empty: all.
    :param tier: only ``stm`` or ``ltm``; empty: both.
    """
    last, skipped = 0, skipped_ns(tx)
    while True:
        rows = tx.execute(
            f'{_MEMORY} WHERE m.id > :last AND {_CHOSEN} ORDER BY m.id LIMIT :page',
            {'last': last, 'collection': collection, 'tier': tier, 'page': PAGE})
        if not rows:
            return
        first, last = int(rows[0][0]), int(rows[-1][0])
        occurrences, ties, earlier = _occurrences(tx, first, last), _ties(tx, first, last), _earlier(tx, first, last)
        for row in rows:
            memory_id, fields = int(row[0]), dict(zip(_FIELDS, row))
            yield MemoryRecord(
                **fields, anchor_ns=row[17] + skipped if row[17] > 0 else 0, tags=tuple(sorted(json.loads(row[18]))),
                occurrences=tuple(occurrences.get(memory_id, ())), scenes=tuple(ties.get(memory_id, ())),
                earlier=tuple(earlier.get(memory_id, ())), complete=True)


def edges(tx: Tx, collection: str = '') -> Iterator[EdgeRecord]:
    """Give the edges between active memories."""
    skipped = skipped_ns(tx)
    for a, b, weight, last_updated in tx.execute(
            'SELECT e.memory_a, e.memory_b, e.weight, e.last_updated FROM co_occurrence e'
            " JOIN memory m ON m.id = e.memory_a"
            " JOIN collection c ON c.id = m.collection_id WHERE m.status = 'active' AND (?1 = '' OR c.name = ?1)"
            ' ORDER BY 1, 2', (collection,)):
        yield EdgeRecord(str(a), str(b), weight, last_updated + skipped if last_updated > 0 else 0)


def sessions(tx: Tx, collection: str = '') -> Iterator[SessionRecord]:
    """Give all sessions, the oldest first."""
    for row in tx.execute(
            'SELECT s.id, c.name, s.context, s.started_at, s.ended_at, s.outcome_score, s.result FROM session s'
            " JOIN collection c ON c.id = s.collection_id WHERE (?1 = '' OR c.name = ?1) ORDER BY s.started_at, s.id",
            (collection,)):
        yield SessionRecord(*row)


def scenes(tx: Tx, collection: str = '') -> Iterator[SceneRecord]:
    """Give all scenes in the order of their ids."""
    for row in tx.execute(
            'SELECT s.key, s.origin, c.name, s.strength, s.created_at, s.last_hit, (SELECT json_group_array('
            'json_array(f.kind, f.value, f.visits)) FROM scene_feature f WHERE f.scene_id = s.id) FROM scene s'
            " JOIN collection c ON c.id = s.collection_id WHERE (?1 = '' OR c.name = ?1) ORDER BY s.id", (collection,)):
        features = tuple((Feature(kind, value), visits) for kind, value, visits in json.loads(row[6]))
        yield SceneRecord(row[0], row[1], row[2], row[3], row[4], row[5], features)


def places(tx: Tx, collection: str = '') -> Iterator[PlaceRecord]:
    """Give all centres of places, the oldest first."""
    for row in tx.execute(
            'SELECT p.name, p.frame_id, p.x, p.y, p.z, p.map_id, c.name, p.created_at FROM place p'
            " JOIN collection c ON c.id = p.collection_id WHERE (?1 = '' OR c.name = ?1) ORDER BY p.id", (collection,)):
        yield PlaceRecord(*row)


def evidence(tx: Tx, collection: str = '') -> Iterator[EvidenceRecord]:
    """Give the visits of situations that are no scene yet."""
    for row in tx.execute(
            'SELECT e.bucket, e.visits, c.name, e.last_at, e.features FROM situation_evidence e'
            " JOIN collection c ON c.id = e.collection_id WHERE (?1 = '' OR c.name = ?1) ORDER BY c.id, e.bucket",
            (collection,)):
        yield EvidenceRecord(row[0], row[1], row[2], row[3], tuple(from_json(row[4]).items()))


def _occurrences(tx: Tx, first: int, last: int) -> dict[int, list[Occurrence]]:
    found: dict[int, list[Occurrence]] = {}
    for row in tx.execute(
            f'SELECT memory_id, {COLUMNS} FROM occurrence WHERE memory_id BETWEEN ? AND ?'
            ' ORDER BY memory_id, at, id', (first, last)):
        found.setdefault(row[0], []).append(occurrence_from_row(row[1:]))
    return found


def _ties(tx: Tx, first: int, last: int) -> dict[int, list[SceneTie]]:
    found: dict[int, list[SceneTie]] = {}
    for memory_id, *tie in tx.execute(
            'SELECT r.memory_id, s.key, r.weight, r.last_updated FROM scene_ref r JOIN scene s ON s.id = r.scene_id'
            ' WHERE r.memory_id BETWEEN ? AND ? ORDER BY r.memory_id, s.key', (first, last)):
        found.setdefault(memory_id, []).append(SceneTie(*tie))
    return found


def _earlier(tx: Tx, first: int, last: int) -> dict[int, list[tuple[int, str]]]:
    found: dict[int, list[tuple[int, str]]] = {}
    for memory_id, replaced_at, content in tx.execute(
            'SELECT memory_id, replaced_at, content FROM memory_text WHERE memory_id BETWEEN ? AND ? ORDER BY rowid',
            (first, last)):
        found.setdefault(memory_id, []).append((replaced_at, content))
    return found
