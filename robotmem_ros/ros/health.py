"""Whether the file can be written, as far as is known, and what was counted since the start."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from robotmem_ros.errors import StoreBusy, StoreError
from robotmem_ros.store.presence import Presence

SERVICES = 'services'


@dataclass
class Counters:
    """Counts since the start of the process."""

    scene_hits: int = 0
    empty_scene_hits: int = 0
    incompatible_qos: int = 0


class TickMeter:
    """Measures housekeeping: how long its slices take, and when it last ran."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._last_s = now_s()
        self.slices = 0
        self.longest_ms = self.last_ms = 0.0

    def start(self) -> None:
        """Count from now how long it has not run."""
        self._last_s = self._now_s()

    @contextmanager
    def slice(self) -> Iterator[None]:
        """Measure one slice; one that raises counts, too, but not as a run."""
        began_s = self._now_s()
        try:
            yield
            self._last_s = self._now_s()
        finally:
            self.last_ms = 1e3 * (self._now_s() - began_s)
            self.longest_ms = max(self.longest_ms, self.last_ms)
            self.slices += 1

    def idle_s(self) -> float:
        """Seconds since it last ran."""
        return self._now_s() - self._last_s


class Health:
    """
    Remembers, for each kind of work that writes, its last failure until that work has gone well again (LIF-02).

    A file that was busy is no failure: the caller was told, and may try again.

    :param on_change: is called when a failure begins or ends.
    """

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._failures: dict[str, str] = {}
        self._path = ''
        self._presence: Presence | None = None

    def watch(self, path: str) -> None:
        """Begin anew, with the file at ``path``."""
        self._path, self._presence = path, Presence(path)
        self._failures.clear()

    def failed(self, work: str, error: BaseException) -> None:
        """Note what some work raised, if it is the file's trouble."""
        if isinstance(error, StoreError) and not isinstance(error, StoreBusy):
            began = work not in self._failures
            self._failures[work] = str(error)
            if began:
                self._on_change()

    def went_well(self, work: str) -> None:
        """Note that some work has gone well."""
        if self._failures.pop(work, None) is not None:
            self._on_change()

    def is_failing(self, work: str) -> bool:
        """Whether some work failed when it was last done."""
        return work in self._failures

    @property
    def trouble(self) -> str:
        """One sentence on why nothing can be stored, or ''; looks at the file, too."""
        return next(iter(list(self._failures.values())), '') or self._trouble_of_file()

    def _trouble_of_file(self) -> str:
        try:
            if self._presence is not None:
                self._presence.check()
        except StoreError as error:
            return str(error)
        if not os.access(self._path, os.W_OK):
            return f'database {self._path}: not writable'
        return ''
