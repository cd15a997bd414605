"""Writes records of another file into this one; what is here already is recognised and stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b

from robotmem_ros.errors import Conflict
from robotmem_ros.settings import HebbianSettings
from robotmem_ros.store import dump, edges, evidence, memories, occurrences
from robotmem_ros.store.memories import NewMemory
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.records import (
    EvidenceRecord,
    MemoryRecord,
    PlaceRecord,
    SceneRecord,
    SceneTie,
    SessionRecord,
)
from robotmem_ros.store.tx import Tx

Signature = tuple[int, str, int, bytes]
"""Collection, type, time of creation and digest of the text: who has all four is the same memory."""


def signature(collection_id: int, kind: str, created_at_ns: int, content: str) -> Signature:
    """Give what a memory is recognised by when it comes again."""
    return collection_id, kind, created_at_ns, blake2b(content.encode(), digest_size=8).digest()


def signatures(tx: Tx) -> dict[Signature, list[int]]:
    """Give the ids of all memories by signature: of every status, and by every text that they ever had."""
    known: dict[Signature, list[int]] = {}
    for memory_id, *row in tx.execute(
            'SELECT id, collection_id, type, created_at, content FROM memory'
            ' UNION SELECT m.id, m.collection_id, m.type, m.created_at, t.content'
            ' FROM memory_text t JOIN memory m ON m.id = t.memory_id ORDER BY 1'):
        known.setdefault(signature(*row), []).append(memory_id)
    return known


def insert(tx: Tx, collection_id: int, record: MemoryRecord, now_ns: int) -> int:
    """Store a memory as its record has it; gives its id. Occurrences, tags and scenes come after (:func:`enrich`)."""
    created = record.created_at_ns or now_ns
    anchor = record.anchor_ns or max(created, record.last_accessed_ns)
    memory_id = memories.insert(tx, NewMemory(
        collection_id=collection_id, type=record.type, content=record.content, created_at_ns=created,
        category=record.category, confidence=record.confidence, strength=record.strength, tier=record.tier,
        session_id=record.session_id, perception_type=record.perception_type, data=record.data, source=record.source,
        seq=record.seq))
    tx.execute(
        'UPDATE memory SET use_count = ?, use_days = ?, last_accessed = ?, decay_anchor = ? WHERE id = ?',
        (record.use_count, record.use_days, record.last_accessed_ns, max(1, anchor - dump.skipped_ns(tx)), memory_id))
    tx.executemany(
        'INSERT INTO memory_text (memory_id, replaced_at, content) VALUES (?, ?, ?)',
        [(memory_id, replaced_at, text) for replaced_at, text in record.earlier])
    return memory_id


def enrich(tx: Tx, collection_id: int, memory_id: int, record: MemoryRecord) -> int:
    """Add the occurrences, tags and ties of a record that the memory has not; gives how many occurrences were new."""
    known = {_moment(item) for item in occurrences.of(tx, memory_id)}
    new = [item for item in record.occurrences if _moment(item) not in known]
    for item in new:
        occurrences.add(tx, memory_id, item)
    memories.add_tags(tx, memory_id, record.tags)
    for tie in record.scenes:
        _tie(tx, collection_id, memory_id, tie)
    return len(new)


def _moment(item: Occurrence) -> tuple[object, ...]:
    return item.at_ns, item.session_id, item.context.strip(), item.pose and (item.pose.map_id, item.pose.x, item.pose.y)


def _tie(tx: Tx, collection_id: int, memory_id: int, tie: SceneTie) -> None:
    tx.execute(
        'INSERT OR IGNORE INTO scene_ref (scene_id, memory_id, weight, last_updated)'
        ' SELECT id, ?, ?, ? FROM scene WHERE collection_id = ? AND key = ?',
        (memory_id, tie.weight, tie.last_updated_ns, collection_id, tie.key))


def put_edge(tx: Tx, a: int, b: int, weight: float, last_updated_ns: int, settings: HebbianSettings) -> bool:
    """Store an edge as it was; ``False`` where there is one already or cannot be one."""
    anchor = max(1, last_updated_ns - dump.skipped_ns(tx)) if last_updated_ns else 0
    return edges.restore(tx, a, b, weight, anchor, settings)


def put_session(tx: Tx, collection_id: int, record: SessionRecord, ids: Mapping[str, int]) -> bool:
    """Store an episode; ``False`` where it is known.

    :param ids: id of a memory here by its id there, for the memories that its end answered with.
    :raises Conflict: if the id belongs to a session of another collection.
    """
    other = tx.value('SELECT collection_id FROM session WHERE id = ?', (record.id,))
    if other is not None and other != collection_id:
        raise Conflict('session', f'{record.id!r} is a session of another collection here')
    tx.execute(
        'INSERT OR IGNORE INTO session (id, collection_id, context, started_at, ended_at, outcome_score, result)'
        ' VALUES (?, ?, ?, ?, ?, ?, ?)',
        (record.id, collection_id, record.context, record.started_at_ns, record.ended_at_ns, record.outcome_score,
         _renamed(record.result, ids)))
    return tx.changes > 0


def _renamed(result: str, ids: Mapping[str, int]) -> str:
    if not result:
        return result
    answer = json.loads(result)
    related = [ids[str(i)] for i in answer.get('related', ()) if str(i) in ids]
    answer['related'] = related
    if isinstance(answer.get('summary'), dict):
        answer['summary']['related_ids'] = related
    return json.dumps(answer, ensure_ascii=False)


def put_scene(tx: Tx, collection_id: int, record: SceneRecord) -> bool:
    """Store a scene; of one that is known, the more seen and the later stays, so that a second time changes nothing."""
    known = tx.value('SELECT id FROM scene WHERE collection_id = ? AND key = ?', (collection_id, record.key))
    tx.execute(
        'INSERT INTO scene (collection_id, key, origin, strength, created_at, last_hit) VALUES (?, ?, ?, ?, ?, ?)'
        " ON CONFLICT DO UPDATE SET origin = iif(excluded.origin = 'declared', 'declared', origin),"
        ' strength = max(strength, excluded.strength), last_hit = max(last_hit, excluded.last_hit)',
        (collection_id, record.key, record.origin, record.strength, record.created_at_ns, record.last_hit_ns))
    scene_id = tx.last_id if known is None else known
    tx.executemany(
        'INSERT INTO scene_feature (scene_id, kind, value, visits) VALUES (?, ?, ?, ?)'
        ' ON CONFLICT DO UPDATE SET visits = max(visits, excluded.visits)',
        [(scene_id, feature.kind, feature.value, visits) for feature, visits in record.features])
    return known is None


def has_scene(tx: Tx, collection_id: int, key: str) -> bool:
    """Tell whether there is a scene of this very key."""
    return tx.one('SELECT 1 FROM scene WHERE collection_id = ? AND key = ?', (collection_id, key)) is not None


def put_place(tx: Tx, collection_id: int, record: PlaceRecord) -> bool:
    """Store the centre of a place; ``False`` where it is known.

    :raises Conflict: if a place of that name lies elsewhere.
    """
    centre = (record.map_id, record.frame_id, record.x, record.y, record.z)
    known = tx.one('SELECT map_id, frame_id, x, y, z FROM place WHERE collection_id = ? AND name = ?',
                   (collection_id, record.name))
    if known is not None and known != centre:
        raise Conflict('place', f'{record.name!r} lies elsewhere here, at ({known[2]:.1f}, {known[3]:.1f})')
    tx.execute(
        'INSERT OR IGNORE INTO place (collection_id, name, map_id, frame_id, x, y, z, created_at)'
        ' VALUES (?, ?, ?, ?, ?, ?, ?, ?)', (collection_id, record.name, *centre, record.created_at_ns))
    return tx.changes > 0


def put_evidence(tx: Tx, collection_id: int, record: EvidenceRecord) -> bool:
    """Store the visits of a situation; ``False`` where some are known, or where it has become a scene."""
    if has_scene(tx, collection_id, record.bucket):
        return False
    tx.execute(
        'INSERT OR IGNORE INTO situation_evidence (collection_id, bucket, visits, last_at, features)'
        ' VALUES (?, ?, ?, ?, ?)',
        (collection_id, record.bucket, record.visits, record.last_at_ns, evidence.as_json(dict(record.features))))
    return tx.changes > 0
