"""Whether the file can be written, as far as is known, and what was counted since the start."""

from __future__ import annotations

import os
from dataclasses import dataclass

from robotmem_ros.errors import StoreBusy, StoreError


@dataclass
class Counters:
    """Counts since the start of the process."""

    scene_hits: int = 0
    empty_scene_hits: int = 0
    incompatible_qos: int = 0


class Health:
    """
    Remembers the last failure of the disk until a write has gone well (LIF-02).

    A file that was busy is no failure: the caller was told, and may try again.
    """

    def __init__(self) -> None:
        self._failure = ''
        self._path = ''
        self._inode = (0, 0)

    def watch(self, path: str) -> None:
        """Begin anew, with the file at ``path``."""
        found = os.stat(path)
        self._failure, self._path, self._inode = '', path, (found.st_dev, found.st_ino)

    def failed(self, error: BaseException) -> None:
        """Note what a call raised, if it is the file's trouble."""
        if isinstance(error, StoreError) and not isinstance(error, StoreBusy):
            self._failure = str(error)

    def wrote(self) -> None:
        """Note that a write has gone well."""
        self._failure = ''

    @property
    def failing(self) -> bool:
        """Whether the last write failed."""
        return bool(self._failure)

    @property
    def trouble(self) -> str:
        """One sentence on why nothing can be stored, or ''; looks at the file, too."""
        return self._failure or self._trouble_of_file()

    def _trouble_of_file(self) -> str:
        try:
            found = os.stat(self._path)
        except OSError as error:
            return f'database {self._path}: {error.strerror}; what is stored now will be lost'
        if (found.st_dev, found.st_ino) != self._inode:
            return f'database {self._path}: was replaced by another file; what is stored now will be lost'
        if not os.access(self._path, os.W_OK):
            return f'database {self._path}: not writable'
        return ''
