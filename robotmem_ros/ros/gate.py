"""The one way to the engine: open while the node is active, and shut only when the last caller has left."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from robotmem_ros.engine import Engine
from robotmem_ros.errors import NotActive


class Gate:
    """
    Lets callers of any thread use the engine, and makes the one who shuts it wait for them.

    So no service, timer or worker can ever touch a file that has been closed (SHUT-03).
    """

    def __init__(self, state: str) -> None:
        self._condition = threading.Condition()
        self._engine: Engine | None = None
        self._state = state
        self._inside = 0

    def open(self, engine: Engine) -> None:
        """Let callers in to ``engine``."""
        with self._condition:
            self._engine, self._state = engine, 'active'

    def shut(self, state: str, timeout_s: float = 30.0) -> bool:
        """
        Let nobody in any more, and wait until all have left.

        :param state: what callers are told from now on, such as ``inactive``.
        :param timeout_s: how long to wait at most, seconds.
        :return: whether all have left.
        """
        until = time.monotonic() + timeout_s
        with self._condition:
            self._engine, self._state = None, state
            while self._inside:
                left = until - time.monotonic()
                if left <= 0.0:
                    return False
                self._condition.wait(left)
        return True

    @contextmanager
    def enter(self) -> Iterator[Engine]:
        """
        Use the engine for one call.

        :raises NotActive: while the gate is shut; says in which state the node is.
        """
        with self._condition:
            if self._engine is None:
                raise NotActive(self._state)
            engine = self._engine
            self._inside += 1
        try:
            yield engine
        finally:
            with self._condition:
                self._inside -= 1
                self._condition.notify_all()
