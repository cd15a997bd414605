"""One owner for each file: the process that writes it. The lock is the kernel's and dies with the process.

SQLite alone would let two nodes write one file, each with caches of its own, and both would apply what is
due. The lock is taken on a file beside the database, never on the database: closing any handle of the
database would drop the locks that SQLite holds on it (sqlite.org/howtocorrupt.html, section 2.2).
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from dataclasses import asdict, dataclass

from robotmem_ros.errors import StoreError, StoreOwned
from robotmem_ros.store import paths

RETRY_S = 0.05
MAX_NOTE_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds a file; ``pid`` 0 where its note could not be read."""

    pid: int = 0
    program: str = ''

    def __str__(self) -> str:
        return f'process {self.pid} ({self.program})' if self.pid else 'another process'


class Ownership:
    """A held lock; ``release`` gives it up, twice is fine."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def release(self) -> None:
        """Let the next owner in. The lock file stays: removing it would let two processes lock two files."""
        if self._handle >= 0:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = -1


def lock_path(path: str) -> str:
    """Give the lock file of a database: one, by whatever link the database is reached."""
    return os.path.realpath(path) + '.lock'


def take(path: str, wait_s: float) -> Ownership:
    """Become the owner of ``path``; a process that is just ending is waited for.

    :param wait_s: how long an owner is waited for, seconds.
    :raises StoreOwned: naming the process that owns the file.
    :raises StoreError: where the folder cannot be written or knows no locks.
    """
    paths.make_folder(path)
    deadline = time.monotonic() + wait_s
    try:
        handle = os.open(lock_path(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise StoreError(path, f'cannot be opened for writing (its lock file: {error.strerror})') from error
    try:
        while not _locked(handle, path):
            if time.monotonic() >= deadline:
                owner = _read(handle)
                raise StoreOwned(path, owner.pid, str(owner))
            time.sleep(RETRY_S)
        _note(handle)
    except BaseException:
        os.close(handle)
        raise
    return Ownership(handle)


def owner_of(path: str) -> Owner | None:
    """Tell who owns ``path`` at this moment, ``None`` for nobody."""
    try:
        handle = os.open(lock_path(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None  # nobody ever owned it, or it is not ours to read
    try:
        # A shared lock for an instant: whoever takes ownership tries again, so this refuses nobody.
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _read(handle)
    else:
        return None
    finally:
        os.close(handle)


def _locked(handle: int, path: str) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise StoreError(path, f'lies on a file system without locks ({error.strerror})') from error
    return True


def _note(handle: int) -> None:
    """Write who we are, for the sentence that a second owner is told."""
    text = json.dumps(asdict(Owner(os.getpid(), _program())))
    os.ftruncate(handle, 0)
    os.pwrite(handle, text.encode(), 0)


def _read(handle: int) -> Owner:
    try:
        return Owner(**json.loads(os.pread(handle, MAX_NOTE_BYTES, 0)))
    except (ValueError, TypeError):
        return Owner()  # it has the lock and has not yet written its note


def _program() -> str:
    try:
        with open('/proc/self/comm', encoding='utf-8', errors='replace') as file:  # noqa: PTH123 - not a path of ours
            return file.read().strip()
    except OSError:
        return 'python'
