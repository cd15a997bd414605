"""How much room is left where the database lies, and what that means for what is stored there."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

LOW_SHARE, LOW_BYTES, NEARLY_FULL_BYTES = 0.10, 500 * 10**6, 50 * 10**6
FULL_BYTES = 8 * 10**6
"""A learn of the largest size takes 1.3 MB of ``-wal`` and as much of the file; below a few of these it may fail, while
a small one still fits: what the node last stored says nothing of the next."""


@dataclass(frozen=True)
class Disk:
    """Bytes of the file system that holds the database."""

    total: int
    free: int

    @property
    def share(self) -> float:
        """Free part, 0 to 1."""
        return self.free / self.total if self.total else 0.0

    @property
    def is_low(self) -> bool:
        """Whether somebody should make room some day."""
        return self.share < LOW_SHARE or self.free < LOW_BYTES

    @property
    def is_nearly_full(self) -> bool:
        """Whether somebody must make room now."""
        return self.free < NEARLY_FULL_BYTES

    @property
    def is_full(self) -> bool:
        """Whether a request within all limits may find no room."""
        return self.free < FULL_BYTES

    @property
    def trouble(self) -> str:
        """One sentence while it is nearly full, else ''."""
        if not self.is_nearly_full:
            return ''
        return f'{megabytes(self.free)} free on its disk' + (': large memories find no room' if self.is_full else '')


def disk_of(path: str) -> Disk:
    """
    Look at the file system of ``path``, or of the folder above it that exists.

    :raises OSError: if that cannot be told.
    """
    folder = next(folder for folder in Path(path).absolute().parents if folder.exists())
    usage = shutil.disk_usage(folder)
    return Disk(usage.total, usage.free)


def megabytes(count: int) -> str:
    """Give a number of bytes for people."""
    if count < 10**6:
        return f'{count / 1e3:.0f} kB'
    return f'{count / 1e6:.0f} MB' if count < 10**9 else f'{count / 1e9:.1f} GB'
