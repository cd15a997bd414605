"""Which version a file has, and how an older one becomes today's.

``MIGRATIONS`` only ever grows: entry ``n`` turns version ``n`` into ``n + 1``, in one transaction with
the new ``user_version``, so that a file is of one version or of the next, never between.

``application_id`` says in its high half that a file is ours, in its low half which of ours it is. It
stands on page 1, which nearly every transaction writes: a ``-wal`` that belongs to another file (left
over when a copy was put in place) shows another id than the file itself and is found before use.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from robotmem_ros.errors import NewerSchema, OldFile, StoreCorrupt, StoreError
from robotmem_ros.store import paths, schema
from robotmem_ros.store.tx import typed_errors

Step = Callable[[apsw.Connection], None]

APPLICATION = 0x726D  # 'rm'
HEADER_BYTES = 100
OLD_TABLES = {'memories', 'sessions', 'memory_tags'}
"""By these a file of robotmem 0.1 is known (``store.legacy`` reads it)."""


def version_1(connection: apsw.Connection) -> None:
    """Make the tables of the first version."""
    connection.execute(schema.VERSION_1).fetchall()


MIGRATIONS: list[Step] = [version_1]


@dataclass(frozen=True, slots=True)
class Header:
    """What the first 100 bytes of a database file say (sqlite.org/fileformat2.html, section 1.3)."""

    page_bytes: int
    pages: int
    user_version: int
    application_id: int


def read_header(path: str) -> Header | None:
    """Read the header without SQLite, which would already change files; ``None`` for an empty file.

    :raises StoreCorrupt: if the file is no SQLite database, or shorter than it says.
    :raises StoreError: if it cannot be read, in the system's own words.
    """
    try:
        with Path(path).open('rb') as file:
            head = file.read(HEADER_BYTES)
            length = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise StoreError(path, f'cannot be read ({error.strerror})') from error
    if not head:
        return None
    if len(head) < HEADER_BYTES or not head.startswith(b'SQLite format 3\0'):
        raise StoreCorrupt(path, f'not an SQLite database ({length} bytes); it is left as it is')
    page_bytes = int.from_bytes(head[16:18], 'big')
    header = Header(
        page_bytes=65_536 if page_bytes == 1 else page_bytes,
        # The number of pages only counts where it was written together with the change counter.
        pages=int.from_bytes(head[28:32], 'big') if head[24:28] == head[92:96] else 0,
        user_version=int.from_bytes(head[60:64], 'big', signed=True),
        application_id=int.from_bytes(head[68:72], 'big', signed=True),
    )
    # With a -wal the missing pages may still be in there: a checkpoint was cut short.
    if header.pages * header.page_bytes > length and not paths.size(path + '-wal'):
        raise StoreCorrupt(path, f'cut short: {header.pages * header.page_bytes} bytes expected, {length} found')
    return header


def inspect(path: str) -> None:
    """Refuse a file that this version must not touch, without changing it.

    :raises NewerSchema: a newer version wrote it.
    :raises StoreCorrupt: it is damaged, of another program, or has the ``-wal`` of another file.
    """
    known = len(MIGRATIONS)
    header = read_header(path)
    if header is None and not paths.size(path + '-wal'):
        return
    if header is not None and is_ours(header.application_id) and header.user_version > known:
        raise NewerSchema(path, header.user_version, known)
    with typed_errors(path):
        # Read-only: recovers the -wal in memory, never writes the file, even where it must be refused.
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            connection.set_busy_timeout(1000)
            # One snapshot: a process that makes the tables meanwhile would show its tables beside the old identity.
            connection.execute('BEGIN').fetchall()
            identity, version = int(connection.pragma('application_id')), int(connection.pragma('user_version'))
            tables = sorted(row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"))
            check_owner(path, header, identity, version, known, tables)
            if tables:
                check_roots(connection)
        finally:
            connection.close(True)


def check_owner(
    path: str, header: Header | None, identity: int, version: int, known: int, tables: Sequence[str]
) -> None:
    """Compare what the file says without its ``-wal`` (``header``) with what it says with it.

    :raises NewerSchema: a newer version wrote it.
    :raises StoreCorrupt: another program's file, or another file's ``-wal``.
    """
    if header is not None and header.application_id and header.application_id != identity:
        raise StoreCorrupt(path, 'its -wal belongs to another file; move the -wal away or bring back its own')
    if not tables:
        return
    if is_ours(identity) and version < 1:
        raise StoreCorrupt(path, f'its schema version is {version}, which no version writes; it is left as it is')
    if not is_ours(identity) and set(tables) >= OLD_TABLES:
        raise OldFile(path, 'written by robotmem 0.1 and left as it is; read it into a new file with: robotmem import')
    if not is_ours(identity):
        raise StoreCorrupt(path, f'written by another program (tables: {", ".join(tables[:5])}); it is left as it is')
    if version > known:
        raise NewerSchema(path, version, known)


def check_roots(connection: apsw.Connection) -> None:
    """Touch the first pages of every table and index.

    A full ``quick_check`` reads the whole file, seconds on an SD card with 100 000 memories; this costs
    a few pages each. Damage deeper down is reported by the statement that meets it.
    """
    trees = connection.execute('SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE rootpage > 0').fetchall()
    for kind, name, table, sql in trees:
        partial = str(sql or '').partition(' WHERE ')[2]  # a partial index serves only queries with its condition
        condition = f' WHERE {partial}' if kind == 'index' and partial else ''
        if kind == 'table' and 'WITHOUT ROWID' in str(sql):
            name, kind = f'sqlite_autoindex_{table}_1', 'index'  # the table is its primary key's index
        tree = f'INDEXED BY {quoted(str(name))}' if kind == 'index' else 'NOT INDEXED'
        connection.execute(f'SELECT 1 FROM {quoted(str(table))} {tree}{condition} LIMIT 1').fetchall()


def quoted(name: str) -> str:
    """Quote an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def is_ours(application_id: int) -> bool:
    """Tell whether this package made the file."""
    return application_id >> 16 == APPLICATION


