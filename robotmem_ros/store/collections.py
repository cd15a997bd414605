"""Names of collections and their ids."""

from __future__ import annotations

from robotmem_ros.store.tx import Tx


def collection_id(tx: Tx, name: str) -> int:
    """Give the id of ``name``, made if it is new (needs a writing transaction)."""
    known = known_id(tx, name)
    if known is not None:
        return known
    tx.execute('INSERT INTO collection (name) VALUES (?)', (name,))
    return tx.last_id


def known_id(tx: Tx, name: str) -> int | None:
    """Give the id of ``name``, ``None`` where nothing was ever stored in it."""
    found = tx.value('SELECT id FROM collection WHERE name = ?', (name,))
    return None if found is None else int(found)


def names(tx: Tx) -> list[str]:
    """Give the names of all collections, sorted."""
    return [row[0] for row in tx.execute('SELECT name FROM collection ORDER BY name')]


def ids(tx: Tx) -> list[int]:
    """Give the ids of all collections."""
    return [row[0] for row in tx.execute('SELECT id FROM collection ORDER BY id')]
