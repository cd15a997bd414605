"""Rows of ``session``: one episode of work each."""

from __future__ import annotations

from dataclasses import dataclass

from robotmem_ros.store.memory_row import COLUMNS, MemoryRow, memory_from_row
from robotmem_ros.store.tx import Tx


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A stored session; ``ended_at_ns`` is 0 while it is open, ``fact_count`` its active facts."""

    id: str
    collection_id: int
    collection: str
    context: str
    started_at_ns: int
    ended_at_ns: int
    outcome_score: float | None
    result: str
    fact_count: int


def create(tx: Tx, session_id: str, collection_id: int, context: str, now_ns: int) -> None:
    """Store a session that has begun."""
    tx.execute(
        'INSERT INTO session (id, collection_id, context, started_at) VALUES (?, ?, ?, ?)',
        (session_id, collection_id, context, now_ns))


def get(tx: Tx, session_id: str) -> SessionRow | None:
    """Give the session, ``None`` where it was never started."""
    row = tx.one(
        'SELECT s.id, s.collection_id, c.name, s.context, s.started_at, s.ended_at, s.outcome_score, s.result,'
        " (SELECT count(*) FROM memory m WHERE m.session_id = s.id AND m.session_id <> '' AND m.status = 'active'"
        " AND m.type = 'fact') FROM session s JOIN collection c ON c.id = s.collection_id WHERE s.id = ?",
        (session_id,))
    return None if row is None else SessionRow(*row)


def end(tx: Tx, session_id: str, now_ns: int, outcome_score: float | None, result: str) -> None:
    """Close a session with what its end answered (JSON); one that has ended stays as it is."""
    tx.execute(
        'UPDATE session SET ended_at = ?, outcome_score = ?, result = ? WHERE id = ? AND ended_at = 0',
        (max(now_ns, 1), outcome_score, result, session_id))


def open_count(tx: Tx, collection_id: int) -> int:
    """Count the sessions of a collection that have not ended."""
    return int(tx.value('SELECT count(*) FROM session WHERE collection_id = ? AND ended_at = 0', (collection_id,)))


_IDLE = (
    's.ended_at = 0 AND s.started_at BETWEEN 1 AND :before AND coalesce((SELECT o.at FROM occurrence o'
    " WHERE o.session_id = s.id AND o.session_id <> '' ORDER BY o.id DESC LIMIT 1), 0) <= :before"
)
"""Session ``s`` is open, and neither began nor learned anything after ``:before``."""


def idle(tx: Tx, before_ns: int, limit: int) -> list[str]:
    """Give open sessions in which nothing was learned since ``before_ns``, the oldest first."""
    return [row[0] for row in tx.execute(
        f'SELECT s.id FROM collection c CROSS JOIN session s ON s.collection_id = c.id WHERE {_IDLE}'
        ' ORDER BY s.started_at LIMIT :limit', {'before': before_ns, 'limit': limit})]


def idle_count(tx: Tx, collection: str, before_ns: int) -> int:
    """Count the open sessions of a collection in which nothing was learned since ``before_ns``."""
    return int(tx.value(
        'SELECT count(*) FROM session s WHERE s.collection_id = (SELECT id FROM collection WHERE name = :collection)'
        f' AND {_IDLE}', {'before': before_ns, 'collection': collection}))


def is_idle(tx: Tx, session_id: str, before_ns: int) -> bool:
    """Tell whether a session is open and nothing was learned in it since ``before_ns``."""
    found = tx.one(f'SELECT 1 FROM session s WHERE s.id = :id AND {_IDLE}', {'before': before_ns, 'id': session_id})
    return found is not None


def set_outcome(tx: Tx, session_id: str, outcome_score: float, result: str) -> None:
    """Add an outcome to a session that ended without one."""
    tx.execute('UPDATE session SET outcome_score = ?, result = ? WHERE id = ? AND outcome_score IS NULL',
               (outcome_score, result, session_id))


def facts(tx: Tx, session_id: str) -> list[MemoryRow]:
    """Give the active facts that the session created, oldest first."""
    return [memory_from_row(row) for row in tx.execute(
        f"SELECT {COLUMNS} FROM memory m WHERE m.session_id = ? AND m.session_id <> '' AND m.status = 'active'"
        " AND m.type = 'fact' ORDER BY m.id", (session_id,))]
