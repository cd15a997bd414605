"""What is shown on standard error while work takes long; nothing where nobody looks at a terminal."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from types import TracebackType

EVERY_S = 0.1
SECOND = 1.0
"""What takes no longer needs no word."""


class Bar:
    """Shows how far work is, at most ten times a second, and leaves no trace.

    :param total: how much there is; 0: not known, then only the count is shown.
    :param shown: whether to show anything at all: not where a program asked for JSON.
    """

    def __init__(self, label: str, total: int = 0, *, shown: bool = True) -> None:
        self._label, self._total, self._done = label, total, 0
        self._next = 0.0
        self._shown = shown and sys.stderr.isatty()

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            wipe()

    def step(self) -> None:
        """One more is done."""
        self.at(self._done + 1)

    def phase(self, label: str, done: int, total: int) -> None:
        """Of work that has several parts: what is done now, and how far it is."""
        self._label, self._total = label, total
        self.at(done)

    def at(self, done: int, total: int = 0) -> None:
        """``done`` are done, of ``total`` where that is known only now."""
        self._done, self._total = done, total or self._total
        now = time.monotonic()
        if self._shown and now >= self._next:
            self._next = now + EVERY_S
            print(f'\r\x1b[K{self.text()}', end='', file=sys.stderr, flush=True)

    def text(self) -> str:
        """Give the line: label, bar, counts; it fits into the terminal."""
        if not self._total:
            return f'{self._label} {self._done or "…"}'
        total = max(self._total, self._done)
        share = self._done / total
        counts = f' {self._done}/{total} {share:4.0%}'
        room = max(0, min(40, shutil.get_terminal_size().columns - len(self._label) - len(counts) - 4))
        full = round(room * share)
        return f'{self._label} [{"#" * full}{"." * (room - full)}]{counts}'


class Elapsed:
    """Shows how long something is waited for that says nothing of how far it is.

    :param shown: as of :class:`Bar`.
    """

    def __init__(self, label: str, *, shown: bool = True) -> None:
        self._label, self._ended = label, threading.Event()
        self._shown = shown and sys.stderr.isatty()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Elapsed:
        if self._shown:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._shown:
            self._thread.join()

    def _tick(self) -> None:
        seconds = 0
        while not self._ended.wait(SECOND):
            seconds += 1
            print(f'\r\x1b[K{self._label} … {seconds} s', end='', file=sys.stderr, flush=True)
        if seconds:
            wipe()


def wipe() -> None:
    """Clear the line that was shown."""
    print('\r\x1b[K', end='', file=sys.stderr, flush=True)
