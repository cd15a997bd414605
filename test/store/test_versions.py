"""An older file becomes today's in whole steps, or stays what it was."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from robotmem_ros.errors import StoreCorrupt, StoreError
from robotmem_ros.store import collections, fulltext, memories, migrations
from robotmem_ros.store.store import Store


def version(path: str) -> int:
    connection = apsw.Connection(path)
    try:
        return int(connection.pragma('user_version'))
    finally:
        connection.close()


def add_column(connection: apsw.Connection) -> None:
    connection.execute("ALTER TABLE memory ADD COLUMN added TEXT NOT NULL DEFAULT 'new'")


def fail_half_way(connection: apsw.Connection) -> None:
    connection.execute('CREATE TABLE half (id INTEGER)')
    connection.execute('INSERT INTO no_such_table VALUES (1)')


@pytest.fixture
def old_file(path: str) -> str:
    """A file of version 1 with three memories."""
    store = Store.open(path)
    with store.write() as tx:
        for text in ('dock one', 'dock two', 'dock three'):
            memories.insert(tx, memories.NewMemory(collections.collection_id(tx, 'c'), 'fact', text, 1))
    store.close()
    assert version(path) == 1
    return path


def test_a_new_file_has_the_newest_version(path: str) -> None:
    Store.open(path).close()
    assert version(path) == len(migrations.MIGRATIONS)


def test_an_older_file_keeps_its_memories(old_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQL-10 b."""
    monkeypatch.setattr(migrations, 'MIGRATIONS', [*migrations.MIGRATIONS[:1], add_column])
    store = Store.open(old_file)
    assert store.migrated_from == 1
    with store.read() as tx:
        assert tx.execute('SELECT content, added FROM memory ORDER BY id') == [
            ('dock one', 'new'), ('dock two', 'new'), ('dock three', 'new')]
        assert len(fulltext.candidates(tx, [('dock',)], 1, 5)) == 3
    store.close()
    assert version(old_file) == 2


def test_a_step_that_fails_is_undone_and_tried_again(old_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQL-10 c: nothing of the failed step stays, the steps before it do, and the next start goes on."""
    monkeypatch.setattr(migrations, 'MIGRATIONS', [*migrations.MIGRATIONS[:1], add_column, fail_half_way])
    with pytest.raises(StoreError, match='no_such_table'):
        Store.open(old_file)
    assert version(old_file) == 2
    connection = apsw.Connection(old_file)
    assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").get == 0
    connection.close()
    mended = [*migrations.MIGRATIONS[:2], lambda c: c.execute('CREATE TABLE half (a)')]
    monkeypatch.setattr(migrations, 'MIGRATIONS', mended)
    Store.open(old_file).close()
    assert version(old_file) == 3


def test_an_sqlite_without_full_text_search_is_refused(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQL-08: one sentence at the start instead of an error at the first search."""
    monkeypatch.setattr(apsw, 'compile_options', ('ENABLE_RTREE',))
    with pytest.raises(StoreError, match=r'needs SQLite >= 3.45.*without ENABLE_FTS5'):
        Store.open(path)


def test_every_copy_has_an_identity_of_its_own(path: str, old_file: str) -> None:
    """SQL-04 d: so that a log of the original beside a restored copy is recognised."""
    store = Store.open(old_file)
    store.backup(path + '.copy')
    store.close()
    ids = []
    for file in (old_file, path + '.copy'):
        header = migrations.read_header(file)
        assert header is not None
        ids.append(header.application_id)
    assert ids[0] != ids[1]
    assert all(map(migrations.is_ours, ids))


@pytest.mark.parametrize('found', [0, -1, -2**31])
def test_a_version_that_nobody_writes_is_refused(path: str, found: int) -> None:
    """Another tool reset it: counting up from there makes tables twice, or meets no migration (an IndexError)."""
    Store.open(path).close()
    connection = apsw.Connection(path)
    connection.pragma('user_version', found)
    connection.close()
    before = Path(path).read_bytes()
    with pytest.raises(StoreCorrupt, match=f'schema version is {found},'):
        Store.open(path)
    assert Path(path).read_bytes() == before


def test_a_file_is_judged_by_one_snapshot(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQL-05: tables that another process makes between two looks were taken for those of another program."""
    empty = apsw.Connection(path)
    empty.pragma('journal_mode', 'wal')
    empty.execute('CREATE TABLE t (a); DROP TABLE t')
    empty.close()
    made: list[Store] = []

    class Interrupted(apsw.Connection):
        def pragma(self, name: str, *value: object) -> object:
            found = super().pragma(name, *value)
            if name == 'application_id' and not value and not made:
                monkeypatch.undo()
                made.append(Store.open(path))
            return found

    monkeypatch.setattr(apsw, 'Connection', Interrupted)
    migrations.inspect(path)
    made[0].close()
