"""Keeps the vectors in memory in step with the file, by the ids that were given out (decision 15).

Table ``vector`` never gives an id twice, so the last one given out says what a transaction may see that the index
does not hold yet, whoever wrote it. What is not committed never gets into the index.
"""

from __future__ import annotations

from robotmem_ros.store.tx import Tx
from robotmem_ros.store.vector_index import Space, View

AT_ONCE = 512
"""Vectors that a search reads by itself before it begins, a few milliseconds; with more missing, it does without."""
MOST_HELD = 300_000
"""Beyond this nothing is held (130 MB of 384 numbers each): a small computer needs its memory for other things."""


def view(tx: Tx, space: Space) -> View | None:
    """
    Give what is held, brought up to all that ``tx`` can see and others have committed.

    ``None`` where too much is missing, or where ``tx`` sees an older state than the index.
    """
    held, given = tx.index.view(space), _given_out(tx)
    if not held.last <= given <= held.last + AT_ONCE:
        return None
    if given > held.last and not tx.has_changes:
        advance(tx, space, AT_ONCE)
        held = tx.index.view(space)
        return held if held.last == given else None
    return held


def uncommitted(tx: Tx, held: View, collection_id: int) -> list[int]:
    """Give the ids of a collection's vectors that only ``tx`` sees."""
    if not tx.has_changes:
        return []
    return [row[0] for row in tx.execute(
        'SELECT id FROM vector WHERE id > ? AND collection_id = ?', (held.last, collection_id))]


def advance(tx: Tx, space: Space, limit: int) -> bool:
    """Take ``limit`` more vectors into the index, and tell whether there are more; ``tx`` must not have written."""
    held, given = tx.index.view(space), _given_out(tx)
    if held.last >= given:
        return False
    rows = tx.execute(
        'SELECT v.id, v.collection_id, e.embedding FROM vector v CROSS JOIN memory_vec e ON e.id = v.id'
        ' WHERE v.id > ? ORDER BY v.id LIMIT ?', (held.last, limit))
    if held.count() + len(rows) > MOST_HELD:
        tx.index.give_up(space)
        return False
    more = len(rows) == limit
    tx.index.extend(held, rows[-1][0] if more else given, rows)
    return more


def sweep(tx: Tx) -> None:
    """Let go of those vectors of one block, the next in turn, that are deleted by now; ``tx`` must not have written."""
    found, given = tx.index.next_block(), _given_out(tx)
    if found is None:
        return
    collection_id, block = found
    first, last = int(block.ids[0]), int(block.ids[-1])
    if last > given:
        return  # tx sees an older state, in which the newest are not there yet
    alive = tx.execute(
        'SELECT id FROM vector WHERE id BETWEEN ? AND ? AND collection_id = ?', (first, last, collection_id))
    tx.index.retain(collection_id, first, last, [row[0] for row in alive])


def _given_out(tx: Tx) -> int:
    """Give the last id that a vector got, in the state that ``tx`` sees; deleting gives none back."""
    return int(tx.value("SELECT seq FROM sqlite_sequence WHERE name = 'vector'", (), 0))
