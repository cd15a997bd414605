"""One transaction as the rest of the store sees it: statements in, complete lists of rows out.

Rows are always fetched completely, so that no half-read statement keeps a snapshot (and with it the
``-wal`` file) alive, and SQLite's errors leave here as the package's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

from robotmem_ros.errors import StoreBusy, StoreCorrupt, StoreError
from robotmem_ros.store.vector_index import VectorIndex

Row = tuple[Any, ...]
Args = Sequence[Any] | Mapping[str, Any]

INT64_MAX = 2**63 - 1


def is_id(value: int) -> bool:
    """Tell whether ``value`` can be the id of a row: 1 to 2**63 - 1."""
    return 0 < value <= INT64_MAX


def id_list(ids: Iterable[int]) -> str:
    """Give ids as the JSON list that ``json_each`` reads, so that one statement serves any number of them."""
    return json.dumps([i for i in ids if is_id(i)])


@contextmanager
def typed_errors(path: str) -> Iterator[None]:
    """Turn SQLite's errors into the package's own.

    :raises StoreBusy: another process kept the file longer than the busy limit.
    :raises StoreCorrupt: the file is damaged or not a database.
    :raises StoreError: everything else, with SQLite's own words.
    """
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusy(path, f'another process keeps it locked ({error})') from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise StoreCorrupt(path, f'damaged: {error}; it is left as it is') from error
    except apsw.FullError as error:
        raise StoreError(path, f'the disk is full or no id is left ({error})') from error
    except apsw.ReadOnlyError as error:
        raise StoreError(path, f'cannot be written ({error})') from error
    except apsw.Error as error:
        raise StoreError(path, f'{type(error).__name__}: {error}') from error


class Tx:
    """Statements inside one open transaction; usable only inside the ``with`` block that gave it.

    :param connection: the connection that this transaction owns until it ends.
    :param path: the database file, for errors.
    :param has_vectors: whether sqlite-vec is loaded into ``connection``.
    :param index: what is held in memory of the file's vectors.
    """

    def __init__(
        self, connection: apsw.Connection, path: str, has_vectors: bool, index: VectorIndex | None = None
    ) -> None:
        self._connection: apsw.Connection | None = connection
        self.path, self.has_vectors, self.index = path, has_vectors, index or VectorIndex()
        self._changes_before = connection.total_changes()

    @property
    def connection(self) -> apsw.Connection:
        """The connection.

        :raises StoreError: once the transaction has ended, since another thread may own it by then.
        """
        if self._connection is None:
            raise StoreError(self.path, 'the transaction has ended')
        return self._connection

    def execute(self, sql: str, args: Args = ()) -> list[Row]:
        """Run ``sql`` and give all its rows."""
        with typed_errors(self.path):
            return self.connection.execute(sql, args).fetchall()

    def executemany(self, sql: str, rows: Iterable[Args]) -> None:
        """Run ``sql`` once for each of ``rows``; rows that it gives are dropped."""
        with typed_errors(self.path):
            self.connection.executemany(sql, rows).fetchall()

    def one(self, sql: str, args: Args = ()) -> Row | None:
        """Give the first row, or ``None``."""
        rows = self.execute(sql, args)
        return rows[0] if rows else None

    def value(self, sql: str, args: Args = (), default: Any = None) -> Any:
        """Give the first column of the first row, or ``default``."""
        rows = self.execute(sql, args)
        return rows[0][0] if rows else default

    @property
    def has_changes(self) -> bool:
        """Whether it has written anything, so that it sees what may yet be rolled back."""
        return self.connection.total_changes() != self._changes_before

    @property
    def changes(self) -> int:
        """Rows that the last INSERT, UPDATE or DELETE changed."""
        return self.connection.changes()

    @property
    def last_id(self) -> int:
        """Row id of the last INSERT."""
        return self.connection.last_insert_rowid()

    def end(self) -> None:
        """Let go of the connection; every later use raises."""
        self._connection = None
