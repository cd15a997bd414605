"""What the file knows of the clock, and the moving of stamps that a wrong clock made (``core.timeline``)."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from robotmem_ros.core.timeline import Marks, Shift, Timeline
from robotmem_ros.store.tx import Tx

KEY = 'clock'

_MOVE_MEMORIES = """
UPDATE memory SET
  created_at = iif(id > :mark AND created_at BETWEEN :from AND :until, created_at + :by, created_at),
  last_accessed = iif(last_accessed BETWEEN :from AND :until, last_accessed + :by, last_accessed),
  decay_anchor = iif(decay_anchor BETWEEN :a_from AND :a_until
    AND (id > :mark OR last_accessed BETWEEN :from AND :until), decay_anchor + :by, decay_anchor),
  status_at = iif(status_at BETWEEN :a_from AND :a_until, status_at + :by, status_at)
WHERE id > :low AND id <= :high AND (id > :mark AND created_at BETWEEN :from AND :until
  OR last_accessed BETWEEN :from AND :until OR status_at BETWEEN :a_from AND :a_until)
"""
_MOVE_WHAT_HANGS_ON_THEM = (
    'UPDATE occurrence SET at = at + :by WHERE memory_id > :low AND memory_id <= :high AND id > :mark_o'
    ' AND at BETWEEN :from AND :until',
    'UPDATE co_occurrence SET last_updated = last_updated + :by, due_at = due_at + :by'
    ' WHERE memory_a > :low AND memory_a <= :high AND last_updated BETWEEN :a_from AND :a_until',
    'UPDATE scene_ref SET last_updated = last_updated + :by'
    ' WHERE memory_id > :low AND memory_id <= :high AND last_updated BETWEEN :from AND :until',
    'UPDATE memory_text SET replaced_at = replaced_at + :by'
    ' WHERE memory_id > :low AND memory_id <= :high AND replaced_at BETWEEN :from AND :until',
)
_MOVE_THE_REST = (
    'UPDATE session SET started_at = started_at + :by WHERE started_at BETWEEN :from AND :until',
    'UPDATE session SET ended_at = ended_at + :by WHERE ended_at BETWEEN :from AND :until',
    'UPDATE scene SET created_at = created_at + :by WHERE created_at BETWEEN :from AND :until',
    'UPDATE scene SET last_hit = last_hit + :by WHERE last_hit BETWEEN :from AND :until',
    'UPDATE situation_evidence SET last_at = last_at + :by WHERE last_at BETWEEN :from AND :until',
    'UPDATE place SET created_at = created_at + :by WHERE created_at BETWEEN :from AND :until',
)
_GONE = (
    'collection c CROSS JOIN memory m INDEXED BY memory_gone ON m.collection_id = c.id'
    " AND m.status <> 'active' AND m.status_at <= 0"
)
"""Memories that left the active ones at no known time: dated, or they would be purged at once."""
_DATE = (
    'UPDATE memory SET decay_anchor = :anchor, created_at = iif(created_at <= 0, :utc, created_at) WHERE id IN'
    ' (SELECT id FROM memory WHERE decay_anchor <= 0 OR created_at <= 0 LIMIT :limit)',
    'UPDATE occurrence SET at = :utc WHERE id IN'
    ' (SELECT id FROM occurrence INDEXED BY occurrence_undated WHERE at <= 0 LIMIT :limit)',
    'UPDATE session SET started_at = :utc WHERE id IN (SELECT id FROM session WHERE started_at <= 0 LIMIT :limit)',
    'UPDATE co_occurrence SET last_updated = :anchor WHERE last_updated <= 0 AND memory_a IN'
    ' (SELECT memory_a FROM co_occurrence WHERE last_updated <= 0 LIMIT :limit)',
    'UPDATE scene_ref SET last_updated = :utc WHERE last_updated <= 0 AND memory_id IN'
    ' (SELECT memory_id FROM scene_ref WHERE last_updated <= 0 LIMIT :limit)',
    f'UPDATE memory SET status_at = :anchor WHERE id IN (SELECT m.id FROM {_GONE} LIMIT :limit)',
    'UPDATE scene SET last_hit = :utc, created_at = iif(created_at <= 0, :utc, created_at) WHERE id IN'
    " (SELECT id FROM scene WHERE origin = 'emergent' AND last_hit <= 0 LIMIT :limit)",
    'UPDATE situation_evidence SET last_at = :utc WHERE (collection_id, bucket) IN'
    ' (SELECT collection_id, bucket FROM situation_evidence WHERE last_at <= 0 LIMIT :limit)',
)
_ANY_UNDATED = f"""
SELECT EXISTS (SELECT 1 FROM memory WHERE decay_anchor <= 0 OR created_at <= 0)
  OR EXISTS (SELECT 1 FROM occurrence INDEXED BY occurrence_undated WHERE at <= 0)
  OR EXISTS (SELECT 1 FROM session WHERE started_at <= 0)
  OR EXISTS (SELECT 1 FROM co_occurrence WHERE last_updated <= 0)
  OR EXISTS (SELECT 1 FROM scene_ref WHERE last_updated <= 0)
  OR EXISTS (SELECT 1 FROM {_GONE})
  OR EXISTS (SELECT 1 FROM scene WHERE origin = 'emergent' AND last_hit <= 0)
  OR EXISTS (SELECT 1 FROM situation_evidence WHERE last_at <= 0)
