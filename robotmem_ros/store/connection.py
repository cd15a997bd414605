"""One SQLite connection as this package wants it: durable, checked, with vectors where possible."""

from __future__ import annotations

import time
from collections.abc import Callable

import apsw

from robotmem_ros.errors import StoreError
from robotmem_ros.store.tx import typed_errors

WAL_LIMIT_BYTES = 64 * 1024 * 1024
"""The ``-wal`` file is cut back to this after a checkpoint; a 4 GB eMMC must not fill up."""
MMAP_BYTES = 1 << 30
"""Readers map the file: a scan over vectors then copies nothing (about twice as fast)."""
WRITER_CACHE_KIB, READER_CACHE_KIB = 16_384, 4_096
RETRY_S = 0.01
NEEDED = ('ENABLE_FTS5', 'ENABLE_RTREE', 'ENABLE_MATH_FUNCTIONS')
NEEDED_VERSION = (3, 45)
"""contentless_delete came with 3.43; JSON labels compare equal however they are escaped since 3.45."""


def sqlite_version() -> str:
    """Give the version of the SQLite that apsw brings (not the one of Python's sqlite3)."""
    return apsw.sqlite_lib_version()


def check_sqlite(path: str) -> None:
    """Refuse an SQLite that lacks what the schema uses: a distribution may build apsw against its own.

    :raises StoreError: naming the version that was found and what is needed.
    """
    missing = [option for option in NEEDED if option not in apsw.compile_options]
    found = tuple(int(part) for part in sqlite_version().split('.')[:2])
    if missing or found < NEEDED_VERSION:
        lacks = f' without {", ".join(missing)}' if missing else ''
        raise StoreError(path, f'needs SQLite >= 3.45 with FTS5, R*Tree and maths, found {sqlite_version()}{lacks}')


def load_vectors(connection: apsw.Connection) -> str:
    """Load sqlite-vec; give '' or the reason why there are no vectors (no wheel for this board, for one)."""
    try:
        import sqlite_vec
    except ImportError as error:
        return f'sqlite-vec is not installed ({error})'
    try:
        connection.enable_load_extension(True)
        connection.load_extension(sqlite_vec.loadable_path())
    except (AttributeError, apsw.Error) as error:
        return f'sqlite-vec cannot be loaded ({error})'
    connection.enable_load_extension(False)
    return ''


def open_connection(
    path: str, *, writer: bool, busy_timeout_s: float, vectors: bool = True
) -> tuple[apsw.Connection, str]:
    """Open the existing file ``path`` and set it up.

    :param writer: the one that writes (WAL, ``synchronous=FULL``); else it refuses writes.
    :param busy_timeout_s: how long a lock of another process is waited for, seconds.
    :param vectors: try to load sqlite-vec.
    :return: the connection, and '' or the reason why it has no vectors.
    :raises StoreError: if the file or its folder cannot be used, or a pragma did not take effect.
    """
    with typed_errors(path):
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE, statementcachesize=200)
        try:
            connection.set_busy_timeout(round(busy_timeout_s * 1000))
            # The busy limit holds from here on: turning WAL on needs a lock of its own.
            wanted: dict[str, object] = {'foreign_keys': 1}
            if writer:
                if connection.readonly('main'):
                    raise StoreError(path, 'cannot be written (read-only file or file system)')
                wanted |= {'journal_mode': 'wal', 'synchronous': 2, 'journal_size_limit': WAL_LIMIT_BYTES,
                           'cache_size': -WRITER_CACHE_KIB}
            else:
                wanted |= {'query_only': 1, 'mmap_size': MMAP_BYTES, 'cache_size': -READER_CACHE_KIB}
            connection.pragma('temp_store', 'memory')
            for name, value in wanted.items():
                _patiently(lambda: set_pragma(connection, path, name, value), busy_timeout_s)  # noqa: B023  called at once
            return connection, load_vectors(connection) if vectors else 'not asked for'
        except BaseException:
            connection.close(True)
            raise


def _patiently(action: Callable[[], None], limit_s: float) -> None:
    """Do ``action`` again while the file is locked: for a change to WAL, SQLite does not ask its own busy handler."""
    deadline = time.monotonic() + limit_s
    while True:
        try:
            return action()
        except apsw.BusyError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(RETRY_S)


def set_pragma(connection: apsw.Connection, path: str, name: str, value: object) -> None:
    """Set a pragma and read it back, since SQLite ignores without a word what it cannot do.

    :raises StoreError: if another value is in force (a network share without WAL, for one).
    """
    connection.pragma(name, value)
    found = connection.pragma(name)
    if found != value and name != 'mmap_size':  # an SQLite built with a smaller mmap limit is only slower
        raise StoreError(path, f'PRAGMA {name} stays {found}, {value} is needed')
