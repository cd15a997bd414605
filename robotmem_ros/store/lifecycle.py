"""What happens to a memory after it was stored: corrected, merged, retired, purged."""

from __future__ import annotations

from collections.abc import Iterable

from robotmem_ros.core import text as texts
from robotmem_ros.model import ACTIVE
from robotmem_ros.settings import HebbianSettings
from robotmem_ros.store import edges, fulltext, occurrences, vectors
from robotmem_ros.store.tx import Tx, is_id


def replace_text(tx: Tx, memory_id: int, new_text: str, now_ns: int) -> None:
    """Give a memory another text under the same id; the old one is archived, the vector is pending."""
    tx.execute(
        'INSERT INTO memory_text (memory_id, replaced_at, content) SELECT id, ?, content FROM memory WHERE id = ?',
        (now_ns, memory_id))
    vectors.remove(tx, memory_id)
    tx.execute(
        'UPDATE memory SET content = ?, content_hash = ?, vector_state = 0 WHERE id = ?',
        (new_text, texts.content_hash(new_text), memory_id))
    fulltext.put(tx, memory_id, new_text)


def set_status(
    tx: Tx, memory_id: int, status: str, reason: str, now_ns: int, superseded_by: int | None = None
) -> None:
    """Retire a memory: the only way out of ``active``. Its row stays; every search loses it.

    :param status: superseded, forgotten or retired; there is no way back.
    :param superseded_by: the memory that stands for it now.
    """
    if status == ACTIVE:
        raise ValueError('a retired memory does not come back')
    _unsearchable(tx, memory_id)
    tx.execute(
        'UPDATE memory SET status = ?, status_reason = ?, status_at = ?, superseded_by = ? WHERE id = ?',
        (status, reason, now_ns, superseded_by, memory_id))


def inherit(tx: Tx, from_id: int, to_id: int, now_ns: int, settings: HebbianSettings) -> None:
    """Give what hangs on one memory to another: occurrences, tags, scenes, edges, uses, and the better keeping."""
    occurrences.move(tx, from_id, to_id)
    tx.execute('UPDATE OR IGNORE memory_tag SET memory_id = ? WHERE memory_id = ?', (to_id, from_id))
    tx.execute(
        'INSERT INTO scene_ref (scene_id, memory_id, weight, last_updated) SELECT scene_id, :to, weight, last_updated'
        ' FROM scene_ref WHERE memory_id = :from'
        ' ON CONFLICT DO UPDATE SET weight = max(weight, excluded.weight),'
        ' last_updated = max(last_updated, excluded.last_updated)', {'from': from_id, 'to': to_id})
    tx.execute('DELETE FROM scene_ref WHERE memory_id = ?', (from_id,))
    edges.move(tx, from_id, to_id, now_ns, settings)
    tx.execute(
        'UPDATE memory SET use_count = memory.use_count + o.use_count, use_days = max(memory.use_days, o.use_days),'
        ' last_accessed = max(memory.last_accessed, o.last_accessed),'
        ' decay_anchor = max(memory.decay_anchor, o.decay_anchor),'
        " strength = max(memory.strength, o.strength), tier = iif(o.tier = 'ltm', 'ltm', memory.tier)"
        ' FROM memory o WHERE o.id = :from AND memory.id = :to', {'from': from_id, 'to': to_id})


def purge(tx: Tx, ids: Iterable[int]) -> None:
    """Delete memories for good with all that hangs on them; their ids are never used again.

    What was superseded by one of them is superseded by its keeper from then on.
    """
    for memory_id in ids:
        if is_id(memory_id):
            tx.execute(
                'UPDATE memory SET superseded_by = (SELECT k.superseded_by FROM memory k WHERE k.id = ?1)'
                ' WHERE superseded_by = ?1', (memory_id,))
            _unsearchable(tx, memory_id)
            occurrences.remove_all(tx, memory_id)
            tx.execute('DELETE FROM memory WHERE id = ?', (memory_id,))  # the rest goes by foreign keys


def _unsearchable(tx: Tx, memory_id: int) -> None:
    fulltext.remove(tx, memory_id)
    vectors.remove(tx, memory_id)
    edges.remove_all(tx, memory_id)
    tx.execute('DELETE FROM scene_ref WHERE memory_id = ?', (memory_id,))
