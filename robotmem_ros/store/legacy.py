"""Reads a file of robotmem 0.1 (PyPI, tables ``memories``, ``sessions``, ``memory_tags``) without changing it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from robotmem_ros.errors import StoreCorrupt, StoreError
from robotmem_ros.store import migrations, paths
from robotmem_ros.store.tx import Tx

MAGIC = b'SQLite format 3\0'
_COLUMNS = (
    'id', 'session_id', 'collection', 'type', 'content', 'context', 'perception_type', 'perception_data',
    'perception_metadata', 'category', 'confidence', 'status', 'access_count', 'last_accessed', 'created_at',
    'updated_at',
)


def is_database(path: str) -> bool:
    """Tell whether ``path`` is an SQLite file, of whomever.

    :raises StoreError: if it cannot be read, in the system's own words.
    """
    try:
        with Path(path).open('rb') as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise StoreError(path, f'cannot be read ({error.strerror})') from error


@contextmanager
def opened(path: str) -> Iterator[Tx]:
    """Open the file for reading.

    :raises StoreCorrupt: if it is damaged, or not of robotmem 0.1.
    """
    full = paths.resolve(path)
    if not Path(full).is_file():
        raise StoreError(full, 'does not exist')
    if migrations.read_header(full) is None:
        raise StoreCorrupt(full, 'is empty')
    connection = apsw.Connection(full, flags=apsw.SQLITE_OPEN_READONLY)
    tx = Tx(connection, full, has_vectors=False)
    try:
        connection.set_busy_timeout(1000)
        tx.execute('BEGIN')
        tables = {row[0] for row in tx.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        if not tables >= migrations.OLD_TABLES:
            ours = migrations.is_ours(int(connection.pragma('application_id')))
            what = 'is one of robotmem_ros; export it, or restore it' if ours else 'is not one of robotmem 0.1'
            raise StoreCorrupt(full, f'{what}; it is left as it is')
        yield tx
    finally:
        tx.end()
        connection.close(True)


def count(tx: Tx) -> int:
    """Count sessions and memories of every status."""
    return int(tx.value('SELECT (SELECT count(*) FROM memories) + (SELECT count(*) FROM sessions)'))


def memories(tx: Tx) -> Iterator[dict[str, Any]]:
    """Give the rows of ``memories`` in the order of their ids, each with its ``tags``.

    A column that an early 0.1 had not yet is ``None``.
    """
    there = {row[1] for row in tx.execute("SELECT * FROM pragma_table_info('memories')")}
    chosen = ', '.join(f'm.{name}' if name in there else f'NULL AS {name}' for name in _COLUMNS)
    tags: dict[int, list[str]] = {}
    for memory_id, tag in tx.execute('SELECT memory_id, tag FROM memory_tags ORDER BY memory_id, tag'):
        tags.setdefault(memory_id, []).append(tag)
    last = 0
    while rows := tx.execute(f'SELECT {chosen} FROM memories m WHERE m.id > ? ORDER BY m.id LIMIT 500', (last,)):
        for row in rows:
            values = dict(zip(_COLUMNS, row))
            yield {**values, 'tags': tags.get(values['id'], [])}
        last = rows[-1][0]


def sessions(tx: Tx) -> Iterator[dict[str, Any]]:
    """Give the rows of ``sessions``, each with its last ``score``."""
    there = {row[0] for row in tx.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    score = ('(SELECT o.score FROM session_outcomes o WHERE o.session_id = s.external_id ORDER BY o.id DESC LIMIT 1)'
             if 'session_outcomes' in there else 'NULL')
    names = ('external_id', 'collection', 'context', 'status', 'created_at', 'updated_at', 'score')
    for row in tx.execute(
            f'SELECT s.external_id, s.collection, s.context, s.status, s.created_at, s.updated_at, {score}'
            " FROM sessions s WHERE s.external_id <> '' ORDER BY s.id"):
        yield dict(zip(names, row))
