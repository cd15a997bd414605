"""The database file: one writer, a pool of readers, and every lock that keeps them apart.

Thread model: any thread may call any method. A connection belongs to one thread from checkout to
checkin and is never shared, so that SQLite's own check against shared use cannot fire.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from robotmem_ros.errors import InvalidRequest, StoreError
from robotmem_ros.settings import StoreSettings
from robotmem_ros.store import backups, migrations, ownership, paths
from robotmem_ros.store import connection as connections
from robotmem_ros.store.locks import WriterLock
from robotmem_ros.store.ownership import Ownership
from robotmem_ros.store.presence import Presence
from robotmem_ros.store.tx import Tx, typed_errors
from robotmem_ros.store.vector_index import VectorIndex

MAX_READERS = 8


class Store:
    """An open database file; make one with :meth:`open`.

    :ivar path: absolute path of the file.
    :ivar vectors_reason: '' while vectors work, else why they do not.
    :ivar migrated_from: schema version that was found (0: a new file).
    :ivar read_only: whether every write is refused.
    """

    def __init__(
        self, path: str, settings: StoreSettings, writer: apsw.Connection, vectors_reason: str, found: int,
        owned: Ownership | None = None, read_only: bool = False,
    ) -> None:
        self.read_only, self._owned = read_only, owned
        self.path, self.vectors_reason, self.migrated_from = path, vectors_reason, found
        self._settings, self._writer, self._writer_durable = settings, writer, True
        self._lock, self._presence, self._index = WriterLock(), Presence(path), VectorIndex()
        self._pool = threading.Condition()
        self._idle: list[apsw.Connection] = []
        self._readers = 0
        self._closed = False

    @classmethod
    def open(cls, path: str, settings: StoreSettings | None = None, *, owner: bool = False) -> Store:
        """Open ``path`` for reading and writing, made with mode 0600 (its folder with 0700) where it is missing.

        :param owner: own the file until it is closed: of several owners, only the first gets it. A process
            that is just ending is waited for, as long as for any lock.
        :raises InvalidRequest: for a path that is no file (folder, URI, empty, ``:memory:``).
        :raises StoreOwned: if another process owns it.
        :raises StoreError: StoreCorrupt, NewerSchema, StoreBusy or what the system said; a file that
            is refused is left byte for byte as it was.
        """
        settings = settings or StoreSettings()
        full = paths.resolve(path)
        connections.check_sqlite(full)
        owned = ownership.take(full, settings.busy_timeout_s) if owner else None
        try:
            return cls._open(full, settings, owned)
        except BaseException:
            if owned is not None:
                owned.release()
            raise

    @classmethod
    def _open(cls, full: str, settings: StoreSettings, owned: Ownership | None) -> Store:
        paths.prepare(full)
        migrations.inspect(full)
        writer, reason = connections.open_connection(full, writer=True, busy_timeout_s=settings.busy_timeout_s)
        try:
            found = migrations.migrate(writer, full)
        except BaseException:
            writer.close(True)
            raise
        return cls(full, settings, writer, reason, found, owned)

    @classmethod
    def open_to_read(cls, path: str, settings: StoreSettings | None = None) -> Store:
        """Open an existing file to look at it, whoever owns and writes it meanwhile.

        :raises InvalidRequest: for a path that is no file.
        :raises StoreError: if it is missing, of an older version, or as :meth:`open`.
        """
        settings = settings or StoreSettings()
        full = paths.resolve(path)
        connections.check_sqlite(full)
        if not Path(full).exists():
            raise StoreError(full, 'does not exist')
        migrations.inspect(full)
        reader, reason = connections.open_connection(full, writer=False, busy_timeout_s=settings.busy_timeout_s)
        try:
            found = migrations.check_current(reader, full)
        except BaseException:
            reader.close(True)
            raise
        return cls(full, settings, reader, reason, found, read_only=True)

    @property
    def vectors_available(self) -> bool:
        """Whether sqlite-vec is loaded; ``vectors_reason`` says why not."""
        return not self.vectors_reason

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """Give one consistent snapshot; never waits for a writer.

        :raises StoreError: when closed, or what SQLite said.
        """
        connection = self._checkout()
        tx = Tx(connection, self.path, self.vectors_available, self._index)
        try:
            tx.execute('BEGIN')
            yield tx
        finally:
            tx.end()
            self._checkin(connection)

    @contextmanager
    def write(self, *, background: bool = False, durable: bool = True) -> Iterator[Tx]:
        """Give the one writer; commits at the end of the block, rolls all of it back on an exception.

        :param background: wait behind every request.
        :param durable: the commit waits for the disk; else a power cut may lose it (never the file).
        :raises StoreBusy: if another process holds the file longer than the busy limit.
        :raises StoreError: when closed or open to read, where the file was deleted, replaced or cut short
            meanwhile, or what SQLite said; nothing was written.
        """
        if self.read_only:
            raise StoreError(self.path, 'is open for reading only')
        with self._lock.held(background=background):
            if self._closed:
                raise StoreError(self.path, 'closed')
            tx = Tx(self._writer, self.path, self.vectors_available, self._index)
            try:
                self._set_durable(durable)
                # IMMEDIATE: a transaction that reads first and then upgrades gets BUSY without any waiting.
                tx.execute('BEGIN IMMEDIATE')
                yield tx
                # As late as can be: a commit into a file that has no name any more would be acknowledged and lost.
                self._presence.check()
                tx.execute('COMMIT')
            finally:
                tx.end()
                self._abandon(self._writer)

    def user_waits(self) -> bool:
        """Tell background work that holds the writer whether a request waits for it."""
        return self._lock.user_waits()

    @property
    def writers_waiting(self) -> int:
        """How many threads wait for the writer now."""
        return self._lock.waiting()

    def backup(self, path: str, on_pages: backups.OnPages = backups.silent) -> int:
        """Copy the file through SQLite's backup API into the new file ``path`` and give its bytes.

        It copies one snapshot from a reader: writes go on meanwhile and are not in the copy. The copy has
        no ``-wal`` and an identity of its own, so that it can be put in the place of the original.

        :raises InvalidRequest: if ``path`` exists or cannot be a file, or its folder does not exist.
        :raises StoreError: if it cannot be written; nothing is left behind.
        """
        full = paths.resolve(path, 'path')
        if not Path(full).parent.is_dir():  # made, it would hide that a disk is not mounted, or a name mistyped
            raise InvalidRequest('path', 'a file in a folder that exists', path)
        if os.path.lexists(full):
            raise InvalidRequest('path', 'a file that does not exist yet', path)
        try:
            with backups.new_file(full) as part, self.read() as tx, typed_errors(full):
                backups.copy_database(tx, part, on_pages)
        except OSError as error:
            raise StoreError(full, f'cannot be written ({error.strerror})') from error
        return paths.size(full)

    def checkpoint(self, *, truncate: bool = False) -> None:
        """Move the ``-wal`` into the file as far as readers allow; ``truncate`` also empties it."""
        with self._lock.held(background=True), typed_errors(self.path):
            if self._closed or self.read_only:
                return
            try:
                mode = apsw.SQLITE_CHECKPOINT_TRUNCATE if truncate else apsw.SQLITE_CHECKPOINT_PASSIVE
                self._writer.wal_checkpoint(mode=mode)
            except apsw.BusyError:
                return  # a reader or another process is at it: the next pass does the rest

    def file_bytes(self) -> int:
        """Bytes on the disk, ``-wal`` and ``-shm`` included."""
        return sum(paths.size(self.path + suffix) for suffix in ('', '-wal', '-shm'))

    def close(self) -> None:
        """Empty the ``-wal`` and close; waits for the write and the reads in flight. Twice is fine."""
        with self._lock.held(background=False):
            if self._closed:
                return
            with self._pool:
                self._closed = True
                self._pool.notify_all()
                while self._idle:
                    self._idle.pop().close()
                    self._readers -= 1
                self._pool.wait_for(lambda: self._readers == 0, timeout=self._settings.busy_timeout_s)
            try:
                with typed_errors(self.path):
                    self._writer.close()  # the last connection checkpoints and removes the -wal
            finally:
                if self._owned is not None:
                    self._owned.release()

    def _set_durable(self, durable: bool) -> None:
        if durable != self._writer_durable:
            with typed_errors(self.path):
                self._writer.pragma('synchronous', 2 if durable else 1)
            self._writer_durable = durable

    def _abandon(self, connection: apsw.Connection) -> None:
        """End what is still open; SQLite itself has rolled back after some errors."""
        if connection.in_transaction:
            with typed_errors(self.path):
                connection.execute('ROLLBACK').fetchall()

    def _checkout(self) -> apsw.Connection:
        with self._pool:
            self._pool.wait_for(lambda: self._closed or self._idle or self._readers < MAX_READERS)
            if self._closed:
                raise StoreError(self.path, 'closed')
            if self._idle:
                return self._idle.pop()
            self._readers += 1
        try:
            self._presence.check()  # else one reader in eight would look into another file
            limit = self._settings.busy_timeout_s
            return connections.open_connection(
                self.path, writer=False, busy_timeout_s=limit, vectors=self.vectors_available)[0]
        except BaseException:
            self._forget_reader()
            raise

    def _checkin(self, connection: apsw.Connection) -> None:
        try:
            self._abandon(connection)
        except BaseException:
            connection.close(True)
            self._forget_reader()
            raise
        with self._pool:
            if not self._closed:
                self._idle.append(connection)
                self._pool.notify()
                return
        connection.close()
        self._forget_reader()

    def _forget_reader(self) -> None:
        with self._pool:
            self._readers -= 1
            self._pool.notify_all()
