"""Whether a path still leads to the file that is open: SQLite goes on writing a file that has been deleted."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from robotmem_ros.errors import StoreError


class Presence:
    """
    Remembers which file lies at ``path`` and how long it is; this package never makes one shorter. Thread-safe.

    :raises StoreError: if nothing lies there.
    """

    def __init__(self, path: str) -> None:
        self._path, self._lock = path, threading.Lock()
        found = self._look()
        self._inode, self._bytes = (found.st_dev, found.st_ino), found.st_size

    def check(self) -> None:
        """
        Compare with what lies there now; one ``stat``.

        :raises StoreError: if it was deleted, replaced or cut short, so that what is written would be lost.
        """
        with self._lock:
            found = self._look()
            if (found.st_dev, found.st_ino) != self._inode:
                raise StoreError(self._path, 'was replaced by another file while in use; nothing more is stored')
            if found.st_size < self._bytes:
                cut = f'was cut from {self._bytes} to {found.st_size} bytes'
                raise StoreError(self._path, f'{cut} while in use; nothing more is stored')
            self._bytes = found.st_size

    def _look(self) -> os.stat_result:
        try:
            return Path(self._path).stat()
        except OSError as error:
            raise StoreError(self._path, f'is gone ({error.strerror}); nothing more is stored') from error
