"""A file that cannot be trusted is refused with one sentence, and its bytes survive for a rescue."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import apsw
import pytest

from robotmem_ros.errors import NewerSchema, StoreCorrupt
from robotmem_ros.store import collections, memories, migrations
from robotmem_ros.store.store import Store


def filled(path: str, texts: int = 50) -> Store:
    store = Store.open(path)
    with store.write() as tx:
        for i in range(texts):
            memories.insert(tx, memories.NewMemory(collections.collection_id(tx, 'c'), 'fact', f'bay {i} of {path}', 1))
    return store


def refused(path: str, reason: str) -> None:
    before = Path(path).read_bytes()
    with pytest.raises(StoreCorrupt, match=reason) as caught:
        Store.open(path)
    assert caught.value.path == path
    assert Path(path).read_bytes() == before


def test_an_empty_file_is_a_new_database(path: str) -> None:
    """SQL-04 a."""
    Path(path).touch()
    store = Store.open(path)
    assert store.migrated_from == 0
    store.close()


@pytest.mark.parametrize('content', [
    random.Random(7).randbytes(100), b'{"not": "a database"}' * 100, b'SQLite format 3\0', b'\0' * 5000])
def test_what_is_no_database_is_left_alone(path: str, content: bytes) -> None:
    """SQL-04 b."""
    Path(path).write_bytes(content)
    refused(path, 'not an SQLite database|damaged')


def test_a_zeroed_page_of_a_table_is_found_at_the_start(path: str) -> None:
    """SQL-04 c: page 3 overwritten, and the first page of every other table and index."""
    filled(path).close()
    whole = Path(path).read_bytes()
    connection = apsw.Connection(path)
    roots = [row[0] for row in connection.execute('SELECT rootpage FROM sqlite_schema WHERE rootpage > 0')]
    connection.close()
    assert 3 in roots
    for page in roots:
        Path(path).write_bytes(whole[: (page - 1) * 4096] + b'\0' * 4096 + whole[page * 4096:])
        refused(path, 'damaged')


def test_a_file_that_was_cut_short_is_refused(path: str) -> None:
    """SQL-04: the copy that ran out of space."""
    filled(path).close()
    os.truncate(path, Path(path).stat().st_size - 3 * 4096)
    refused(path, 'cut short')


def test_the_log_of_another_database_is_refused(tmp_path: Path) -> None:
    """SQL-04 d: both files are ours and valid, but the -wal was left by another one."""
    mine, other = str(tmp_path / 'mine.db'), str(tmp_path / 'other.db')
    filled(mine).close()
    store = filled(other, 5)
    shutil.copy(other + '-wal', mine + '-wal')
    store.close()
    log = Path(mine + '-wal').read_bytes()
    refused(mine, 'belongs to another file')
    assert Path(mine + '-wal').read_bytes() == log


def test_the_own_log_of_a_killed_process_is_taken_up(tmp_path: Path) -> None:
    """SQL-04 d, the other side: what a kill leaves behind is no damage."""
    live, copy = str(tmp_path / 'live.db'), str(tmp_path / 'copy.db')
    filled(live).close()
    store = filled(live, 5)
    for suffix in ('', '-wal'):
        shutil.copy(live + suffix, copy + suffix)
    store.close()
    again = Store.open(copy)
    with again.read() as tx:
        assert tx.value('SELECT count(*) FROM memory') == 55
    again.close()


def test_a_database_of_another_program_is_refused_by_name(path: str) -> None:
    """SQL-10 d: such as robotmem 0.1.3's, which is SQLite too."""
    connection = apsw.Connection(path)
    connection.execute('CREATE TABLE memories (id INTEGER PRIMARY KEY, content TEXT); PRAGMA user_version = 7')
    connection.close()
    refused(path, 'another program .*memories')


def test_a_newer_file_is_refused_byte_for_byte(path: str) -> None:
    """SQL-10 a: also where the newer version stands only in the log."""
    store = filled(path)
    store.close()
    connection = apsw.Connection(path)
    connection.pragma('user_version', len(migrations.MIGRATIONS) + 1)
    in_log = Path(path + '-wal').read_bytes()
    in_log_only = Path(path).read_bytes()
    connection.close()
    for content, log in ((Path(path).read_bytes(), b''), (in_log_only, in_log)):
        Path(path).write_bytes(content)
        if log:
            Path(path + '-wal').write_bytes(log)
        with pytest.raises(NewerSchema) as caught:
            Store.open(path)
        assert caught.value.found == len(migrations.MIGRATIONS) + 1
        assert Path(path).read_bytes() == content
        assert log or [entry.name for entry in Path(path).parent.iterdir()] == ['memory.db'], 'not even opened'
