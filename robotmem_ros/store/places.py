"""The centres of places, so that a place keeps its name for good."""

from __future__ import annotations

from collections.abc import Iterable

from robotmem_ros.core.places import Centre
from robotmem_ros.store.tx import Tx


def add(tx: Tx, collection_id: int, centres: Iterable[Centre], now_ns: int) -> None:
    """Write centres that were founded; a name is unique in its collection."""
    tx.executemany(
        'INSERT INTO place (collection_id, name, map_id, frame_id, x, y, z, created_at)'
        ' VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        [(collection_id, c.name, c.map_id, c.frame_id, c.x, c.y, c.z, now_ns) for c in centres])


def known(tx: Tx, collection_id: int) -> list[Centre]:
    """Give all centres of a collection, the oldest first."""
    rows = tx.execute(
        'SELECT name, map_id, frame_id, x, y, z FROM place WHERE collection_id = ? ORDER BY id', (collection_id,))
    return [Centre(*row) for row in rows]


def named(tx: Tx, collection_id: int, name: str) -> Centre | None:
    """Give the centre of this name, if a pose ever led to it."""
    row = tx.one(
        'SELECT name, map_id, frame_id, x, y, z FROM place WHERE collection_id = ? AND name = ?', (collection_id, name))
    return None if row is None else Centre(*row)