"""


def load(tx: Tx) -> Timeline | None:
    """Give what the file knows of the clock, ``None`` for a new file."""
    stored = tx.value('SELECT value FROM meta WHERE key = ?', (KEY,))
    if stored is None:
        return None
    fields = json.loads(stored)
    shifts = tuple(Shift(**{**shift, 'after': Marks(**shift['after'])}) for shift in fields['shifts'])
    return Timeline(**{**fields, 'after': Marks(**fields['after']), 'shifts': shifts})


def save(tx: Tx, timeline: Timeline) -> None:
    """Write what is known of the clock."""
    tx.execute('INSERT OR REPLACE INTO meta VALUES (?, ?)', (KEY, json.dumps(asdict(timeline))))


def marks(tx: Tx) -> Marks:
    """Give the last ids that were given to memories and occurrences."""
    last: dict[str, int] = dict(tx.execute(
        "SELECT name, seq FROM sqlite_sequence WHERE name IN ('memory', 'occurrence')"))
    return Marks(last.get('memory', 0), last.get('occurrence', 0))


def move(tx: Tx, shift: Shift, limit: int) -> Shift | None:
    """Move the stamps of the next ``limit`` ids of memories; gives what is left to do, ``None`` at the end."""
    args = {
        'from': shift.from_ns, 'until': shift.until_ns, 'by': shift.by_ns, 'mark': shift.after.memory_id,
        'mark_o': shift.after.occurrence_id, 'a_from': shift.from_ns - shift.skipped_ns,
        'a_until': shift.until_ns - shift.skipped_ns, 'low': shift.done_id, 'high': shift.done_id + limit,
    }
    for statement in (_MOVE_MEMORIES, *_MOVE_WHAT_HANGS_ON_THEM):
        tx.execute(statement, args)
    if shift.done_id + limit < marks(tx).memory_id:
        return replace(shift, done_id=shift.done_id + limit)
    for statement in _MOVE_THE_REST:
        tx.execute(statement, args)
    return None


def any_undated(tx: Tx) -> bool:
    """Tell whether a row has no date: a few looks into empty indexes."""
    return bool(tx.value(_ANY_UNDATED))


def date(tx: Tx, utc_ns: int, anchor_ns: int, limit: int) -> int:
    """Date rows that have none (0, or before 1970), at most ``limit`` of each kind; gives how many were dated."""
    dated = 0
    for statement in _DATE:
        tx.execute(statement, {'utc': utc_ns, 'anchor': anchor_ns, 'limit': limit})
        dated += tx.changes
    return dated
