"""Each time that something was learned: when, in which session, context, place and situation."""

from __future__ import annotations

import json
from dataclasses import dataclass

from robotmem_ros.model import Feature, Pose
from robotmem_ros.store.tx import Row, Tx

MOST = 256
"""Occurrences kept of one memory, the newest."""
COLUMNS = (
    'at, observed_at, session_id, context, bucket, fingerprint, frame_id, x, y, z, qx, qy, qz, qw, map_id, observed_at'
)
"""What :func:`occurrence_from_row` reads."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One learning of a memory.

    :ivar at_ns: when it was stored; ages and time filters count from here.
    :ivar observed_at_ns: the message's own stamp, 0 where it had none.
    :ivar context: a JSON object, or ''.
    :ivar bucket: identity key of the situation, '' where there was none.
    :ivar fingerprint: all features of the situation.
    """

    at_ns: int
    observed_at_ns: int = 0
    session_id: str = ''
    context: str = ''
    pose: Pose | None = None
    bucket: str = ''
    fingerprint: tuple[Feature, ...] = ()


def add(tx: Tx, memory_id: int, item: Occurrence) -> int:
    """Add one occurrence, drop the oldest beyond ``MOST``, and give the new one's id."""
    pose = item.pose
    place = ('', '', None, None, None, None, None, None, None) if pose is None else (
        pose.map_id, pose.frame_id, pose.x, pose.y, pose.z, *pose.quaternion)
    features = [str(feature) for feature in item.fingerprint]
    tx.execute(
        'INSERT INTO occurrence (memory_id, at, observed_at, session_id, context, map_id, frame_id, x, y, z,'
        ' qx, qy, qz, qw, bucket, fingerprint) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)',
        (memory_id, item.at_ns, item.observed_at_ns, item.session_id, item.context.strip(), *place, item.bucket,
         json.dumps(features, ensure_ascii=False) if features else ''),
    )
    occurrence_id = tx.last_id
    if pose is not None:
        tx.execute(
            'INSERT INTO occurrence_place VALUES (?1, ?2, ?2, ?3, ?3, ?4, ?4)',
            (occurrence_id, pose.x, pose.y, pose.z))
    prune(tx, memory_id)
    return occurrence_id


def perceived_already(tx: Tx, collection_id: int, source: str, seq: int, observed_at_ns: int) -> int:
    """Give the perception with this number and stamp of this source, whatever became of it; 0 where there is none."""
    return int(tx.value(
        "SELECT m.id FROM memory m JOIN occurrence o ON o.memory_id = m.id WHERE m.type = 'perception' AND m.seq > 0"
        ' AND m.source = ? AND m.seq = ? AND m.collection_id = ? AND o.observed_at = ? LIMIT 1',
        (source, seq, collection_id, observed_at_ns), 0))


def prune(tx: Tx, memory_id: int) -> None:
    """Drop the oldest occurrences beyond ``MOST``."""
    old = tx.execute(
        'SELECT id FROM occurrence WHERE memory_id = ? ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?', (memory_id, MOST))
    tx.executemany('DELETE FROM occurrence_place WHERE id = ?', old)
    tx.executemany('DELETE FROM occurrence WHERE id = ?', old)


def move(tx: Tx, from_id: int, to_id: int) -> None:
    """Give all occurrences of one memory to another; of both together the newest ``MOST`` stay."""
    tx.execute('UPDATE occurrence SET memory_id = ? WHERE memory_id = ?', (to_id, from_id))
    prune(tx, to_id)


def remove_all(tx: Tx, memory_id: int) -> None:
    """Delete the occurrences of a memory that is purged."""
    tx.execute('DELETE FROM occurrence_place WHERE id IN (SELECT id FROM occurrence WHERE memory_id = ?)', (memory_id,))
    tx.execute('DELETE FROM occurrence WHERE memory_id = ?', (memory_id,))


def newest(tx: Tx, memory_id: int) -> Occurrence | None:
    """Give the newest occurrence of a memory."""
    row = tx.one(
        f'SELECT {COLUMNS} FROM occurrence WHERE memory_id = ? ORDER BY at DESC, id DESC LIMIT 1', (memory_id,))
    return None if row is None else occurrence_from_row(row)


def of(tx: Tx, memory_id: int) -> list[Occurrence]:
    """Give all occurrences of a memory, the oldest first."""
    rows = tx.execute(f'SELECT {COLUMNS} FROM occurrence WHERE memory_id = ? ORDER BY at, id', (memory_id,))
    return [occurrence_from_row(row) for row in rows]


def occurrence_from_row(row: Row) -> Occurrence:
    """Read ``COLUMNS``."""
    features = tuple(map(Feature.read, json.loads(row[5] or '[]')))
    return Occurrence(row[0], row[1], row[2], row[3], pose_from_row(row[6:]), row[4], features)


def pose_from_row(row: Row) -> Pose | None:
    """Read frame_id, x, y, z, qx, qy, qz, qw, map_id and observed_at of an occurrence."""
    if not row[0]:
        return None
    return Pose(row[0], row[1], row[2], row[3], (row[4], row[5], row[6], row[7]), row[8], row[9])
