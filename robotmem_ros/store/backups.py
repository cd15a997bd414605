"""Copies of the file: made from a snapshot, checked as a whole, and put back in its place."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import apsw

from robotmem_ros.errors import InvalidRequest, StoreCorrupt, StoreError
from robotmem_ros.store import migrations, ownership, paths
from robotmem_ros.store.tx import Tx, typed_errors

BACKUP_STEP_PAGES = 256

OnPages = Callable[[int, int], None]
"""Is told how many pages are done, and of how many."""


def silent(done: int, total: int) -> None:
    """Tell nobody."""


@contextmanager
def new_file(path: str, *, replaces: bool = False) -> Iterator[str]:
    """Give the name of a new file beside ``path``, which takes its place at the end; on an error nothing is left.

    What a kill may have left under that name is no beginning of this file, and goes first.

    :param replaces: whether there may be a file at ``path``.
    :raises StoreError: if another thread or process is writing it just now, or the system's own reason.
    :raises InvalidRequest: if there has come a file to ``path`` meanwhile.
    """
    part = f'{path}.part'
    paths.prepare(part)
    handle = _taken(part, path)
    try:
        os.ftruncate(handle, 0)
        _remove(part, '-journal', '-wal', '-shm')
        yield part
        if not replaces and os.path.lexists(path):
            raise InvalidRequest('path', 'a file that does not exist yet', path)
        Path(part).replace(path)
        paths.sync_folder(path)
    except BaseException:
        _remove(part, '', '-journal', '-wal', '-shm')
        raise
    finally:
        os.close(handle)


def _taken(part: str, path: str) -> int:
    """Open the file that is to be written, so that no other copy goes into it; the kernel's lock dies with us."""
    handle = os.open(part, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_mine = os.path.samestat(os.fstat(handle), Path(part).stat())  # not just moved to its place by another
    except OSError as error:
        is_mine = error.errno not in (errno.EWOULDBLOCK, errno.ENOENT)  # a share without locks has SQLite's own only
    if not is_mine:
        os.close(handle)
        raise StoreError(path, 'is being written by another')
    return handle


def _remove(part: str, *suffixes: str) -> None:
    for suffix in suffixes:
        Path(part + suffix).unlink(missing_ok=True)


def copy_database(tx: Tx, target: str, on_pages: OnPages = silent) -> None:
    """Copy the snapshot of ``tx`` into the empty file ``target`` and make that durable and whole."""
    tx.value('SELECT count(*) FROM meta')  # the snapshot begins with the first read: no restart on later writes
    copy = apsw.Connection(target, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        with copy.backup('main', tx.connection, 'main') as backup:
            while not backup.done:
                backup.step(BACKUP_STEP_PAGES)
                on_pages(backup.page_count - backup.remaining, backup.page_count)
        copy.pragma('journal_mode', 'delete')
        copy.pragma('synchronous', 2)
        copy.pragma('application_id', migrations.new_identity())
    finally:
        copy.close(True)


def check_whole(path: str) -> None:
    """Read every page of a file of ours.

    :raises NewerSchema: a newer version wrote it.
    :raises StoreCorrupt: it is damaged anywhere, or not ours.
    """
    migrations.inspect(path)
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        with typed_errors(path):
            found = [str(row[0]) for row in connection.execute('PRAGMA quick_check(5)')]
    finally:
        connection.close(True)
    if found != ['ok']:
        raise StoreCorrupt(path, f'damaged: {"; ".join(found)}')


def restore(
    backup: str, target: str, stamp: str, wait_s: float = 0.0, on_pages: OnPages = silent,
    meanwhile: AbstractContextManager[object] | None = None,
) -> tuple[str, str]:
    """Put a copy of ``backup`` in the place of ``target``, whose old files are kept aside.

    The backup is read whole before anything is moved. At every moment the name holds the old or the new file.

    :param stamp: end of the name under which the old file is kept (``memory.db.before-<stamp>``).
    :param wait_s: how long an owner of the target is waited for, seconds.
    :param meanwhile: is entered once the backup is known to be good: has an owner of the target let go of it.
    :return: path of the target, and path of the old file, '' where there was none.
    :raises StoreOwned: if a process owns the target.
    :raises StoreError: if ``backup`` does not exist; StoreCorrupt if it is damaged, empty or not ours; NewerSchema
        if it is too new.
    :raises InvalidRequest: if ``backup`` cannot be a file, or is the target itself.
    """
    source, full = paths.resolve(backup), paths.resolve(target)
    if not Path(source).is_file():
        raise StoreError(source, 'does not exist')
    if Path(source).resolve() == Path(full).resolve():
        raise InvalidRequest('backup', 'another file than the database', backup)
    if migrations.read_header(source) is None:
        raise StoreCorrupt(source, 'is empty')
    check_whole(source)
    with meanwhile or nullcontext():
        kept = _in_place_of(full, source, stamp, wait_s, on_pages)
    return full, kept


def _in_place_of(full: str, source: str, stamp: str, wait_s: float, on_pages: OnPages) -> str:
    owned = ownership.take(full, wait_s)
    try:
        with new_file(full, replaces=True) as part:
            _copy(source, part, on_pages)
            kept = _put_aside(full, f'{full}.before-{stamp}')
    except OSError as error:
        raise StoreError(full, f'cannot be restored ({error.strerror})') from error
    finally:
        owned.release()
    return kept


def _copy(source: str, target: str, on_pages: OnPages) -> None:
    with typed_errors(source):
        connection = apsw.Connection(source, flags=apsw.SQLITE_OPEN_READONLY)
    tx = Tx(connection, source, has_vectors=False)
    try:
        with typed_errors(target):  # the source has just been read whole: what fails now is the disk of the target
            copy_database(tx, target, on_pages)
    finally:
        tx.end()
        connection.close(True)


def _put_aside(full: str, kept: str) -> str:
    """Give the old file a second name and take its ``-wal`` away, without which the new file must begin."""
    if not Path(full).exists():
        return ''
    Path(kept).hardlink_to(full)
    for suffix in ('-wal', '-shm'):
        if Path(full + suffix).exists():
            Path(full + suffix).replace(kept + suffix)
    return kept
