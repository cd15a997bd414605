"""A bar on standard error for work that takes long; silent where nobody looks at a terminal."""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType

EVERY_S = 0.1


class Bar:
    """Shows how far work is, at most ten times a second, and leaves no trace.

    :param total: how much there is; 0: not known, then only the count is shown.
    """

    def __init__(self, label: str, total: int = 0) -> None:
        self._label, self._total, self._done = label, total, 0
        self._next = 0.0
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            print('\r\x1b[K', end='', file=sys.stderr, flush=True)

    def step(self) -> None:
        """One more is done."""
        self.at(self._done + 1)

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
            return f'{self._label} {self._done}'
        total = max(self._total, self._done)
        share = self._done / total
        counts = f' {self._done}/{total} {share:4.0%}'
        room = max(0, min(40, shutil.get_terminal_size().columns - len(self._label) - len(counts) - 4))
        full = round(room * share)
        return f'{self._label} [{"#" * full}{"." * (room - full)}]{counts}'
