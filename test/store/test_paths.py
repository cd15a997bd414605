"""Where the database may lie, and who may read it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from robotmem_ros.errors import InvalidRequest, StoreError
from robotmem_ros.store import legacy
from robotmem_ros.store.store import Store


def mode(path: str | Path) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


def test_home_is_expanded_and_folders_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQL-12."""
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.chdir(tmp_path)
    store = Store.open('~/robot mem/日志/m.db')
    with store.write() as tx:
        tx.execute("INSERT INTO meta VALUES ('a', 'b')")
    folder = tmp_path / 'robot mem' / '日志'
    assert store.path == str(folder / 'm.db')
    assert [mode(folder / name) for name in ('m.db', 'm.db-wal', 'm.db-shm')] == [0o600] * 3
    assert mode(folder) == 0o700
    assert not (tmp_path / '~').exists()
    store.close()


def test_a_file_that_may_not_be_read_is_a_sentence(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user's file, looked at with a command line tool; root may read everything, so the refusal is made."""
    Store.open(path).close()
    plain = Path.open

    def refused(file: Path, *args: object, **named: object) -> object:
        if str(file) == path:
            raise PermissionError(13, 'Permission denied')
        return plain(file, *args, **named)

    monkeypatch.setattr(Path, 'open', refused)
    for look in (Store.open_to_read, legacy.is_database):
        with pytest.raises(StoreError, match='cannot be read'):
            look(path)


def test_an_empty_file_that_was_there_is_made_private(path: str) -> None:
    """A script that touches the file first gets no other database than one that does not."""
    Path(path).touch(mode=0o644)
    Path(path).chmod(0o644)
    Store.open(path).close()
    assert mode(path) == 0o600


def test_the_mode_does_not_depend_on_the_umask(path: str) -> None:
    old = os.umask(0)
    try:
        store = Store.open(path)
    finally:
        os.umask(old)
    assert mode(path) == 0o600
    store.close()


NO_FILES = ['', '  ', 'file:m.db?mode=ro', ':memory:', 'a\0b', '.', '/', '~nobody-of-this-name/m.db']


@pytest.mark.parametrize('bad', NO_FILES)
def test_what_is_no_file_is_refused_by_its_name(bad: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQL-12."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidRequest, match=r'^db_path: expected '):
        Store.open(bad)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize('bad', ['/proc/x.db', '/dev/null', '/dev/null/m.db', '/proc/no/such/m.db', '/' + 'x' * 300])
def test_what_the_system_refuses_is_a_store_error(bad: str) -> None:
    """SQL-12."""
    with pytest.raises(StoreError) as caught:
        Store.open(bad)
    assert caught.value.path == bad


def test_a_closed_store_says_so(path: str) -> None:
    store = Store.open(path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match='closed'), store.read():
        pass
    with pytest.raises(StoreError, match='closed'), store.write():
        pass
