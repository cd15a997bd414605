"""Looks for what is wrong inside of a file: numbers for the doctor, nothing is changed."""

from __future__ import annotations

from dataclasses import dataclass

from robotmem_ros.store import vectors
from robotmem_ros.store.tx import Tx

MOST_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was found.

    :ivar problems: what ``quick_check`` and the foreign keys say, at most a few.
    :ivar unindexed: active memories that no words find; ``stray_texts``: index entries of no active memory.
    :ivar lost_vectors: memories whose vector is gone; -1: cannot be told without sqlite-vec.
    :ivar newest_ns: the latest creation, UTC.
    """

    problems: tuple[str, ...]
    active: int
    unindexed: int
    stray_texts: int
    lost_vectors: int
    pending: int
    newest_ns: int
    space: tuple[str, int, str] | None


def examine(tx: Tx) -> Checkup:
    """Examine the whole file: it is read once, from beginning to end."""
    said = [str(row[0]) for row in tx.execute(f'PRAGMA quick_check({MOST_PROBLEMS})') if row[0] != 'ok']
    broken = tx.execute('SELECT DISTINCT "table", parent FROM pragma_foreign_key_check LIMIT ?', (MOST_PROBLEMS,))
    active = "SELECT id FROM memory WHERE status = 'active'"
    return Checkup(
        problems=(*said, *(f'{table} names rows of {parent} that do not exist' for table, parent in broken)),
        active=tx.value(f'SELECT count(*) FROM ({active})'),
        unindexed=tx.value(f'SELECT count(*) FROM ({active} EXCEPT SELECT id FROM memory_fts_docsize)'),
        stray_texts=tx.value(f'SELECT count(*) FROM (SELECT id FROM memory_fts_docsize EXCEPT {active})'),
        lost_vectors=_lost_vectors(tx), pending=vectors.pending_count(tx),
        newest_ns=tx.value('SELECT max(created_at) FROM memory', (), 0) or 0, space=vectors.space(tx))


def _lost_vectors(tx: Tx) -> int:
    if not tx.has_vectors:
        return -1
    if vectors.space(tx) is None:
        return 0
    return int(tx.value(
        'SELECT count(*) FROM memory m WHERE m.vector_id IS NOT NULL'
        ' AND NOT EXISTS (SELECT 1 FROM memory_vec v WHERE v.id = m.vector_id)'))
