"""A thread that does one step after the other, beside the executor."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

RETRY_S = 1.0
"""Pause after a step that failed: what fails at once would otherwise fail in a busy loop."""
LONGEST_REST_S = 0.05
"""Of a worker that rests in proportion to its steps."""


class Worker:
    """
    Calls ``step`` again and again in a thread of its own, on the steady clock.

    Work that may wait for the disk runs here and not in a callback, so that it never holds a thread
    of the executor, and with it a service (EXE-01).

    :param name: of the thread, for a debugger.
    :param step: does a little and gives the seconds until it wants to be called again; ``None``: when woken.
    :param on_error: is told what a step raised; the worker goes on after a pause.
    :param rest: for how many times the length of a step nobody can wake it afterwards, within ``LONGEST_REST_S``;
        unless the step gave 0, since much is left to do.
    """

    def __init__(
        self, name: str, step: Callable[[], float | None], on_error: Callable[[Exception], None], rest: float = 0.0
    ) -> None:
        self._name, self._step, self._on_error, self._rest = name, step, on_error, rest
        self._condition = threading.Condition()
        self._woken = self._stopping = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin; a running worker goes on."""
        if self._thread is not None:
            return
        self._stopping = self._woken = False
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Make the next step now."""
        with self._condition:
            self._woken = True
            self._condition.notify_all()

    def stop(self, timeout_s: float = 10.0) -> bool:
        """Finish the step in hand and end; whether it has ended within ``timeout_s`` seconds."""
        thread = self._thread
        if thread is None:
            return True
        with self._condition:
            self._stopping = True
            self._condition.notify_all()
        thread.join(timeout_s)
        self._thread = None
        return not thread.is_alive()

    def _run(self) -> None:
        while not self._stopping:
            begun = time.monotonic()
            try:
                pause = self._step()
            except Exception as error:  # noqa: BLE001  the thread must outlive whatever one step raises
                self._on_error(error)
                pause = RETRY_S
            rest_s = min(self._rest * (time.monotonic() - begun), LONGEST_REST_S) if pause != 0.0 else 0.0
            with self._condition:
                self._condition.wait_for(lambda: self._stopping, rest_s)
                if not self._woken and not self._stopping:
                    self._condition.wait(pause)
                self._woken = False
