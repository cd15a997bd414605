"""Small facts about the file itself, by name."""

from __future__ import annotations

from robotmem_ros.store.tx import Tx


def get(tx: Tx, key: str) -> str | None:
    """Give a fact, ``None`` where it was never put."""
    found = tx.value('SELECT value FROM meta WHERE key = ?', (key,))
    return None if found is None else str(found)


def put(tx: Tx, key: str, value: str) -> None:
    """Write a fact."""
    tx.execute('INSERT OR REPLACE INTO meta VALUES (?, ?)', (key, value))