def new_identity() -> int:
    """Draw an ``application_id`` for one more file of ours."""
    return APPLICATION << 16 | random.SystemRandom().randrange(1, 1 << 16)


def migrate(connection: apsw.Connection, path: str) -> int:
    """Bring the file to the newest version and give the version that it had.

    :raises NewerSchema: if another process brought it to a newer version meanwhile.
    """
    with typed_errors(path):
        found = int(connection.pragma('user_version'))
        while apply_next(connection, path):
            pass
    return found


def check_current(connection: apsw.Connection, path: str) -> int:
    """Give the version of a file that is only read, which must be the newest.

    :raises StoreError: for an older one, since reading cannot migrate it.
    """
    with typed_errors(path):
        found = int(connection.pragma('user_version'))
    if found < len(MIGRATIONS):
        what = f'has schema version {found}, older than {len(MIGRATIONS)}' if found else 'is empty'
        raise StoreError(path, f'{what}; start the node on it once')
    return found


def apply_next(connection: apsw.Connection, path: str) -> bool:
    """Apply one migration with its version number; ``False`` when nothing is left to do.

    The version is read again under the write lock: two processes may start on one old file.
    """
    connection.execute('BEGIN IMMEDIATE').fetchall()
    try:
        version = int(connection.pragma('user_version'))
        if version > len(MIGRATIONS):
            raise NewerSchema(path, version, len(MIGRATIONS))
        if version < len(MIGRATIONS):
            MIGRATIONS[version](connection)
            connection.pragma('user_version', version + 1)
            if not is_ours(int(connection.pragma('application_id'))):
                connection.pragma('application_id', new_identity())
        connection.execute('COMMIT').fetchall()
    except BaseException:
        if connection.in_transaction:
            connection.execute('ROLLBACK').fetchall()
        raise
    return version < len(MIGRATIONS)
