"""The order in which threads come to the one writer."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class WriterLock:
    """A fair lock with two queues: background work waits while anybody's request waits.

    Within a queue, first come, first served: a 200 Hz stream of writes cannot starve one learn.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._owner: int | None = None
        self._users: deque[object] = deque()
        self._background: deque[object] = deque()

    @contextmanager
    def held(self, *, background: bool) -> Iterator[None]:
        """Hold the lock within the ``with`` block.

        :raises RuntimeError: if this thread holds it already, which would wait for ever.
        """
        me = threading.get_ident()
        ticket = object()
        queue = self._background if background else self._users
        with self._changed:
            if self._owner == me:
                raise RuntimeError('a write inside a write of the same thread')
            queue.append(ticket)
            try:
                self._changed.wait_for(lambda: self._owner is None and self._next() is ticket)
                self._owner = me
            finally:
                queue.remove(ticket)
        try:
            yield
        finally:
            with self._changed:
                self._owner = None
                self._changed.notify_all()

    def user_waits(self) -> bool:
        """Tell whether a request waits: background work should come to its end."""
        with self._changed:
            return bool(self._users)

    def waiting(self) -> int:
        """Count the threads that wait."""
        with self._changed:
            return len(self._users) + len(self._background)

    def _next(self) -> object | None:
        return (self._users or self._background or [None])[0]
