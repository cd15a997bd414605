"""Counts for people: what the memory holds and in what state it is."""

from __future__ import annotations

from collections import Counter
from typing import Any

from robotmem_ros.settings import DecaySettings
from robotmem_ros.store import collections, sessions, vectors
from robotmem_ros.store.filters import CONFIDENCE, confidence_args
from robotmem_ros.store.retention import RETENTION, retention_args
from robotmem_ros.store.tx import Tx


def counts(tx: Tx, collection: str, now_ns: int, decay: DecaySettings) -> dict[str, Any]:
    """Count what a collection holds; all zero for one that nothing was ever stored in, but what is of the whole file.

    Keys: ``collection, total, by_status, by_tier, by_type, bands`` (retention of active memories: faded
    < 0.15, danger < 0.35, healthy <= 0.65, strong), ``hidden`` (active, but below the recall threshold now),
    ``edges, linked_memories, average_edges`` (edges per linked memory, as seed 004 counts), ``scenes`` (by origin),
    ``empty_scenes`` (hit, but nothing hangs on them), ``feature_kinds`` (scenes that each kind stands
    in), ``occurrences`` of active memories, ``open_sessions, ended_sessions``; of the whole file ``pending_vectors``.
    """
    collection_id = collections.known_id(tx, collection) or 0
    by_status: dict[str, int] = dict(tx.execute(
        'SELECT status, count(*) FROM memory WHERE collection_id = ? GROUP BY status', (collection_id,)))
    return {
        'collection': collection,
        'total': sum(by_status.values()),
        'by_status': by_status,
        **_active(tx, collection_id, now_ns, decay),
        **_edges(tx, collection_id),
        **_scenes(tx, collection_id),
        'occurrences': tx.value(
            "SELECT count(*) FROM occurrence o JOIN memory m ON m.id = o.memory_id"
            " WHERE m.collection_id = ? AND m.status = 'active'", (collection_id,)),
        'open_sessions': sessions.open_count(tx, collection_id),
        'ended_sessions': tx.value(
            'SELECT count(*) FROM session WHERE collection_id = ? AND ended_at <> 0', (collection_id,)),
        'pending_vectors': vectors.pending_count(tx),
    }


def headline(tx: Tx, collection: str) -> tuple[int, int]:
    """Count the active memories and the scenes of a collection, both in an index: a start must not read the file."""
    collection_id = collections.known_id(tx, collection) or 0
    return (
        int(tx.value("SELECT count(*) FROM memory WHERE collection_id = ? AND status = 'active'", (collection_id,))),
        int(tx.value('SELECT count(*) FROM scene WHERE collection_id = ?', (collection_id,))),
    )


def decayed_count(tx: Tx, collection_id: int, now_ns: int, decay: DecaySettings) -> int:
    """Count the active memories whose effective confidence is below half of the stored one."""
    return int(tx.value(
        f"SELECT count(*) FROM memory m WHERE m.status = 'active' AND m.collection_id = :collection"
        f' AND ({CONFIDENCE}) < m.confidence / 2',
        {'collection': collection_id, **confidence_args(now_ns, decay)}))


def _active(tx: Tx, collection_id: int, now_ns: int, decay: DecaySettings) -> dict[str, Any]:
    """Count the active memories by all that is asked for, in one pass over them: it is most of the time."""
    groups = tx.execute(
        "SELECT tier, type, CASE WHEN r < 0.15 THEN 'faded' WHEN r < 0.35 THEN 'danger' WHEN r <= 0.65 THEN 'healthy'"
        " ELSE 'strong' END AS band, c < :floor AS is_hidden, count(*) FROM"
        f' (SELECT m.tier, m.type, {RETENTION} AS r, {CONFIDENCE} AS c FROM memory m'
        " WHERE m.status = 'active' AND m.collection_id = :collection) GROUP BY tier, type, band, is_hidden",
        {'collection': collection_id, **retention_args(now_ns, decay), **confidence_args(now_ns, decay)})
    tiers, types, hidden = Counter[str](), Counter[str](), 0
    bands = Counter[str](faded=0, danger=0, healthy=0, strong=0)
    for tier, kind, band, is_hidden, count in groups:
        tiers[tier] += count
        types[kind] += count
        bands[band] += count
        hidden += count * is_hidden
    return {'by_tier': dict(tiers), 'by_type': dict(types), 'bands': dict(bands), 'hidden': hidden}


def _edges(tx: Tx, collection_id: int) -> dict[str, Any]:
    """Count from the memories to their edges, all in indexes; an edge counts with its first memory."""
    edges, linked = tx.one(
        'SELECT coalesce(sum(own), 0), coalesce(sum(own > 0 OR'
        ' EXISTS (SELECT 1 FROM co_occurrence WHERE memory_b = id)), 0)'
        ' FROM (SELECT id, (SELECT count(*) FROM co_occurrence WHERE memory_a = m.id) AS own FROM memory m'
        " WHERE m.status = 'active' AND m.collection_id = ?)", (collection_id,)) or (0, 0)
    return {'edges': edges, 'linked_memories': linked, 'average_edges': edges / linked if linked else 0.0}


def _scenes(tx: Tx, collection_id: int) -> dict[str, Any]:
    origins: dict[str, int] = dict(tx.execute(
        'SELECT origin, count(*) FROM scene WHERE collection_id = ? GROUP BY origin', (collection_id,)))
    kinds = tx.execute(
        'SELECT f.kind, count(DISTINCT f.scene_id) AS n FROM scene_feature f JOIN scene s ON s.id = f.scene_id'
        ' WHERE s.collection_id = ? GROUP BY f.kind ORDER BY n DESC, f.kind', (collection_id,))
    return {
        'scenes': {'emergent': origins.get('emergent', 0), 'declared': origins.get('declared', 0)},
        'empty_scenes': tx.value(
            'SELECT count(*) FROM scene s WHERE s.collection_id = ? AND s.strength > 0'
            ' AND NOT EXISTS (SELECT 1 FROM scene_ref r WHERE r.scene_id = s.id)', (collection_id,)),
        'feature_kinds': dict(kinds),
    }
