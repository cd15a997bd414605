"""A commit is acknowledged only where the path still leads to the file that is open."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from robotmem_ros.errors import StoreError
from robotmem_ros.store.store import Store


def note(store: Store, key: str) -> None:
    with store.write() as tx:
        tx.execute("INSERT INTO meta VALUES (?, '')", (key,))


def deleted(path: str) -> None:
    Path(path).unlink()


def replaced(path: str) -> None:
    shutil.copy(path, path + '.copy')
    Path(path + '.copy').replace(path)


def cut_short(path: str) -> None:
    os.truncate(path, 0)


@pytest.mark.parametrize(('harm', 'said'), [
    (deleted, 'is gone'), (replaced, 'was replaced by another file'), (cut_short, 'was cut from'),
])
def test_a_write_into_a_lost_file_is_refused(path: str, harm: object, said: str) -> None:
    """Contract 11: SQLite itself commits happily into a file without a name; what was acknowledged would be lost."""
    store = Store.open(path)
    note(store, 'before')
    store.checkpoint(truncate=True)
    harm(path)  # type: ignore[operator]
    with pytest.raises(StoreError, match=said):
        note(store, 'after')
    store.close()


def test_a_new_reader_never_looks_into_another_file(path: str) -> None:
    """With the file replaced, readers of the old and of the new one would answer side by side."""
    store = Store.open(path)
    replaced(path)
    with pytest.raises(StoreError, match='was replaced'), store.read():
        pass
    store.close()


def test_a_file_that_comes_back_is_used_again(path: str) -> None:
    store = Store.open(path)
    Path(path).rename(path + '.elsewhere')
    with pytest.raises(StoreError, match='is gone'):
        note(store, 'lost')
    Path(path + '.elsewhere').rename(path)
    note(store, 'kept')
    with store.read() as tx:
        assert [row[0] for row in tx.execute("SELECT key FROM meta WHERE key IN ('lost', 'kept')")] == ['kept']
    store.close()
