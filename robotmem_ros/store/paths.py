"""Where the database lies: the path as a user wrote it becomes a file that can be opened."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from robotmem_ros.errors import InvalidRequest, StoreError


def default() -> str:
    """Give the database that is meant where none is named: under ``$ROS_HOME``, else ``~/.ros``."""
    home = Path(os.environ.get('ROS_HOME') or '~/.ros')
    with suppress(RuntimeError):  # no home, as a container's user without an entry: resolve says so in a sentence
        home = home.expanduser()
    return str(home / 'robotmem' / 'memory.db')


def resolve(path: str, field: str = 'db_path') -> str:
    """Expand ``~`` and give an absolute path, refusing what cannot be a database file.

    ``:memory:`` is refused too: each of the store's connections would have a database of its own.

    :param field: what the path was given as.
    :raises InvalidRequest: naming ``field`` and what is wrong with it.
    :raises StoreError: with the system's own reason.
    """
    if path.startswith(':memory:'):
        raise InvalidRequest(field, 'a file (in memory it would be lost, and threads cannot share it)', path)
    if not path.strip() or '\0' in path or path.startswith('file:'):
        raise InvalidRequest(field, 'the path of a file, no URI', path)
    try:
        full = Path(path).expanduser().absolute()
    except RuntimeError as error:
        raise InvalidRequest(field, 'a path whose home folder exists', path) from error
    try:
        is_folder = path.endswith('/') or full.is_dir()
    except OSError as error:
        raise StoreError(path, f'cannot be used ({error.strerror})') from error
    if is_folder:
        raise InvalidRequest(field, 'a file, not a folder', str(full))
    return os.path.normpath(full)


def prepare(path: str) -> None:
    """Make the folder (mode 0700) and an empty file (mode 0600) where they are missing.

    SQLite gives ``-wal`` and ``-shm`` the mode of the database, so it must be right before the first open.

    :raises StoreError: with the system's own reason.
    """
    make_folder(path)
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise StoreError(path, 'is not a regular file')
            if found.st_size == 0:
                os.fchmod(handle, 0o600)
        finally:
            os.close(handle)
    except OSError as error:
        raise StoreError(path, f'cannot be opened for writing ({error.strerror})') from error


def make_folder(path: str) -> None:
    """Make the folder of ``path`` (mode 0700) where it is missing.

    :raises StoreError: with the system's own reason.
    """
    try:
        Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(path, f'cannot be opened for writing ({error.strerror})') from error


def size(path: str) -> int:
    """Give the bytes of ``path``, 0 where it does not exist."""
    try:
        return Path(path).stat().st_size
    except FileNotFoundError:
        return 0


def sync_folder(path: str) -> None:
    """Make a new name in the folder of ``path`` survive a power cut."""
    handle = os.open(Path(path).parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
