"""SQL-09: a copy made while the node writes is whole, and comes back in the place of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from robotmem_ros.errors import InvalidRequest, StoreCorrupt, StoreError, StoreOwned
from robotmem_ros.store import backups, collections
from robotmem_ros.store.store import Store


def names(path: str) -> list[str]:
    store = Store.open_to_read(path)
    with store.read() as tx:
        found = collections.names(tx)
    store.close()
    return found


@pytest.fixture
def two(path: str, tmp_path: Path) -> tuple[str, str]:
    """A file that knows ``old`` and ``new``, and its backup, which knows ``old``."""
    copy = str(tmp_path / 'copy.db')
    with_old = Store.open(path)
    with with_old.write() as tx:
        collections.collection_id(tx, 'old')
    with_old.backup(copy)
    with with_old.write() as tx:
        collections.collection_id(tx, 'new')
    with_old.close()
    return path, copy


def test_a_backup_comes_back_and_the_file_is_kept_aside(two: tuple[str, str]) -> None:
    path, copy = two
    told: list[tuple[int, int]] = []
    target, kept = backups.restore(copy, path, 'x', on_pages=lambda *pages: told.append(pages))
    assert (target, kept) == (path, f'{path}.before-x')
    assert told and told[-1][0] == told[-1][1] > 0
    assert (names(path), names(kept), names(copy)) == (['old'], ['new', 'old'], ['old'])
    assert not Path(path + '.part').exists() and Path(path).stat().st_mode & 0o777 == 0o600


def test_what_a_crash_left_in_the_wal_is_kept_with_the_old_file(two: tuple[str, str], tmp_path: Path) -> None:
    """The -wal of the old file must not be taken for one of the new file."""
    path, copy = two
    store = Store.open(path)
    with store.write() as tx:
        collections.collection_id(tx, 'late')
    crashed = str(tmp_path / 'crashed.db')
    for suffix in ('', '-wal'):
        Path(crashed + suffix).write_bytes(Path(path + suffix).read_bytes())
    store.close()
    _, kept = backups.restore(copy, crashed, 'x')
    assert (names(crashed), names(kept)) == (['old'], ['late', 'new', 'old'])


@pytest.mark.parametrize('left', [b'x' * 100_000, b'SQLite format 3\0' + bytes(5000)])
def test_what_a_kill_left_of_a_copy_stands_in_no_ones_way(two: tuple[str, str], tmp_path: Path, left: bytes) -> None:
    path, copy = two
    other = str(tmp_path / 'other.db')
    for part in (path + '.part', path + '.part-journal', other + '.part'):
        Path(part).write_bytes(left)
    backups.restore(copy, path, 'x')
    store = Store.open(path)
    store.backup(other)
    store.close()
    assert names(path) == names(other) == ['old']
    assert [file.name for file in tmp_path.iterdir() if '.part' in file.name] == []


def test_of_two_copies_to_one_name_at_once_the_first_is_whole(path: str, tmp_path: Path) -> None:
    """Two calls within one second: neither writes into the file of the other."""
    store, copy, refused = Store.open(path), str(tmp_path / 'copy.db'), []
    with store.write() as tx:
        collections.collection_id(tx, 'old')

    def other(done: int, total: int) -> None:
        with pytest.raises(StoreError, match='another') as error:
            store.backup(copy)
        refused.append(error)

    store.backup(copy, other)
    store.close()
    assert refused and names(copy) == ['old']


def test_a_file_that_comes_meanwhile_is_not_written_over(path: str, tmp_path: Path) -> None:
    store, copy = Store.open(path), tmp_path / 'copy.db'
    with pytest.raises(InvalidRequest, match='does not exist yet'):
        store.backup(str(copy), lambda *_: copy.write_text('mine'))
    store.close()
    assert copy.read_text() == 'mine' and not Path(f'{copy}.part').exists()


def test_a_file_that_is_owned_is_not_replaced(two: tuple[str, str]) -> None:
    path, copy = two
    store = Store.open(path, owner=True)
    with pytest.raises(StoreOwned):
        backups.restore(copy, path, 'x')
    store.close()
    assert names(path) == ['new', 'old']


def test_a_damaged_backup_changes_nothing(two: tuple[str, str]) -> None:
    path, copy = two
    content = bytearray(Path(copy).read_bytes())
    content[-4096:] = b'\7' * 4096
    Path(copy).write_bytes(content)
    before = Path(path).read_bytes()
    with pytest.raises(StoreCorrupt, match='damaged'):
        backups.restore(copy, path, 'x')
    assert Path(path).read_bytes() == before and not Path(f'{path}.before-x').exists()


def test_what_is_no_backup_is_refused(two: tuple[str, str], tmp_path: Path) -> None:
    path, _ = two
    (tmp_path / 'empty').touch()
    (tmp_path / 'text').write_text('hello' * 100)
    with pytest.raises(StoreCorrupt, match='is empty'):
        backups.restore(str(tmp_path / 'empty'), path, 'x')
    with pytest.raises(StoreCorrupt, match='not an SQLite database'):
        backups.restore(str(tmp_path / 'text'), path, 'x')
    with pytest.raises(StoreError, match='does not exist'):
        backups.restore(str(tmp_path / 'missing'), path, 'x')
    with pytest.raises(InvalidRequest):
        backups.restore(path, path, 'x')


def test_a_backup_comes_back_where_nothing_was(two: tuple[str, str], tmp_path: Path) -> None:
    _, copy = two
    target = str(tmp_path / 'other' / 'm.db')
    assert backups.restore(copy, target, 'x') == (target, '')
    assert names(target) == ['old']
